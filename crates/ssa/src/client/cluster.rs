//! One cluster, seen by one identity.

use std::sync::Arc;

use futures::TryStreamExt as _;
use futures::io::AsyncBufRead;
use http::{HeaderValue, Method, Request, header};
use http_body_util::BodyExt as _;
use kube::client::Body;
use millrace_yaml::{Node, json};

use super::discovery::{Discovery, Mapping};
use super::error::{ApiError, NOT_SERVED};
use super::mask::Mask;
use crate::object::Object as _;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const METADATA_ONLY: HeaderValue =
    HeaderValue::from_static("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");

/// A cluster and the identity under which it is read and written.
#[derive(Clone)]
pub struct Cluster {
    client: kube::Client,
    discovery: Arc<Discovery>,
    identity: Arc<str>,
    manager: Arc<str>,
    mask: Mask,
}

/// The address of one object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// Where the kind is found.
    pub mapping: Mapping,
    /// The namespace; empty for a cluster-scoped kind, whatever the manifest says.
    pub namespace: String,
    /// The name.
    pub name: String,
}

impl Target {
    /// The address of an object; a namespaced kind needs a namespace.
    pub fn new(mapping: Mapping, namespace: &str, name: &str) -> Result<Self, ApiError> {
        let namespace = if mapping.namespaced { namespace } else { "" };
        if mapping.namespaced && namespace.is_empty() {
            // What the API server answers to a path without its namespace.
            return Err(ApiError::refused(404, "NotFound", NOT_SERVED));
        }
        Ok(Self { mapping, namespace: namespace.to_owned(), name: name.to_owned() })
    }

    fn path(&self) -> String {
        format!("{}/{}", collection(&self.mapping, &self.namespace), encoded(&self.name))
    }
}

impl Cluster {
    /// A cluster behind `client`, which acts as `identity` (a name for logs and for sharing watches between equal
    /// identities) and applies as `manager`.
    pub fn new(client: kube::Client, discovery: Arc<Discovery>, identity: &str, manager: &str) -> Self {
        Self { client, discovery, identity: identity.into(), manager: manager.into(), mask: Mask::default() }
    }

    /// The same cluster, with what it says passing `mask`: whoever applies secret values must not find them quoted in errors.
    #[must_use]
    pub fn masked(self, mask: Mask) -> Self {
        Self { mask, ..self }
    }

    /// What texts of this cluster pass.
    pub(crate) fn mask(&self) -> &Mask {
        &self.mask
    }

    /// The name of the identity.
    pub fn identity(&self) -> &Arc<str> {
        &self.identity
    }

    /// The name of the field manager.
    pub fn manager(&self) -> &str {
        &self.manager
    }

    /// What the API serves.
    pub fn discovery(&self) -> &Discovery {
        &self.discovery
    }

    /// The address of a manifest's object.
    pub async fn target(&self, object: &Node) -> Result<Target, ApiError> {
        let mapping = self.discovery.mapping(&object.gvk()).await?;
        Target::new(mapping, object.namespace(), object.name())
    }

    /// Reads an object.
    pub async fn fetch(&self, target: &Target) -> Result<Node, ApiError> {
        self.call(Method::GET, target.path(), JSON, None).await
    }

    /// Reads an object's metadata.
    pub async fn fetch_metadata(&self, target: &Target) -> Result<Node, ApiError> {
        self.call(Method::GET, target.path(), METADATA_ONLY, None).await
    }

    /// Lists a namespaced collection as the API answers it, restricted by a label selector.
    pub async fn list(
        &self,
        mapping: &Mapping,
        namespace: &str,
        labels: &str,
    ) -> Result<Vec<Node>, ApiError> {
        let path = format!("{}?labelSelector={}", collection(mapping, namespace), encoded(labels));
        let mut list = self.call(Method::GET, path, JSON, None).await?;
        Ok(match list.as_map_mut().and_then(|list| list.remove("items")) {
            Some(Node::List(items)) => items.into_iter().collect(),
            _ => Vec::new(),
        })
    }

    /// What an apply of `object` would end in.
    pub async fn dry_run(&self, target: &Target, object: &Node) -> Result<Node, ApiError> {
        self.send_apply(target, object, "&dryRun=All").await
    }

    /// Applies `object`, taking over the fields it states.
    pub async fn apply(&self, target: &Target, object: &Node) -> Result<Node, ApiError> {
        self.send_apply(target, object, "").await
    }

