use std::{
    collections::VecDeque,
    error::Error,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::future::BoxFuture;
use millrace_api::meta::Algorithm;
use millrace_artifact::{
    digest,
    fetch::{FetchError, Fetcher, Location, Options, Pool, Work},
    tree::{Tree, Trees},
};
use millrace_net::{HttpClient, Proxy};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    sync::Notify,
};

use crate::{archive_of, tree_of};

type Answers = Arc<Mutex<VecDeque<(String, Vec<u8>)>>>;

/// Answers requests from a list, then with 404; `requests` are the heads seen.
struct Server {
    url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    async fn start(answers: Vec<(&str, Vec<u8>)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/a.tar.gz", listener.local_addr().unwrap());
        let answers = answers.into_iter().map(|(head, body)| (head.to_owned(), body));
        let answers: Answers = Arc::new(Mutex::new(answers.collect()));
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let seen = Arc::clone(&requests);
        spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                let mut head = vec![0; 4096];
                let count = socket.read(&mut head).await.unwrap_or(0);
                seen.lock().unwrap().push(String::from_utf8_lossy(&head[..count]).into_owned());
                let answer = answers.lock().unwrap().pop_front();
                let (head, body) = answer.unwrap_or(("404 Not Found".to_owned(), Vec::new()));
                let length = if head.contains("content-length") {
                    String::new()
                } else {
                    format!("\r\ncontent-length: {}", body.len())
                };
                let head = format!("HTTP/1.1 {head}{length}\r\nconnection: close\r\n\r\n");
                socket.write_all(head.as_bytes()).await.ok();
                socket.write_all(&body).await.ok();
            }
        });
        Self { url, requests }
    }

    fn count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

#[expect(clippy::disallowed_methods, reason = "the server ends with the test's runtime")]
fn spawn(task: impl Future<Output = ()> + Send + 'static) {
    tokio::spawn(task);
}

fn fetcher(options: Options) -> Fetcher {
    fetcher_with(millrace_net::Options::default(), options)
}

fn fetcher_with(client: millrace_net::Options, options: Options) -> Fetcher {
    millrace_net::install_crypto_provider();
    let client = HttpClient::new(&millrace_net::Options { proxy: Proxy::Direct, ..client }).unwrap();
    Fetcher::new(client, Trees::new(std::env::temp_dir(), 1 << 20), options)
}

fn quick() -> Options {
    Options {
        retries: 2,
        min_wait: Duration::from_millis(1),
        max_wait: Duration::from_millis(2),
        ..Options::default()
    }
}

fn sample() -> (Vec<u8>, String) {
    let bytes = archive_of(&tree_of(&[("deploy/app.yaml", "k: v\n")]));
    let digest = digest::of_reader(Algorithm::Sha256, bytes.as_slice()).unwrap().to_string();
    (bytes, digest)
}

async fn fetch(fetcher: &Fetcher, url: &str, digest: &str) -> Result<Arc<Tree>, FetchError> {
    fetcher.fetch(&Location::Url(url.to_owned()), digest).await
}

async fn failure(server: &Server, digest: &str) -> String {
    match fetch(&fetcher(quick()), &server.url, digest).await {
        Ok(_) => panic!("{} succeeded", server.url),
        Err(err) => text(&err),
    }
}

fn text(err: &dyn Error) -> String {
    let mut text = err.to_string();
    let mut source = err.source();
    while let Some(err) = source {
        text = format!("{text}: {err}");
        source = err.source();
    }
    text
}

#[tokio::test]
async fn an_artifact_is_downloaded_once_per_digest() {
    let (bytes, digest) = sample();
    let server = Server::start(vec![("200 OK", bytes)]).await;
    let fetcher = fetcher(quick());
    let tree = fetch(&fetcher, &server.url, &digest).await.unwrap();
    assert_eq!(tree.read("deploy/app.yaml").unwrap(), b"k: v\n");
    let again = fetch(&fetcher, &server.url, &digest).await.unwrap();
    assert!(Arc::ptr_eq(&tree, &again));
    let bare = digest.strip_prefix("sha256:").unwrap();
    assert!(Arc::ptr_eq(&tree, &fetch(&fetcher, &server.url, bare).await.unwrap()));
    assert!(Arc::ptr_eq(&tree, &fetcher.opened(&digest).unwrap()));
    assert_eq!(server.count(), 1);
}

