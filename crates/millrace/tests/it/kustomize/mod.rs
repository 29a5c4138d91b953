//! `kustomize build` beside the original program: the same files on the disk give the same bytes, the same message and the
//! same exit status.
#![expect(clippy::print_stderr, reason = "a skipped test says so, and counts of the comparisons are shown")]

mod cases;
mod remote;

use std::fmt::Write as _;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const MILLRACE: &str = env!("CARGO_BIN_EXE_millrace");
/// How many builds are compared at a time.
const THREADS: usize = 4;

/// What a program came to.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Outcome {
    /// Hints are ours alone, and log lines of the original begin with the time of day.
    fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut stderr = String::new();
        for line in text(&output.stderr).lines() {
            if line.starts_with("hint: ") || line.starts_with("also: ") {
                continue;
            }
            let is_time =
                |word: &str| word.chars().all(|letter| letter.is_ascii_digit() || "/:".contains(letter));
            let mut words = line.splitn(3, ' ');
            let line = match (words.next(), words.next(), words.next()) {
                (Some(day), Some(time), Some(rest)) if is_time(day) && is_time(time) && !day.is_empty() => {
                    rest
                }
                _ => line,
            };
            writeln!(stderr, "{line}").expect("a string grows");
        }
        // The original ends some messages with an empty line.
        Self {
            status: output.status.code(),
            stdout: text(&output.stdout),
            stderr: stderr.trim_end().to_owned(),
        }
    }
}

impl Outcome {
    /// Whether another program came to the same as the original.
    fn agrees(&self, found: &Self) -> bool {
        if self.stderr.starts_with("panic: ") {
            // What makes the original crash is an error here.
            return (found.status, &*found.stdout) == (Some(1), "");
        }
        if self.stderr.contains("dial tcp") {
            // Without a network each machine says so in its own words.
            return (self.status, &self.stdout) == (found.status, &found.stdout);
        }
        self == found
    }
}

fn original() -> Option<PathBuf> {
    let found = millrace_harness::tools::program("kustomize");
    if let Err(error) = &found {
        eprintln!("skipped: {error}");
    }
    found.ok()
}

fn shared(path: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(path);
    let there = path.exists();
    if !there {
        eprintln!("skipped: {} is absent", path.display());
    }
    there.then_some(path)
}

fn run(mut command: Command, here: &Path, words: &[&str]) -> Outcome {
    command
        .args(words)
        .current_dir(here)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", here);
    Outcome::of(&command.output().expect("the program starts"))
}

fn ours(here: &Path, words: &[&str]) -> Outcome {
    let mut command = Command::new(MILLRACE);
    command.arg0("kustomize");
    run(command, here, words)
}

/// Says how the two programs differ.
fn difference(original: &Path, here: &Path, words: &[&str]) -> Option<String> {
    let (wanted, found) = (run(Command::new(original), here, words), ours(here, words));
    (!wanted.agrees(&found))
        .then(|| format!("{}: {words:?}\n  wanted {wanted:#?}\n  found {found:#?}", here.display()))
}

/// Compares in several threads.
fn compare<T: Sync>(all: &[T], one: impl Fn(&T) -> Option<String> + Sync) -> Vec<String> {
    let parts = all.chunks(all.len().div_ceil(THREADS).max(1));
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            parts.map(|part| scope.spawn(|| part.iter().filter_map(&one).collect::<Vec<_>>())).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    })
}

fn targets(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            targets(&entry, found);
        } else if entry.ends_with("kustomization.yaml") {
            found.push(folder.to_owned());
        }
    }
}

#[test]
fn every_target_of_whole_repositories_gives_the_same_bytes_as_the_original() {
    let (Some(original), Some(samples)) = (original(), shared("samples")) else { return };
    let mut found = Vec::new();
    targets(&fs::canonicalize(samples).expect("it is there"), &mut found);
    assert!(!found.is_empty());
    let different = compare(&found, |target| difference(&original, target, &["build"]));
    assert!(
        different.is_empty(),
        "{} of {} different\n{}",
        different.len(),
        found.len(),
        different.join("\n\n")
    );
}

fn file(folder: &Path, path: &str, text: &str) {
    let place = folder.join(path);
    fs::create_dir_all(place.parent().expect("below the folder")).expect("a folder");
    fs::write(place, text).expect("a file");
}

