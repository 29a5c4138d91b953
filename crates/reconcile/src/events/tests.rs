use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use serde_json::{Value, json};

use super::*;
use crate::client::scripted;
use crate::clock::FixedClock;

const GRACE: Duration = Duration::from_mins(1);

fn clock() -> Arc<FixedClock> {
    Arc::new(FixedClock::at("2026-01-01T00:00:00.987654321Z".parse().expect("time")))
}

fn about(name: &str) -> ObjectReference {
    ObjectReference {
        kind: Some("GitRepository".to_owned()),
        namespace: Some("flux-system".to_owned()),
        name: Some(name.to_owned()),
        uid: Some("uid".to_owned()),
        api_version: Some("source.toolkit.fluxcd.io/v1".to_owned()),
        resource_version: Some("7".to_owned()),
        field_path: None,
    }
}

fn event(severity: Severity, message: &str) -> Event {
    Event {
        severity,
        reason: Reason::new("NewArtifact"),
        message: message.to_owned(),
        metadata: [("source.toolkit.fluxcd.io/revision".to_owned(), "main@sha1:1".to_owned())].into(),
    }
}

fn settings(destination: Destination) -> Settings {
    Settings {
        component: "source-controller".to_owned(),
        field_manager: "source-controller".to_owned(),
        instance: "host".to_owned(),
        destination,
    }
}

/// Keeps what is delivered in process.
#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<Value>>>);

impl EventSink for Sink {
    fn deliver(&self, body: Vec<u8>) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.0.lock().expect("lock").push(serde_json::from_slice(&body).expect("JSON"));
        })
    }
}

#[tokio::test]
async fn an_event_reaches_the_sink_in_the_shape_of_the_intake() {
    let sink = Sink::default();
    let recorder = Recorder::start(None, settings(Destination::Sink(Arc::new(sink.clone()))), clock());
    let annotations =
        [("event.toolkit.fluxcd.io/team".to_owned(), "a".to_owned()), ("other".to_owned(), "b".to_owned())];
    recorder.record(&about("podinfo"), &annotations.into(), event(Severity::Info, "stored"));
    let bare = Event { metadata: BTreeMap::new(), ..event(Severity::Error, "broken") };
    recorder.record(&about("podinfo"), &BTreeMap::new(), bare);
    recorder.record(&about("podinfo"), &BTreeMap::new(), event(Severity::Trace, "for Kubernetes only"));
    recorder.finish(GRACE).await;
    let bodies = sink.0.lock().expect("lock").clone();
    let involved = json!({
        "kind": "GitRepository", "namespace": "flux-system", "name": "podinfo", "uid": "uid",
        "apiVersion": "source.toolkit.fluxcd.io/v1", "resourceVersion": "7",
    });
    assert_eq!(
        bodies,
        [
            json!({
                "involvedObject": involved, "severity": "info", "timestamp": "2026-01-01T00:00:00Z", "message": "stored",
                "reason": "NewArtifact",
                "metadata": {"source.toolkit.fluxcd.io/revision": "main@sha1:1", "event.toolkit.fluxcd.io/team": "a"},
                "reportingController": "source-controller", "reportingInstance": "host",
            }),
            json!({
                "involvedObject": involved, "severity": "error", "timestamp": "2026-01-01T00:00:00Z", "message": "broken",
                "reason": "NewArtifact", "reportingController": "source-controller", "reportingInstance": "host",
            }),
        ]
    );
}

#[tokio::test]
async fn events_of_one_object_keep_their_order() {
    let sink = Sink::default();
    let recorder = Recorder::start(None, settings(Destination::Sink(Arc::new(sink.clone()))), clock());
    for number in 0..60 {
        let name = format!("object-{}", number % 3);
        recorder.record(&about(&name), &BTreeMap::new(), event(Severity::Info, &number.to_string()));
    }
    recorder.finish(GRACE).await;
    let bodies = sink.0.lock().expect("lock").clone();
    assert_eq!(bodies.len(), 60);
    for object in 0..3 {
        let name = format!("object-{object}");
        let of_object = bodies.iter().filter(|body| body["involvedObject"]["name"] == name.as_str());
        let numbers: Vec<u32> =
            of_object.map(|body| body["message"].as_str().expect("text").parse().expect("number")).collect();
        assert!(numbers.is_sorted() && numbers.len() == 20, "{numbers:?}");
    }
}

