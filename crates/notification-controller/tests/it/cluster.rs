//! A scripted API server: objects in memory, behind a `kube::Client`.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use futures::{StreamExt as _, stream};
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full, StreamBody, combinators::UnsyncBoxBody};
use kube::{Client, client::Body};
use serde_json::{Value, json};
use tokio::sync::{broadcast, watch};

/// The cluster; clones share its objects.
#[derive(Clone)]
pub(crate) struct Cluster(Arc<Mutex<Store>>);

struct Store {
    /// Objects by their path, such as `/api/v1/namespaces/apps/secrets/token`.
    objects: BTreeMap<String, Value>,
    version: u64,
    changes: broadcast::Sender<(String, Value)>,
    requests: Vec<String>,
    /// Paths that are refused with 403.
    forbidden: Vec<String>,
    /// The path whose requests are not answered for now.
    held: watch::Sender<String>,
}

type Reply = Response<UnsyncBoxBody<Bytes, Infallible>>;

impl Cluster {
    pub(crate) fn new() -> Self {
        let (changes, _) = broadcast::channel(256);
        let store = Store {
            objects: BTreeMap::new(),
            version: 0,
            changes,
            requests: Vec::new(),
            forbidden: Vec::new(),
            held: watch::Sender::default(),
        };
        Self(Arc::new(Mutex::new(store)))
    }

    pub(crate) fn client(&self) -> Client {
        let cluster = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let cluster = cluster.clone();
            async move { Ok::<_, Infallible>(cluster.answer(request).await) }
        });
        Client::new(service, "default")
    }

    /// Creates or replaces an object; `collection` is the group's path and the plural, such as `/api/v1/secrets`.
    pub(crate) fn put(&self, collection: &str, object: Value) {
        let path = object_path(collection, &object);
        self.0.lock().unwrap().store(&path, object);
    }

    /// The object at a path, `null` if there is none.
    pub(crate) fn get(&self, path: &str) -> Value {
        self.0.lock().unwrap().objects.get(path).cloned().unwrap_or_default()
    }

    pub(crate) fn objects(&self) -> Vec<Value> {
        self.0.lock().unwrap().objects.values().cloned().collect()
    }

    pub(crate) fn delete(&self, path: &str) {
        let mut store = self.0.lock().unwrap();
        if let Some(object) = store.objects.remove(path) {
            let _ = store.changes.send((path.to_owned(), json!({ "type": "DELETED", "object": object })));
        }
    }

    pub(crate) fn forbid(&self, path: &str) {
        self.0.lock().unwrap().forbidden.push(path.to_owned());
    }

    /// Answers requests to a path only after [`Self::release`].
    pub(crate) fn hold(&self, path: &str) {
        self.0.lock().unwrap().held.send_replace(path.to_owned());
    }

    pub(crate) fn release(&self) {
        self.0.lock().unwrap().held.send_replace(String::new());
    }

    /// The requests so far, as `METHOD target`.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.0.lock().unwrap().requests.clone()
    }

    async fn answer(&self, request: Request<Body>) -> Reply {
        let (parts, body) = request.into_parts();
        let body = body.collect().await.expect("a body").to_bytes();
        let path = parts.uri.path().to_owned();
        let mut held = {
            let mut store = self.0.lock().unwrap();
            store.requests.push(format!("{} {}", parts.method, parts.uri));
            store.held.subscribe()
        };
        held.wait_for(|held| *held != path).await.expect("the cluster is there");
        let mut store = self.0.lock().unwrap();
        let query: BTreeMap<String, String> =
            url::form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes())
                .into_owned()
                .collect();
        if store.forbidden.contains(&path) {
            return failure(StatusCode::FORBIDDEN, "Forbidden", &format!("{path} is forbidden"));
        }
        match parts.method {
            Method::GET if query.get("watch").is_some_and(|watch| watch == "true") => store.watch(&path),
            Method::GET => match store.objects.get(&path) {
                Some(object) => success(object),
                None if is_collection(&path) => store.list(&path, query.get("labelSelector")),
                None => not_found(&path),
            },
            Method::PATCH => store.patch(&path, &serde_json::from_slice(&body).expect("a JSON patch")),
            _ => failure(StatusCode::METHOD_NOT_ALLOWED, "MethodNotAllowed", "not scripted"),
        }
    }
}

