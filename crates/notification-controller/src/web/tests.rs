//! The server over real sockets, on a clock that moves only when everybody waits.

use std::{net::SocketAddr, time::Duration};

use axum::{Router, body::Body, extract::Request, response::IntoResponse as _};
use http::StatusCode;
use millrace_reconcile::tasks::Tasks;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    time::{Instant, sleep},
};

use super::{
    Bodies,
    server::{Limits, Server},
};

/// A request without a body.
const REQUEST: &[u8] = b"GET /x HTTP/1.1\r\nhost: h\r\n\r\n";

struct Serving {
    address: SocketAddr,
    tasks: Tasks,
}

impl Serving {
    /// Serves on loopback; bodies are read as everywhere, and `/large` gives a large answer.
    async fn start(connections: usize) -> Self {
        let bodies = Bodies::new("test");
        let router = Router::new().fallback(async move |request: Request| match request.uri().path() {
            "/large" => Body::from(vec![b'x'; 32 * 1024 * 1024]).into_response(),
            "/slow" => {
                sleep(Duration::from_secs(3)).await;
                StatusCode::ACCEPTED.into_response()
            }
            "/stuck" => std::future::pending().await,
            _ => match bodies.read(request.into_body()).await {
                Ok(_) => StatusCode::ACCEPTED.into_response(),
                Err(refused) => refused.response(),
            },
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let tasks = Tasks::new();
        let limits = Limits { connections, ..Limits::default() };
        let own = tasks.clone();
        tasks
            .spawn(async move { Server { listener, router, tasks: &own, name: "Test", limits }.run().await });
        Self { address, tasks }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }
}

/// Reads until the server closes, and returns the text.
async fn rest(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    // A reset is a close, too.
    let _ = stream.read_to_end(&mut text).await;
    String::from_utf8_lossy(&text).into_owned()
}

/// Reads the head of one answer.
async fn head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.expect("an answer"));
    }
    String::from_utf8(head).unwrap()
}

fn seconds(since: Instant) -> u64 {
    since.elapsed().as_secs()
}

#[tokio::test(start_paused = true)]
async fn a_connection_on_which_nothing_comes_ends_after_ten_seconds() {
    let serving = Serving::start(8).await;
    let mut stream = serving.connect().await;
    let began = Instant::now();
    assert_eq!(rest(&mut stream).await, "");
    assert_eq!(seconds(began), 10);
}

