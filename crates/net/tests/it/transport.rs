use std::{sync::Arc, time::Duration};

use http::Method;
use millrace_net::{Cause, Clients, EgressPolicy, HttpClient, HttpError, Masker, Options, Proxy};

use crate::server::{Server, respond};

fn options() -> Options {
    Options { proxy: Proxy::Direct, ..Options::default() }
}

async fn failure(client: &HttpClient, url: &str) -> HttpError {
    match client.send(client.request(Method::GET, url.parse().unwrap())).await {
        Err(err) => err,
        Ok(_) => panic!("{url} answered"),
    }
}

#[tokio::test]
async fn a_closed_port_is_a_refused_connection() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let client = HttpClient::new(&options()).unwrap();
    let err = failure(&client, &format!("http://127.0.0.1:{port}/")).await;
    assert_eq!(err.to_string(), format!("dial tcp 127.0.0.1:{port}: connect: connection refused"));
    assert!(err.is_retryable());
}

#[tokio::test]
async fn an_unknown_name_is_no_such_host() {
    let client = HttpClient::new(&options()).unwrap();
    let err = failure(&client, "http://nowhere.invalid/").await;
    assert_eq!(err.to_string(), "dial tcp: lookup nowhere.invalid: no such host");
}

#[tokio::test]
async fn a_name_is_judged_by_the_address_it_leads_to() {
    let egress = Arc::new(EgressPolicy { lockdown: true, ..EgressPolicy::default() });
    let client = HttpClient::new(&Options { egress, ..options() }).unwrap();
    for host in ["localhost", "127.0.0.1", "[::1]", "0.0.0.0", "2130706433"] {
        let err = failure(&client, &format!("http://{host}:1/")).await;
        assert!(matches!(err, HttpError::Transport(Cause::Egress(_))), "{host}: {err}");
        let hint = "\n--lockdown-egress closes this host and the API server; --allow-egress-cidr=";
        assert!(err.to_string().contains(hint) || host.starts_with('0'), "{host}: {err}");
    }
}

#[tokio::test]
async fn lockdown_closes_every_way_to_an_api_server_that_is_known_by_name() {
    // The resolver reads this as an address of the documentation's block, without asking anybody.
    let name = "192.0.513";
    let locked = |name| EgressPolicy {
        lockdown: true,
        api_server_host: Some(millrace_net::NamedHost::new(name)),
        ..EgressPolicy::default()
    };
    let client =
        |egress, proxy| HttpClient::new(&Options { egress: Arc::new(egress), proxy, ..options() }).unwrap();
    let closed = |err: HttpError| {
        err.to_string().contains(
            "--lockdown-egress closes this host and the API server; --allow-egress-cidr=192.0.2.1 opens",
        )
    };
    let direct = client(locked(name), Proxy::Direct);
    for url in
        ["http://192.0.2.1:1/", "http://192.0.513:1/", "http://[::ffff:192.0.2.1]:1/", "http://3221225985:1/"]
    {
        let err = failure(&direct, url).await;
        assert!(closed(err), "{url}");
    }
    let address = millrace_net::Secret::new("http://u:p@192.0.2.1:1".to_owned());
    let through = client(locked(name), Proxy::Url(address));
    assert!(closed(failure(&through, "http://example.com/").await), "a proxy is a way, too");
    // A name that leads nowhere closes nothing but this host.
    let unknown = client(locked("nowhere.invalid"), Proxy::Direct);
    let err = failure(&unknown, "http://127.0.0.1:1/").await;
    assert!(err.to_string().contains("--allow-egress-cidr=127.0.0.1 opens it"), "{err}");
}

#[tokio::test]
async fn silence_ends_in_a_timeout() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let client =
        HttpClient::new(&Options { timeout: Some(Duration::from_millis(100)), ..options() }).unwrap();
    assert_eq!(failure(&client, &url).await.to_string(), "context deadline exceeded");
}

#[tokio::test]
async fn a_body_is_read_up_to_its_limit() {
    let server = Server::start(|head| {
        if head.starts_with("get /plain ") {
            respond("200 OK", "", "0123456789")
        } else {
            b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n0123456789".to_vec()
        }
    })
    .await;
    let client = HttpClient::new(&options()).unwrap();
    for path in ["/plain", "/unsized"] {
        let get = || client.send(client.request(Method::GET, server.url(path)));
        assert_eq!(get().await.unwrap().bytes(10).await.unwrap().len(), 10, "{path}");
        let err = get().await.unwrap().bytes(9).await.unwrap_err();
        assert_eq!(err.to_string(), "response body exceeds 9 bytes", "{path}");
    }
}