/// A target `a`, one that is broken, links, and objects in two namespaces and in none.
fn example(folder: &Path) {
    file(folder, "a/kustomization.yaml", "resources: [x.yaml]\n");
    file(
        folder,
        "a/x.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: X, namespace: One}\n---\napiVersion: apps/v1\nkind: Deployment\n\
         metadata: {name: d}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: one}\n",
    );
    file(folder, "sorted/kustomization.yaml", "resources: [../a]\nsortOptions: {order: fifo}\n");
    file(folder, "linked/kustomization.yaml", "resources: [inside.yaml, outside.yaml]\n");
    file(folder, "linked/real.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n");
    file(folder, "broken/kustomization.yaml", "resources: [gone.yaml, x]\nnamePrefx: a\n");
    file(folder, "dangling/kustomization.yaml", "resources: [link.yaml]\n");
    file(folder, "looping/kustomization.yaml", "resources: [link.yaml]\n");
    file(folder, "below/kustomization.yaml", "resources: [kustomization.yaml/x]\n");
    file(folder, "plugin/kustomization.yaml", "generators: [g.yaml]\n");
    file(folder, "plugin/g.yaml", "apiVersion: example.com/v1\nkind: Maker\nmetadata: {name: m}\n");
    file(folder, "chart/kustomization.yaml", "helmCharts: [{name: c}]\n");
    for (target, link) in [
        ("real.yaml", "linked/inside.yaml"),
        ("../a/x.yaml", "linked/outside.yaml"),
        ("nowhere/link.yaml", "dangling/link.yaml"),
        ("link.yaml", "looping/link.yaml"),
        ("a", "alias"),
    ] {
        std::os::unix::fs::symlink(target, folder.join(link)).expect("a link");
    }
}

#[test]
fn flags_folders_and_links_give_the_same_as_the_original() {
    let Some(original) = original() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    example(folder.path());
    let lines = [
        "build a",
        "build ./a/",
        "build alias",
        "build",
        "build a b",
        "build gone",
        "build a/x.yaml",
        "build /gone/x",
        "build a/x.yaml/b",
        "build sorted",
        "build --reorder none a",
        "build --reorder legacy sorted",
        "build --reorder= a",
        "build linked",
        "build --load-restrictor LoadRestrictionsNone linked",
        "build --load-restrictor= a",
        "build --load-restrictor none a",
        "build broken",
        "build dangling",
        "build looping",
        "build below",
        "build plugin",
        "build chart",
        "build --load-restrictor LoadRestrictionsNone dangling",
        "build --load-restrictor LoadRestrictionsNone looping",
        "build --load-restrictor LoadRestrictionsNone below",
        "build --enable-managedby-label a",
        "build -o /gone/out a",
        "build --foo",
        "build --output",
        "build -o",
        "build -eA=1 --network -- a",
        "build --network=maybe a",
        "build -abc",
        "build --help=false a",
        "--stack-trace build a",
    ];
    let different = compare(&lines, |line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        difference(&original, folder.path(), &words)
    });
    assert!(different.is_empty(), "{} different\n{}", different.len(), different.join("\n\n"));
}

#[test]
fn output_goes_to_a_file_or_to_one_file_for_each_object_as_with_the_original() {
    let Some(original) = original() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    example(folder.path());
    let written = |run: &dyn Fn(&[&str]) -> Outcome| {
        fs::create_dir(folder.path().join("out")).expect("a folder");
        for words in [&["build", "a", "-o", "out"][..], &["build", "--output=out/all.yaml", "a"]] {
            assert_eq!(run(words), Outcome { status: Some(0), stdout: String::new(), stderr: String::new() });
        }
        let mut files: Vec<(String, String)> = fs::read_dir(folder.path().join("out"))
            .expect("a folder")
            .map(|entry| entry.expect("an entry"))
            .map(|entry| {
                let text = fs::read_to_string(entry.path()).expect("text");
                (entry.file_name().into_string().expect("text"), text)
            })
            .collect();
        files.sort();
        fs::remove_dir_all(folder.path().join("out")).expect("removed");
        files
    };
    let wanted = written(&|words| run(Command::new(&original), folder.path(), words));
    let found = written(&|words| ours(folder.path(), words));
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        ["all.yaml", "default_apps_v1_deployment_d.yaml", "one_v1_configmap_x.yaml", "v1_namespace_one.yaml"]
    );
    assert_eq!(wanted, found);
}

