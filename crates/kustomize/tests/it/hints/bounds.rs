//! What is told has an end, and so has the work for it.

use std::fmt::Write as _;

use millrace_kustomize::MemoryFiles;

use super::{OBJECT, build, cli, files};
use crate::MEMORY;

/// The bytes that hints and other errors may have in all.
const MOST_TOLD: usize = 16 << 10;

fn list(count: usize, name: impl Fn(usize) -> String) -> String {
    (0..count).fold("resources:\n".to_owned(), |mut text, index| {
        let _ = writeln!(text, "- {}", name(index));
        text
    })
}

#[test]
fn other_errors_end_after_twenty() {
    let error =
        build(&files(&[("kustomization.yaml", &list(1000, |index| format!("f{index}.yaml")))]), "", &cli());
    let error = error.expect_err("the build fails");
    assert_eq!(error.hints, ["kustomization.yaml:2: 'f0.yaml' is not there"]);
    assert_eq!(error.others.len(), 21);
    assert_eq!(error.others[19], "kustomization.yaml:22: 'f20.yaml' is not there");
    assert_eq!(error.others[20], "… and 979 more");
}

#[test]
fn names_of_any_length_are_told_in_short() {
    let long = |index: usize| format!("{}{index}.yaml", "a".repeat(20_000));
    let mut files = files(&[("kustomization.yaml", &list(50, |index| long(2 * index)))]);
    for index in 0..50 {
        files.insert(&long(2 * index + 1), OBJECT);
    }
    let error = build(&files, "", &cli()).expect_err("the build fails");
    let told = error.hints.iter().chain(error.others.iter());
    let bytes: usize = told.clone().map(String::len).sum();
    assert!(bytes < MOST_TOLD, "{bytes} bytes");
    assert!(told.clone().all(|line| line.len() < 700 && !line.contains("did you mean")), "{error}");
}

#[test]
fn a_circle_of_bases_is_gone_through_once() {
    let mut files = MemoryFiles::new();
    for index in 0..60 {
        let next = index + 1;
        files.insert(
            &format!("l{index}/kustomization.yaml"),
            format!("resources: [../l{next}, ../l{next}/, ../l{next}/., gone.yaml]"),
        );
    }
    files.insert("l60/kustomization.yaml", "resources: [gone.yaml]");
    let error = build(&files, "l0", &cli()).expect_err("the build fails");
    assert_eq!(error.hints, ["l60/kustomization.yaml:1: 'gone.yaml' is not there"]);
    assert_eq!(error.others.len(), 21, "{error}");
    assert_eq!(error.others[20], "… and 40 more");
}

/// What one failing build allocates beside what the same build without hints would.
fn cost(entries: usize) -> usize {
    let files = files(&[("kustomization.yaml", &list(entries, |index| format!("f{index}.yaml")))]);
    let measured = || {
        let before = MEMORY.total_allocated();
        let failed = build(&files, "", &cli()).is_err();
        assert!(failed);
        MEMORY.total_allocated() - before
    };
    // Other tests of this process, if there are any, allocate as well.
    (0..3).map(|_| measured()).min().unwrap_or_default()
}

#[test]
fn the_work_for_hints_grows_with_the_entries_alone() {
    let (small, large) = (cost(1000), cost(4000));
    assert!(large < 5 * small, "{small} bytes for 1000 entries, {large} for 4000");
}