impl Store {
    fn store(&mut self, path: &str, mut object: Value) -> Value {
        self.version += 1;
        object["metadata"]["resourceVersion"] = json!(self.version.to_string());
        let kind = if self.objects.contains_key(path) { "MODIFIED" } else { "ADDED" };
        self.objects.insert(path.to_owned(), object.clone());
        let _ = self.changes.send((path.to_owned(), json!({ "type": kind, "object": object })));
        object
    }

    fn list(&self, path: &str, selector: Option<&String>) -> Reply {
        let items: Vec<_> = self
            .objects
            .iter()
            .filter(|(object, _)| belongs(object, path))
            .filter(|(_, object)| selector.is_none_or(|selector| has_labels(object, selector)))
            .map(|(_, object)| object)
            .collect();
        success(&json!({
            "kind": "List", "apiVersion": "v1",
            "metadata": { "resourceVersion": self.version.to_string() }, "items": items,
        }))
    }

    fn watch(&self, path: &str) -> Reply {
        let collection = path.to_owned();
        let changes = stream::unfold(self.changes.subscribe(), |mut changes| async move {
            let change = changes.recv().await.ok()?;
            Some((change, changes))
        });
        let frames = changes.filter_map(move |(path, event)| {
            let frame = belongs(&path, &collection).then(|| {
                let line = format!("{event}\n");
                Ok(http_body::Frame::data(Bytes::from(line)))
            });
            async move { frame }
        });
        Response::new(StreamBody::new(frames).boxed_unsync())
    }

    fn patch(&mut self, path: &str, change: &Value) -> Reply {
        let target = path.strip_suffix("/status").unwrap_or(path);
        let Some(mut object) = self.objects.get(target).cloned() else { return not_found(target) };
        if let Some(version) = change.pointer("/metadata/resourceVersion")
            && *version != object["metadata"]["resourceVersion"]
        {
            return failure(StatusCode::CONFLICT, "Conflict", "the object has been modified");
        }
        merge(&mut object, change);
        let empty =
            object.pointer("/metadata/finalizers").and_then(Value::as_array).is_none_or(Vec::is_empty);
        if empty && object.pointer("/metadata/deletionTimestamp").is_some() {
            self.objects.remove(target);
            let _ = self.changes.send((target.to_owned(), json!({ "type": "DELETED", "object": object })));
            return success(&object);
        }
        success(&self.store(target, object))
    }
}

/// Applies a JSON merge patch.
fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    for (key, value) in patch {
        if value.is_null() {
            target.as_object_mut().expect("made an object above").remove(key);
        } else {
            merge(&mut target[key], value);
        }
    }
}

fn object_path(collection: &str, object: &Value) -> String {
    let (group, plural) = collection.rsplit_once('/').expect("a path");
    let part = |key: &str| object["metadata"][key].as_str().expect("namespace and name");
    format!("{group}/namespaces/{}/{plural}/{}", part("namespace"), part("name"))
}

fn is_collection(path: &str) -> bool {
    match path.split_once("/namespaces/") {
        Some((_, rest)) => rest.split('/').count() == 2,
        None => true,
    }
}

/// Whether the object at `path` is one of a collection, in one namespace or in all.
fn belongs(path: &str, collection: &str) -> bool {
    let Some((parent, _)) = path.rsplit_once('/') else { return false };
    if parent == collection {
        return true;
    }
    let Some((group, rest)) = parent.split_once("/namespaces/") else { return false };
    rest.split_once('/').is_some_and(|(_, plural)| format!("{group}/{plural}") == collection)
}

fn has_labels(object: &Value, selector: &str) -> bool {
    selector.split(',').filter(|pair| !pair.is_empty()).all(|pair| {
        let (key, value) = pair.split_once('=').expect("equality");
        object["metadata"]["labels"][key] == json!(value)
    })
}

fn success(value: &Value) -> Reply {
    Response::new(Full::from(value.to_string()).boxed_unsync())
}

fn failure(code: StatusCode, reason: &str, message: &str) -> Reply {
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": message, "reason": reason, "code": code.as_u16(),
    });
    let mut response = success(&status);
    *response.status_mut() = code;
    response
}

fn not_found(path: &str) -> Reply {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or_default();
    let plural = parts.next().unwrap_or_default();
    let group = path.strip_prefix("/apis/").and_then(|rest| rest.split('/').next());
    let resource = group.map_or_else(|| plural.to_owned(), |group| format!("{plural}.{group}"));
    failure(StatusCode::NOT_FOUND, "NotFound", &format!("{resource} \"{name}\" not found"))
}
