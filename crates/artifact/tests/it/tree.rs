use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use millrace_api::meta::{Algorithm, Digest};
use millrace_artifact::{
    archive::Limits,
    digest,
    tree::{Kind, Tree, Trees},
};

use crate::{archive_of, tree_of};

fn open(files: &[(&str, &str)]) -> Tree {
    let bytes = archive_of(&tree_of(files));
    Tree::unpack(bytes.as_slice(), &std::env::temp_dir(), &Limits::default()).unwrap()
}

fn digest_of(text: &str) -> Digest {
    digest::of_reader(Algorithm::Sha256, text.as_bytes()).unwrap()
}

#[test]
fn a_tree_is_looked_up_by_path() {
    let tree = open(&[("a/b/c.yaml", "c"), ("a/b.yaml", "b"), ("z", "")]);
    assert_eq!(tree.read("a/b/c.yaml").unwrap(), b"c");
    assert_eq!(tree.read("./a//b.yaml").unwrap(), b"b");
    assert_eq!(tree.get("a").unwrap().kind(), Kind::Folder);
    assert_eq!(tree.get("").unwrap().kind(), Kind::Folder);
    let names: Vec<&str> = tree.get("a").unwrap().children().map(|entry| entry.name()).collect();
    assert_eq!(names, ["b", "b.yaml"]);
    for path in ["b", "a/b/c.yaml/d", "..", "a/../z"] {
        assert!(tree.get(path).is_none(), "{path}");
    }
    assert_eq!(tree.read("a").unwrap_err().kind(), std::io::ErrorKind::IsADirectory);
    assert_eq!(tree.spooled_bytes(), 2);
}

#[test]
fn a_folder_s_hash_changes_with_its_content_and_nothing_else() {
    let base = open(&[("a/x", "1"), ("a/y", "2"), ("b/z", "3")]);
    let same = open(&[("a/x", "1"), ("a/y", "2"), ("b/z", "other")]);
    assert_eq!(base.get("a").unwrap().hash(), same.get("a").unwrap().hash());
    assert_ne!(base.root().hash(), same.root().hash());
    let others: [&[(&str, &str)]; 5] = [
        &[("a/x", "1"), ("a/y", "3")],
        &[("a/x", "1")],
        &[("a/x", "1"), ("a/y2", "2")],
        &[("a/x", "1"), ("a/y/z", "2")],
        &[("a/x", "2"), ("a/y", "1")],
    ];
    for files in others {
        assert_ne!(open(files).get("a").unwrap().hash(), base.get("a").unwrap().hash(), "{files:?}");
    }
}

#[tokio::test]
async fn callers_of_one_digest_share_one_opening() {
    let trees = Trees::new(std::env::temp_dir(), 1000);
    let digest = digest_of("a");
    let opened = AtomicUsize::new(0);
    let get = || {
        trees.get_or_open(&digest, async {
            opened.fetch_add(1, Ordering::Relaxed);
            tokio::task::yield_now().await;
            Ok::<_, ()>(open(&[("a", "1")]))
        })
    };
    let (a, b, c) = tokio::join!(get(), get(), get());
    assert!(Arc::ptr_eq(&a.unwrap(), &b.unwrap()) && c.is_ok());
    assert_eq!(opened.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_failed_or_abandoned_opening_is_tried_again() {
    let trees = Trees::new(std::env::temp_dir(), 1000);
    let digest = digest_of("a");
    assert!(trees.get_or_open(&digest, async { Err::<Tree, _>("no") }).await.is_err());
    let abandoned = trees.get_or_open(&digest, std::future::pending::<Result<Tree, ()>>());
    tokio::select! {
        biased;
        _ = abandoned => panic!("it never ends"),
        () = tokio::task::yield_now() => {}
    }
    assert!(trees.get_or_open(&digest, async { Ok::<_, ()>(open(&[])) }).await.is_ok());
}

#[tokio::test]
async fn the_oldest_trees_make_room_but_stay_readable() {
    let trees = Trees::new(std::env::temp_dir(), 10);
    let mut held = Vec::new();
    for name in ["a", "b", "c"] {
        let tree = trees.get_or_open(&digest_of(name), async { Ok::<_, ()>(open(&[("f", "1234")])) }).await;
        held.push(tree.unwrap());
        assert!(trees.get(&digest_of("a")).is_some(), "used before every new one");
    }
    assert!(trees.get(&digest_of("b")).is_none());
    assert_eq!(held[1].read("f").unwrap(), b"1234");
    let large = open(&[("f", "more than ten bytes")]);
    trees.get_or_open(&digest_of("d"), async { Ok::<_, ()>(large) }).await.unwrap();
    assert!(trees.get(&digest_of("d")).is_some() && trees.get(&digest_of("a")).is_none());
}
