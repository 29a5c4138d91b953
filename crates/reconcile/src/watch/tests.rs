use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full, StreamBody};
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::client::Body;
use serde_json::json;

use super::*;
use crate::metrics::Metrics;
use crate::tasks::Tasks;

/// How a server behaves towards one attempt to watch.
#[derive(Clone, Copy)]
enum Mood {
    Panics,
    Fine,
}

/// A server with two objects of this kind whose watches stay open; each list takes the next mood.
fn server(kind: &'static str, moods: &[Mood]) -> kube::Client {
    let moods = Arc::new(Mutex::new(moods.to_vec()));
    let service = tower::service_fn(move |request: Request<Body>| {
        let watching = request.uri().query().is_some_and(|query| query.contains("watch=true"));
        let mood = {
            let mut moods = moods.lock().expect("lock");
            if watching || moods.is_empty() { Mood::Fine } else { moods.remove(0) }
        };
        async move {
            if matches!(mood, Mood::Panics) {
                panic!("a bug in the client");
            }
            let open = futures::stream::pending::<Result<http_body::Frame<Bytes>, std::io::Error>>();
            let body = if watching {
                StreamBody::new(open).boxed_unsync()
            } else {
                Full::new(Bytes::from(list(kind))).map_err(std::io::Error::other).boxed_unsync()
            };
            Ok::<_, std::io::Error>(Response::new(body))
        }
    });
    kube::Client::new(service, "default")
}

fn list(kind: &str) -> Vec<u8> {
    let item = |name: &str| json!({ "apiVersion": "v1", "kind": kind, "metadata": { "name": name, "namespace": "apps", "resourceVersion": "1" } });
    let list = json!({
        "apiVersion": "v1", "kind": format!("{kind}List"), "metadata": { "resourceVersion": "2" }, "items": [item("bad"), item("good")],
    });
    list.to_string().into_bytes()
}

/// Watches until the list is complete, and returns the names that were seen.
async fn names_seen<K>(client: kube::Client, summarize: fn(&K) -> u8) -> Vec<String>
where
    K: kube::Resource<DynamicType = (), Scope = NamespaceResourceScope>
        + Clone
        + Debug
        + DeserializeOwned
        + Send
        + Sync
        + 'static,
{
    let (index, seen) = (Arc::new(Index::default()), Arc::new(Mutex::new(Vec::new())));
    let tasks = Tasks::new();
    let (watched, names, shutdown) = (Arc::clone(&index), Arc::clone(&seen), tasks.shutdown().clone());
    tasks.spawn(async move {
        let api: Api<DeserializeGuard<K>> = Api::all(client);
        let tell = |event: Seen<'_, u8>| {
            if let Seen::Initial(key, _) | Seen::Added(key, _) = event {
                names.lock().expect("lock").push(key.name().to_owned());
            }
        };
        watch(api, watcher::Config::default(), &watched, summarize, tell, &shutdown).await;
    });
    tokio::time::timeout(Duration::from_mins(10), index.synced()).await.expect("the watch goes on");
    tasks.finish().await;
    let seen = seen.lock().expect("lock");
    seen.clone()
}

/// How often the watch of a kind is counted as broken.
fn failures(kind: &str) -> Option<String> {
    let (rendered, series) = (
        Metrics::default().render(),
        format!("millrace_background_failures_total{{task=\"watch {kind}\"}} "),
    );
    rendered.lines().find_map(|line| line.strip_prefix(&series)).map(str::to_owned)
}

#[tokio::test(start_paused = true)]
async fn an_object_whose_summary_panics_is_skipped_and_counted() {
    let summarize = |object: &ConfigMap| {
        assert_ne!(object.metadata.name.as_deref(), Some("bad"), "boom");
        0
    };
    assert_eq!(names_seen(server("ConfigMap", &[]), summarize).await, ["good"]);
    assert_eq!(failures("ConfigMap").as_deref(), Some("1"));
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_panics_is_counted_and_started_again() {
    let start = Instant::now();
    let client = server("Secret", &[Mood::Panics; 3]);
    assert_eq!(names_seen::<Secret>(client, |_| 0).await, ["bad", "good"]);
    assert_eq!(start.elapsed().as_secs(), 1 + 2 + 4, "with growing pauses");
    assert_eq!(failures("Secret").as_deref(), Some("3"));
}

#[test]
fn a_watch_that_fails_says_once_why() {
    let status =
        json!({ "message": "alerts is forbidden", "code": 403, "status": "Failure", "reason": "Forbidden" });
    let status: kube::core::Status = serde_json::from_value(status).expect("a status");
    for (error, expected) in [
        (
            watcher::Error::InitialListFailed(kube::Error::Api(Box::new(status.clone()))),
            "failed to list objects: alerts is forbidden",
        ),
        (watcher::Error::WatchError(Box::new(status)), "the watch was ended: alerts is forbidden"),
    ] {
        assert_eq!(watch_error_text(&error), expected);
    }
}