    async fn send_apply(&self, target: &Target, object: &Node, option: &str) -> Result<Node, ApiError> {
        const APPLY: HeaderValue = HeaderValue::from_static("application/apply-patch+yaml");
        let path = format!("{}?fieldManager={}&force=true{option}", target.path(), encoded(&self.manager));
        self.call(Method::PATCH, path, JSON, Some((APPLY, json::to_vec(object)))).await
    }

    /// Sends a JSON patch.
    pub async fn patch(&self, target: &Target, operations: Vec<Node>) -> Result<Node, ApiError> {
        const PATCH: HeaderValue = HeaderValue::from_static("application/json-patch+json");
        let path = format!("{}?fieldManager={}", target.path(), encoded(&self.manager));
        let body = json::to_vec(&Node::list(operations));
        self.call(Method::PATCH, path, JSON, Some((PATCH, body))).await
    }

    /// Deletes an object; what it owns follows in the background.
    pub async fn delete(&self, target: &Target) -> Result<(), ApiError> {
        let options = br#"{"apiVersion":"v1","kind":"DeleteOptions","propagationPolicy":"Background"}"#;
        self.call(Method::DELETE, target.path(), JSON, Some((JSON, options.to_vec()))).await.map(drop)
    }

    /// Watches a collection from `resource_version` on; one event a line. The server ends the watch after `seconds`.
    pub async fn watch(
        &self,
        mapping: &Mapping,
        namespace: &str,
        resource_version: &str,
        seconds: u32,
    ) -> Result<impl AsyncBufRead + Send + Unpin + use<>, ApiError> {
        let path = format!(
            "{}?watch=true&allowWatchBookmarks=true&resourceVersion={}&timeoutSeconds={seconds}",
            collection(mapping, namespace),
            encoded(resource_version),
        );
        let mut request = request(Method::GET, &path, JSON, None)?;
        // A watch that is compressed event by event can't be read as one stream.
        request.headers_mut().insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        let answer = self.client.send(request).await.map_err(transport)?;
        let code = answer.status();
        if !code.is_success() {
            let body = answer.into_body().collect().await.map_err(transport)?.to_bytes();
            return Err(ApiError::from_answer(code.as_u16(), &body, &self.mask));
        }
        let body = answer.into_body().into_data_stream().map_err(std::io::Error::other);
        Ok(Box::pin(body).into_async_read())
    }

    async fn call(
        &self,
        method: Method,
        path: String,
        accept: HeaderValue,
        body: Option<(HeaderValue, Vec<u8>)>,
    ) -> Result<Node, ApiError> {
        let request = request(method, &path, accept, body)?;
        let failed = |error: kube::Error| transport(error).masked(&self.mask);
        let answer = self.client.send(request).await.map_err(failed)?;
        let code = answer.status();
        let body = answer.into_body().collect().await.map_err(failed)?.to_bytes();
        if !code.is_success() {
            return Err(ApiError::from_answer(code.as_u16(), &body, &self.mask));
        }
        json::from_slice(&body).map_err(|error| transport(error).masked(&self.mask))
    }
}

impl std::fmt::Debug for Cluster {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Cluster").field("identity", &self.identity).finish_non_exhaustive()
    }
}

fn request(
    method: Method,
    path: &str,
    accept: HeaderValue,
    body: Option<(HeaderValue, Vec<u8>)>,
) -> Result<Request<Body>, ApiError> {
    let builder = Request::builder().method(method).uri(path).header(header::ACCEPT, accept);
    match body {
        Some((content_type, body)) => {
            builder.header(header::CONTENT_TYPE, content_type).body(Body::from(body))
        }
        None => builder.body(Body::empty()),
    }
    .map_err(transport)
}

/// The error and its causes in one line.
fn transport(error: impl std::error::Error) -> ApiError {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let text = cause.to_string();
        if !message.contains(&text) {
            message = format!("{message}: {text}");
        }
        source = cause.source();
    }
    ApiError::Transport { message }
}

fn collection(mapping: &Mapping, namespace: &str) -> String {
    let Mapping { gvk, plural, namespaced: _ } = mapping;
    let root = if gvk.group.is_empty() { "/api" } else { "/apis" };
    let api_version = gvk.api_version();
    if namespace.is_empty() {
        format!("{root}/{api_version}/{plural}")
    } else {
        format!("{root}/{api_version}/namespaces/{}/{plural}", encoded(namespace))
    }
}

/// Percent-encodes all that is no plain name, for paths and queries alike.
fn encoded(text: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~' | b':') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
