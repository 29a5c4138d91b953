//! A few objects in memory behind a `kube::Client`: enough for code that reads, lists by label and patches.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

type Reply = Response<Full<axum::body::Bytes>>;

/// The objects by their paths, such as `/api/v1/namespaces/apps/secrets/token`.
#[derive(Clone, Default)]
pub(crate) struct Cluster(Arc<Mutex<BTreeMap<String, Value>>>);

impl Cluster {
    /// Adds an object of a kind, named by the path before `/namespaces` and its plural.
    pub(crate) fn put(&self, group: &str, plural: &str, object: Value) -> Result<(), String> {
        let part =
            |key: &str| object["metadata"][key].as_str().ok_or_else(|| format!("an object without {key}"));
        let path = format!("{group}/namespaces/{}/{plural}/{}", part("namespace")?, part("name")?);
        self.lock().insert(path, object);
        Ok(())
    }

    /// All objects.
    pub(crate) fn objects(&self) -> Vec<Value> {
        self.lock().values().cloned().collect()
    }

    /// A client that sees these objects.
    pub(crate) fn client(&self) -> Client {
        let cluster = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let cluster = cluster.clone();
            async move { Ok::<_, Infallible>(cluster.answer(request).await) }
        });
        Client::new(service, "default")
    }

    async fn answer(&self, request: Request<Body>) -> Reply {
        let (head, body) = request.into_parts();
        let Ok(body) = body.collect().await else {
            return failure(StatusCode::BAD_REQUEST, "the body broke off");
        };
        let path = head.uri.path();
        let mut objects = self.lock();
        let Some(object) = objects.get_mut(path) else {
            return if head.method == Method::GET && is_collection(path) {
                success(&list(&objects, path, head.uri.query().unwrap_or_default()))
            } else {
                failure(StatusCode::NOT_FOUND, "not found")
            };
        };
        match head.method {
            Method::GET => success(object),
            Method::PATCH => match serde_json::from_slice(&body.to_bytes()) {
                Ok(changes) => {
                    merge(object, &changes);
                    success(object)
                }
                Err(error) => failure(StatusCode::BAD_REQUEST, &error.to_string()),
            },
            _ => failure(StatusCode::METHOD_NOT_ALLOWED, "not allowed here"),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Value>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `…/namespaces/NAMESPACE/PLURAL`.
fn is_collection(path: &str) -> bool {
    path.split_once("/namespaces/").is_some_and(|(_, rest)| rest.split('/').count() == 2)
}

fn list(objects: &BTreeMap<String, Value>, path: &str, query: &str) -> Value {
    // The only encoded characters of a selector of recorded labels are `=` and `,`.
    let query = query.replace("%3D", "=").replace("%2C", ",");
    let selector =
        query.split('&').find_map(|pair| pair.strip_prefix("labelSelector=")).unwrap_or_default().to_owned();
    let selects = |object: &Value| {
        selector.split(',').filter(|term| !term.is_empty()).all(|term| {
            let (key, value) = term.split_once('=').unwrap_or((term, ""));
            object["metadata"]["labels"][key].as_str() == Some(value)
        })
    };
    let inside = |name: &str| name.rsplit_once('/').is_some_and(|(parent, _)| parent == path);
    let items: Vec<&Value> = objects
        .iter()
        .filter(|(name, object)| inside(name) && selects(object))
        .map(|(_, object)| object)
        .collect();
    json!({"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": "1"}, "items": items})
}

/// Applies a JSON merge patch.
fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(changes) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    for (key, value) in changes {
        match target.as_object_mut() {
            Some(map) if value.is_null() => drop(map.remove(key)),
            _ => merge(&mut target[key], value),
        }
    }
}

fn success(value: &Value) -> Reply {
    Response::new(Full::from(value.to_string()))
}

fn failure(status: StatusCode, message: &str) -> Reply {
    let reason = status.canonical_reason().unwrap_or_default().replace(' ', "");
    let body = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": message, "reason": reason, "code": status.as_u16(),
    });
    let mut reply = success(&body);
    *reply.status_mut() = status;
    reply
}
