use millrace_git::Auth;
use millrace_net::{Identity, Proxy, Tls};

use crate::fixture::{Client, Server, branch};

fn basic(username: &str, password: &str) -> Auth {
    Auth::Basic { username: username.to_owned(), password: password.to_owned().into() }
}

// SC-040: basic auth.
#[test]
fn sc_040_credentials_go_out_with_the_first_request() {
    let Some(server) = Server::start() else { return };
    server.repository("app.git").commit_file("f", "1");
    let url = server.url("git/app.git");
    let client = Client { auth: basic("alice", "s3cret"), ..Client::new() };
    client.checkout(&url, &branch("main")).unwrap();
    let requests = server.requests(3);
    assert!(requests.iter().all(|line| line.contains(" 200 alice ")), "{requests:#?}");

    for auth in [basic("alice", "wrong"), Auth::None] {
        let client = Client { auth, ..Client::new() };
        let failure = client.failure(&url, &branch("main"));
        assert!(
            failure.starts_with(&format!("unable to clone '{url}': authentication required: ")),
            "{failure}"
        );
    }
    assert_eq!(server.requests(requests.len() + 2).len(), requests.len() + 2, "one request each");
}

#[test]
fn credentials_of_the_url_are_used_and_never_shown() {
    let Some(server) = Server::start() else { return };
    server.repository("app.git").commit_file("f", "1");
    let with = |user: &str| server.url("git/app.git").replace("//", &format!("//{user}@"));
    let client = Client::new();
    client.checkout(&with("alice:s3cret"), &branch("main")).unwrap();
    client.checkout(&with("alice:%733cret"), &branch("main")).unwrap();
    let half = Client { auth: basic("", "s3cret"), ..Client::new() };
    half.checkout(&with("alice"), &branch("main")).unwrap();
    let failure = client.failure(&with("alice:not-this"), &branch("main"));
    assert!(failure.starts_with("unable to clone 'http://***@127.0.0.1"), "{failure}");
    assert!(!failure.contains("not-this") && !failure.contains("alice"), "{failure}");
}

// SC-041: a token next to credentials of the URL.
#[test]
fn sc_041_a_token_is_sent_but_not_beside_credentials_of_the_url() {
    let Some(server) = Server::start() else { return };
    server.repository("app.git").commit_file("f", "1");
    let url = server.url("bearer/app.git");
    let bearer = |token: &str| Client { auth: Auth::Bearer(token.to_owned().into()), ..Client::new() };
    bearer("t0ken-of-the-test").checkout(&url, &branch("main")).unwrap();
    assert!(bearer("other").failure(&url, &branch("main")).contains("authentication required: "));
    assert_eq!(
        bearer("t0ken-of-the-test").failure(&url.replace("//", "//me:pw@"), &branch("main")),
        "basic auth and bearer token cannot be set at the same time"
    );
}

// SC-042 and SC-043: a private authority, and a server that asks for a certificate.
#[test]
fn sc_042_sc_043_tls_works_with_what_is_needed_and_fails_without() {
    let Some(server) = Server::start() else { return };
    server.repository("app.git").commit_file("f", "1");
    let https = format!("https://localhost:{}/public/app.git", server.https);
    let mtls = format!("https://localhost:{}/public/app.git", server.mtls);
    let failure = Client::new().failure(&https, &branch("main"));
    assert!(failure.starts_with(&format!("unable to clone '{https}': ")), "{failure}");
    assert!(
        failure.ends_with("tls: failed to verify certificate: x509: certificate signed by unknown authority"),
        "{failure}"
    );
    let tls = Tls { ca: Some(server.ca.clone()), ..Tls::default() };
    let client = Client { tls: tls.clone(), ..Client::new() };
    client.checkout(&https, &branch("main")).unwrap();
    let failure = client.failure(&mtls, &branch("main"));
    assert!(failure.ends_with("remote error: tls: certificate required"), "{failure}");
    let identity =
        Identity { certificate: server.client_certificate.clone(), key: server.client_key.clone().into() };
    let client = Client { tls: Tls { identity: Some(identity), ..tls }, ..Client::new() };
    client.checkout(&mtls, &branch("main")).unwrap();
}

#[test]
fn the_first_request_may_be_redirected_and_credentials_stay_with_their_host() {
    let Some(server) = Server::start() else { return };
    server.repository("app.git").commit_file("f", "1");
    Client::new().checkout(&server.url("moved/app.git"), &branch("main")).unwrap();
    let requests = server.requests(4);
    assert!(requests[0].starts_with("GET /moved/app.git/info/refs"), "{requests:#?}");
    assert!(requests[1..].iter().all(|line| line.contains(" /public/app.git/")), "{requests:#?}");
    // The same server under another name is another host.
    let client = Client { auth: basic("alice", "s3cret"), ..Client::new() };
    let failure = client.failure(&server.url("away/app.git"), &branch("main"));
    assert!(failure.contains("authentication required: "), "{failure}");
    client.checkout(&server.url("git/app.git"), &branch("main")).unwrap();
}

#[test]
fn redirects_elsewhere_are_refused() {
    let Some(server) = Server::start() else { return };
    server.repository("app.git").commit_file("f", "1");
    let url = server.url("elsewhere/app.git");
    let failure = Client::new().failure(&url, &branch("main"));
    let expected =
        format!("unable to clone '{url}': http redirect: unexpected target path \"/public/app.git/HEAD\"");
    assert_eq!(failure, expected);
    let url = format!("https://localhost:{}/plain/app.git", server.https);
    let client = Client { tls: Tls { ca: Some(server.ca.clone()), ..Tls::default() }, ..Client::new() };
    let failure = client.failure(&url, &branch("main"));
    assert!(failure.ends_with("http redirect: changes scheme from \"https\" to \"http\""), "{failure}");
}

#[test]
fn a_proxy_that_is_down_is_the_reason() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let proxy = Proxy::Url(format!("http://127.0.0.1:{port}").into());
    let client = Client { proxy, ..Client::new() };
    let failure = client.failure("http://example.invalid/app.git", &branch("main"));
    assert!(failure.contains("connection refused"), "{failure}");
}
