//! A scripted API server behind a `kube::Client`: keeps objects, applies by merging, and writes down every request.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::Bytes;
use futures::{StreamExt as _, stream};
use http::{Method, Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::Frame;
use kube::client::Body;
use millrace_ssa::client::{Cluster, Discovery, Mask};
use millrace_ssa::engine::{Engine, Settings, Shared};
use millrace_yaml::read::{self, Limits, Resolver};
use millrace_yaml::{Map, Node, json};
use tokio::sync::broadcast;
use tokio_util::task::TaskTracker;

type Answer = UnsyncBoxBody<Bytes, Infallible>;

/// An error answer.
#[derive(Clone)]
pub(crate) struct Refusal {
    pub(crate) code: u16,
    pub(crate) reason: String,
    pub(crate) message: String,
}

/// The server's state; tests change it at will.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) objects: BTreeMap<String, Node>,
    /// What a dry run of a path answers instead of the merged object.
    pub(crate) dry_runs: HashMap<String, Node>,
    /// What a kind of request for a path is refused with. Refused dry runs pass once the object is gone.
    pub(crate) refusals: HashMap<(&'static str, String), Refusal>,
    /// Every request but those for discovery: kind and path.
    pub(crate) requests: Vec<String>,
    /// The bodies of applies, in order.
    pub(crate) applied: Vec<Node>,
    /// The bodies of JSON patches, in order.
    pub(crate) patched: Vec<Node>,
    /// Versions of `Widget` in `example.com` that are served.
    pub(crate) widgets: Vec<&'static str>,
    /// Every change: version, path, line.
    history: Vec<(u64, String, String)>,
    version: u64,
}

#[derive(Clone)]
pub(crate) struct Api {
    state: Arc<Mutex<State>>,
    /// Path and line of each change, for those who watch.
    events: broadcast::Sender<(String, String)>,
}

impl Api {
    pub(crate) fn new() -> Self {
        let state = State { version: 100, ..State::default() };
        Self { state: Arc::new(Mutex::new(state)), events: broadcast::channel(64).0 }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic")
    }

    /// Stores an object as someone else's write, and tells those who watch.
    pub(crate) fn put(&self, path: &str, object: &str) {
        let object = read::one(object, Resolver::Kubernetes, &Limits::default()).expect("valid YAML").node;
        self.store(path, object);
    }

    fn store(&self, path: &str, object: Node) -> Node {
        let mut state = self.state();
        let stored = state.store(path, object);
        self.tell(&mut state, "MODIFIED", path, &stored);
        stored
    }

    /// Deletes an object, and tells those who watch.
    pub(crate) fn remove(&self, path: &str) {
        let mut state = self.state();
        if let Some(mut object) = state.objects.remove(path) {
            state.version += 1;
            set_version(&mut object, state.version);
            self.tell(&mut state, "DELETED", path, &object);
        }
    }

    fn tell(&self, state: &mut State, kind: &str, path: &str, object: &Node) {
        let line = event(kind, object);
        state.history.push((state.version, path.to_owned(), line.clone()));
        let _ = self.events.send((path.to_owned(), line));
    }

    /// The requests since the last call, discovery left out.
    pub(crate) fn take_requests(&self) -> Vec<String> {
        std::mem::take(&mut self.state().requests)
    }

    pub(crate) fn engine_with(&self, settings: Settings) -> Engine {
        let clock = Arc::new(|| "2026-06-01T00:00:00Z".parse().expect("a valid time"));
        self.engine_sharing(Shared::new(settings, clock, TaskTracker::new()))
    }

    pub(crate) fn engine_sharing(&self, shared: Arc<Shared>) -> Engine {
        let client = self.client();
        let discovery = Arc::new(Discovery::new(client.clone()));
        Engine::new(Cluster::new(client, discovery, "controller", "kustomize-controller"), shared)
    }

    /// An engine that shows what the server says as `mask` returns it.
    pub(crate) fn engine_masked(&self, mask: Mask) -> Engine {
        let plain = self.engine();
        let shared = Shared::new(
            Settings::default(),
            Arc::new(|| "2026-06-01T00:00:00Z".parse().expect("a valid time")),
            TaskTracker::new(),
        );
        Engine::new(plain.cluster().clone().masked(mask), shared)
    }

    pub(crate) fn engine(&self) -> Engine {
        self.engine_with(Settings::default())
    }

    fn client(&self) -> kube::Client {
        let api = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let api = api.clone();
            async move { Ok::<_, Infallible>(api.answer(request).await) }
        });
        kube::Client::new(service, "default")
    }

    async fn answer(&self, request: Request<Body>) -> Response<Answer> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await.expect("a body").to_bytes();
        let path = parts.uri.path().to_owned();
        let query = parts.uri.query().unwrap_or_default().to_owned();
        if let Some(discovered) = discovery(&path, &self.state().widgets) {
            return json_answer(200, discovered);
        }
        let is_json_patch =
            parts.headers.get("content-type").is_some_and(|kind| kind == "application/json-patch+json");
        let kind = match parts.method {
            Method::GET if query.contains("watch=true") => "watch",
            Method::GET => "get",
            Method::DELETE => "delete",
            _ if is_json_patch => "patch",
            _ if query.contains("dryRun=All") => "dry-run apply",
            _ => "apply",
        };
        let logged = if kind == "watch" {
            format!("watch {path} from {}", version_in(&query))
        } else {
            format!("{kind} {path}")
        };
        self.state().requests.push(logged);
        if let Some(refusal) = self.state().refusals.get(&(kind, path.clone())) {
            let Refusal { code, reason, message } = refusal.clone();
            return refuse(code, &reason, &message);
        }
        if let Some(version) = path.strip_prefix("/apis/example.com/").and_then(|rest| rest.split('/').next())
            && !self.state().widgets.contains(&version)
        {
            return json_answer(404, "404 page not found\n".to_owned());
        }
        match kind {
            "watch" => self.watch(&path, version_in(&query).parse().unwrap_or_default()),
            "get" => self.get(&path, &query),
            "delete" => self.delete(&path),
            "patch" => self.patch(&path, &body),
            "dry-run apply" => self.dry_run(&path, &body),
            _ => self.apply(&path, &body),
        }
    }

    fn watch(&self, path: &str, from: u64) -> Response<Answer> {
        let state = self.state();
        let is_in = |other: &str| other.starts_with(path);
        let past: Vec<String> = if from == 0 {
            let existing = state.objects.iter().filter(|(other, _)| is_in(other));
            existing.map(|(_, object)| event("ADDED", object)).collect()
        } else {
            let later = state.history.iter().filter(|(version, other, _)| *version > from && is_in(other));
            later.map(|(_, _, line)| line.clone()).collect()
        };
        let path = path.to_owned();
        let future = stream::unfold((self.events.subscribe(), path), |(mut events, path)| async move {
            loop {
                let (other, line) = events.recv().await.ok()?;
                if other.starts_with(&path) {
                    return Some((line, (events, path)));
                }
            }
        });
        let lines =
            stream::iter(past).chain(future).map(|line| Ok::<_, Infallible>(Frame::data(Bytes::from(line))));
        Response::builder().status(200).body(StreamBody::new(lines).boxed_unsync()).expect("a valid answer")
    }

    fn get(&self, path: &str, query: &str) -> Response<Answer> {
        let state = self.state();
        if query.contains("labelSelector") {
            let items = state.objects.iter().filter(|(name, _)| name.starts_with(path));
            let items: Vec<String> = items.map(|(_, object)| json::to_string(object)).collect();
            return json_answer(200, format!("{{\"kind\":\"List\",\"items\":[{}]}}", items.join(",")));
        }
        match state.objects.get(path) {
            Some(object) => json_answer(200, json::to_string(object)),
            None => not_found(path),
        }
    }

    fn delete(&self, path: &str) -> Response<Answer> {
        if !self.state().objects.contains_key(path) {
            return not_found(path);
        }
        self.remove(path);
        let mut state = self.state();
        state.refusals.remove(&("dry-run apply", path.to_owned()));
        state.dry_runs.remove(path);
        json_answer(200, r#"{"kind":"Status","status":"Success"}"#.to_owned())
    }

    fn patch(&self, path: &str, body: &[u8]) -> Response<Answer> {
        let operations = json::from_slice(body).expect("valid JSON");
        let mut state = self.state();
        state.patched.push(operations);
        let Some(object) = state.objects.get(path).cloned() else { return not_found(path) };
        let object = state.store(path, object);
        json_answer(200, json::to_string(&object))
    }

    fn dry_run(&self, path: &str, body: &[u8]) -> Response<Answer> {
        let state = self.state();
        let answer = match state.dry_runs.get(path) {
            Some(answer) => answer.clone(),
            None => merged(state.objects.get(path), &json::from_slice(body).expect("valid JSON")),
        };
        json_answer(200, json::to_string(&answer))
    }

    fn apply(&self, path: &str, body: &[u8]) -> Response<Answer> {
        let body = json::from_slice(body).expect("valid JSON");
        let object = merged(self.state().objects.get(path), &body);
        self.state().applied.push(body);
        let stored = self.store(path, object);
        json_answer(200, json::to_string(&stored))
    }
}

