use millrace_git::{Reference, Resolved};

use crate::fixture::{Client, Server, branch, commit, files};

fn revision(resolved: &Resolved) -> &str {
    resolved.revision.as_str()
}

// SC-035 and SC-037: what each kind of reference resolves to, and how the revision prints.
#[test]
fn sc_035_sc_037_references_resolve_to_commits_and_print_as_revisions() {
    let Some(server) = Server::start() else { return };
    let repository = server.repository("app.git");
    let first = repository.commit_file("f", "1");
    repository.git(&["tag", "-a", "v1.0.0", "-m", "release"]);
    repository.git(&["tag", "light"]);
    repository.git(&["branch", "feature/x"]);
    repository.git(&["update-ref", "refs/pull/1/head", "HEAD"]);
    let second = repository.commit_file("f", "2");
    let url = server.url("public/app.git");
    let client = Client::new();
    let tag = Reference::Tag("v1.0.0".to_owned());
    let name = |name: &str| Reference::Name(name.to_owned());
    let on_main = Reference::Commit { id: first.clone(), branch: Some("main".to_owned()) };
    let rows = [
        (branch("main"), format!("main@sha1:{second}"), "2"),
        (branch("feature/x"), format!("feature/x@sha1:{first}"), "1"),
        (tag, format!("v1.0.0@sha1:{first}"), "1"),
        (Reference::Tag("light".to_owned()), format!("light@sha1:{first}"), "1"),
        (name("refs/heads/main"), format!("refs/heads/main@sha1:{second}"), "2"),
        (name("refs/tags/v1.0.0"), format!("refs/tags/v1.0.0@sha1:{first}"), "1"),
        (name("refs/tags/v1.0.0^{}"), format!("refs/tags/v1.0.0^{{}}@sha1:{first}"), "1"),
        (name("refs/pull/1/head"), format!("refs/pull/1/head@sha1:{first}"), "1"),
        (on_main, format!("main@sha1:{first}"), "1"),
        (commit(&first), format!("sha1:{first}"), "1"),
    ];
    for (reference, expected, content) in rows {
        let (resolved, checkout) = client.checkout(&url, &reference).unwrap();
        assert_eq!(revision(&resolved), expected, "{reference:?}");
        assert_eq!(checkout.commit().id, resolved.commit);
        assert_eq!(files(&checkout), [("f".to_owned(), content.to_owned())], "{reference:?}");
    }
    let (_, checkout) = client.checkout(&url, &Reference::Tag("v1.0.0".to_owned())).unwrap();
    let tag_object = repository.git(&["rev-parse", "v1.0.0"]);
    assert_eq!(checkout.commit().tag_object.as_deref(), Some(tag_object.as_str()));
}

#[test]
fn an_old_server_serves_every_reference_as_well() {
    let Some(server) = Server::start_old() else { return };
    let repository = server.repository("app.git");
    let first = repository.commit_file("f", "1");
    repository.git(&["tag", "-a", "v1.0.0", "-m", "release"]);
    let second = repository.commit_file("f", "2");
    let url = server.url("public/app.git");
    // A commit that isn't listed comes with the history of the branches; the store then holds it.
    let on_main = Reference::Commit { id: first.clone(), branch: Some("main".to_owned()) };
    for reference in [Reference::Tag("v1.0.0".to_owned()), commit(&first), on_main] {
        let client = Client::new();
        assert_eq!(client.checkout(&url, &reference).unwrap().1.commit().id, first, "{reference:?}");
        // The same store goes on with what is new.
        assert_eq!(client.checkout(&url, &branch("main")).unwrap().0.commit, second);
    }
    let missing = "0".repeat(39) + "1";
    let expected = format!("unable to resolve commit object for '{missing}': object not found");
    assert_eq!(Client::new().failure(&url, &commit(&missing)), expected);
    assert!(server.requests(1).iter().all(|line| !line.contains("version=2")));
}

// SC-011: a run that finds nothing new sends listings only.
#[test]
fn sc_011_looking_for_news_takes_a_listing_and_no_objects() {
    let Some(server) = Server::start() else { return };
    let repository = server.repository("app.git");
    repository.commit_file("f", "1");
    let url = server.url("public/app.git");
    let client = Client::new();
    let resolved = client.resolve(&url, &branch("main")).unwrap();
    let observed = Some(&resolved.revision);
    let again = client.remote(&url).unwrap().resolve(&branch("main"), observed, client.cache()).unwrap();
    assert_eq!(again, resolved);
    let requests = server.requests(4);
    assert_eq!(requests.len(), 4, "{requests:#?}");
    assert!(requests.iter().all(|line| line.ends_with("go-git/5.x")), "{requests:#?}");
}

#[test]
fn a_resolved_reference_is_fetched_in_the_same_conversation() {
    let Some(server) = Server::start() else { return };
    server.repository("app.git").commit_file("f", "1");
    Client::new().checkout(&server.url("public/app.git"), &branch("main")).unwrap();
    let requests = server.requests(3);
    assert_eq!(requests.len(), 3, "{requests:#?}");
}
