use std::{fs, time::Duration};

use http::{Method, StatusCode};
use millrace_api::meta::Algorithm;
use millrace_artifact::{
    server,
    storage::{Options, Storage},
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::oneshot,
};

/// A server over a store with one artifact of 100 bytes.
struct Served {
    root: TempDir,
    port: u16,
    stop: Option<oneshot::Sender<()>>,
    done: tokio::task::JoinHandle<()>,
}

const FILE: &str = "/gitrepository/t/app/c1.tar.gz";

struct Answer {
    status: StatusCode,
    headers: String,
    body: Vec<u8>,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

impl Served {
    async fn start() -> Self {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("gitrepository/t/app");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("c1.tar.gz"), [7; 100]).unwrap();
        fs::write(folder.join("c1.tar.gz.lock"), "").unwrap();
        fs::write(folder.join("sha256:a<b.yaml"), "k: v\n").unwrap();
        let storage = Storage::open(Options {
            root: root.path().to_owned(),
            advertised: String::new(),
            algorithm: Algorithm::Sha256,
            retention_ttl: Duration::ZERO,
            retention_records: 0,
        })
        .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (stop, stopped) = oneshot::channel::<()>();
        let done = spawn(async move {
            server::serve(listener, &storage, async {
                stopped.await.ok();
            })
            .await
            .unwrap();
        });
        Self { root, port, stop: Some(stop), done }
    }

    async fn ask(&self, method: Method, path: &str, headers: &str) -> Answer {
        let mut socket = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        let request = format!("{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}\r\n");
        socket.write_all(request.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        socket.read_to_end(&mut bytes).await.unwrap();
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let (status, headers) = head.split_once("\r\n").unwrap();
        let status = status.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, headers: headers.to_lowercase_names(), body: bytes[end + 4..].to_vec() }
    }

    async fn get(&self, path: &str) -> Answer {
        self.ask(Method::GET, path, "").await
    }
}

#[expect(clippy::disallowed_methods, reason = "the server ends with the test's runtime")]
fn spawn(task: impl Future<Output = ()> + Send + 'static) -> tokio::task::JoinHandle<()> {
    tokio::spawn(task)
}

trait LowercaseNames {
    fn to_lowercase_names(&self) -> String;
}

