//! The recorded cases of the original: which files reach an artifact.

use std::{collections::BTreeMap, path::Path};

use millrace_api::meta::Algorithm;
use millrace_artifact::{archive, digest, files::MemoryTree, ignore::Rules};
use serde::Deserialize;

use crate::gunzip;

#[derive(Deserialize)]
struct Set {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Case {
    id: String,
    area: String,
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    contents: BTreeMap<String, Content>,
    #[serde(default)]
    directories: Vec<String>,
    spec_ignore: Option<String>,
    #[serde(default)]
    patterns: Vec<String>,
    #[serde(default)]
    domain: String,
    expect: Expect,
}

#[derive(Deserialize)]
struct Content {
    #[serde(default)]
    content: String,
    #[serde(default)]
    exec: bool,
    symlink: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Expect {
    #[serde(default)]
    archive: Vec<String>,
    tar_sha256: Option<String>,
    #[serde(default)]
    ignored: Vec<String>,
    #[serde(default)]
    kept: Vec<String>,
}

#[test]
fn recorded_cases_end_like_the_original() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/conformance/sourceignore/cases.yaml");
    if !Path::new(path).exists() {
        eprintln!("skipped: {path} is absent");
        return;
    }
    let set: Set = serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut failures = Vec::new();
    let mut run = 0;
    for case in set.cases.iter().filter(|case| case.area != "sparse" && case.area != "bucket") {
        run += 1;
        let result = if case.area == "matcher" { check_matcher(case) } else { check_archive(case) };
        if let Err(difference) = result {
            failures.push(format!("{}: {difference}", case.id));
        }
    }
    assert!(failures.is_empty(), "{} of {run} cases fail:\n{}", failures.len(), failures.join("\n"));
    assert!(run > 50, "only {run} cases were found");
}

fn check_matcher(case: &Case) -> Result<(), String> {
    let mut rules = Rules::none();
    rules.add(&case.domain, &case.patterns.join("\n"));
    let excludes = |path: &String| rules.excludes(path.as_bytes(), path.ends_with('/'));
    let wrong: Vec<&String> = case
        .expect
        .ignored
        .iter()
        .filter(|path| !excludes(path))
        .chain(case.expect.kept.iter().filter(|path| excludes(path)))
        .collect();
    if wrong.is_empty() { Ok(()) } else { Err(format!("wrong about {wrong:?}")) }
}

fn check_archive(case: &Case) -> Result<(), String> {
    let mut tree = MemoryTree::default();
    for path in &case.files {
        tree.add_file(path, "x", false);
    }
    for (path, content) in &case.contents {
        match &content.symlink {
            Some(target) => tree.add_symlink(path, target),
            None => tree.add_file(path, content.content.as_bytes(), content.exec),
        }
    }
    for path in &case.directories {
        tree.add_folder(path);
    }
    let rules = Rules::load(&tree, case.spec_ignore.as_deref()).map_err(|err| err.to_string())?;
    let (bytes, _) = archive::write(&tree, &rules, Vec::new()).map_err(|err| err.to_string())?;
    let tar = gunzip(&bytes);
    let members = members(&tar);
    if members != case.expect.archive {
        return Err(format!("archive {members:?}, expected {:?}", case.expect.archive));
    }
    let sha256 = digest::of_reader(Algorithm::Sha256, tar.as_slice()).map_err(|err| err.to_string())?;
    match &case.expect.tar_sha256 {
        Some(expected) if expected != sha256.hex() => Err(format!("tar {sha256}, expected {expected}")),
        _ => Ok(()),
    }
}

/// The members in the notation of the recorded cases.
fn members(tar: &[u8]) -> Vec<String> {
    let mut archive = tar::Archive::new(tar);
    let entries = archive.entries().unwrap().map(|member| {
        let member = member.unwrap();
        let header = member.header();
        let path = String::from_utf8(member.path_bytes().to_vec()).unwrap();
        let (slash, usual) = if header.entry_type().is_dir() { ("/", 0o750) } else { ("", 0o600) };
        match header.mode().unwrap() {
            mode if mode == usual => format!("{path}{slash}"),
            mode => format!("{path}{slash} {mode:o}"),
        }
    });
    entries.collect()
}
