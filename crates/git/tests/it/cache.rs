use std::{fs, sync::atomic::Ordering, time::Duration};

use crate::fixture::{Client, Server, branch, commit, files, noise, text};

fn packs(client: &Client) -> Vec<u64> {
    let packs = fs::read_dir(client.cache().join("objects/pack")).unwrap().map(|entry| entry.unwrap());
    let packs = packs.filter(|entry| entry.path().extension().is_some_and(|extension| extension == "pack"));
    let mut sizes: Vec<u64> = packs.map(|entry| entry.metadata().unwrap().len()).collect();
    sizes.sort_unstable();
    sizes
}

#[test]
fn a_second_fetch_transfers_what_is_new_only() {
    let Some(server) = Server::start() else { return };
    let repository = server.repository("app.git");
    repository.write("large", noise(1));
    repository.commit_file("f", "1");
    let url = server.url("public/app.git");
    let client = Client::new();
    client.checkout(&url, &branch("main")).unwrap();
    repository.commit_file("f", "2");
    let (_, checkout) = client.checkout(&url, &branch("main")).unwrap();
    assert_eq!(checkout.read(checkout.list(checkout.root()).unwrap()[1].node).unwrap(), noise(1));
    let packs = packs(&client);
    assert!(packs.len() == 2 && packs[0] < 2_000 && packs[1] > 200_000, "{packs:?}");
    // What is there is not fetched again, even by another name.
    let before = server.requests(6).len();
    client.checkout(&url, &branch("main")).unwrap();
    assert_eq!(server.requests(before + 2).len(), before + 2);
}

#[test]
fn a_commit_of_another_repository_is_not_answered_from_the_store() {
    let Some(server) = Server::start() else { return };
    let id = server.repository("app.git").commit_file("f", "1");
    server.repository("other.git").commit_file("g", "1");
    let client = Client::new();
    client.checkout(&server.url("public/app.git"), &commit(&id)).unwrap();
    let failure = client.failure(&server.url("public/other.git"), &commit(&id));
    assert!(failure.contains("object not found"), "{failure}");
    client.checkout(&server.url("public/app.git"), &commit(&id)).unwrap();
}

#[test]
fn history_never_comes_along() {
    let Some(server) = Server::start() else { return };
    let repository = server.repository("app.git");
    for seed in 0..5 {
        repository.write("large", noise(seed));
        repository.commit("change");
    }
    let client = Client::new();
    client.checkout(&server.url("public/app.git"), &branch("main")).unwrap();
    assert!(packs(&client)[0] < 250_000, "{:?}", packs(&client));
}

#[test]
fn a_lost_or_damaged_store_costs_one_fetch() {
    let Some(server) = Server::start() else { return };
    let repository = server.repository("app.git");
    repository.write("d/x", "x");
    repository.commit_file("f", "1");
    let url = server.url("public/app.git");
    let client = Client::new();
    client.checkout(&url, &branch("main")).unwrap();
    let expected = [("d/x".to_owned(), "x".to_owned()), ("f".to_owned(), "2".to_owned())];
    repository.commit_file("f", "2");
    // The packs are gone, but the list of commits claims that they are there.
    fs::remove_dir_all(client.cache().join("objects")).unwrap();
    let (_, checkout) = client.checkout(&url, &branch("main")).unwrap();
    assert_eq!(files(&checkout), expected);
    fs::remove_dir_all(client.cache()).unwrap();
    let (_, checkout) = client.checkout(&url, &branch("main")).unwrap();
    assert_eq!(files(&checkout), expected);
}

#[test]
fn a_store_that_has_outgrown_its_bound_starts_anew() {
    let Some(server) = Server::start() else { return };
    let repository = server.repository("app.git");
    let url = server.url("public/app.git");
    let client = Client { max_cache_bytes: 250_000, ..Client::new() };
    for seed in 0..4 {
        repository.write("large", noise(seed));
        repository.commit("change");
        client.checkout(&url, &branch("main")).unwrap();
        assert!(packs(&client).len() <= 2, "{:?}", packs(&client));
    }
}

#[test]
fn a_rewritten_branch_is_followed() {
    let Some(server) = Server::start() else { return };
    let repository = server.repository("app.git");
    repository.commit_file("f", "1");
    let second = repository.commit_file("f", "2");
    let url = server.url("public/app.git");
    let client = Client::new();
    assert_eq!(client.checkout(&url, &branch("main")).unwrap().0.commit, second);
    repository.git(&["reset", "-q", "--hard", "HEAD^"]);
    let third = repository.commit_file("f", "3");
    let (resolved, checkout) = client.checkout(&url, &branch("main")).unwrap();
    assert_eq!(resolved.commit, third);
    assert_eq!(files(&checkout), [("f".to_owned(), "3".to_owned())]);
}

#[test]
fn a_store_that_lost_an_older_pack_heals() {
    let Some(server) = Server::start() else { return };
    let repository = server.repository("app.git");
    repository.write("large", noise(1));
    repository.commit_file("f", "1");
    let url = server.url("public/app.git");
    let client = Client::new();
    client.checkout(&url, &branch("main")).unwrap();
    repository.commit_file("f", "2");
    client.checkout(&url, &branch("main")).unwrap();
    let entries = fs::read_dir(client.cache().join("objects/pack")).unwrap();
    let large = entries.map(|entry| entry.unwrap()).find(|entry| entry.metadata().unwrap().len() > 100_000);
    let large = large.unwrap().path();
    fs::remove_file(large.with_extension("idx")).unwrap();
    fs::remove_file(large).unwrap();
    let (_, checkout) = client.checkout(&url, &branch("main")).unwrap();
    assert_eq!(checkout.read(checkout.list(checkout.root()).unwrap()[1].node).unwrap(), noise(1));
}

#[test]
fn a_lock_that_a_killed_process_left_behind_does_not_end_all_fetches() {
    let Some(server) = Server::start() else { return };
    server.repository("app.git").commit_file("f", "1");
    let client = Client::new();
    fs::write(client.cache().join("shallow.lock"), "").unwrap();
    client.checkout(&server.url("public/app.git"), &branch("main")).unwrap();
}

#[test]
fn what_is_in_the_store_already_is_looked_through_no_longer_than_somebody_waits() {
    let Some(server) = Server::start() else { return };
    server.repository("app.git").commit_file("f", "1");
    let url = server.url("public/app.git");
    let client = Client::new();
    client.checkout(&url, &branch("main")).unwrap();
    let mut remote = client.remote(&url).unwrap();
    let resolved = remote.resolve(&branch("main"), None, client.cache()).unwrap();
    client.interrupt.store(true, Ordering::Relaxed);
    let interrupted = remote.fetch(&resolved, client.cache()).map(drop).unwrap_err();
    assert_eq!(text(&interrupted), format!("unable to clone '{url}': context canceled"));

    client.interrupt.store(false, Ordering::Relaxed);
    let late = Client { timeout: Duration::ZERO, ..Client::new() };
    let late = late.remote(&url).unwrap().fetch(&resolved, client.cache()).map(drop).unwrap_err();
    assert_eq!(text(&late), format!("unable to clone '{url}': context deadline exceeded"));
}
