//! Stores that many read from.

use std::{fs, path::Path, sync::Arc};

use millrace_git::stores::{Contents, Limits, Visited};
use millrace_git::{GitError, SharedStore, Stores, TransportError};

use crate::fixture::{Client, Repository, Server, text};

const LIMITS: Limits = Limits { store_bytes: 1 << 30, total_bytes: 1 << 30, stores: 100 };

/// Brings what `name` means into a store.
fn visit(
    client: &Client,
    store: &SharedStore,
    url: &str,
    name: &str,
) -> Result<(String, Arc<Contents>), GitError> {
    let mut remote = client.remote(url)?;
    let resolved = remote.resolve_name(name)?;
    match store.fetch(remote, resolved, None)? {
        Visited::Here { commit, contents } => Ok((commit, contents)),
        Visited::Busy(_) => panic!("nobody else writes"),
    }
}

fn noise(seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    };
    (0..200_000).map(|_| next()).collect()
}

fn folders(parent: &Path) -> usize {
    let home = parent.join("millrace-bases-0");
    fs::read_dir(home)
        .map_or(0, |entries| entries.filter(|entry| entry.as_ref().unwrap().path().is_dir()).count())
}

#[test]
fn what_is_there_is_not_fetched_again_and_a_known_commit_is_not_asked_for() {
    let Some(server) = Server::start() else { return };
    let repository = server.repository("app.git");
    let first = repository.commit_file("f", "1");
    let (client, url) = (Client::new(), server.url("public/app.git"));
    let stores = Stores::new(client.cache(), LIMITS);
    let store = stores.get(&url).unwrap();
    assert_eq!(visit(&client, &store, &url, "main").unwrap().0, first);
    let before = server.requests(3).len();
    // A greeting and a listing.
    assert_eq!(visit(&client, &store, &url, "main").unwrap().0, first);
    assert_eq!(server.requests(before + 2).len(), before + 2);
    // Not even a greeting.
    assert_eq!(visit(&client, &store, &url, &first).unwrap().0, first);
    assert_eq!(server.requests(before + 2).len(), before + 2);
    let second = repository.commit_file("f", "2");
    assert_eq!(visit(&client, &store, &url, "main").unwrap().0, second);
    for (commit, content) in [(&first, b"1"), (&second, b"2")] {
        let checkout = store.open(commit).unwrap();
        let file = &checkout.list(checkout.root()).unwrap()[0];
        assert_eq!(
            (checkout.size(file.node).unwrap(), checkout.read(file.node).unwrap()),
            (1, content.to_vec())
        );
    }
}

#[test]
fn who_has_no_login_is_not_served_from_what_others_have_fetched() {
    let parent = tempfile::tempdir().unwrap();
    let stores = Stores::new(parent.path(), LIMITS);
    let (open, with_login) = (stores.get("http://h/r").unwrap(), stores.get("http://u:p@h/r").unwrap());
    assert!(!Arc::ptr_eq(&open, &with_login));
    assert!(Arc::ptr_eq(&open, &stores.get("http://h/r").unwrap()));
}

#[test]
fn one_writes_at_a_time_and_the_next_finds_what_it_wanted() {
    let Some(server) = Server::start() else { return };
    let commit = server.repository("app.git").commit_file("f", "1");
    let (client, url) = (Client::new(), server.url("public/app.git"));
    let stores = Stores::new(client.cache(), LIMITS);
    let store = stores.get(&url).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let writing = runtime.block_on(store.writing());
    let mut remote = client.remote(&url).unwrap();
    let resolved = remote.resolve_name("main").unwrap();
    let Visited::Busy(resolved) = store.fetch(remote, resolved, None).unwrap() else {
        panic!("somebody writes")
    };
    assert!(store.contents(&commit).is_none());
    let remote = client.remote(&url).unwrap();
    let visited = store.fetch(remote, resolved.clone(), Some(writing)).unwrap();
    assert!(matches!(visited, Visited::Here { commit: found, .. } if found == commit));
    // The turn has been given back.
    drop(runtime.block_on(store.writing()));
    let requests = server.requests(4).len();
    let remote = client.remote(&url).unwrap();
    assert!(matches!(store.fetch(remote, resolved, None).unwrap(), Visited::Here { .. }));
    assert_eq!(server.requests(requests).len(), requests);
}