/// Objects go to files as they are, and are not printed and read again first.
#[test]
fn what_goes_to_files_of_its_own_is_the_originals() {
    let Some(original) = original() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    file(here, "a/kustomization.yaml", "resources: [a.yaml]\n");
    let named =
        |name: &str, rest: &str| format!("apiVersion: v1\nkind: T\nmetadata: {{name: {name}}}\n{rest}\n");
    let of = |rest: &str| named("a", rest);
    for object in [
        of("x: >\n  set -e\n    indented\n  done"),
        of("x: {a: , b: ~, c, t: 2024-01-02 03:04:05, u: [2024-01-02T3:4:5Z]}"),
        named("1.50", "")
            + "---\n"
            + &named("'0x10', namespace: 1.0", "")
            + "---\n"
            + &named("İX, namespace: B", ""),
        of("x: .inf"),
        of("x: {5: y}"),
        of("x: \"\\x7f\""),
        of("x:\n  k: 'y'\n  k: [y, {z: >-\n  a b}]"),
        of("x: !!int y"),
        of("x: \"a\\u0085b \""),
        of("x: |2\n   \tb"),
    ] {
        file(here, "a/a.yaml", &object);
        let written = |run: &dyn Fn(&[&str]) -> Outcome| {
            let out = here.join("out");
            fs::create_dir(&out).expect("a folder");
            let outcome = run(&["build", "a", "-o", "out"]);
            let entries = fs::read_dir(&out).expect("a folder").map(|entry| entry.expect("an entry"));
            let read =
                |entry: fs::DirEntry| (entry.file_name(), fs::read_to_string(entry.path()).expect("text"));
            let mut files: Vec<_> = entries.map(read).collect();
            files.sort();
            fs::remove_dir_all(out).expect("removed");
            (outcome, files)
        };
        let wanted = written(&|words| run(Command::new(&original), here, words));
        assert_eq!(written(&|words| ours(here, words)), wanted, "{object}");
    }
}

/// Names of files are made of what objects say about themselves.
#[test]
fn an_object_whose_file_would_not_be_in_the_folder_is_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = fs::canonicalize(folder.path()).expect("it is there");
    file(&here, "a/kustomization.yaml", "resources: [good.yaml, bad.yaml]\n");
    file(&here, "a/good.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n");
    fs::create_dir(here.join("out")).expect("a folder");
    let absolute = format!("/{}/x", here.display());
    for (api_version, kind, name, namespace) in [
        ("/../../x", "A", "a", "b"),
        (absolute.as_str(), "A", "a", "b"),
        ("v1", "../A", "a", "b"),
        ("v1", "A", "../a", "b"),
        ("v1", "A", "a\\0b", "b"),
        ("v1", "A", "a", "../b"),
    ] {
        let object = format!(
            "{{apiVersion: \"{api_version}\", kind: {kind}, metadata: {{name: \"{name}\", namespace: {namespace}}}}}\n"
        );
        file(&here, "a/bad.yaml", &object);
        let outcome = ours(&here, &["build", "a", "-o", "out"]);
        let written: Vec<_> = [&here, &here.join("out")]
            .into_iter()
            .flat_map(|place| fs::read_dir(place).expect("a folder"))
            .map(|entry| entry.expect("an entry").file_name())
            .filter(|name| name != "a" && name != "out")
            .collect();
        assert!(written.is_empty(), "{object}: {written:?}");
        assert_eq!(outcome.status, Some(1), "{object}");
        assert!(
            outcome.stderr.starts_with("Error: cannot write the object "),
            "{object}: {}",
            outcome.stderr
        );
        assert!(outcome.stderr.ends_with(": that is no name of a file"), "{object}: {}", outcome.stderr);
    }
}

#[test]
fn what_is_refused_says_what_to_know_after_the_words_of_the_original() {
    let folder = tempfile::tempdir().expect("a folder");
    example(folder.path());
    for (words, hint) in [
        (["build", "--enable-alpha-plugins", "plugin"], "plugins and functions never run here"),
        (["build", "--enable-helm", "chart"], "Helm charts are never inflated here"),
    ] {
        let mut command = Command::new(MILLRACE);
        let output =
            command.arg("kustomize").args(words).current_dir(folder.path()).output().expect("starts");
        let text = String::from_utf8(output.stderr).expect("text");
        assert!(!output.status.success() && text.contains(&format!("\nhint: {hint}")), "{text}");
    }
}

#[test]
fn the_help_of_build_is_that_of_the_original_and_a_note() {
    let Some(original) = original() else { return };
    let here = std::env::temp_dir();
    let (wanted, found) =
        (run(Command::new(original), &here, &["build", "-h"]), ours(&here, &["build", "-h"]));
    assert_eq!(wanted.status, found.status);
    let own = found.stdout.strip_prefix(&wanted.stdout).expect("the original's text comes first");
    assert!(own.starts_with("\nOf this program alone:\n      --no-remote-bases "), "{own}");
}
