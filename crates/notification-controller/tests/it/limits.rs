//! Both endpoints against callers that send too much.

use std::net::SocketAddr;

use http::StatusCode;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::{bench::Bench, cluster::Cluster};

/// The most memory this process has had, in KiB.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// Sends a request head and then as much of a gibibyte as is taken; returns the answer.
async fn flood(address: SocketAddr, head: &str, piece: &[u8]) -> String {
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut reading, mut writing) = stream.into_split();
    writing.write_all(head.as_bytes()).await.unwrap();
    let sending = async {
        for _ in 0..(1 << 30) / piece.len() {
            if writing.write_all(piece).await.is_err() {
                break;
            }
        }
    };
    let answering = async {
        let mut answer = Vec::new();
        let _ = reading.read_to_end(&mut answer).await;
        String::from_utf8_lossy(&answer).into_owned()
    };
    tokio::join!(sending, answering).1
}

/// NC-010, NC-122
#[tokio::test]
async fn a_gibibyte_is_refused_without_being_kept() {
    let bench = Bench::start(Cluster::new()).await;
    let before = peak_kib();
    for (address, path) in bench.addresses.into_iter().zip(["/", "/hook/none"]) {
        let declared = format!("POST {path} HTTP/1.1\r\nhost: h\r\ncontent-length: {}\r\n\r\n", 1 << 30);
        let answer = flood(address, &declared, &vec![b' '; 0x10000]).await;
        assert!(answer.starts_with("HTTP/1.1 413 ") && answer.ends_with("\r\n\r\n"), "{path}: {answer}");
        let endless = format!("POST {path} HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n");
        let chunk = [b"10000\r\n".as_slice(), &vec![b' '; 0x10000], b"\r\n"].concat();
        let answer = flood(address, &endless, &chunk).await;
        assert!(answer.starts_with("HTTP/1.1 413 ") && answer.ends_with("\r\n\r\n"), "{path}: {answer}");
    }
    assert!(peak_kib() < before + 64 * 1024, "{} KiB after {before}", peak_kib());
}

#[tokio::test]
async fn an_event_of_many_facts_or_deep_nesting_costs_no_more_than_it_may() {
    let bench = Bench::start(Cluster::new()).await;
    let before = peak_kib();
    let facts: Vec<_> = (0..200_000).map(|at| format!("\"/{at}\":\"\"")).collect();
    let many = format!("{{\"metadata\":{{{}}}}}", facts.join(","));
    assert_eq!(bench.post(many).await.status, StatusCode::ACCEPTED);
    let members = format!("{{{}\"a\":1}}", "\"a\":1,".repeat(500_000));
    assert_eq!(bench.post(members).await.status, StatusCode::TOO_MANY_REQUESTS, "it is empty, as the first");
    for deep in ["[".repeat(3_000_000), format!("{{\"metadata\":{}", "{\"a\":".repeat(500_000))] {
        assert_eq!(bench.post(deep).await.status, StatusCode::BAD_REQUEST);
    }
    assert!(peak_kib() < before + 256 * 1024, "{} KiB after {before}", peak_kib());
}
