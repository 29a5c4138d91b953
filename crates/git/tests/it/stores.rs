//! Stores that many read from.

use std::{fs, path::Path, sync::Arc};

use millrace_git::stores::{Contents, Limits, Visited};
use millrace_git::{GitError, SharedStore, Stores, Submodules, TransportError};

use crate::fixture::{Client, Repository, Server, noise, text};

const LIMITS: Limits =
    Limits { store_bytes: 1 << 30, total_bytes: 1 << 30, live_bytes: 1 << 30, stores: 100 };

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
    let store = stores.get(&url);
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
    let Some(server) = Server::start() else { return };
    let commit = server.repository("app.git").commit_file("f", "1");
    let open = server.url("git/app.git");
    let with_login = open.replace("//", "//alice:s3cret@");
    let client = Client::new();
    let stores = Stores::new(client.cache(), LIMITS);
    for name in ["main", commit.as_str()] {
        visit(&client, &stores.get(&with_login), &with_login, name).unwrap();
        let store = stores.get(&open);
        assert!(store.contents(&commit).is_none(), "a run would go on with it unasked");
        let error = visit(&client, &store, &open, name).err().unwrap();
        assert!(
            matches!(
                &error,
                GitError::Clone { source: TransportError::AuthenticationRequired(_), .. }
                    | GitError::List { source: TransportError::AuthenticationRequired(_), .. }
            ),
            "{name}: {}",
            text(&error)
        );
        assert!(store.open(&commit).is_err());
    }
    assert!(Arc::ptr_eq(&stores.get(&with_login), &stores.get(&with_login)));
}

#[test]
fn one_writes_at_a_time_and_the_next_finds_what_it_wanted() {
    let Some(server) = Server::start() else { return };
    let commit = server.repository("app.git").commit_file("f", "1");
    let (client, url) = (Client::new(), server.url("public/app.git"));
    let stores = Stores::new(client.cache(), LIMITS);
    let store = stores.get(&url);
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
    let store = stores.get(&url);
    visit(&client, &store, &url, "main").unwrap();
    let checkout = store.open(&commit).unwrap();
    stores.settle();
    assert!(Arc::ptr_eq(&store, &stores.get(&url)), "nobody wants the place");
    let _other = stores.get("http://h/other");
    assert_eq!(checkout.read(checkout.list(checkout.root()).unwrap()[0].node).unwrap(), noise(1));
    let again = stores.get(&url);
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
    let store = stores.get(&url);
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
    let store = stores.get(&url);
    visit(&client, &store, &url, "main").unwrap();
    fs::remove_dir_all(client.cache().join("millrace-bases-0/0")).unwrap();
    assert!(store.open(&commit).is_err());
    let store = stores.get(&url);
    visit(&client, &store, &url, "main").unwrap();
    assert_eq!(store.open(&commit).unwrap().commit().id, commit);
}

/// Adds submodules without asking anybody for them.
fn add_submodules<'p>(repository: &Repository, paths: impl IntoIterator<Item = &'p str>, commit: &str) {
    let entries: Vec<String> = paths.into_iter().map(|path| format!("160000,{commit},{path}")).collect();
    let entries = entries.iter().flat_map(|entry| ["--cacheinfo", entry]);
    repository.git(&["update-index", "--add"].into_iter().chain(entries).collect::<Vec<_>>());
}

#[test]
fn the_submodules_of_a_commit_are_known_with_it() {
    let Some(server) = Server::start() else { return };
    let repository = server.repository("app.git");
    let commit = repository.commit_file(
        ".gitmodules",
        "[submodule \"a\"]\n\tpath = modules/a\n\turl = ../a.git\n[submodule \"b\"]\n\tpath = b\n\turl = ../b.git\n\tupdate = none\n",
    );
    add_submodules(&repository, ["modules/a", "b", "unnamed"], &commit);
    repository.git(&["commit", "-q", "-m", "submodules"]);
    repository.push();
    let (client, url) = (Client::new(), server.url("public/app.git"));
    let stores = Stores::new(client.cache(), LIMITS);
    let (_, contents) = visit(&client, &stores.get(&url), &url, "main").unwrap();
    let Submodules::Known(submodules) = &contents.submodules else { panic!("they are few") };
    let found: Vec<_> = submodules
        .iter()
        .map(|module| (module.path.as_str(), module.url.as_deref(), module.is_left_out))
        .collect();
    assert_eq!(
        found,
        [("b", Some("../b.git"), true), ("modules/a", Some("../a.git"), false), ("unnamed", None, false)]
    );
    assert!(submodules.iter().all(|module| module.commit == commit));
}

#[test]
fn a_commit_whose_submodules_can_not_be_told_is_there_for_who_needs_none() {
    let Some(server) = Server::start() else { return };
    let client = Client::new();
    let stores = Stores::new(client.cache(), LIMITS);
    for (name, count, expected) in [("broken", 1, "bad config in .gitmodules"), ("many", 1001, "")] {
        let repository = server.repository(&format!("{name}.git"));
        let commit = repository.commit_file(".gitmodules", "[submodule");
        let paths: Vec<String> = (0..count).map(|number| format!("m/{number}")).collect();
        add_submodules(&repository, paths.iter().map(String::as_str), &commit);
        repository.git(&["commit", "-q", "-m", "submodules"]);
        repository.push();
        let url = server.url(&format!("public/{name}.git"));
        let store = stores.get(&url);
        let (commit, contents) = visit(&client, &store, &url, "main").unwrap();
        match &contents.submodules {
            Submodules::Unknown(text) => assert!(count == 1 && text.starts_with(expected), "{text}"),
            Submodules::TooMany => assert_eq!(count, 1001),
            Submodules::Known(_) => panic!("{name} is told"),
        }
        let checkout = store.open(&commit).unwrap();
        assert_eq!(checkout.list(checkout.root()).unwrap().len(), 2, "the file and the folder");
    }
}