#[tokio::test]
async fn every_algorithm_of_a_source_is_checked() {
    let (bytes, _) = sample();
    for algorithm in Algorithm::ALL {
        let digest = digest::of_reader(algorithm, bytes.as_slice()).unwrap().to_string();
        let server = Server::start(vec![("200 OK", bytes.clone())]).await;
        assert!(fetch(&fetcher(quick()), &server.url, &digest).await.is_ok(), "{algorithm}");
    }
}

#[tokio::test]
async fn server_errors_are_retried_until_they_end() {
    let (bytes, digest) = sample();
    let cut = ("200 OK\r\ncontent-length: 1000", b"half".to_vec());
    let server = Server::start(vec![("503 Unavailable", vec![]), cut, ("200 OK", bytes)]).await;
    fetch(&fetcher(quick()), &server.url, &digest).await.unwrap();
    assert_eq!(server.count(), 3);
}

#[tokio::test]
async fn a_server_that_only_fails_is_given_up() {
    let answers = vec![
        ("500 Internal Server Error", vec![]),
        ("429 Too Many Requests", vec![]),
        ("502 Bad Gateway", vec![]),
    ];
    let server = Server::start(answers).await;
    let url = server.url.clone();
    let expected = format!("failed to download archive: GET {url} giving up after 3 attempt(s)");
    assert_eq!(failure(&server, &sample().1).await, expected);
}

/// A server that falls silent in the middle is given up after the client's read timeout, and asked again.
#[tokio::test]
async fn a_server_that_falls_silent_is_asked_again() {
    let (bytes, digest) = sample();
    let server = StallingServer::start(bytes).await;
    let client =
        millrace_net::Options { read_timeout: Some(Duration::from_millis(100)), ..Default::default() };
    let tree = fetch(&fetcher_with(client, quick()), &server.url, &digest).await.unwrap();
    assert_eq!(tree.read("deploy/app.yaml").unwrap(), b"k: v\n");
    assert_eq!(server.requests.load(Ordering::Relaxed), 3);
}

/// Sends nothing to the first request and half an answer to the second, keeps both connections open, and answers the third.
struct StallingServer {
    url: String,
    requests: Arc<AtomicUsize>,
}

impl StallingServer {
    async fn start(body: Vec<u8>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/a.tar.gz", listener.local_addr().unwrap());
        let requests = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&requests);
        spawn(async move {
            let mut open = Vec::new();
            while let Ok((mut socket, _)) = listener.accept().await {
                let mut head = vec![0; 4096];
                let Ok(1..) = socket.read(&mut head).await else { continue };
                let head =
                    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
                let sent = match count.fetch_add(1, Ordering::Relaxed) {
                    0 => Vec::new(),
                    1 => [head.as_bytes(), &body[..body.len() / 2]].concat(),
                    _ => [head.as_bytes(), &body].concat(),
                };
                socket.write_all(&sent).await.ok();
                open.push(socket);
            }
        });
        Self { url, requests }
    }
}

/// The server asks for five minutes' patience; meanwhile nobody wants the artifact from there any more.
#[tokio::test]
async fn an_address_that_was_left_is_given_up_between_two_attempts() {
    let server = Server::start(vec![("503 Unavailable\r\nretry-after: 300", vec![])]).await;
    let (fetcher, place) = (fetcher(quick()), Location::Url(server.url.clone()));
    let moved = async {
        while server.count() == 0 {
            tokio::task::yield_now().await;
        }
    };
    let outcome = fetcher.fetch_unless(&place, &sample().1, moved).await;
    assert!(matches!(outcome, Ok(None)), "{:?}", outcome.err());
    assert_eq!(server.count(), 1);
}

#[tokio::test]
async fn an_address_that_does_not_answer_is_given_up_once_it_is_left() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let place = Location::Url(format!("http://{}/a.tar.gz", listener.local_addr().unwrap()));
    let moved = async {
        let connection = listener.accept().await.unwrap();
        // Kept open, and silent.
        std::mem::forget(connection);
    };
    let outcome = fetcher(quick()).fetch_unless(&place, &sample().1, moved).await;
    assert!(matches!(outcome, Ok(None)), "{:?}", outcome.err());
}

/// Says when the first part of a download has come.
struct Probe(Arc<Notify>);