impl LowercaseNames for str {
    fn to_lowercase_names(&self) -> String {
        let lines = self.lines().map(|line| match line.split_once(": ") {
            Some((name, value)) => format!("{}: {value}", name.to_lowercase()),
            None => line.to_owned(),
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

// SC-105: one answer per kind of request.
#[tokio::test]
async fn sc_105_requests_are_answered_like_the_original_does() {
    let served = Served::start().await;
    let root = served.get("/").await;
    assert_eq!(root.status, 200);
    assert!(
        root.text().contains("<pre>\n<a href=\"gitrepository/\">gitrepository/</a>\n</pre>"),
        "{}",
        root.text()
    );
    assert_eq!(root.header("content-type"), Some("text/html; charset=utf-8"));

    let folder = served.get("/gitrepository").await;
    assert_eq!((folder.status.as_u16(), folder.header("location")), (301, Some("gitrepository/")));

    let missing = served.get("/nope").await;
    assert_eq!((missing.status.as_u16(), missing.text()), (404, "404 page not found\n"));

    let doubled = served.get("//gitrepository/").await;
    assert_eq!((doubled.status.as_u16(), doubled.header("location")), (307, Some("/gitrepository/")));

    let part = served.ask(Method::GET, FILE, "range: bytes=0-9\r\n").await;
    assert_eq!((part.status.as_u16(), part.body.len()), (206, 10));
    assert_eq!(part.header("content-range"), Some("bytes 0-9/100"));

    let beyond = served.ask(Method::GET, FILE, "range: bytes=100-\r\n").await;
    assert_eq!((beyond.status.as_u16(), beyond.header("content-range")), (416, Some("bytes */100")));

    let head = served.ask(Method::HEAD, FILE, "").await;
    assert_eq!((head.status.as_u16(), head.body.len(), head.header("content-length")), (200, 0, Some("100")));

    let whole = served.get(FILE).await;
    assert_eq!((whole.status.as_u16(), whole.body), (200, vec![7; 100]));
    let whole = served.get(FILE).await;
    assert_eq!(whole.header("content-type"), Some("application/gzip"));
    assert_eq!(whole.header("accept-ranges"), Some("bytes"));
    assert_eq!((whole.header("etag"), whole.header("cache-control")), (None, None));
    let modified = whole.header("last-modified").unwrap();
    assert!(modified.ends_with(" GMT"), "{modified}");
    let again = served.ask(Method::GET, FILE, &format!("if-modified-since: {modified}\r\n")).await;
    assert_eq!((again.status.as_u16(), again.body.len()), (304, 0));
    let earlier = "if-modified-since: Wed, 21 Oct 2015 07:28:00 GMT\r\n";
    assert_eq!(served.ask(Method::GET, FILE, earlier).await.status, 200);
}

#[tokio::test]
async fn paths_lead_nowhere_else() {
    let served = Served::start().await;
    fs::write(served.root.path().parent().unwrap().join("millrace-outside"), "secret").ok();
    for path in ["/../millrace-outside", "/%2e%2e/millrace-outside", "/gitrepository/../../millrace-outside"]
    {
        let answer = served.get(path).await;
        assert_eq!(
            (answer.status.as_u16(), answer.header("location")),
            (307, Some("/millrace-outside")),
            "{path}"
        );
    }
    std::os::unix::fs::symlink("/etc/hostname", served.root.path().join("out")).unwrap();
    std::os::unix::fs::symlink(served.root.path().join(&FILE[1..]), served.root.path().join("in.tar.gz"))
        .unwrap();
    assert_eq!(served.get("/out").await.status, 404);
    assert_eq!(served.get("/in.tar.gz").await.status, 200);
    assert_eq!(served.get("/a%00b").await.status, 404);
    assert_eq!(served.get("/%ff").await.status, 404);
}

#[tokio::test]
async fn odd_names_and_paths_are_served() {
    let served = Served::start().await;
    let listing = served.get("/gitrepository/t/app/").await;
    let expected = "<pre>\n<a href=\"c1.tar.gz\">c1.tar.gz</a>\n<a href=\"c1.tar.gz.lock\">c1.tar.gz.lock</a>\n\
                    <a href=\"./sha256:a%3Cb.yaml\">sha256:a&lt;b.yaml</a>\n</pre>\n";
    assert!(listing.text().ends_with(expected), "{}", listing.text());
    for path in ["/gitrepository/t/app/sha256:a%3Cb.yaml", "/gitrepository/t/app/sha256%3Aa%3Cb.yaml"] {
        let answer = served.get(path).await;
        assert_eq!(
            (answer.text(), answer.header("content-type")),
            ("k: v\n", Some("text/plain; charset=utf-8"))
        );
    }
    let slash = served.get(&format!("{FILE}/")).await;
    assert_eq!((slash.status.as_u16(), slash.header("location")), (301, Some("../c1.tar.gz")));
    let index = served.get("/gitrepository/index.html?a=b").await;
    assert_eq!((index.status.as_u16(), index.header("location")), (301, Some("./?a=b")));
    assert_eq!(served.ask(Method::POST, FILE, "content-length: 0\r\n").await.status, 200);
}

#[tokio::test]
async fn shutdown_finishes_what_is_under_way() {
    let mut served = Served::start().await;
    assert_eq!(served.get("/").await.status, 200);
    served.stop.take().unwrap().send(()).unwrap();
    served.done.await.unwrap();
    assert!(TcpStream::connect(("127.0.0.1", served.port)).await.is_err());
}