impl State {
    fn store(&mut self, path: &str, mut object: Node) -> Node {
        self.version += 1;
        let uid = format!("00000000-0000-0000-0000-{:012}", self.version);
        if let Some(metadata) = object.map_at_mut(&["metadata"])
            && !metadata.contains_key("uid")
        {
            metadata.insert("uid", Node::string(uid));
        }
        set_version(&mut object, self.version);
        self.objects.insert(path.to_owned(), object.clone());
        object
    }
}

fn event(kind: &str, object: &Node) -> String {
    format!("{{\"type\":\"{kind}\",\"object\":{}}}\n", json::to_string(object))
}

fn set_version(object: &mut Node, version: u64) {
    if let Some(metadata) = object.map_at_mut(&["metadata"]) {
        metadata.insert("resourceVersion", Node::string(version.to_string()));
    }
}

fn version_in(query: &str) -> &str {
    query.split('&').find_map(|pair| pair.strip_prefix("resourceVersion=")).unwrap_or_default()
}

/// Maps merge, everything else is replaced; the server has no use for a null creation time.
fn merged(live: Option<&Node>, body: &Node) -> Node {
    let mut object = live.cloned().unwrap_or_else(Node::map);
    merge(&mut object, body);
    if let Some(metadata) = object.map_at_mut(&["metadata"]) {
        metadata.remove("creationTimestamp");
    }
    object
}

