use http::Method;
use millrace_net::{HttpClient, HttpError, Options, Proxy};

use crate::server::{Server, respond};

fn client() -> HttpClient {
    HttpClient::new(&Options { proxy: Proxy::Direct, ..Options::default() }).unwrap()
}

#[tokio::test]
async fn credentials_stay_within_an_origin_and_never_leave_it() {
    let other = Server::start(|_| respond("200 OK", "", "there")).await;
    let target = other.url("/end");
    let first = Server::start(move |head| {
        if head.starts_with("get /same") {
            respond("302 Found", &format!("location: {target}\r\n"), "")
        } else {
            respond("302 Found", "location: /same\r\n", "")
        }
    })
    .await;
    let client = client();
    let request = client.request(Method::GET, first.url("/start")).basic_auth("me", Some("pw"));
    let response = client.send(request).await.unwrap();
    assert_eq!(response.url().port(), Some(other.port));
    assert_eq!(response.bytes(100).await.unwrap(), "there");
    let heads = first.heads();
    assert_eq!(heads.len(), 2);
    assert!(heads.iter().all(|head| head.contains("authorization: basic")), "{heads:?}");
    assert!(!other.heads()[0].contains("authorization"), "{:?}", other.heads());
}

#[tokio::test]
async fn a_loop_ends() {
    let server = Server::start(|_| respond("302 Found", "location: /again\r\n", "")).await;
    let client = client();
    let Err(err) = client.send(client.request(Method::GET, server.url("/"))).await else {
        panic!("a loop can't succeed");
    };
    assert!(matches!(err, HttpError::TooManyRedirects(10)), "{err}");
    assert_eq!(server.heads().len(), 11);
}

#[tokio::test]
async fn a_redirect_to_the_metadata_service_is_refused() {
    let server =
        Server::start(|_| respond("302 Found", "location: http://169.254.169.254/latest/meta-data\r\n", ""))
            .await;
    let client = client();
    let Err(err) = client.send(client.request(Method::GET, server.url("/"))).await else {
        panic!("the address is refused");
    };
    assert_eq!(
        err.to_string(),
        "address 169.254.169.254 of '169.254.169.254' is refused by the egress policy\n\
         it is link-local or a cloud's metadata service; --allow-egress-cidr=169.254.169.254 opens it"
    );
    assert!(!err.is_retryable());
}

#[tokio::test]
async fn a_post_keeps_its_body_only_where_the_status_says_so() {
    let server = Server::start(|head| {
        if head.starts_with("post /keep ") {
            respond("307 Temporary Redirect", "location: /kept\r\n", "")
        } else if head.starts_with("post /drop ") {
            respond("302 Found", "location: /dropped\r\n", "")
        } else {
            respond("200 OK", "", "")
        }
    })
    .await;
    let client = client();
    for path in ["/keep", "/drop"] {
        let request = client.request(Method::POST, server.url(path)).body("data");
        assert_eq!(client.send(request).await.unwrap().status(), 200);
    }
    let heads = server.heads();
    assert!(heads[1].starts_with("post /kept ") && heads[1].contains("content-length: 4"), "{}", heads[1]);
    assert!(heads[3].starts_with("get /dropped ") && !heads[3].contains("content-length"), "{}", heads[3]);
}

/// A redirect is judged by the client's own policy, however its target is spelled.
#[tokio::test]
async fn a_redirect_is_refused_in_every_spelling_and_followed_where_the_operator_opens_it() {
    let targets = [
        "http://2852039166/",
        "http://0xA9FEA9FE/",
        "http://0251.0376.0251.0376/",
        "http://169.254.169.254./",
        "http://[::ffff:169.254.169.254]/",
        "http://[::ffff:a9fe:a9fe]/",
        "http://[fe80::1]/",
        "http://[fd00:ec2::254]/",
        "http://100.100.100.200/",
        "http://0.0.0.0:1/",
    ];
    for target in targets {
        let location = format!("location: {target}\r\n");
        let server = Server::start(move |_| respond("302 Found", &location, "")).await;
        let client = client();
        let Err(err) = client.send(client.request(Method::GET, server.url("/"))).await else {
            panic!("{target} was followed");
        };
        assert!(err.to_string().contains("is refused by the egress policy\n"), "{target}: {err}");
        assert!(err.to_string().contains("--allow-egress-cidr="), "{target}: {err}");
    }
    let end = Server::start(|_| respond("200 OK", "", "there")).await;
    let target = format!("location: http://0.0.0.0:{}/\r\n", end.port);
    let server = Server::start(move |_| respond("302 Found", &target, "")).await;
    let allow = vec!["0.0.0.0".parse().unwrap()];
    let egress = std::sync::Arc::new(millrace_net::EgressPolicy { allow, ..Default::default() });
    let client = HttpClient::new(&Options { proxy: Proxy::Direct, egress, ..Options::default() }).unwrap();
    let response = client.send(client.request(Method::GET, server.url("/"))).await.unwrap();
    assert_eq!(response.bytes(100).await.unwrap(), "there");
}