#[tokio::test(start_paused = true)]
async fn headers_that_trickle_have_ten_seconds_in_all() {
    let serving = Serving::start(8).await;
    let mut stream = serving.connect().await;
    let (mut reading, mut writing) = stream.split();
    let began = Instant::now();
    let trickle = async {
        writing.write_all(b"POST / HTTP/1.1\r\n").await.unwrap();
        loop {
            sleep(Duration::from_secs(1)).await;
            if writing.write_all(b"a: b\r\n").await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    };
    let mut answer = Vec::new();
    tokio::select! {
        _ = reading.read_to_end(&mut answer) => {}
        () = trickle => {}
    }
    assert_eq!((answer.len(), seconds(began)), (0, 10));
}

#[tokio::test(start_paused = true)]
async fn a_connection_may_be_idle_for_thirty_seconds_between_requests() {
    let serving = Serving::start(8).await;
    let mut stream = serving.connect().await;
    for pause in [5, 29, 29] {
        sleep(Duration::from_secs(pause)).await;
        stream.write_all(REQUEST).await.unwrap();
        assert!(head(&mut stream).await.starts_with("HTTP/1.1 202 "));
    }
    let began = Instant::now();
    assert_eq!(rest(&mut stream).await, "");
    assert_eq!(seconds(began), 30);
}

#[tokio::test(start_paused = true)]
async fn the_headers_of_a_second_request_have_ten_seconds_too() {
    let serving = Serving::start(8).await;
    let mut stream = serving.connect().await;
    stream.write_all(REQUEST).await.unwrap();
    head(&mut stream).await;
    sleep(Duration::from_secs(5)).await;
    stream.write_all(b"GET ").await.unwrap();
    let began = Instant::now();
    assert_eq!(rest(&mut stream).await, "");
    assert_eq!(seconds(began), 10);
}

#[tokio::test(start_paused = true)]
async fn headers_beyond_their_limit_are_refused_and_those_at_it_are_not() {
    let serving = Serving::start(8).await;
    for (header, expected) in [
        (format!("a: {}\r\n", "x".repeat(255 * 1024)), "HTTP/1.1 202 "),
        (format!("a: {}\r\n", "x".repeat(261 * 1024)), "HTTP/1.1 431 "),
        ("a: b\r\n".repeat(1000), "HTTP/1.1 202 "),
        ("a: b\r\n".repeat(2000), "HTTP/1.1 431 "),
        (format!("a: {}\r\n", "x".repeat(4 * 1024 * 1024)), "HTTP/1.1 431 "),
    ] {
        let mut stream = serving.connect().await;
        let request = format!("GET / HTTP/1.1\r\nhost: h\r\nconnection: close\r\n{header}\r\n");
        stream.write_all(request.as_bytes()).await.expect("what is refused is still taken");
        let answer = rest(&mut stream).await;
        let start = &answer[..answer.len().min(13)];
        assert_eq!(start, expected, "{} bytes", header.len());
    }
}

/// However many callers there are, only so many are served at a time, and the others have their turn.
#[tokio::test(start_paused = true)]
async fn connections_beyond_the_limit_wait_for_a_place() {
    let serving = Serving::start(4).await;
    let mut silent = Vec::new();
    for _ in 0..200 {
        silent.push(serving.connect().await);
    }
    let mut caller = serving.connect().await;
    caller.write_all(REQUEST).await.unwrap();
    sleep(Duration::from_secs(1)).await;
    // Four connections and the server itself.
    assert_eq!(serving.tasks.tracker().len(), 5);
    let began = Instant::now();
    assert!(head(&mut caller).await.starts_with("HTTP/1.1 202 "));
    // Fifty times four connections say nothing for ten seconds, and for two more are waited for to go.
    assert!(seconds(began) <= 50 * 12, "{}", seconds(began));
    assert!(serving.tasks.tracker().len() <= 5);
    drop(silent);
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_takes_no_answer_loses_its_place() {
    let serving = Serving::start(1).await;
    let mut deaf = serving.connect().await;
    deaf.write_all(b"GET /large HTTP/1.1\r\nhost: h\r\n\r\n").await.unwrap();
    let mut other = serving.connect().await;
    other.write_all(REQUEST).await.unwrap();
    let began = Instant::now();
    assert!(head(&mut other).await.starts_with("HTTP/1.1 202 "));
    assert_eq!(seconds(began), 30);
}

/// NC-122: who sends everything before it looks at the answer still gets it.
#[tokio::test(start_paused = true)]
async fn a_body_that_is_too_long_is_refused_before_it_is_sent_and_the_answer_arrives() {
    let serving = Serving::start(8).await;
    for length in [3_145_729, 1 << 30] {
        let mut stream = serving.connect().await;
        let head = format!("POST / HTTP/1.1\r\nhost: h\r\ncontent-length: {length}\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(&vec![b'x'; 3_145_729]).await.unwrap();
        let answer = rest(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 413 "), "{length}: {answer}");
        assert!(answer.contains("connection: close\r\n"), "{answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_of_three_mebibytes_is_taken() {
    let serving = Serving::start(8).await;
    let mut stream = serving.connect().await;
    stream.write_all(b"POST / HTTP/1.1\r\nhost: h\r\ncontent-length: 3145728\r\n\r\n").await.unwrap();
    stream.write_all(&vec![b'x'; 3_145_728]).await.unwrap();
    assert!(head(&mut stream).await.starts_with("HTTP/1.1 202 "));
}

#[tokio::test(start_paused = true)]
async fn a_body_without_end_is_refused_and_cut_off() {
    let serving = Serving::start(8).await;
    let stream = serving.connect().await;
    let (mut reading, mut writing) = stream.into_split();
    let head = b"POST / HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n";
    writing.write_all(head).await.unwrap();
    let chunk = [b"10000\r\n".as_slice(), &vec![b'x'; 0x10000], b"\r\n"].concat();
    let endless = async {
        let mut sent = 0;
        while writing.write_all(&chunk).await.is_ok() {
            sent += chunk.len();
        }
        sent
    };
    let answer = async {
        let mut answer = Vec::new();
        let _ = reading.read_to_end(&mut answer).await;
        String::from_utf8_lossy(&answer).into_owned()
    };
    let (sent, answer) = tokio::join!(endless, answer);
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    // Three MiB are read, eight thrown away, and the rest is in the buffers of two sockets.
    assert!(sent < 64 * 1024 * 1024, "{sent} bytes were taken");
}

#[tokio::test(start_paused = true)]
async fn a_body_that_trickles_is_refused_after_thirty_seconds() {
    let serving = Serving::start(8).await;
    let stream = serving.connect().await;
    let (mut reading, mut writing) = stream.into_split();
    writing.write_all(b"POST / HTTP/1.1\r\nhost: h\r\ncontent-length: 1000\r\n\r\n").await.unwrap();
    let began = Instant::now();
    let mut answer = Vec::new();
    let trickle = async {
        loop {
            sleep(Duration::from_secs(1)).await;
            if writing.write_all(b"x").await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    };
    tokio::select! {
        _ = reading.read_to_end(&mut answer) => {}
        () = trickle => {}
    }
    let answer = String::from_utf8_lossy(&answer).into_owned();
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert!((30..=33).contains(&seconds(began)), "{}", seconds(began));
}

#[tokio::test(start_paused = true)]
async fn requests_under_way_end_and_no_further_one_is_read_at_the_end_of_the_process() {
    let serving = Serving::start(8).await;
    let mut slow = serving.connect().await;
    slow.write_all(b"GET /slow HTTP/1.1\r\nhost: h\r\n\r\n").await.unwrap();
    let mut stuck = serving.connect().await;
    stuck.write_all(b"GET /stuck HTTP/1.1\r\nhost: h\r\n\r\n").await.unwrap();
    sleep(Duration::from_secs(1)).await;
    let began = Instant::now();
    serving.tasks.shutdown().cancel();
    assert!(rest(&mut slow).await.starts_with("HTTP/1.1 202 "));
    assert_eq!(seconds(began), 2);
    serving.tasks.finish().await;
    assert_eq!(seconds(began), 5);
    assert_eq!(rest(&mut stuck).await, "");
    assert!(TcpStream::connect(serving.address).await.is_err());
}
