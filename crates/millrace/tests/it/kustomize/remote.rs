//! Bases in repositories and files on web servers.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{Outcome, file, original, ours, run};

/// A repository with two targets and a link that leaves it.
fn repository(folder: &Path) {
    file(folder, "deploy/kustomization.yaml", "resources: [../base, a.yaml]\n");
    file(folder, "deploy/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
    file(folder, "base/kustomization.yaml", "nameSuffix: -b\nresources: [a.yaml]\n");
    file(folder, "base/a.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n");
    file(folder, "outside/kustomization.yaml", "resources: [../deploy/a.yaml]\n");
    let identity = ["-c", "user.name=a", "-c", "user.email=a@test"];
    for words in
        [&["init", "--quiet", "--initial-branch=main"][..], &["add", "."], &["commit", "--quiet", "-m", "a"]]
    {
        let mut git = Command::new("git");
        git.args(identity)
            .args(words)
            .current_dir(folder)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("HOME", folder);
        assert!(git.status().expect("git starts").success(), "{words:?}");
    }
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