#[test]
fn a_store_that_is_too_large_is_left_to_its_readers() {
    let Some(server) = Server::start() else { return };
    let repository = server.repository("app.git");
    repository.write("large", noise(1));
    let commit = repository.commit("large");
    let (client, url) = (Client::new(), server.url("public/app.git"));
    // It is only known how large it is when it is there.
    let stores = Stores::new(client.cache(), Limits { total_bytes: 100_000, ..LIMITS });
    let store = stores.get(&url).unwrap();
    visit(&client, &store, &url, "main").unwrap();
    let checkout = store.open(&commit).unwrap();
    stores.settle();
    assert!(Arc::ptr_eq(&store, &stores.get(&url).unwrap()), "nobody wants the place");
    let _other = stores.get("http://h/other").unwrap();
    assert_eq!(checkout.read(checkout.list(checkout.root()).unwrap()[0].node).unwrap(), noise(1));
    let again = stores.get(&url).unwrap();
    assert!(!Arc::ptr_eq(&store, &again) && again.contents(&commit).is_none());
    assert_eq!(folders(client.cache()), 1, "the old one has its reader");
    drop((checkout, store));
    assert_eq!(folders(client.cache()), 0, "it goes with its last reader");
}

#[test]
fn a_pack_beyond_the_limit_is_given_up() {
    let Some(server) = Server::start() else { return };
    let repository = server.repository("app.git");
    repository.write("large", noise(1));
    repository.commit("large");
    let (client, url) = (Client::new(), server.url("public/app.git"));
    let stores = Stores::new(client.cache(), Limits { store_bytes: 100_000, ..LIMITS });
    let store = stores.get(&url).unwrap();
    let error = visit(&client, &store, &url, "main").err().unwrap();
    let GitError::Clone { source: TransportError::TooLarge { limit }, .. } = &error else {
        panic!("{}", text(&error))
    };
    assert_eq!(*limit, 100_000);
    let packs = client.cache().join("millrace-bases-0/0/objects/pack");
    let left: u64 = fs::read_dir(packs).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum();
    assert!(left < 200_000, "{left} bytes are left behind");
}

#[test]
fn a_store_that_somebody_has_emptied_gets_a_successor() {
    let Some(server) = Server::start() else { return };
    let commit = server.repository("app.git").commit_file("f", "1");
    let (client, url) = (Client::new(), server.url("public/app.git"));
    let stores = Stores::new(client.cache(), LIMITS);
    let store = stores.get(&url).unwrap();
    visit(&client, &store, &url, "main").unwrap();
    fs::remove_dir_all(client.cache().join("millrace-bases-0/0")).unwrap();
    assert!(store.open(&commit).is_err());
    let store = stores.get(&url).unwrap();
    visit(&client, &store, &url, "main").unwrap();
    assert_eq!(store.open(&commit).unwrap().commit().id, commit);
}

/// Adds a submodule without asking anybody for it.
fn add_submodule(repository: &Repository, path: &str, commit: &str) {
    repository.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{commit},{path}")]);
}

#[test]
fn the_submodules_of_a_commit_are_known_with_it() {
    let Some(server) = Server::start() else { return };
    let repository = server.repository("app.git");
    let commit = repository.commit_file(
        ".gitmodules",
        "[submodule \"a\"]\n\tpath = modules/a\n\turl = ../a.git\n[submodule \"b\"]\n\tpath = b\n\turl = ../b.git\n\tupdate = none\n",
    );
    for path in ["modules/a", "b", "unnamed"] {
        add_submodule(&repository, path, &commit);
    }
    repository.git(&["commit", "-q", "-m", "submodules"]);
    repository.push();
    let (client, url) = (Client::new(), server.url("public/app.git"));
    let stores = Stores::new(client.cache(), LIMITS);
    let (_, contents) = visit(&client, &stores.get(&url).unwrap(), &url, "main").unwrap();
    let found: Vec<_> = contents
        .submodules
        .iter()
        .map(|module| (module.path.as_str(), module.url.as_deref(), module.is_left_out))
        .collect();
    assert_eq!(
        found,
        [("b", Some("../b.git"), true), ("modules/a", Some("../a.git"), false), ("unnamed", None, false)]
    );
    assert!(contents.submodules.iter().all(|module| module.commit == commit));
}
