//! Bases in repositories and files on web servers.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::{Outcome, file, original, ours, run};

/// A repository with two targets and a link that leaves it.
fn repository(folder: &Path) {
    file(folder, "deploy/kustomization.yaml", "resources: [../base, a.yaml]\n");
    file(folder, "deploy/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
    file(folder, "base/kustomization.yaml", "nameSuffix: -b\nresources: [a.yaml]\n");
    file(folder, "base/a.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n");
    file(folder, "outside/kustomization.yaml", "resources: [../deploy/a.yaml]\n");
    git(folder, &["init", "--quiet", "--initial-branch=main"]);
    git(folder, &["add", "."]);
    git(folder, &["commit", "--quiet", "-m", "a"]);
}

fn git(folder: &Path, words: &[&str]) {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@test"])
        .args(words)
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("HOME", folder);
    assert!(git.status().expect("git starts").success(), "{words:?}");
}

/// Has every file that is not called `gone`, for as long as the test runs.
fn web_server() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("bound"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let mut request = Vec::new();
            let mut piece = [0; 1024];
            while !request.ends_with(b"\r\n\r\n") {
                let count = std::io::Read::read(&mut stream, &mut piece).expect("a request");
                if count == 0 {
                    break;
                }
                request.extend(&piece[..count]);
            }
            let body = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n";
            let path = String::from_utf8_lossy(&request).split(' ').nth(1).unwrap_or_default().to_owned();
            let (status, body) =
                if path.ends_with("gone") { ("404 Not Found", "") } else { ("200 OK", body) };
            let head =
                format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            std::io::Write::write_all(&mut stream, format!("{head}{body}").as_bytes()).expect("an answer");
        }
    });
    address
}

/// Folders of checkouts are named anew by every run.
fn without_folders(text: &str) -> String {
    let mut parts = text.split("/kustomize-");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|letter: char| !letter.is_ascii_digit() && letter != '-').unwrap_or(part.len());
        out.push_str("/checkout");
        out.push_str(&part[end..]);
    }
    out
}

#[test]
fn repositories_and_files_on_other_hosts_give_the_same_as_the_original() {
    let Some(original) = original() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let here = fs::canonicalize(folder.path()).expect("it is there");
    repository(&here.join("repository"));
    let (git, web) = (format!("file://{}/repository", here.display()), web_server());
    let entries = [
        format!("{git}//deploy?ref=main"),
        format!("{git}//deploy"),
        format!("git::{git}//deploy"),
        format!("{git}//gone"),
        format!("{git}//deploy/a.yaml"),
        format!("{git}//outside"),
        format!("{git}//deploy?ref=gone"),
        format!("{git}-gone//deploy"),
        format!("{web}/a.yaml"),
        format!("{web}/gone"),
        format!("{web}/o/r/gone"),
    ];
    let mut different = Vec::new();
    let mut compare = |words: &[&str]| {
        let shown = |outcome: Outcome| Outcome { stderr: without_folders(&outcome.stderr), ..outcome };
        let (wanted, found) = (shown(run(Command::new(&original), &here, words)), shown(ours(&here, words)));
        if wanted != found {
            different.push(format!("{words:?}\n  wanted {wanted:#?}\n  found {found:#?}"));
        }
    };
    for (index, entry) in entries.iter().enumerate() {
        let target = format!("t{index}");
        // The original repeats itself about the prefix where it tracks origins.
        let tracked =
            if entry.starts_with("git::") { "[]" } else { "[originAnnotations, transformerAnnotations]" };
        let text = format!("buildMetadata: {tracked}\nnamePrefix: p-\nresources: ['{entry}']\n");
        file(&here, &format!("{target}/kustomization.yaml"), &text);
        compare(&["build", &target]);
    }
    for entry in &entries[..3] {
        compare(&["build", entry]);
    }
    assert!(different.is_empty(), "{} different\n{}", different.len(), different.join("\n\n"));
}

#[test]
fn no_other_host_is_asked_where_remote_bases_are_off() {
    let folder = tempfile::tempdir().expect("a folder");
    file(folder.path(), "kustomization.yaml", "resources: ['http://127.0.0.1:9/a.yaml']\n");
    let outcome = ours(folder.path(), &["build", "--no-remote-bases"]);
    assert_eq!(outcome.status, Some(1));
    assert!(
        outcome.stderr.contains("'http://127.0.0.1:9/a.yaml' is refused: remote bases are off"),
        "{}",
        outcome.stderr
    );
}

