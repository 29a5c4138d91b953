use std::{
    net::TcpListener,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use millrace_api::meta::Revision;
use millrace_git::{GitError, Reference};

use crate::fixture::{Client, Server, branch, commit, text};

fn tag(name: &str) -> Reference {
    Reference::Tag(name.to_owned())
}

fn name(name: &str) -> Reference {
    Reference::Name(name.to_owned())
}

// SC-018: an unknown branch; SC-038: references that can't be resolved.
#[test]
fn sc_018_sc_038_references_that_are_not_there() {
    let Some(server) = Server::start() else { return };
    let repository = server.repository("app.git");
    let head = repository.commit_file("f", "1");
    repository.git(&["tag", "v1.0.0"]);
    repository.push();
    let url = server.url("public/app.git");
    let client = Client::new();
    let absent = "0123456789012345678901234567890123456789";
    let range = |text: &str| Reference::Semver(text.to_owned());
    let rows = [
        (branch("nope"), format!("unable to clone '{url}': couldn't find remote ref \"refs/heads/nope\"")),
        (tag("v9"), format!("unable to clone '{url}': couldn't find remote ref \"refs/tags/v9\"")),
        (range("abc"), "semver parse error: improper constraint: \"abc\"".to_owned()),
        (range(">=99.0.0"), "no match found for semver: >=99.0.0".to_owned()),
        (
            commit(&head[..10]),
            format!("unable to resolve commit object for '{}': object not found", &head[..10]),
        ),
        (commit(absent), format!("unable to resolve commit object for '{absent}': object not found")),
        (name("refs/heads/x"), "unable to resolve ref 'refs/heads/x' to a specific commit".to_owned()),
        (
            name("refs/heads/x/"),
            "ref refs/heads/x/ is invalid; Git refs cannot begin or end with a slash '/'".to_owned(),
        ),
        (name("/x"), "ref /x is invalid; Git refs cannot begin or end with a slash '/'".to_owned()),
    ];
    for (reference, expected) in rows {
        assert_eq!(client.failure(&url, &reference), expected, "{reference:?}");
    }
}

// SC-039: a repository without commits, under both protocols.
#[test]
fn sc_039_an_empty_repository_is_told_from_a_missing_reference() {
    for server in [Server::start(), Server::start_old()] {
        let Some(server) = server else { return };
        let repository = server.repository("app.git");
        let url = server.url("public/app.git");
        let client = Client::new();
        assert!(matches!(client.resolve(&url, &branch("main")), Err(GitError::Empty)));
        assert_eq!(client.failure(&url, &branch("main")), "git repository is empty");
        let expected = format!("unable to clone: remote repository is empty: git repository: '{url}'");
        for reference in [tag("v1"), Reference::Semver("*".to_owned()), commit(&"0".repeat(40))] {
            assert_eq!(client.failure(&url, &reference), expected, "{reference:?}");
        }
        // HEAD leads nowhere, but there is a branch: not empty.
        repository.git(&["checkout", "-q", "-b", "other"]);
        repository.commit_file("f", "1");
        let expected = format!("unable to clone '{url}': couldn't find remote ref \"refs/heads/main\"");
        assert_eq!(client.failure(&url, &branch("main")), expected);
        assert!(client.checkout(&url, &branch("other")).is_ok());
    }
}

#[test]
fn servers_that_refuse_or_do_not_know_are_quoted() {
    let Some(server) = Server::start() else { return };
    let client = Client::new();
    let url = server.url("public/nope.git");
    let failure = client.failure(&url, &branch("main"));
    assert!(failure.starts_with(&format!("unable to clone '{url}': repository not found: ")), "{failure}");
    let url = server.url("forbidden/app.git");
    let failure = client.failure(&url, &branch("main"));
    assert!(failure.starts_with(&format!("unable to clone '{url}': authorization failed: ")), "{failure}");
}

// SC-021: a server that is down, seen by a run that lists first and by one that doesn't.
#[test]
fn sc_021_a_server_that_is_down_is_named_with_the_reason() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}/app.git");
    let reason = format!(
        "Get \"{url}/info/refs?service=git-upload-pack\": dial tcp 127.0.0.1:{port}: connect: connection refused"
    );
    let client = Client::new();
    assert_eq!(client.failure(&url, &branch("main")), format!("unable to clone '{url}': {reason}"));
    let observed = Revision::new("main@sha1:5394cb7f48332b2de7c17dd8b8384bbc84b7e738");
    let mut remote = client.remote(&url).unwrap();
    let err = remote.resolve(&branch("main"), Some(&observed), client.cache()).unwrap_err();
    assert_eq!(text(&err), format!("unable to list remote for '{url}': {reason}"));
    let failure = client.failure("http://nowhere.invalid/app.git", &branch("main"));
    assert!(failure.ends_with(": dial tcp: lookup nowhere.invalid: no such host"), "{failure}");
}

#[test]
fn a_silent_server_ends_in_the_deadline_or_an_interrupt() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/app.git", listener.local_addr().unwrap());
    let client = Client { timeout: Duration::from_millis(200), ..Client::new() };
    let expected = format!("unable to clone '{url}': context deadline exceeded");
    assert_eq!(client.failure(&url, &branch("main")), expected);

    let client = Client::new();
    let interrupt = Arc::clone(&client.interrupt);
    let failure = std::thread::scope(|scope| {
        let server = scope.spawn(move || {
            // The first connection is of the client that has given up.
            let connections = [listener.accept().unwrap(), listener.accept().unwrap()];
            interrupt.store(true, Ordering::Relaxed);
            // Still open, the second one doesn't end the client.
            connections
        });
        let failure = client.failure(&url, &branch("main"));
        drop(server.join());
        failure
    });
    assert_eq!(failure, format!("unable to clone '{url}': context canceled"));
}

#[test]
fn what_is_no_git_server_is_an_error() {
    let Some(server) = Server::start() else { return };
    server.repository("app.git").commit_file("f", "1");
    // The file `info/refs` of the dumb protocol has another media type.
    let url = server.url("public/app.git/HEAD");
    let failure = Client::new().failure(&url, &branch("main"));
    assert!(failure.starts_with(&format!("unable to clone '{url}': ")), "{failure}");
}

#[test]
fn only_http_urls_make_a_remote() {
    let client = Client::new();
    for url in
        ["ssh://git@host/app.git", "file:///tmp/app.git", "/tmp/app.git", "git@host:app.git", "http://"]
    {
        assert!(matches!(client.remote(url), Err(GitError::InvalidUrl(_))), "{url}");
    }
}
