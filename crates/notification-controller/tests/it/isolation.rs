//! Providers that never answer, beside others that do.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use http::StatusCode;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::watch,
};

use crate::{
    bench::{ALERTS, Bench, E1, PROVIDERS, alert, eventually, provider, settle},
    cluster::Cluster,
    server::Server,
};

const NO_PLACE: &str = "and in 30 seconds there was no place for another";

/// A server that takes requests and says nothing, until it is told to speak.
struct Silent {
    address: SocketAddr,
    speaks: watch::Sender<bool>,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Silent {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a loopback port");
        let address = listener.local_addr().expect("it is bound");
        let (speaks, spoken) = watch::channel(false);
        let heard = Arc::new(Mutex::new(Vec::new()));
        let ears = Arc::clone(&heard);
        let serving = async move {
            while let Ok((stream, _)) = listener.accept().await {
                #[expect(
                    clippy::disallowed_methods,
                    reason = "the server lives as long as the test's runtime"
                )]
                tokio::spawn(hold(stream, Arc::clone(&ears), spoken.clone()));
            }
        };
        #[expect(clippy::disallowed_methods, reason = "the server lives as long as the test's runtime")]
        tokio::spawn(serving);
        Self { address, speaks, heard }
    }

    /// The numbers of the events that have been heard, sorted.
    fn numbers(&self) -> Vec<usize> {
        let heard = self.heard.lock().unwrap().clone();
        let mut numbers: Vec<_> = heard.iter().map(|request| number_in(request.as_bytes())).collect();
        numbers.sort_unstable();
        numbers
    }
}

/// Hears one request, and answers it once there is leave to.
async fn hold(mut stream: TcpStream, heard: Arc<Mutex<Vec<String>>>, mut spoken: watch::Receiver<bool>) {
    let mut request = Vec::new();
    while !request.ends_with(b"}") && stream.read_buf(&mut request).await.is_ok_and(|read| read > 0) {}
    heard.lock().unwrap().push(String::from_utf8_lossy(&request).into_owned());
    if spoken.wait_for(|speaks| *speaks).await.is_ok() {
        let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        let _ = stream.write_all(answer).await;
    }
}

fn event(number: usize) -> String {
    let mut event: Value = serde_json::from_str(E1).unwrap();
    event["message"] = json!(format!("number <{number}>"));
    event.to_string()
}

/// Reads the number of an event from the request that forwards it.
fn number_in(request: &[u8]) -> usize {
    let body = &request[request.windows(4).position(|end| end == b"\r\n\r\n").map_or(0, |at| at + 4)..];
    let event: Value = serde_json::from_slice(body).expect("an event");
    let message = event["message"].as_str().expect("a message");
    message.trim_start_matches("number <").trim_end_matches('>').parse().expect("a number")
}

/// Two alerts want every event: one sends it to a Provider that never answers, the other to one that does.
async fn beside(silent: &Silent, server: &Server) -> Bench {
    behind(0, silent, server).await
}

/// The same, and so many more alerts send to the one that never answers.
async fn behind(others: usize, silent: &Silent, server: &Server) -> Bench {
    let cluster = Cluster::new();
    for number in 0..others {
        cluster.put(ALERTS, alert(&format!("a-dead-{number:04}"), "dead", json!({})));
    }
    let dead = format!("http://{}/x", silent.address);
    cluster.put(PROVIDERS, provider("dead", json!({ "type": "generic", "address": dead, "timeout": "60m" })));
    cluster.put(PROVIDERS, provider("alive", json!({ "type": "generic", "address": server.url() })));
    cluster.put(ALERTS, alert("a-dead", "dead", json!({})));
    cluster.put(ALERTS, alert("b-alive", "alive", json!({})));
    Bench::start(cluster).await
}