impl Pool for Probe {
    fn run(&self, work: Work) -> BoxFuture<'static, Result<(), String>> {
        self.0.notify_one();
        work(&Arc::default());
        Box::pin(std::future::ready(Ok(())))
    }
}

#[tokio::test]
async fn a_download_that_is_under_way_goes_on_although_its_address_was_left() {
    let mut state = 1_u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b' ' + state.to_be_bytes()[0] % 64)
    };
    let text: String = (0..2 << 20).map(|_| noise()).collect();
    let bytes = archive_of(&tree_of(&[("deploy/app.yaml", &text)]));
    let digest = digest::of_reader(Algorithm::Sha256, bytes.as_slice()).unwrap().to_string();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let place = Location::Url(format!("http://{}/a.tar.gz", listener.local_addr().unwrap()));
    let (begun, left) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let rest = Arc::clone(&left);
    spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut request = vec![0; 4096];
        assert!(socket.read(&mut request).await.unwrap() > 0);
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", bytes.len());
        let half = bytes.len() / 2;
        socket.write_all(&[head.as_bytes(), &bytes[..half]].concat()).await.unwrap();
        rest.notified().await;
        socket.write_all(&bytes[half..]).await.unwrap();
    });
    let fetcher = fetcher(quick()).on(Arc::new(Probe(Arc::clone(&begun))));
    let moved = async {
        begun.notified().await;
        left.notify_one();
    };
    let tree = fetcher.fetch_unless(&place, &digest, moved).await.unwrap().expect("it goes on");
    assert_eq!(tree.read("deploy/app.yaml").unwrap(), text.as_bytes());
}

/// Two hundred Kustomizations of one source must not wait for each other's retries.
#[tokio::test]
async fn those_who_wait_for_one_artifact_share_its_retries_and_its_error() {
    let server = Server::start(vec![("503 Unavailable", vec![]), ("403 Forbidden", vec![])]).await;
    let (fetcher, digest) = (fetcher(quick()), sample().1);
    let attempts = (0..200).map(|_| fetch(&fetcher, &server.url, &digest));
    let outcomes = futures::future::join_all(attempts).await;
    let expected = format!("failed to download archive from {} (status: 403 Forbidden)", server.url);
    for outcome in outcomes {
        assert_eq!(text(&outcome.err().unwrap()), expected);
    }
    assert_eq!(server.count(), 2);
}

#[tokio::test]
async fn an_address_that_the_egress_policy_closes_is_not_asked() {
    let server = Server::start(vec![]).await;
    let egress = Arc::new(millrace_net::EgressPolicy { lockdown: true, ..Default::default() });
    let client = millrace_net::Options { egress, ..Default::default() };
    let error = fetch(&fetcher_with(client, quick()), &server.url, &sample().1).await.err().unwrap();
    let expected = format!(
        "failed to download archive: GET {} giving up after 1 attempt(s): address 127.0.0.1 of '127.0.0.1' is refused by \
         the egress policy",
        server.url
    );
    assert!(text(&error).starts_with(&expected), "{}", text(&error));
    assert_eq!(server.count(), 0);
}

#[tokio::test]
async fn an_unreachable_server_is_given_up_with_its_reason() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let server = Server { url: format!("http://127.0.0.1:{port}/x"), requests: Arc::default() };
    let expected = format!(
        "failed to download archive: GET {} giving up after 3 attempt(s): dial tcp 127.0.0.1:{port}: connect: \
         connection refused",
        server.url
    );
    assert_eq!(failure(&server, &sample().1).await, expected);
}

#[tokio::test]
async fn an_address_is_shown_without_the_login_in_it() {
    let with_login = |url: &str| url.replace("http://", "http://me:hunter2@");
    let shown = |url: &str| url.replace("http://", "http://***@");
    for (answer, expected) in [
        ("503 Unavailable", "failed to download archive: GET {url} giving up after 3 attempt(s)"),
        ("403 Forbidden", "failed to download archive from {url} (status: 403 Forbidden)"),
    ] {
        let server = Server::start(vec![(answer, vec![]); 3]).await;
        let error = fetch(&fetcher(quick()), &with_login(&server.url), &sample().1).await.err().unwrap();
        assert_eq!(text(&error), expected.replace("{url}", &shown(&server.url)));
        assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
    }
    let error = fetch(&fetcher(quick()), "http://me:hunter2@host:port/x", &sample().1).await.err().unwrap();
    assert!(text(&error).contains("invalid URL 'http://***@host:port/x'"), "{}", text(&error));
}

