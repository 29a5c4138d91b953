//! Builds: each section is a file, its name the path; `PATH -> TARGET` is a link. The target is the root folder.

use millrace_kustomize::{BuildError, Limits, MemoryFiles, Options, Output, build};
use millrace_yaml::canonicalize;
use millrace_yaml::read::{self, Resolver};

use crate::sections::sections;
use crate::trees;

const MAX_FILES: usize = 40;
const MAX_INPUT: usize = 1 << 15;

pub(crate) fn run(data: &[u8]) {
    if data.len() > MAX_INPUT {
        return;
    }
    let mut files = MemoryFiles::new();
    for section in sections(data).into_iter().skip(1).take(MAX_FILES) {
        match section.name.split_once(" -> ") {
            Some((path, target)) => files.link(path, target),
            None => files.insert(&section.name, section.text),
        }
    }
    for options in [Options::flux("/srv"), Options::cli("/srv")] {
        let limits = Limits { depth: 10, resources: 200, bytes: 1 << 18, ..Limits::default() };
        let options = Options { limits, ..options };
        match build(&files, "", &options) {
            Ok(output) => check(&output, &limits),
            Err(error) => check_error(&error),
        }
    }
}

/// What must hold for what a build makes.
pub(crate) fn check(output: &Output, limits: &Limits) {
    assert!(output.resources.len() <= limits.resources);
    for path in output.observed.read.iter().chain(&output.observed.listed) {
        assert!(!path.starts_with('/') && !path.split('/').any(|part| part == ".."), "{path:?} was read");
    }
    for node in &output.resources {
        assert!(trees::depth(node) <= read::Limits::MAX_DEPTH);
        let mut canonical = node.clone();
        canonicalize(&mut canonical).expect("what was built has its final form");
        assert_eq!(&canonical, node, "what was built has its final form");
        trees::check_round_trip(node);
    }
    if output.resources.iter().any(trees::has_merge_key) {
        return;
    }
    let read = read::documents(&output.to_yaml(), Resolver::Kubernetes, &read::Limits::default());
    let count = read.expect("what was built is read").len();
    assert_eq!(count, output.resources.len());
}

pub(crate) fn check_error(error: &BuildError) {
    let text = error.to_string();
    assert!(!error.reference.is_empty());
    assert!(text.len() < 1 << 20, "an error of {} bytes", text.len());
}
