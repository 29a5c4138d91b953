//! Server-side apply: one object through the whole engine, against a stub that answers as the case says.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::{Method, Request, Response};
use http_body_util::{BodyExt as _, Full};
use kube::client::Body;
use millrace_ssa::apply::{self, ApplyOptions, Host, LedgerError};
use millrace_ssa::client::{Cluster, Discovery};
use millrace_ssa::drift::ignore::{IgnoreRules, Rule, Target};
use millrace_ssa::drift::managers::Cleanup;
use millrace_ssa::engine::{Engine, Settings, Shared};
use millrace_ssa::inventory::Inventory;
use millrace_ssa::object::Object as _;
use millrace_ssa::policy::{Policies, Selector};
use millrace_yaml::{Map, Node, json};
use serde_json::json;
use tokio_util::task::TaskTracker;

use crate::cases::Case;
use crate::compare::{same, same_text};

type Answer = Response<Full<axum::body::Bytes>>;

/// Runs a case of the areas drift, skip, force and ignore.
pub(super) fn check(case: &Case) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| error.to_string())?.block_on(run(case))
}

async fn run(case: &Case) -> Result<(), String> {
    let desired = case.object(if case.get("desired").is_some() { "desired" } else { "dryRunResult" })?;
    let stub = Stub::of(case, &desired)?;
    let force = case.node.at(&["options", "force"]).and_then(Node::as_bool).unwrap_or(false);
    let ignore = IgnoreRules::compile(&rules(case)).map_err(|error| error.to_string())?;
    let options = ApplyOptions { force, ignore };
    let engine = stub.engine(settings(case));
    let applied = apply::all(&engine, vec![desired], &options, &mut NoLedger).await;
    let text = |field: &str| case.expect(field).and_then(Node::as_str);
    match (applied, text("applyError")) {
        (Ok(applied), None) => {
            let change = applied.changes().changes().first().ok_or("nothing was applied")?;
            same_text("subject", &change.id.subject(), text("subject").unwrap_or_default())?;
            same_text("apply", change.action.as_str(), text("apply").unwrap_or_default())?;
        }
        (Err(error), Some(expected)) => same_text("applyError", &error.error.to_string(), expected)?,
        (Ok(applied), Some(expected)) => return Err(format!("{} instead of {expected}", applied.changes())),
        (Err(error), None) => return Err(format!("unexpected error: {error}")),
    }
    stub.compare(case)
}

/// The requests for the object and its answers.
#[derive(Clone)]
struct Stub(Arc<Mutex<State>>);

struct State {
    /// The kind, as discovery tells it.
    discovered: serde_json::Value,
    is_core: bool,
    live: Option<Node>,
    dry_run: Option<Node>,
    /// Reason and text of the dry run's refusal, until the object is deleted.
    refusal: Option<(String, String)>,
    calls: Vec<&'static str>,
    applied: Vec<Node>,
}

impl Stub {
    fn of(case: &Case, desired: &Node) -> Result<Self, String> {
        let gvk = desired.gvk();
        let scope = if desired.namespace().is_empty() { "Cluster" } else { "Namespaced" };
        let resource = json!({
            "resource": format!("{}s", gvk.kind.to_lowercase()), "scope": scope,
            "responseKind": { "group": gvk.group, "version": gvk.version, "kind": gvk.kind },
        });
        let versions = json!([{ "version": gvk.version, "resources": [resource] }]);
        let optional = |field: &str| case.get(field).map(|_| case.object(field)).transpose();
        let reason = case.text("dryRunErrorReason").unwrap_or_default().to_owned();
        Ok(Self(Arc::new(Mutex::new(State {
            discovered: json!({ "metadata": { "name": gvk.group }, "versions": versions }),
            is_core: gvk.group.is_empty(),
            live: optional("live")?,
            dry_run: optional("dryRunResult")?,
            refusal: case.text("dryRunError").map(|message| (reason, message.to_owned())),
            calls: Vec::new(),
            applied: Vec::new(),
        }))))
    }