// KC-007: what a missing file is told from.
#[tokio::test]
async fn kc_007_a_missing_file_is_not_retried() {
    let server = Server::start(vec![]).await;
    let result = fetch(&fetcher(quick()), &server.url, &sample().1).await;
    assert!(matches!(result, Err(FetchError::NotFound)));
    assert_eq!(server.count(), 1);
}

#[tokio::test]
async fn a_forbidden_file_is_not_retried() {
    for (head, status) in [("403 Forbidden", "403 Forbidden"), ("501 Nope", "501 Not Implemented")] {
        let server = Server::start(vec![(head, vec![])]).await;
        let expected = format!("failed to download archive from {} (status: {status})", server.url);
        assert_eq!(failure(&server, &sample().1).await, expected);
        assert_eq!(server.count(), 1);
    }
}

// KC-008: the text of a digest that differs.
#[tokio::test]
async fn kc_008_another_digest_is_refused_before_anything_is_unpacked() {
    let (_, digest) = sample();
    let server = Server::start(vec![("200 OK", b"not even an archive".to_vec())]).await;
    let expected = format!(
        "failed to verify archive: computed digest doesn't match provided '{digest}' (check whether file size exceeds \
         max download size)"
    );
    assert_eq!(failure(&server, &digest).await, expected);
    assert_eq!(server.count(), 1);
}

#[tokio::test]
async fn digests_that_are_none_are_refused_without_a_request() {
    let server = Server::start(vec![]).await;
    assert_eq!(failure(&server, "").await, "failed to verify archive: empty digest");
    let text = failure(&server, "md5:abc").await;
    assert!(text.starts_with("failed to verify archive: failed to parse digest 'md5:abc': "), "{text}");
    assert_eq!(server.count(), 0);
}

#[tokio::test]
async fn what_is_no_archive_is_refused() {
    let content = b"plain text".to_vec();
    let digest = digest::of_reader(Algorithm::Sha512, content.as_slice()).unwrap().to_string();
    let server = Server::start(vec![("200 OK", content)]).await;
    assert_eq!(
        failure(&server, &digest).await,
        "failed to extract archive (check whether file size exceeds max download size): requires gzip-compressed \
         body: gzip: invalid header"
    );
}

#[tokio::test]
async fn the_environment_may_name_another_host() {
    let (bytes, digest) = sample();
    let server = Server::start(vec![("200 OK", bytes.clone()), ("200 OK", bytes)]).await;
    let host = server.url.strip_prefix("http://").unwrap().split('/').next().unwrap().to_owned();
    let options = Options { source_controller_host: Some(host.clone()), ..quick() };
    fetch(&fetcher(options), "http://source-controller.flux-system.svc/p/a.tar.gz", &digest).await.unwrap();
    let options = Options {
        source_watcher_host: Some(host),
        source_controller_host: Some("nowhere.invalid".into()),
        ..quick()
    };
    fetch(&fetcher(options), "http://source-watcher.flux-system.svc./p/b.tar.gz", &digest).await.unwrap();
    let heads = server.requests.lock().unwrap().clone();
    assert!(
        heads[0].starts_with("GET /p/a.tar.gz ") && heads[1].starts_with("GET /p/b.tar.gz "),
        "{heads:?}"
    );
}

#[tokio::test]
async fn an_artifact_of_the_own_store_needs_no_server() {
    let (bytes, digest) = sample();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.tar.gz");
    std::fs::write(&file, &bytes).unwrap();
    let fetcher = fetcher(quick());
    let tree = fetcher.fetch(&Location::File(file.clone()), &digest).await.unwrap();
    assert!(tree.get("deploy").is_some());
    let other = digest::of_reader(Algorithm::Sha256, &b""[..]).unwrap().to_string();
    assert!(matches!(fetcher.fetch(&Location::File(file), &other).await, Err(FetchError::Mismatch(_))));
    let missing = Location::File(folder.path().join("b"));
    assert!(matches!(fetcher.fetch(&missing, &other).await, Err(FetchError::NotFound)));
}