#[tokio::test]
async fn a_provider_that_never_answers_keeps_no_message_from_another_and_loses_none_of_its_own() {
    const EVENTS: usize = 400;
    let (silent, server) = (Silent::start().await, Server::start(vec![]).await);
    let bench = beside(&silent, &server).await;
    for number in 0..EVENTS {
        assert_eq!(bench.post(event(number)).await.status, StatusCode::ACCEPTED);
    }
    let all: Vec<_> = (0..EVENTS).collect();
    let arrived = || Some(server.recorded()).filter(|recorded| recorded.len() >= EVENTS);
    let recorded = eventually("everything reaches the other one", arrived).await;
    let mut sent: Vec<_> = recorded.iter().map(|request| number_in(&request.body)).collect();
    sent.sort_unstable();
    assert_eq!(sent, all);
    let held =
        eventually("the silent one is full", || Some(silent.numbers()).filter(|held| held.len() > 50)).await;
    assert!(held.len() < EVENTS / 2, "{} at a time", held.len());
    silent.speaks.send_replace(true);
    eventually("everything arrives", || (silent.numbers().len() >= EVENTS).then_some(())).await;
    assert_eq!(silent.numbers(), all);
    assert_eq!(bench.events_about("a-dead"), [] as [&str; 0]);
}

/// What waits for a Provider is bounded, and what finds no place in time is told to the alert's owner.
#[tokio::test(start_paused = true)]
async fn messages_beyond_what_may_wait_for_a_provider_are_told() {
    const EVENTS: usize = 2000;
    let (silent, server) = (Silent::start().await, Server::start(vec![]).await);
    let bench = beside(&silent, &server).await;
    for number in 0..EVENTS {
        assert_eq!(bench.post(event(number)).await.status, StatusCode::ACCEPTED);
        tokio::task::yield_now().await;
    }
    tokio::time::sleep(Duration::from_mins(1)).await;
    let told = bench.events_about("a-dead");
    assert!((500..1000).contains(&told.len()), "{} of {EVENTS}", told.len());
    let text = "Error NotificationDispatchFailed failed to send notification for Kustomization/apps/webapp: too many \
                messages wait for provider 'dead', and in 30 seconds there was no place for another";
    assert!(told.iter().all(|event| event == text), "{}", told[0]);
    assert_eq!(server.recorded().len(), EVENTS);
    assert_eq!(bench.events_about("b-alive"), [] as [&str; 0]);
}

/// An event whose messages are so large that ten of them fill what one Provider may have.
fn large_event(number: usize) -> String {
    let mut event: Value = serde_json::from_str(E1).unwrap();
    event["message"] = json!(format!("{number}{}", " ".repeat(2_000_000)));
    event.to_string()
}

#[tokio::test(start_paused = true)]
async fn alerts_that_wait_for_a_place_keep_no_other_alert_of_the_event_waiting() {
    let (silent, server) = (Silent::start().await, Server::start(vec![]).await);
    let bench = behind(80, &silent, &server).await;
    assert_eq!(bench.post(large_event(1)).await.status, StatusCode::ACCEPTED);
    server.wait_for(1).await;
    let told = || bench.everything_recorded().iter().filter(|event| event.contains(NO_PLACE)).count();
    assert_eq!(told(), 0);
    // All of them wait at the same time, and the event no longer than they.
    tokio::time::sleep(Duration::from_secs(35)).await;
    assert!((65..=75).contains(&told()), "{} of 81", told());
}

/// What comes when too much waits already does not even wait, and others still have room.
#[tokio::test(start_paused = true)]
async fn alerts_beyond_what_may_wait_for_a_place_are_told_at_once() {
    const ALERTS_OF_DEAD: usize = 3000;
    let (silent, server) = (Silent::start().await, Server::start(vec![]).await);
    let bench = behind(ALERTS_OF_DEAD, &silent, &server).await;
    for number in 0..3 {
        assert_eq!(bench.post(large_event(number)).await.status, StatusCode::ACCEPTED);
    }
    server.wait_for(3).await;
    settle().await;
    let text = "Error NotificationDispatchFailed failed to send notification for Kustomization/apps/webapp: too many \
                messages wait for provider 'dead', and the line of those without a place is full";
    let of_last = bench.events_about("a-dead-2999");
    assert_eq!(of_last, [text]);
    let told = bench.everything_recorded();
    let told =
        told.iter().filter(|event| event.contains("the line of those without a place is full")).count();
    // Ten have a place, and a third of the whole line may wait.
    assert!((795..=805).contains(&told), "{told}");
}