fn merge(into: &mut Node, from: &Node) {
    match (into.as_map_mut(), from.as_map()) {
        (Some(into), Some(from)) => {
            for (key, value) in Map::iter(from) {
                match into.get_mut(key) {
                    Some(slot) => merge(slot, value),
                    None => {
                        into.insert(key, value.clone());
                    }
                }
            }
        }
        _ => *into = from.clone(),
    }
}

fn json_answer(code: u16, body: String) -> Response<Answer> {
    Response::builder().status(code).body(Full::from(body).boxed_unsync()).expect("a valid answer")
}

pub(crate) fn refuse(code: u16, reason: &str, message: &str) -> Response<Answer> {
    let status = serde_json::json!({"kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": message});
    json_answer(code, status.to_string())
}

fn not_found(path: &str) -> Response<Answer> {
    let mut segments = path.rsplit('/');
    let (name, plural) = (segments.next().unwrap_or_default(), segments.next().unwrap_or_default());
    refuse(404, "NotFound", &format!("{plural} {name:?} not found"))
}

fn discovery(path: &str, widgets: &[&str]) -> Option<String> {
    let resource = |plural: &str, kind: &str, scope: &str| serde_json::json!({"resource": plural, "scope": scope, "responseKind": {"group": "", "version": "", "kind": kind}});
    let versioned = |name: &str, version: &str, resources: Vec<serde_json::Value>| serde_json::json!({"metadata": {"name": name}, "versions": [{"version": version, "resources": resources}]});
    let group = |name: &str, resources: Vec<serde_json::Value>| versioned(name, "v1", resources);
    let items = match path {
        "/api" => vec![group(
            "",
            vec![
                resource("configmaps", "ConfigMap", "Namespaced"),
                resource("secrets", "Secret", "Namespaced"),
                resource("services", "Service", "Namespaced"),
                resource("pods", "Pod", "Namespaced"),
                resource("serviceaccounts", "ServiceAccount", "Namespaced"),
                resource("namespaces", "Namespace", "Cluster"),
            ],
        )],
        "/apis" => vec![
            group(
                "apps",
                vec![
                    resource("deployments", "Deployment", "Namespaced"),
                    resource("statefulsets", "StatefulSet", "Namespaced"),
                ],
            ),
            versioned(
                "autoscaling",
                "v2",
                vec![resource("horizontalpodautoscalers", "HorizontalPodAutoscaler", "Namespaced")],
            ),
            group("batch", vec![resource("jobs", "Job", "Namespaced")]),
            serde_json::json!({"metadata": {"name": "example.com"}, "versions": widgets.iter().map(|version| {
                match version.strip_suffix(" stale") {
                    Some(version) => serde_json::json!({"version": version, "freshness": "Stale"}),
                    None => serde_json::json!({"version": version, "resources": [resource("widgets", "Widget", "Namespaced")]}),
                }
            }).collect::<Vec<_>>()}),
        ],
        _ => return None,
    };
    Some(serde_json::json!({"kind": "APIGroupDiscoveryList", "items": items}).to_string())
}
