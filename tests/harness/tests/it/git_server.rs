//! The Git server serves what was pushed, to whom it should.

use std::path::Path;
use std::process::{Command, Output};

use millrace_harness::GitServer;
use millrace_harness::git::{PASSWORD, USER};

/// Runs git as a user without any configuration, trusting `ca` only.
fn git(arguments: &[&str], folder: &Path, ca: Option<&str>) -> Output {
    let mut command = Command::new("git");
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", folder).env("GIT_CONFIG_NOSYSTEM", "1");
    command.env("GIT_TERMINAL_PROMPT", "0").current_dir(folder).args(arguments);
    if let Some(ca) = ca {
        let path = folder.join("ca.crt");
        std::fs::write(&path, ca).unwrap();
        command.env("GIT_SSL_CAINFO", path);
    }
    command.output().unwrap()
}

fn with_login(url: &str, password: &str) -> String {
    url.replacen("://", &format!("://{USER}:{password}@"), 1)
}

#[tokio::test]
async fn a_commit_can_be_cloned_over_http_and_https() {
    let server = GitServer::start().await.unwrap();
    let repository = server.create("app").unwrap();
    let commit = repository
        .commit("first")
        .file("deploy/a.yaml", "a: 1\n")
        .executable("run.sh", "#!/bin/sh\n")
        .push()
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (name, url) in
        [("public", server.public_url("app")), ("tls", with_login(&server.tls_url("app"), PASSWORD))]
    {
        let output =
            git(&["clone", "--quiet", "--depth=1", &url, name], folder.path(), Some(server.authority()));
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(
            std::fs::read_to_string(folder.path().join(name).join("deploy/a.yaml")).unwrap(),
            "a: 1\n"
        );
        let head = git(&["rev-parse", "HEAD"], &folder.path().join(name), None);
        assert_eq!(String::from_utf8_lossy(&head.stdout).trim(), commit);
    }
    let accesses = server.accesses().unwrap();
    assert!(
        accesses.iter().any(|access| access.user.as_deref() == Some(USER) && access.protocol == "version=2")
    );
}

#[tokio::test]
async fn wrong_password_unknown_authority_and_anonymous_push_are_refused() {
    let server = GitServer::start().await.unwrap();
    server.create("app").unwrap().commit("first").file("a", "1").push().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let refused = |url: &str, ca: Option<&str>| !git(&["ls-remote", url], folder.path(), ca).status.success();
    assert!(refused(&with_login(&server.tls_url("app"), "wrong"), Some(server.authority())));
    assert!(refused(&with_login(&server.tls_url("app"), PASSWORD), None), "an unknown authority is trusted");
    assert!(!refused(&server.public_url("app"), None));
    git(&["clone", "--quiet", &server.public_url("app"), "app"], folder.path(), None);
    let push = git(&["push", "origin", "HEAD:refs/heads/x"], &folder.path().join("app"), None);
    assert!(!push.status.success());
}

#[tokio::test]
async fn branches_tags_and_rewritten_history_reach_the_server() {
    let server = GitServer::start().await.unwrap();
    let repository = server.create("app").unwrap();
    let first = repository.commit("first").file("a", "1").file("b", "1").push().unwrap();
    let second = repository.commit("second").on("dev").delete("b").link("c", "a").push().unwrap();
    repository.tag("v1", &first, None).unwrap();
    repository.tag("v2", &second, Some("two")).unwrap();
    repository.force("main", &second).unwrap();
    repository.delete_ref("refs/heads/dev").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let listed = git(&["ls-remote", &server.public_url("app")], folder.path(), None);
    let listed = String::from_utf8(listed.stdout).unwrap();
    for line in [
        format!("{second}\trefs/heads/main"),
        format!("{first}\trefs/tags/v1"),
        format!("{second}\trefs/tags/v2^{{}}"),
    ] {
        assert!(listed.contains(&line), "{line} is not in\n{listed}");
    }
    assert!(!listed.contains("refs/heads/dev"));
}

#[tokio::test]
async fn a_stopped_server_listens_no_more_and_comes_back_with_its_repositories() {
    let mut server = GitServer::start().await.unwrap();
    server.create("app").unwrap().commit("first").file("a", "1").push().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let reachable = |server: &GitServer| {
        git(&["ls-remote", &server.public_url("app")], folder.path(), None).status.success()
    };
    server.stop().await.unwrap();
    assert!(!reachable(&server));
    server.resume().await.unwrap();
    assert!(reachable(&server));
}
