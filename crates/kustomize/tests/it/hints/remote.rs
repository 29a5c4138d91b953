//! Entries that lead to another host, where nothing is to be had.

use std::time::Duration;

use millrace_kustomize::Options;
use millrace_kustomize::remote::{FileFailure, Remotes, Repository, RepositoryFailure};

use super::{cli, error};

const BASE: &str = "http://127.0.0.1:1/o/r.git//b?ref=main";
const FILE: &str = "http://127.0.0.1:1/x.yaml";
const DOWN: &str = "dial tcp 127.0.0.1:1: connect: connection refused";

fn tried(base: RepositoryFailure, file: FileFailure) -> Options {
    let mut remotes = Remotes::default();
    let unreached = FileFailure::Unreached(format!("Get \"{BASE}\": {DOWN}"));
    remotes.add_file(BASE, Err(unreached));
    remotes.add_repository(&Repository::parse(BASE).expect("a repository"), Err(base));
    remotes.add_file(FILE, Err(file));
    Options { remotes: remotes.into(), ..cli() }
}

fn git(says: &str) -> RepositoryFailure {
    RepositoryFailure::Failed(format!("failed to run 'git fetch': fatal: {says}: exit status 128"))
}

#[test]
fn a_remote_entry_is_told_by_its_place_and_the_kind_of_failure() {
    let status = |code| FileFailure::Status { code, name: "Some Status".to_owned() };
    let timed_out =
        RepositoryFailure::TimedOut { after: Duration::from_secs(1), line: "git fetch".to_owned() };
    for (base, base_told, file, file_told) in [
        (
            git(&format!("unable to access 'http://127.0.0.1:1/o/r.git/': {DOWN}")),
            "the server was not reached",
            FileFailure::Unreached(format!("Get \"{FILE}\": {DOWN}")),
            "the server was not reached",
        ),
        (
            git("repository 'http://127.0.0.1:1/o/r.git/' not found"),
            "the server has no such repository",
            status(404),
            "the server has no such file",
        ),
        (
            git("Authentication failed for 'http://127.0.0.1:1/o/r.git/'"),
            "the server refuses the login",
            status(500),
            "the server answers with status 500",
        ),
        (
            git("no words"),
            "git cannot fetch the repository",
            status(403),
            "the server answers with status 403",
        ),
        (timed_out, "git was not done in time", status(404), "the server has no such file"),
    ] {
        let options = tried(base, file);
        let both = format!("resources:\n- {BASE}\n- {FILE}\n");
        let error = error(&[("kustomization.yaml", &both)], &options);
        assert_eq!(error.hints, [format!("kustomization.yaml:2: {base_told}")], "{error}");
        assert_eq!(*error.others, [format!("kustomization.yaml:3: {file_told}")], "{error}");
        let file_only = format!("resources:\n- {FILE}\n");
        let error = super::error(&[("kustomization.yaml", &file_only)], &options);
        assert_eq!(error.hints, [format!("kustomization.yaml:2: {file_told}")], "{error}");
    }
}

#[test]
fn advice_about_a_remote_entry_stands_behind_its_place_once() {
    let advice = "write it otherwise".to_owned();
    let refused = RepositoryFailure::Refused { text: "transport not allowed".to_owned(), advice };
    let options = tried(refused, FileFailure::Unreached(String::new()));
    let error = error(&[("kustomization.yaml", &format!("resources:\n- {BASE}\n"))], &options);
    assert_eq!(error.hints, [format!("kustomization.yaml:2: '{BASE}': write it otherwise")]);
}
