use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::ObjectReference;
use millrace_reconcile::Reason;
use millrace_reconcile::clock::SystemClock;
use millrace_reconcile::events::{Destination, Event, EventSink, Recorder, Settings, Severity};
use tokio::sync::mpsc;

use super::*;

/// A part that leads like this and serves nothing.
fn leading(lead: impl Future<Output = Result<(), Broken>> + Send + 'static) -> Part {
    Part { stage: Stage::Control, serve: Box::pin(std::future::ready(Ok(()))), lead: Box::pin(lead) }
}

fn stubborn() -> Part {
    leading(std::future::pending())
}

/// Puts what it is told into a queue, slowly.
struct Intake(mpsc::Sender<Vec<u8>>);

impl EventSink for Intake {
    fn deliver(&self, body: Vec<u8>) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            // Once the way out is closed, events are lost.
            let _ = self.0.send(body).await;
        })
    }
}

fn recorder(sink: Arc<dyn EventSink>) -> Recorder {
    let settings = Settings {
        component: "test".to_owned(),
        field_manager: "test".to_owned(),
        instance: "test".to_owned(),
        destination: Destination::Sink(sink),
    };
    Recorder::start(None, settings, Arc::new(SystemClock))
}

fn record(recorder: &Recorder, message: &str) {
    let about = ObjectReference {
        kind: Some("Kustomization".to_owned()),
        namespace: Some("apps".to_owned()),
        name: Some("site".to_owned()),
        uid: Some("1".to_owned()),
        api_version: Some("kustomize.toolkit.fluxcd.io/v1".to_owned()),
        resource_version: Some("1".to_owned()),
        ..ObjectReference::default()
    };
    let event = Event {
        severity: Severity::Info,
        reason: Reason::new("Test"),
        message: message.to_owned(),
        metadata: BTreeMap::new(),
    };
    recorder.record(&about, &BTreeMap::new(), event);
}

#[tokio::test(start_paused = true)]
async fn a_lost_lease_ends_the_process_at_once_and_with_upstreams_words() {
    let lost = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Err(Lost { lease: "source-controller-leader-election".to_owned() }.into())
    };
    let start = Instant::now();
    let broken = work(vec![stubborn(), leading(lost)], None, &Crews::default()).await.expect_err("lost");
    assert_eq!(broken.to_string(), "leader election lost");
    assert_eq!(start.elapsed().as_secs(), 1, "nobody is waited for");
}

#[tokio::test(start_paused = true)]
async fn whatever_else_breaks_the_others_end_in_order_within_the_grace_period() {
    let crews = Crews::default();
    let broken = leading(async { Err("the listener broke".into()) });
    let start = Instant::now();
    let error = work(vec![stubborn(), broken], None, &crews).await.expect_err("broken");
    assert_eq!(error.to_string(), "the listener broke");
    assert!(start.elapsed() >= Duration::from_secs(5), "those who end late have their time");
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn events_recorded_at_the_end_reach_the_dispatcher_before_that_closes() {
    let crews = Crews::default();
    let (sink, mut queue) = mpsc::channel(1);
    let recorder = recorder(Arc::new(Intake(sink)));
    crews.of(Stage::Control).add(recorder.clone());
    let ending = crews.of(Stage::Control).tasks().shutdown().clone();
    let controller = leading({
        let ending = ending.clone();
        async move {
            ending.cancelled().await;
            tokio::time::sleep(Duration::from_secs(2)).await;
            record(&recorder, "the last words");
            Ok(())
        }
    });
    let delivered = Arc::new(Mutex::new(Vec::new()));
    let closing = crews.of(Stage::Delivery).tasks().shutdown().clone();
    let log = Arc::clone(&delivered);
    let dispatcher = async move {
        closing.cancelled().await;
        queue.close();
        while let Some(body) = queue.recv().await {
            log.lock().expect("lock").push(String::from_utf8(body).expect("text"));
        }
        Ok(())
    };
    let lead = Box::pin(std::future::ready(Ok(())));
    let notification = Part { stage: Stage::Delivery, serve: Box::pin(dispatcher), lead };
    ending.cancel();
    let start = Instant::now();
    work(vec![notification, controller], None, &crews).await.expect("in order");
    let delivered = delivered.lock().expect("lock").clone();
    assert_eq!(delivered.len(), 1);
    assert!(delivered[0].contains("the last words"), "{delivered:?}");
    assert!(start.elapsed() < Duration::from_secs(4), "nothing waits for nothing: {:?}", start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_vital_task_ends_the_process() {
    let crews = Crews::default();
    let tasks = crews.of(Stage::Delivery).tasks().clone();
    tasks.spawn_vital("dispatcher", async {});
    let waiting = leading({
        let shutdown = crews.of(Stage::Control).tasks().shutdown().clone();
        async move {
            shutdown.cancelled().await;
            Ok(())
        }
    });
    let error = work(vec![waiting], None, &crews).await.expect_err("gone");
    assert_eq!(error.to_string(), "dispatcher ended before the process");
}