#[tokio::test]
async fn a_body_cut_short_is_an_error() {
    let server = Server::start(|_| b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n01234".to_vec()).await;
    let client = HttpClient::new(&options()).unwrap();
    let response = client.send(client.request(Method::GET, server.url("/"))).await.unwrap();
    assert!(response.bytes(100).await.unwrap_err().is_retryable());
}

#[tokio::test]
async fn an_error_body_is_quoted_without_secrets() {
    let server = Server::start(|_| respond("401 Unauthorized", "", "wrong password s3cret\x07!")).await;
    let client = HttpClient::new(&options()).unwrap();
    let response = client.send(client.request(Method::GET, server.url("/"))).await.unwrap();
    let mut masker = Masker::new();
    masker.add("s3cret");
    assert_eq!(response.quoted(&masker).await, "wrong password *** !");
}

#[tokio::test]
async fn equal_options_share_a_client_and_the_cache_is_bounded() {
    let server = Server::start(|_| respond("200 OK", "", "")).await;
    let clients = Clients::new(1);
    for agent in ["a", "b", "a"] {
        let client = clients.get(&Options { user_agent: agent.into(), ..options() }).unwrap();
        client.send(client.request(Method::GET, server.url("/"))).await.unwrap();
    }
    let heads = server.heads();
    assert!(heads[1].contains("user-agent: b\r\n"), "{}", heads[1]);
}

#[test]
fn a_proxy_address_must_parse_and_be_allowed() {
    for address in [
        "::",
        "http://169.254.169.254:3128",
        "http://2852039166:3128",
        "http://[::ffff:169.254.169.254]:3128",
        "socks5://169.254.169.254:1080",
        "socks5://2852039166:1080",
        "socks5://[fe80::1]:1080",
    ] {
        let proxy = Proxy::Url(address.to_owned().into());
        assert!(HttpClient::new(&Options { proxy, ..Options::default() }).is_err(), "{address}");
    }
}

#[tokio::test]
async fn a_proxy_sees_the_whole_url_and_its_credentials() {
    let proxy = Server::start(|_| respond("200 OK", "", "via proxy")).await;
    let address = format!("http://alice:s3cret@127.0.0.1:{}", proxy.port);
    let client =
        HttpClient::new(&Options { proxy: Proxy::Url(address.into()), ..Options::default() }).unwrap();
    let response =
        client.send(client.request(Method::GET, "http://nowhere.invalid/x".parse().unwrap())).await.unwrap();
    assert_eq!(response.bytes(100).await.unwrap(), "via proxy");
    let head = &proxy.heads()[0];
    assert!(head.starts_with("get http://nowhere.invalid/x "), "{head}");
    assert!(head.contains("proxy-authorization: basic"), "{head}");
}

#[tokio::test]
async fn a_proxy_that_can_not_be_reached_is_named_instead_of_the_server() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let proxy = |address: String| {
        HttpClient::new(&Options { proxy: Proxy::Url(address.into()), ..Options::default() }).unwrap()
    };
    let err = failure(&proxy(format!("http://127.0.0.1:{port}")), "http://127.0.0.1:1/").await;
    let text = format!("proxyconnect tcp: dial tcp 127.0.0.1:{port}: connect: connection refused");
    assert_eq!((err.to_string(), err.is_retryable()), (text, true));
    let err = failure(&proxy("http://nowhere.invalid:3128".to_owned()), "http://127.0.0.1:1/").await;
    assert_eq!(err.to_string(), "proxyconnect tcp: dial tcp: lookup nowhere.invalid: no such host");
}

#[tokio::test]
async fn a_login_in_the_url_is_sent_as_a_header_unless_there_is_one() {
    let server = Server::start(|_| respond("200 OK", "", "")).await;
    let client = HttpClient::new(&options()).unwrap();
    let url: url::Url = format!("http://me:p%40ss@127.0.0.1:{}/x", server.port).parse().unwrap();
    let get = || millrace_net::Request::new(Method::GET, url.clone());
    client.send_once(get()).await.unwrap();
    let mut own = get();
    own.headers_mut().insert(http::header::AUTHORIZATION, http::HeaderValue::from_static("Bearer t"));
    let response = client.send_once(own).await.unwrap();
    assert_eq!(response.url().username(), "");
    let heads = server.heads();
    assert!(heads[0].contains("authorization: basic bwu6cebzcw==\r\n"), "{}", heads[0]);
    assert!(heads[1].contains("authorization: bearer t\r\n"), "{}", heads[1]);
}
