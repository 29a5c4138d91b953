//! What names mean, compared with `git fetch` itself.

use std::process::Command;

use millrace_git::Resolved;

use crate::fixture::{Client, Server, text};

/// The commit that Git fetches, or what it says instead.
fn by_git(url: &str, name: &str) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let git = |words: &[&str]| {
        let mut git = Command::new("git");
        git.args(words).current_dir(folder.path()).env("HOME", folder.path()).env("GIT_TERMINAL_PROMPT", "0");
        git.env("GIT_CONFIG_NOSYSTEM", "1").output().unwrap()
    };
    git(&["init", "-q"]);
    let fetched = git(&["fetch", "-q", "--depth=1", "--", url, name]);
    if !fetched.status.success() {
        return Err(String::from_utf8_lossy(&fetched.stderr).into_owned());
    }
    let commit = git(&["rev-parse", "FETCH_HEAD^{commit}"]);
    Ok(String::from_utf8(commit.stdout).unwrap().trim().to_owned())
}

#[test]
fn names_mean_what_they_mean_to_git() {
    let Some(server) = Server::start() else { return };
    let repository = server.repository("app.git");
    let first = repository.commit_file("f", "1");
    repository.git(&["tag", "light"]);
    repository.git(&["tag", "-a", "-m", "v1", "v1"]);
    // A branch and a tag of the same name: the tag counts.
    repository.git(&["tag", "both"]);
    repository.git(&["update-ref", "refs/pull/1/head", &first]);
    let second = repository.commit_file("f", "2");
    repository.git(&["branch", "both"]);
    repository.git(&["branch", "feature/x"]);
    repository.git(&["update-ref", "refs/remotes/origin/HEAD", &first]);
    // A branch that is called like a commit: the commit counts.
    repository.git(&["update-ref", &format!("refs/heads/{first}"), &second]);
    repository.push();
    let (url, client) = (server.url("public/app.git"), Client::new());
    for name in [
        "HEAD",
        "main",
        "light",
        "v1",
        "both",
        "feature/x",
        "heads/both",
        "refs/pull/1/head",
        "pull/1/head",
        "origin",
        &first,
        &second,
        &second[..7],
        &second[..39],
        "nope",
        "mai",
        "v1^{}",
        "main~1",
        "a..b",
    ] {
        let wanted = by_git(&url, name);
        let mut remote = client.remote(&url).unwrap();
        let found = remote.resolve_name(name).and_then(|resolved| {
            let checkout = remote.fetch(&resolved, client.cache())?;
            assert_eq!(checkout.commit().id, resolved.commit);
            Ok(resolved.commit)
        });
        match (wanted, found) {
            (Ok(wanted), found) => assert_eq!(found.ok(), Some(wanted), "{name}"),
            (Err(said), Ok(commit)) => panic!("{name} is {commit}, but git says {said}"),
            (Err(said), Err(error)) if said.contains("couldn't find remote ref") => {
                let text = text(&error);
                assert!(text.ends_with(&format!("couldn't find remote ref {name:?}")), "{name}: {text}");
            }
            (Err(_), Err(_)) => {}
        }
    }
}

#[test]
fn a_hash_that_is_not_there_is_refused_in_the_words_of_git() {
    let Some(server) = Server::start() else { return };
    server.repository("app.git").commit_file("f", "1");
    let (url, client) = (server.url("public/app.git"), Client::new());
    let nowhere = "0123456789012345678901234567890123456789";
    let mut remote = client.remote(&url).unwrap();
    let resolved = remote.resolve_name(nowhere).unwrap();
    let error = remote.fetch(&resolved, client.cache()).err().unwrap();
    assert!(text(&error).contains(&format!("not our ref {nowhere}")), "{}", text(&error));
    assert_eq!(Resolved::of_commit(nowhere, false).unwrap(), resolved);
}
