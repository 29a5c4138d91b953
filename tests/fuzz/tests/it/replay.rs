use std::collections::BTreeSet;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use millrace_fuzz::{TARGETS, Target};

/// The stack of the threads that engines run on.
const STACK_BYTES: usize = millrace_yaml::read::Limits::STACK_BYTES;
/// Corpora are for people to read; the long ones stay with the fuzzer.
const MAX_FILES: usize = 100;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz").join(name)
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Runs a target over its corpus and returns the inputs that it fails on.
fn replay(target: Target) -> Vec<String> {
    let corpus = folder("corpus").join(target.name);
    let inputs = names(&corpus);
    assert!((1..=MAX_FILES).contains(&inputs.len()), "{} has {} inputs", target.name, inputs.len());
    let mut failed = Vec::new();
    for input in inputs {
        let data = fs::read(corpus.join(&input)).unwrap();
        if catch_unwind(|| (target.run)(&data)).is_err() {
            failed.push(format!("{}/{input}", target.name));
        }
    }
    (target.run)(b"");
    failed
}

#[test]
fn no_input_of_a_corpus_breaks_its_target() {
    let mut failed = Vec::new();
    for target in TARGETS {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(|| replay(*target)).unwrap();
        failed.extend(thread.join().unwrap());
    }
    assert!(failed.is_empty(), "{failed:?}");
}

#[test]
fn every_target_has_a_program_and_a_corpus() {
    let targets: BTreeSet<String> = TARGETS.iter().map(|target| target.name.to_owned()).collect();
    assert_eq!(names(&folder("corpus")), targets);
    let programs = names(&folder("fuzz_targets"));
    let programs: BTreeSet<String> =
        programs.iter().map(|file| file.strip_suffix(".rs").unwrap().to_owned()).collect();
    assert_eq!(programs, targets);
    let manifest = fs::read_to_string(folder("Cargo.toml")).unwrap();
    for target in targets {
        assert!(manifest.contains(&format!("name = \"{target}\"")), "{target} is not in the manifest");
    }
}