/// Git takes options after names, and `--upload-pack` runs what it is given.
#[test]
fn a_reference_that_git_would_read_as_an_option_is_refused_before_git_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = fs::canonicalize(folder.path()).expect("it is there");
    repository(&here.join("repository"));
    let (address, ran) = (format!("file://{}/repository//deploy", here.display()), here.join("ran"));
    for (index, query) in [
        format!("ref=--upload-pack=touch+{}%3B", ran.display()),
        format!("ref=%2D%2Dupload-pack=touch%20{}%3B", ran.display()),
        format!("version=-utouch+{}%3B", ran.display()),
        "ref=-".to_owned(),
    ]
    .iter()
    .enumerate()
    {
        let (entry, target) = (format!("{address}?{query}"), format!("t{index}"));
        file(&here, &format!("{target}/kustomization.yaml"), &format!("resources: ['{entry}']\n"));
        for target in [&target, &entry] {
            let outcome = ours(&here, &["build", target]);
            assert!(!ran.exists(), "{entry}: a command of the kustomization ran");
            assert_eq!(outcome.status, Some(1), "{entry}");
            let told = "is refused: no name in git begins with '-'";
            assert!(outcome.stderr.contains(told), "{entry}: {}", outcome.stderr);
        }
    }
}

/// Whatever a person's own configuration of Git lets through.
#[test]
fn a_submodule_with_a_transport_that_runs_commands_runs_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = fs::canonicalize(folder.path()).expect("it is there");
    let (top, ran) = (here.join("repository"), here.join("ran"));
    repository(&top);
    file(&here, ".gitconfig", "[protocol \"ext\"]\n  allow = always\n");
    let modules = format!("[submodule \"s\"]\n  path = s\n  url = \"ext::sh -c touch% {}\"\n", ran.display());
    file(&top, ".gitmodules", &modules);
    let commit = "160000,0123456789012345678901234567890123456789,s";
    git(&top, &["update-index", "--add", "--cacheinfo", commit]);
    git(&top, &["add", ".gitmodules"]);
    git(&top, &["commit", "--quiet", "-m", "b"]);
    let address = format!("file://{}//deploy", top.display());
    let outcome = ours(&here, &["build", &address]);
    assert!(!ran.exists(), "a command of the repository ran");
    assert_eq!(outcome.status, Some(1));
    assert!(outcome.stderr.contains("transport 'ext' not allowed"), "{}", outcome.stderr);
    // The repository itself is in order.
    assert_eq!(ours(&here, &["build", &format!("{address}?submodules=false")]).status, Some(0));
}

#[test]
fn nothing_that_git_has_started_outlives_its_time() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let folder = tempfile::tempdir().expect("a folder");
    let address = format!("http://{}/o/r", listener.local_addr().expect("bound"));
    // Whoever connects waits for an answer.
    let outcome = ours(folder.path(), &["build", &format!("{address}?timeout=3s")]);
    assert_eq!(outcome.status, Some(1));
    assert!(outcome.stderr.contains("hit 3s timeout running '"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains(&format!("git fetch --depth=1 {address} HEAD'")), "{}", outcome.stderr);
    let (mut connection, _) = listener.accept().expect("git has connected");
    connection.set_read_timeout(Some(Duration::from_secs(10))).expect("a bound");
    let mut request = Vec::new();
    connection.read_to_end(&mut request).expect("the connection ends with whoever made it");
    assert!(request.starts_with(b"GET /o/r/info/refs"), "{}", String::from_utf8_lossy(&request));
}

#[test]
fn the_login_of_an_address_is_not_shown_where_nothing_answers() {
    let folder = tempfile::tempdir().expect("a folder");
    file(folder.path(), "kustomization.yaml", "resources: ['http://me:secret@127.0.0.1:9/a.yaml']\n");
    let outcome = ours(folder.path(), &["build"]);
    assert!(outcome.stderr.contains("Get \"http://***@127.0.0.1:9/a.yaml\": "), "{}", outcome.stderr);
}

/// The git program quotes the address that it was given.
#[test]
fn the_login_of_a_repository_is_not_shown_where_there_is_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let entry = "http://me:secretpw@127.0.0.1:9/o/r.git//base?ref=v1&token=hidden-token";
    file(folder.path(), "kustomization.yaml", &format!("resources: ['{entry}']\n"));
    let said = ours(folder.path(), &["build"]).stderr;
    assert!(said.contains("http://***@127.0.0.1:9/o/r.git"), "{said}");
    assert!(!said.contains("secretpw") && !said.contains("hidden-token"), "{said}");
}