    fn engine(&self, settings: Settings) -> Engine {
        let stub = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let stub = stub.clone();
            async move { Ok::<_, Infallible>(stub.answer(request).await) }
        });
        let client = kube::Client::new(service, "default");
        let clock = Arc::new(|| jiff::Timestamp::UNIX_EPOCH);
        let discovery = Arc::new(Discovery::new(client.clone()));
        let cluster = Cluster::new(client, discovery, "recorded", "kustomize-controller");
        Engine::new(cluster, Shared::new(settings, clock, TaskTracker::new()))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn answer(&self, request: Request<Body>) -> Answer {
        let (head, body) = request.into_parts();
        let Ok(body) = body.collect().await else { return refused(400, "BadRequest", "the body broke off") };
        let body = body.to_bytes();
        let mut state = self.state();
        match head.uri.path() {
            "/api" => return state.discovery(true),
            "/apis" => return state.discovery(false),
            _ => {}
        }
        let is_json_patch =
            head.headers.get("content-type").is_some_and(|kind| kind == "application/json-patch+json");
        let is_dry_run = head.uri.query().is_some_and(|query| query.contains("dryRun=All"));
        match head.method {
            Method::GET => state.live.as_ref().map_or_else(|| refused(404, "NotFound", "not found"), object),
            Method::DELETE => {
                state.calls.push("delete");
                (state.live, state.refusal) = (None, None);
                state.dry_run = None;
                success(json!({ "kind": "Status", "status": "Success" }).to_string())
            }
            _ if is_json_patch => {
                state.calls.push("patch");
                state.live.as_ref().map_or_else(|| refused(404, "NotFound", "not found"), object)
            }
            _ => match json::from_slice(&body) {
                Ok(manifest) if is_dry_run => state.dry_run(&manifest),
                Ok(manifest) => state.apply(&manifest),
                Err(error) => refused(400, "BadRequest", &error.to_string()),
            },
        }
    }

    /// Compares the requests, and what was sent.
    fn compare(&self, case: &Case) -> Result<(), String> {
        let state = self.state();
        let is_skipped = case.expect("apply").and_then(Node::as_str) == Some("skipped");
        // A mark on the live object is found by a dry run, where the original reads the object.
        let calls: Vec<&str> =
            state.calls.iter().copied().filter(|call| !(is_skipped && *call == "dry-run apply")).collect();
        let recorded = case.expect("calls").and_then(Node::as_list).unwrap_or_default();
        let recorded: Vec<&str> = recorded.iter().filter_map(Node::as_str).collect();
        same_text("calls", &calls.join(", "), &recorded.join(", "))?;
        match (case.expect("applied"), state.applied.first()) {
            (None, _) => Ok(()),
            (Some(expected), Some(applied)) => same("applied", applied, expected),
            (Some(_), None) => Err("nothing was sent".to_owned()),
        }
    }
}

impl State {
    fn discovery(&self, core: bool) -> Answer {
        let items = if core == self.is_core { vec![self.discovered.clone()] } else { Vec::new() };
        success(json!({ "kind": "APIGroupDiscoveryList", "items": items }).to_string())
    }

    fn dry_run(&mut self, manifest: &Node) -> Answer {
        self.calls.push("dry-run apply");
        match &self.refusal {
            Some((reason, message)) => refused(422, reason, message),
            None => object(self.dry_run.as_ref().unwrap_or(manifest)),
        }
    }

    fn apply(&mut self, manifest: &Node) -> Answer {
        self.calls.push("apply");
        self.applied.push(manifest.clone());
        object(manifest)
    }
}

/// Nobody looks at the ledger of a single object.
struct NoLedger;

impl Host for NoLedger {
    async fn extend_ledger(&mut self, _: &Inventory) -> Result<(), LedgerError> {
        Ok(())
    }
}

fn object(node: &Node) -> Answer {
    success(json::to_string(node))
}

fn success(body: String) -> Answer {
    Response::new(Full::from(body))
}

fn refused(code: u16, reason: &str, message: &str) -> Answer {
    let status =
        json!({ "kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": message });
    let mut answer = success(status.to_string());
    *answer.status_mut() =
        http::StatusCode::from_u16(code).unwrap_or(http::StatusCode::INTERNAL_SERVER_ERROR);
    answer
}

fn settings(case: &Case) -> Settings {
    let pairs = |field: &str| {
        let map = case.node.at(&["options", field]).and_then(Node::as_map);
        let pairs = map.into_iter().flat_map(Map::iter);
        Selector::new(pairs.map(|(key, value)| (key, value.as_str().unwrap_or_default())))
    };
    let policies = Policies {
        exclude: pairs("exclusions"),
        if_not_present: pairs("ifNotPresentSelector"),
        merge: Selector::default(),
        force: pairs("forceSelector"),
        keep: Selector::default(),
    };
    let cleanup = Cleanup { annotations: Vec::new(), labels: Vec::new(), managers: Vec::new() };
    Settings { policies, cleanup, ..Settings::default() }
}

fn rules(case: &Case) -> Vec<Rule> {
    let rules = case.node.at(&["options", "ignoreRules"]).and_then(Node::as_list).unwrap_or_default();
    rules.iter().map(rule).collect()
}

fn rule(rule: &Node) -> Rule {
    let paths = rule.get("paths").and_then(Node::as_list).unwrap_or_default();
    Rule {
        paths: paths.iter().filter_map(Node::as_str).map(str::to_owned).collect(),
        target: rule.get("target").map(target),
    }
}

fn target(target: &Node) -> Target {
    let text = |field: &str| target.str_at(&[field]).unwrap_or_default().to_owned();
    Target {
        group: text("group"),
        version: text("version"),
        kind: text("kind"),
        name: text("name"),
        namespace: text("namespace"),
        annotation_selector: text("annotationSelector"),
        label_selector: text("labelSelector"),
    }
}
