use millrace_api::meta::Algorithm;
use millrace_artifact::{
    archive::{self, Archive, Written},
    digest,
    files::{Folder, MemoryTree},
    ignore::Rules,
};

use crate::{archive_of, gunzip, tree_of};

// SC-010: the golden vectors of §3.4, one of which is the tree of that row.
#[test]
fn sc_010_the_uncompressed_archive_is_the_original_s_byte_for_byte() {
    let mut plain = tree_of(&[("a.txt", "a\n"), ("b.yaml", "k: v\n")]);
    plain.add_file("bin/run.sh", "#!/bin/sh\n", true);
    let split = format!("d/{}/{}", "p".repeat(60), "f".repeat(60));
    let long = "f".repeat(120);
    let rows = [
        (MemoryTree::default(), 1536, "a6c3074b61cf17b6c20da13944bfac01ed05930dc9cef70890045d62cbfb78d5"),
        (plain, 5120, "a8de76aa8306f2be97c35115afe8a7c3e8f0e2f4dd22b7f28bf301456249fa29"),
        (
            tree_of(&[("Bin", "4"), ("bin/x", "1"), ("bin-a", "3"), ("bin.txt", "2")]),
            6144,
            "180148bfc053b63a895551338164f1049219dfd1272da6438d1d31f9aeffcdd0",
        ),
        (tree_of(&[(&split, "x")]), 3584, "7f8444de5096019bf3a10f819bf34212f0160f6730a8b1951b26c5f18e39f15e"),
        (tree_of(&[(&long, "x")]), 3584, "228b32245db2aef232c209d981e966dfa6837719ef90b937a9d58211302e5d7d"),
        (
            tree_of(&[("é.txt", "x")]),
            3584,
            "501fd4ed27e9b9fe20aae9ddedad73de96083368924a0cbabc5d806bfa196ed1",
        ),
    ];
    for (tree, length, sha256) in rows {
        let tar = gunzip(&archive_of(&tree));
        assert_eq!(tar.len(), length, "{tree:?}");
        assert_eq!(digest::of_reader(Algorithm::Sha256, tar.as_slice()).unwrap().hex(), sha256, "{tree:?}");
    }
}

#[test]
fn the_gzip_header_says_nothing_about_its_maker() {
    let bytes = archive_of(&MemoryTree::default());
    assert_eq!(bytes[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
    assert_eq!(bytes, archive_of(&MemoryTree::default()));
}

// SC-048: what is in the archive of a tree with a link, an executable, a plain file and a folder of pictures.
#[test]
fn sc_048_links_are_left_out_and_modes_are_normalised() {
    let mut tree = tree_of(&[("plain", "x"), ("d/only.png", "x")]);
    tree.add_file("run", "x", true);
    tree.add_symlink("link", "plain");
    let rules = Rules::load(&tree, None).unwrap();
    let (bytes, written) = archive::write(&tree, &rules, Vec::new()).unwrap();
    assert_eq!(written, Written { members: 4, skipped_links: 1 });
    let tar = gunzip(&bytes);
    let mut archive = tar::Archive::new(tar.as_slice());
    let members: Vec<(String, u32)> = archive
        .entries()
        .unwrap()
        .map(|member| {
            let member = member.unwrap();
            let header = member.header();
            assert_eq!((header.uid().unwrap(), header.gid().unwrap(), header.mtime().unwrap()), (0, 0, 0));
            (String::from_utf8(member.path_bytes().to_vec()).unwrap(), header.mode().unwrap())
        })
        .collect();
    let expected = [(".", 0o750), ("d", 0o750), ("plain", 0o600), ("run", 0o700)];
    assert_eq!(members, expected.map(|(path, mode)| (path.to_owned(), mode)));
}

#[test]
fn a_folder_on_disk_and_a_tree_in_memory_give_equal_archives() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("d")).unwrap();
    std::fs::write(folder.path().join("d/b"), "2").unwrap();
    std::fs::write(folder.path().join("a"), "1").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link")).unwrap();
    let (from_disk, written) =
        archive::write(&Folder::new(folder.path()), &Rules::none(), Vec::new()).unwrap();
    assert_eq!(written.skipped_links, 1);
    assert_eq!(from_disk, archive_of(&tree_of(&[("a", "1"), ("d/b", "2")])));
}

#[test]
fn a_file_of_another_length_than_promised_is_an_error() {
    for content in ["x", "xxx"] {
        let mut archive = Archive::new(Vec::new());
        assert!(archive.file(b"f", false, 2, content.as_bytes()).is_err(), "{content}");
    }
    assert!(Archive::new(Vec::new()).file(b"f", false, 8 << 30, std::io::empty()).is_err());
}

#[test]
fn folders_nested_beyond_any_stack_are_archived() {
    let mut tree = MemoryTree::default();
    let path = vec!["d"; 300].join("/");
    tree.add_file(&format!("{path}/f"), "x", false);
    let (_, written) = archive::write(&tree, &Rules::none(), Vec::new()).unwrap();
    assert_eq!(written.members, 302);
}