#[tokio::test]
async fn an_event_in_kubernetes_looks_as_recorded() {
    let (client, requests) = scripted::answering([(201, "{}")]);
    let recorder = Recorder::start(Some(client), settings(Destination::None), clock());
    recorder.record(&about("infra"), &BTreeMap::new(), event(Severity::Info, "stored"));
    recorder.finish(GRACE).await;
    let request = &requests.all()[0];
    assert_eq!(request.method, "POST");
    assert_eq!(request.uri, "/api/v1/namespaces/flux-system/events?&fieldManager=source-controller");
    let nanos = clock().now().as_nanosecond();
    assert_eq!(
        request.json(),
        json!({
            "apiVersion": "v1", "kind": "Event",
            "metadata": {
                "name": format!("infra.{nanos:x}"), "namespace": "flux-system",
                "annotations": {"source.toolkit.fluxcd.io/revision": "main@sha1:1"},
            },
            "involvedObject": {
                "kind": "GitRepository", "namespace": "flux-system", "name": "infra", "uid": "uid",
                "apiVersion": "source.toolkit.fluxcd.io/v1", "resourceVersion": "7",
            },
            "reason": "NewArtifact", "message": "stored", "type": "Normal", "count": 1,
            "firstTimestamp": "2026-01-01T00:00:00Z", "lastTimestamp": "2026-01-01T00:00:00Z",
            "source": {"component": "source-controller"}, "reportingComponent": "source-controller",
        })
    );
}

#[tokio::test]
async fn a_repeat_patches_the_first_event_and_makes_it_anew_where_it_is_gone() {
    let gone = r#"{"kind":"Status","status":"Failure","reason":"NotFound","message":"gone","code":404}"#;
    let (client, requests) = scripted::answering([(201, "{}"), (200, "{}"), (404, gone), (201, "{}")]);
    let clock = clock();
    let recorder = Recorder::start(Some(client), settings(Destination::None), clock.clone());
    for second in 0..3 {
        clock.set(format!("2026-01-01T00:00:0{second}Z").parse().expect("time"));
        recorder.record(&about("infra"), &BTreeMap::new(), event(Severity::Error, "no route"));
    }
    recorder.finish(GRACE).await;
    let requests = requests.all();
    let methods: Vec<_> = requests.iter().map(|request| request.method.to_string()).collect();
    assert_eq!(methods, ["POST", "PATCH", "PATCH", "POST"]);
    let name = requests[0].json()["metadata"]["name"].clone();
    assert!(requests[1].uri.contains(name.as_str().expect("text")), "{}", requests[1].uri);
    assert_eq!(requests[1].headers["content-type"], "application/strategic-merge-patch+json");
    let patch = json!({"count": 2, "lastTimestamp": "2026-01-01T00:00:01Z", "message": "no route"});
    assert_eq!(requests[1].json(), patch);
    let anew = requests[3].json();
    assert_eq!((anew["count"].as_i64(), &anew["metadata"]["name"]), (Some(3), &name));
    assert_eq!(anew["firstTimestamp"], "2026-01-01T00:00:00Z");
}

#[tokio::test]
async fn a_folded_event_names_no_reporting_controller_and_has_no_annotations() {
    let (client, requests) = scripted::answering([(201, "{}")]);
    let recorder = Recorder::start(Some(client), settings(Destination::None), clock());
    for number in 0..11 {
        recorder.record(
            &about("infra"),
            &BTreeMap::new(),
            event(Severity::Info, &format!("took {number}ms")),
        );
    }
    recorder.finish(GRACE).await;
    let requests = requests.all();
    let folded = requests[9].json();
    assert_eq!(folded["message"], "(combined from similar events): took 9ms");
    assert_eq!((folded.get("reportingComponent"), folded["metadata"].get("annotations")), (None, None));
    assert_eq!(requests[10].method, "PATCH");
    assert_eq!(requests[10].json()["message"], "(combined from similar events): took 10ms");
}

