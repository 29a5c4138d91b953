use std::sync::{
    Arc, LazyLock,
    atomic::{AtomicUsize, Ordering},
};

use futures::FutureExt as _;
use millrace_api::meta::{Algorithm, Digest};
use millrace_artifact::{
    archive::Limits,
    digest,
    fetch::{FetchError, Location},
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

fn here() -> &'static Location {
    static HERE: LazyLock<Location> = LazyLock::new(|| Location::Url("http://here/a.tar.gz".to_owned()));
    &HERE
}

/// Opens a tree of these files as soon as it is asked for.
async fn opened(trees: &Trees, name: &str, files: &'static [(&str, &str)]) -> Arc<Tree> {
    let opening = async { Ok(open(files)) }.boxed();
    trees.get_or_open(&digest_of(name), here(), opening).await.unwrap()
}

#[tokio::test]
async fn callers_that_want_one_digest_from_one_place_share_one_opening() {
    let trees = Trees::new(std::env::temp_dir(), 1000);
    let digest = digest_of("a");
    let begun = Arc::new(AtomicUsize::new(0));
    let get = |place: Location| {
        let (trees, digest, begun) = (trees.clone(), digest.clone(), Arc::clone(&begun));
        let opening = async move {
            begun.fetch_add(1, Ordering::Relaxed);
            tokio::task::yield_now().await;
            Ok(open(&[("a", "1")]))
        };
        async move { trees.get_or_open(&digest, &place, opening.boxed()).await }
    };
    let (a, b, c) = tokio::join!(get(here().clone()), get(here().clone()), get(here().clone()));
    assert!(Arc::ptr_eq(&a.unwrap(), &b.unwrap()) && c.is_ok());
    assert_eq!(begun.load(Ordering::Relaxed), 1);
}

/// What one place answers says nothing about another one.
#[tokio::test]
async fn all_that_wait_for_a_place_get_its_error_and_another_place_is_asked_for_itself() {
    let trees = Trees::new(std::env::temp_dir(), 1000);
    let digest = digest_of("a");
    let begun = AtomicUsize::new(0);
    let failing = || {
        begun.fetch_add(1, Ordering::Relaxed);
        let opening = async {
            tokio::task::yield_now().await;
            Err::<Tree, _>(FetchError::NotFound)
        };
        trees.get_or_open(&digest, here(), opening.boxed())
    };
    let elsewhere = Location::Url("http://elsewhere/a.tar.gz".to_owned());
    let fine = trees.get_or_open(&digest, &elsewhere, async { Ok(open(&[])) }.boxed());
    let (a, b, c) = tokio::join!(failing(), failing(), fine);
    assert!(matches!((a, b), (Err(FetchError::NotFound), Err(FetchError::NotFound))));
    assert!(c.is_ok());
}

#[tokio::test]
async fn two_places_with_the_same_digest_end_in_one_tree() {
    let trees = Trees::new(std::env::temp_dir(), 1000);
    let digest = digest_of("a");
    let opening = || {
        async {
            tokio::task::yield_now().await;
            Ok(open(&[("a", "1")]))
        }
        .boxed()
    };
    let elsewhere = Location::Url("http://elsewhere/a.tar.gz".to_owned());
    let (a, b) = tokio::join!(
        trees.get_or_open(&digest, here(), opening()),
        trees.get_or_open(&digest, &elsewhere, opening())
    );
    assert!(Arc::ptr_eq(&a.unwrap(), &b.unwrap()));
}

/// A busy repository has a new revision every minute: the old ones must not pile up, each with its open file.
#[tokio::test]
async fn trees_that_nobody_holds_are_few_however_small_they_are() {
    let trees = Trees::new(std::env::temp_dir(), u64::MAX);
    let held = opened(&trees, "held", &[("a", "1")]).await;
    for revision in 0..200 {
        opened(&trees, &format!("revision {revision}"), &[("a", "1")]).await;
    }
    let kept = (0..200).filter(|revision| trees.get(&digest_of(&format!("revision {revision}"))).is_some());
    assert_eq!(kept.collect::<Vec<_>>(), (168..200).collect::<Vec<_>>());
    assert_eq!(&*held.root().children().next().unwrap().read().unwrap(), b"1", "what is held stays open");
}

#[tokio::test]
async fn a_failed_or_abandoned_opening_is_tried_again() {
    let trees = Trees::new(std::env::temp_dir(), 1000);
    let digest = digest_of("a");
    let failed = trees.get_or_open(&digest, here(), async { Err(FetchError::NotFound) }.boxed());
    assert!(failed.await.is_err());
    let dropped = Arc::new(());
    let held = Arc::clone(&dropped);
    let endless = async move {
        let never = std::future::pending().await;
        drop(held);
        never
    };
    let abandoned = trees.get_or_open(&digest, here(), endless.boxed());
    tokio::select! {
        biased;
        _ = abandoned => panic!("it never ends"),
        () = tokio::task::yield_now() => {}
    }
    assert_eq!(Arc::strong_count(&dropped), 1, "the opening ended with the last one that waited for it");
    opened(&trees, "a", &[]).await;
}

/// The first one that wanted it goes, and the others still get it.
#[tokio::test]
async fn an_opening_outlives_the_caller_that_began_it() {
    let trees = Trees::new(std::env::temp_dir(), 1000);
    let digest = digest_of("a");
    let (open_up, begun) = tokio::sync::oneshot::channel::<()>();
    let opening = async move {
        begun.await.unwrap();
        Ok(open(&[("a", "1")]))
    };
    let mut first = Box::pin(trees.get_or_open(&digest, here(), opening.boxed()));
    assert!(futures::poll!(&mut first).is_pending());
    let never = async { panic!("it is under way already") };
    let mut second = Box::pin(trees.get_or_open(&digest, here(), never.boxed()));
    assert!(futures::poll!(&mut second).is_pending());
    drop(first);
    open_up.send(()).unwrap();
    assert_eq!(second.await.unwrap().read("a").unwrap(), b"1");
}

#[tokio::test]
async fn the_oldest_trees_make_room_but_stay_readable() {
    let trees = Trees::new(std::env::temp_dir(), 10);
    let mut held = Vec::new();
    for name in ["a", "b", "c"] {
        held.push(opened(&trees, name, &[("f", "1234")]).await);
        assert!(trees.get(&digest_of("a")).is_some(), "used before every new one");
    }
    assert!(trees.get(&digest_of("b")).is_none());
    assert_eq!(held[1].read("f").unwrap(), b"1234");
    opened(&trees, "d", &[("f", "more than ten bytes")]).await;
    assert!(trees.get(&digest_of("d")).is_some() && trees.get(&digest_of("a")).is_none());
}
