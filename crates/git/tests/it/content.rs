use millrace_git::EntryKind;

use crate::fixture::{Client, Server, branch, files};

#[test]
fn a_tree_is_walked_in_byte_order_with_kinds_and_modes() {
    let Some(server) = Server::start() else { return };
    let library = server.repository("library.git");
    let pinned = library.commit_file("l", "1");
    let repository = server.repository("app.git");
    for path in ["Bin", "bin/x", "bin-a", "bin.txt", "deep/er/still/f", "é"] {
        repository.write(path, path);
    }
    repository.write("run.sh", "#!/bin/sh\n");
    repository.make_executable("run.sh");
    repository.link("link", "bin/x");
    repository.write("empty", "");
    repository.git(&["submodule", "add", "-q", library.bare().to_str().unwrap(), "sub"]);
    repository.commit("everything");
    let client = Client::new();
    let (_, checkout) = client.checkout(&server.url("public/app.git"), &branch("main")).unwrap();
    let mut seen = Vec::new();
    checkout
        .walk(|path, entry| {
            let kind = match &entry.kind {
                EntryKind::File { executable: false } => "file",
                EntryKind::File { executable: true } => "program",
                EntryKind::Folder => "folder",
                EntryKind::Symlink => "link",
                EntryKind::Submodule { commit } => {
                    assert_eq!(commit, &pinned);
                    assert!(checkout.list(entry.node)?.is_empty());
                    "submodule"
                }
            };
            seen.push(format!("{} {kind}", String::from_utf8(path.to_vec()).unwrap()));
            if entry.kind == EntryKind::Symlink {
                assert_eq!(checkout.read(entry.node)?, b"bin/x");
            }
            Ok::<(), std::io::Error>(())
        })
        .unwrap();
    let expected = [
        ".gitmodules file",
        "Bin file",
        "bin folder",
        "bin/x file",
        "bin-a file",
        "bin.txt file",
        "deep folder",
        "deep/er folder",
        "deep/er/still folder",
        "deep/er/still/f file",
        "empty file",
        "link link",
        "run.sh program",
        "sub submodule",
        "é file",
    ];
    assert_eq!(seen, expected);
    assert!(files(&checkout).contains(&("empty".to_owned(), String::new())));
}

// SC-012 and SC-016 take the subject from here.
#[test]
fn a_commit_tells_its_subject_and_times() {
    let Some(server) = Server::start() else { return };
    let repository = server.repository("app.git");
    repository.commit_at("a subject, ü\n\nand a body\n", 1_600_000_000);
    let client = Client::new();
    let (resolved, checkout) = client.checkout(&server.url("public/app.git"), &branch("main")).unwrap();
    let commit = checkout.commit();
    assert_eq!(commit.id, resolved.commit);
    assert_eq!(commit.subject(), "a subject, ü");
    assert_eq!((commit.author_time, commit.committer_time), (1_600_000_000, 1_600_000_000));
    assert_eq!(commit.tag_object, None);
}

#[test]
fn an_empty_commit_is_an_empty_tree() {
    let Some(server) = Server::start() else { return };
    server.repository("app.git").commit("nothing");
    let (_, checkout) = Client::new().checkout(&server.url("public/app.git"), &branch("main")).unwrap();
    assert!(files(&checkout).is_empty());
}

#[test]
fn a_name_that_leads_elsewhere_ends_the_walk() {
    let Some(server) = Server::start() else { return };
    let repository = server.repository("app.git");
    repository.write("f", "x");
    let blob = repository.git(&["hash-object", "-w", "f"]);
    let tree = format!("100644 blob {blob}\t.git\n");
    repository.write("listing", tree);
    // mktree doesn't check names.
    let tree = repository.git(&["-c", "alias.t=!git mktree < listing", "t"]);
    let commit = repository.git(&["commit-tree", "-m", "hostile", &tree]);
    repository.git(&["update-ref", "refs/heads/hostile", &commit]);
    repository.push();
    let (_, checkout) = Client::new().checkout(&server.url("public/app.git"), &branch("hostile")).unwrap();
    let err = checkout.list(checkout.root()).unwrap_err();
    assert_eq!(err.to_string(), "invalid path \".git\" in tree");
}
