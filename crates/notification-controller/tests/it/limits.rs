//! Both endpoints against callers that send too much.

use std::{convert::Infallible, future, net::SocketAddr, sync::Arc};

use axum::body::Body;
use bytes::Bytes;
use futures::{
    StreamExt as _,
    future::join_all,
    stream::{self, FuturesUnordered},
};
use http::{Request, StatusCode};
use millrace_notification_controller::signature::sign_sha256;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::Semaphore,
};

use crate::{
    bench::{Answer, Bench, RECEIVERS, eventually},
    cluster::Cluster,
    hooks::{self, APP, receiver},
};

/// The length of the longest body.
const LONGEST: usize = 3_145_728;

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

/// Calls the ready Receiver with the longest body there may be.
async fn large_call(bench: &Bench) -> Answer {
    let body = vec![b'x'; LONGEST];
    let signature = format!("sha256={}", sign_sha256(b"s3cr3t", &body));
    let request = Request::post(hooks::path())
        .header("content-type", "application/json")
        .header("x-hub-signature-256", signature)
        .body(Body::from(body))
        .expect("a request");
    bench.hook(request).await
}

/// A body that is taken up to its last byte, which never comes; `taken` counts how many have got so far.
fn unfinished(taken: &Arc<Semaphore>) -> Body {
    let most = Ok::<_, Infallible>(Bytes::from(vec![b'x'; LONGEST - 1]));
    let taken = Arc::clone(taken);
    let end = stream::once(async move {
        taken.add_permits(1);
        future::pending().await
    });
    Body::from_stream(stream::iter([most]).chain(end))
}

/// So many of the longest bodies are more than all together may occupy.
const CALLS: u32 = 30;

#[tokio::test]
async fn large_bodies_that_nobody_verifies_take_no_place_from_a_real_call() {
    let cluster = hooks::cluster(json!({}));
    let mut suspended = receiver(json!({ "suspend": true }));
    suspended["metadata"]["name"] = json!("off");
    suspended["status"] = json!({ "webhookPath": "/hook/off" });
    cluster.put(RECEIVERS, suspended);
    let bench = Bench::start(cluster).await;
    hooks::ready(&bench).await;
    let taken = Arc::new(Semaphore::new(0));
    let stalled = (0..CALLS).map(|at| {
        let path = if at % 2 == 0 { "/hook/none" } else { "/hook/off" };
        bench.hook(Request::post(path).body(unfinished(&taken)).expect("a request"))
    });
    let real = async {
        let _all = taken.acquire_many(CALLS).await.expect("it is never closed");
        large_call(&bench).await
    };
    let answer = tokio::select! {
        _ = join_all(stalled) => panic!("they have been answered"),
        answer = real => answer,
    };
    assert_eq!(answer.status, StatusCode::OK);
}

#[tokio::test]
async fn a_body_is_let_go_before_the_targets_are_woken() {
    let cluster = hooks::cluster(json!({ "type": "generic" }));
    let bench = Bench::start(cluster.clone()).await;
    hooks::ready(&bench).await;
    cluster.hold(APP);
    let call = || Request::post(hooks::path()).body(Body::from(vec![b'x'; LONGEST])).expect("a request");
    let woken = || cluster.requests().iter().filter(|request| request.contains(APP)).count();
    let mut calls = FuturesUnordered::new();
    for count in 1..=CALLS as usize {
        calls.push(bench.hook(call()));
        let arrived = eventually("the call reaches its target", || (woken() == count).then_some(()));
        tokio::select! {
            answer = calls.next() => panic!("call {count} is answered: {answer:?}"),
            () = arrived => {}
        }
    }
    cluster.release();
    while let Some(answer) = calls.next().await {
        assert_eq!(answer.status, StatusCode::OK);
    }
}

/// A Receiver that is suspended while a call comes in is not called.
#[tokio::test]
async fn what_counts_is_the_receiver_after_the_body_has_come() {
    let cluster = hooks::cluster(json!({}));
    let bench = Bench::start(cluster.clone()).await;
    hooks::ready(&bench).await;
    let body = br#"{"action":"push"}"#;
    let suspended = async {
        let mut object = cluster.get(hooks::RECEIVER);
        object["spec"]["suspend"] = json!(true);
        object["metadata"]["generation"] = json!(2);
        cluster.put(RECEIVERS, object);
        bench
            .wait_for(hooks::RECEIVER, "it is seen", |found| found["status"]["observedGeneration"] == 2)
            .await;
        Ok::<_, Infallible>(Bytes::from_static(&body[1..]))
    };
    let begin = stream::iter([Ok(Bytes::from_static(&body[..1]))]);
    let (sender, rest) = tokio::sync::oneshot::channel();
    let request = Request::post(hooks::path())
        .header("content-type", "application/json")
        .header("x-hub-signature-256", format!("sha256={}", sign_sha256(b"s3cr3t", body)))
        .body(Body::from_stream(begin.chain(stream::once(async { rest.await.expect("it is sent") }))))
        .expect("a request");
    let sending = async { sender.send(suspended.await).expect("it is awaited") };
    let (answer, ()) = tokio::join!(bench.hook(request), sending);
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(cluster.get(APP)["metadata"]["annotations"]["reconcile.fluxcd.io/requestedAt"].is_null());
}