#[tokio::test(start_paused = true)]
async fn an_unreachable_api_server_is_tried_again_and_a_refusal_is_not() {
    let mut tries = 0;
    let (client, requests) = scripted::client(move |_| {
        tries += 1;
        match tries {
            1 | 2 => None,
            3 => Some((201, "{}".to_owned())),
            _ => Some((403, r#"{"kind":"Status","status":"Failure","code":403,"message":"no"}"#.to_owned())),
        }
    });
    let recorder = Recorder::start(Some(client), settings(Destination::None), clock());
    recorder.record(&about("a"), &BTreeMap::new(), event(Severity::Info, "first"));
    tokio::time::sleep(Duration::from_secs(30)).await;
    recorder.record(&about("b"), &BTreeMap::new(), event(Severity::Info, "second"));
    recorder.finish(GRACE).await;
    let names: Vec<_> = requests.all().iter().map(|request| request.json()["message"].clone()).collect();
    assert_eq!(names, ["first", "first", "first", "second"]);
}

/// A sink that answers with `statuses` in turn, and then with the last one again.
async fn http_sink(statuses: &'static [u16]) -> (Destination, Arc<AtomicUsize>) {
    let hits = Arc::new(AtomicUsize::new(0));
    let answer = move |State(hits): State<Arc<AtomicUsize>>| async move {
        let hit = hits.fetch_add(1, Ordering::SeqCst).min(statuses.len() - 1);
        StatusCode::from_u16(statuses[hit]).expect("status")
    };
    let router = Router::new().route("/", post(answer)).with_state(Arc::clone(&hits));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("port");
    let address = listener.local_addr().expect("address");
    crate::tasks::Tasks::new().spawn(async move { axum::serve(listener, router).await });
    millrace_net::install_crypto_provider();
    let destination = Destination::of_address(&format!("http://{address}/")).expect("address");
    (destination, hits)
}

async fn posts_for(statuses: &'static [u16]) -> usize {
    let (destination, hits) = http_sink(statuses).await;
    let recorder = Recorder::start(None, settings(destination), clock());
    recorder.record(&about("a"), &BTreeMap::new(), event(Severity::Info, "told"));
    recorder.finish(GRACE).await;
    hits.load(Ordering::SeqCst)
}

/// Part of SC-109: one POST for a duplicate, and none again after a client error.
#[tokio::test]
async fn a_duplicate_or_refused_notification_is_posted_once() {
    for statuses in [&[429][..], &[400], &[202], &[501]] {
        assert_eq!(posts_for(statuses).await, 1, "{statuses:?}");
    }
}

/// Part of SC-109: a server error is followed by another POST a second later.
#[tokio::test]
async fn a_failing_sink_is_tried_again_while_recording_goes_on() {
    let (destination, hits) = http_sink(&[503, 202]).await;
    let recorder = Recorder::start(None, settings(destination), clock());
    let start = std::time::Instant::now();
    recorder.record(&about("a"), &BTreeMap::new(), event(Severity::Info, "told"));
    assert!(start.elapsed() < Duration::from_millis(100), "recording doesn't wait");
    recorder.finish(GRACE).await;
    assert_eq!(hits.load(Ordering::SeqCst), 2);
    assert!(start.elapsed() >= Duration::from_secs(1), "{:?}", start.elapsed());
}

#[tokio::test]
async fn an_address_that_is_no_url_is_a_configuration_error() {
    let Err(error) = Destination::of_address("http://[::1") else { panic!("no URL") };
    assert_eq!((error.flag, error.value.as_str()), ("events-addr", "http://[::1"));
    assert!(matches!(Destination::of_address(""), Ok(Destination::None)));
    for address in ["localhost:9090", "foo"] {
        let Err(error) = Destination::of_address(address) else { panic!("{address}: no URL of the web") };
        assert!(error.reason.ends_with("\naccepted are URLs with http or https"), "{error}");
    }
}

#[test]
fn upstream_starts_with_whatever_go_takes_for_a_url() {
    for (address, is_taken) in [
        ("localhost:9090", true),
        ("foo", true),
        ("foo/a:b", true),
        ("ftp://host/", true),
        ("127.0.0.1:9090", false),
        ("my_host:80", false),
        ("http://[::1", false),
        ("http://host:port/", false),
    ] {
        assert_eq!(Destination::is_taken_by_upstream(address), is_taken, "{address}");
    }
}

#[test]
fn a_recorder_for_tests_keeps_what_it_is_told() {
    let (recorder, captured) = Recorder::capturing(clock());
    recorder.record(&about("a"), &BTreeMap::new(), event(Severity::Trace, "kept"));
    assert_eq!(captured.all(), [(about("a"), event(Severity::Trace, "kept"))]);
}
