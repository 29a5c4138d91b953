//! What a repository lacks, and what can't be put together or stored.

use serde_json::{Value, json};

use super::super::others::GUARDED;
use super::{API, Class, Row, Servers, git, hidden, retried, with_user};
use crate::bench::Bench;

pub(super) fn references(bench: &Bench) -> Vec<Row> {
    let app = bench.git.public_url("app");
    let row = |contract: &'static str, name: &str, reference: Value, text: &str| {
        git(contract, name, json!({ "url": with_user(&app), "ref": reference }), text)
    };
    let not_found =
        |name: &str| format!("unable to clone '{}': couldn't find remote ref \"{name}\"", hidden(&app));
    let absent = "0123456789012345678901234567890123456789";
    let object = |id: &str| format!("unable to resolve commit object for '{id}': object not found");
    vec![
        row("7.2 branch not found", "no-branch", json!({ "branch": "x" }), &not_found("refs/heads/x")),
        row("7.2 tag not found", "no-tag", json!({ "tag": "x" }), &not_found("refs/tags/x")),
        row(
            "7.2 ref.name not found",
            "no-name",
            json!({ "name": "refs/heads/x" }),
            "unable to resolve ref 'refs/heads/x' to a specific commit",
        ),
        row(
            "3.3 ref.name with a slash at its end",
            "slash",
            json!({ "name": "refs/heads/x/" }),
            "ref refs/heads/x/ is invalid; Git refs cannot begin or end with a slash '/'",
        ),
        row("7.2 commit not found", "no-commit", json!({ "commit": absent }), &object(absent)),
        row("7.2 commit short", "short", json!({ "commit": "0123456789" }), &object("0123456789")),
        row(
            "7.2 bad semver",
            "range",
            json!({ "semver": "abc" }),
            "semver parse error: improper constraint: \"abc\"",
        ),
        row(
            "7.2 no semver match",
            "no-match",
            json!({ "semver": ">=99.0.0" }),
            "no match found for semver: >=99.0.0",
        ),
    ]
}

/// Repositories that lack what is to be taken from them.
pub(super) fn contents(bench: &Bench) -> Vec<Row> {
    let (app, empty) = (bench.git.public_url("app"), bench.git.public_url("empty"));
    vec![
        retried(
            "7.2 empty repository (branch ref)",
            "empty-branch",
            "EmptyGitRepository",
            json!({ "url": with_user(&empty) }),
            "git repository is empty".to_owned(),
        ),
        git(
            "3.3 empty repository (tag ref)",
            "empty-tag",
            json!({ "url": with_user(&empty), "ref": { "tag": "v1" } }),
            &format!("unable to clone: remote repository is empty: git repository: '{}'", hidden(&empty)),
        ),
        retried(
            "7.2 sparse path absent",
            "sparse",
            "GitOperationFailed",
            json!({ "url": with_user(&app), "sparseCheckout": ["missing"] }),
            format!(
                "failed to sparse checkout directories : sparse checkout dir 'missing' does not exist in repository: \
                 lstat /tmp/gitrepository-{}-sparse/missing: no such file or directory",
                bench.namespace
            ),
        ),
    ]
}

pub(super) fn includes(bench: &Bench) -> Vec<Row> {
    let spec = |from: &str, to: &str, name: &str| {
        let include = json!([{ "repository": { "name": name }, "fromPath": from, "toPath": to }]);
        json!({ "url": with_user(&bench.git.public_url("app")), "include": include })
    };
    let waiting = |contract: &'static str, name: &str, of: &str, reason: &'static str, message: &str| Row {
        condition: Some("IncludeUnavailable"),
        class: Class::Waiting,
        ..retried(contract, name, reason, spec("", "x", of), message.to_owned())
    };
    let misplaced = |name: &str, from: &str, to: &str, reason: &'static str, message: &str| Row {
        condition: Some("StorageOperationFailed"),
        ..retried("7.2 include path problems", name, reason, spec(from, to, "lib"), message.to_owned())
    };
    vec![
        waiting(
            "7.2 include missing",
            "include-missing",
            "absent",
            "NotFound",
            "could not get resource for include 'absent': GitRepository.source.toolkit.fluxcd.io \"absent\" not found",
        ),
        waiting(
            "7.2 include missing",
            "include-guarded",
            GUARDED,
            "NotFound",
            &format!("could not get resource for include '{GUARDED}': {API}"),
        ),
        waiting(
            "7.2 include without artifact",
            "include-empty",
            "idle",
            "NoArtifact",
            "no artifact available for include 'idle'",
        ),
        misplaced(
            "include-nothing",
            "nope",
            "x",
            "CopyFailure",
            "failed to copy 'lib' include from nope to x: stat nope: no such file or directory",
        ),
        misplaced(
            "include-occupied",
            "",
            "d",
            "CopyFailure",
            "failed to copy 'lib' include from  to d: rename d: file exists",
        ),
        misplaced(
            "include-nowhere",
            "",
            "l",
            "IllegalPath",
            "path calculation for include 'lib' failed: l: too many levels of symbolic links",
        ),
    ]
}

pub(super) fn storage(bench: &Bench, servers: &Servers) -> Vec<Row> {
    let app = json!({ "url": with_user(&bench.git.public_url("app")) });
    let row = |contract: &'static str, name: &str, reason: &'static str, spec: &Value, message: &str| Row {
        condition: Some("StorageOperationFailed"),
        ..retried(contract, name, reason, spec.clone(), message.to_owned())
    };
    let lock = row(
        "7.7 failed to acquire lock",
        "no-lock",
        "Failed",
        &app,
        "failed to acquire lock for artifact: Is a directory (os error 21)",
    );
    let huge = json!({ "url": bench.git.public_url("huge") });
    vec![
        row(
            "7.7 DirectoryCreationFailed",
            "no-folder",
            "DirectoryCreationFailed",
            &app,
            "failed to create artifact directory: File exists (os error 17)",
        ),
        row(
            "7.7 ArchiveOperationFailed",
            "no-archive",
            "ArchiveOperationFailed",
            &app,
            "unable to archive artifact to storage: Is a directory (os error 21)",
        ),
        Row {
            condition: None,
            progress: format!("building artifact: new upstream revision 'main@sha1:{}'", servers.commit),
            ..lock
        },
        // Upstream sets no condition here (trap T18).
        row(
            "7.2 unreadable ignore file",
            "no-ignore",
            "SourceIgnoreError",
            &huge,
            "failed to load source ignore patterns from repository: ignore file is too large",
        ),
    ]
}
