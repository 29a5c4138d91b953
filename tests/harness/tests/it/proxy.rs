//! The API proxy changes nothing by itself, and does to a request exactly what it is told to.

use std::time::Duration;

use futures::{AsyncBufReadExt as _, TryStreamExt as _};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, ListParams, ObjectMeta, PostParams, WatchParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use millrace_harness::proxy::{Match, Refusal, Side, Verb};
use millrace_harness::{ApiProxy, ControlPlane, tools, until};
use serde_json::Value;

const LIMIT: Duration = Duration::from_secs(30);

/// A proxy, a client through it, and a client around it.
struct Bench {
    proxy: ApiProxy,
    through: Api<ConfigMap>,
    around: Api<ConfigMap>,
    namespace: String,
    /// Ends with this value where the test has it for itself.
    _control_plane: ControlPlane,
}

async fn bench() -> Option<Bench> {
    if !tools::available(tools::CONTROL_PLANE) {
        return None;
    }
    let control_plane = ControlPlane::shared().await.unwrap();
    let namespace = control_plane.namespace("proxy").await.unwrap().name().to_owned();
    let access = control_plane.unlimited_access().await.unwrap();
    let proxy = ApiProxy::start(&access.kubeconfig).await.unwrap();
    let through = Api::namespaced(client(&proxy).await, &namespace);
    let around = Api::namespaced(control_plane.client(), &namespace);
    let bench = Bench { proxy, through, around, namespace, _control_plane: control_plane };
    // The API server notices a new binding by a watch, a moment later.
    until("the right to list", LIMIT, async || bench.through.list(&ListParams::default()).await.ok())
        .await
        .unwrap();
    bench.proxy.clear();
    Some(bench)
}

async fn client(proxy: &ApiProxy) -> Client {
    let kubeconfig = Kubeconfig::read_from(proxy.kubeconfig()).unwrap();
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap();
    config.proxy_url = None;
    Client::try_from(config).unwrap()
}

fn named(name: &str) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() },
        ..ConfigMap::default()
    }
}

impl Bench {
    async fn create(&self, name: &str) -> kube::Result<ConfigMap> {
        self.through.create(&PostParams::default(), &named(name)).await
    }

    /// Creates an object in the background.
    fn creating(&self, name: &'static str) -> tokio::task::JoinHandle<kube::Result<ConfigMap>> {
        let api = self.through.clone();
        #[expect(clippy::disallowed_methods, reason = "a test has no tracker, and waits for the task")]
        tokio::spawn(async move { api.create(&PostParams::default(), &named(name)).await })
    }

    async fn is_there(&self, name: &str) -> bool {
        self.around.get_opt(name).await.unwrap().is_some()
    }

    /// Sends one request over HTTP/1.1 and returns status, `Retry-After` and body.
    async fn plain(&self, path: &str) -> (u16, Option<String>, String) {
        let config: Value =
            serde_json::from_str(&std::fs::read_to_string(self.proxy.kubeconfig()).unwrap()).unwrap();
        let text = |pointer: &str| config.pointer(pointer).unwrap().as_str().unwrap().to_owned();
        let client = reqwest::Client::builder()
            .no_proxy()
            .http1_only()
            .tls_danger_accept_invalid_certs(true)
            .build()
            .unwrap();
        let url = format!("{}{path}", text("/clusters/0/cluster/server"));
        let answer = client.get(url).bearer_auth(text("/users/0/user/token")).send().await.unwrap();
        let retry_after = answer.headers().get("retry-after").map(|value| value.to_str().unwrap().to_owned());
        (answer.status().as_u16(), retry_after, answer.text().await.unwrap())
    }
}

#[tokio::test]
async fn requests_pass_and_are_counted() {
    let Some(bench) = bench().await else { return };
    bench.create("one").await.unwrap();
    assert_eq!(bench.through.get("one").await.unwrap().metadata.name.as_deref(), Some("one"));
    let (status, _, body) =
        bench.plain(&format!("/api/v1/namespaces/{}/configmaps/one", bench.namespace)).await;
    assert_eq!(status, 200);
    assert!(body.contains("\"name\":\"one\""), "{body}");
    let applied = tools::run(
        "kubectl",
        &bench.proxy.kubeconfig(),
        &["get", "configmap", "one", "-n", &bench.namespace],
    );
    assert!(applied.unwrap().status.success());
    let count =
        |matching: Match| bench.proxy.count(&matching.resource("configmaps").namespace(&bench.namespace));
    assert_eq!(count(Match::writes()), 1);
    assert_eq!(count(Match::any().verb(Verb::Get).name("one")), 3);
}

#[tokio::test]
async fn a_watch_is_streamed_and_ends_when_told() {
    let Some(bench) = bench().await else { return };
    let start = bench.through.list(&ListParams::default()).await.unwrap().metadata.resource_version.unwrap();
    let request = kube::core::Request::new(format!("/api/v1/namespaces/{}/configmaps", bench.namespace))
        .watch(&WatchParams::default(), &start)
        .unwrap();
    let client = bench.through.clone().into_client();
    let mut lines = client.request_stream(request.map(Into::into)).await.unwrap().lines();
    for name in ["one", "two"] {
        bench.around.create(&PostParams::default(), &named(name)).await.unwrap();
        let line = tokio::time::timeout(LIMIT, lines.try_next()).await.unwrap().unwrap().unwrap();
        let event: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(
            (event["type"].as_str(), event["object"]["metadata"]["name"].as_str()),
            (Some("ADDED"), Some(name))
        );
    }
    assert_eq!(bench.proxy.end_watches(&Match::any().resource("secrets")), 0);
    assert_eq!(bench.proxy.end_watches(&Match::any().resource("configmaps")), 1);
    assert_eq!(lines.try_next().await.unwrap(), None);
}

#[tokio::test]
async fn the_nth_write_is_held_until_it_is_released_or_aborted() {
    let Some(bench) = bench().await else { return };
    let writes = || Match::writes().resource("configmaps");
    let fault = bench.proxy.on(writes()).nth(2).hold(Side::Before);
    bench.create("one").await.unwrap();
    let held = bench.creating("two");
    assert_eq!(fault.reached(LIMIT).await.unwrap().to_string(), "create configmaps");
    bench.create("three").await.unwrap();
    assert!(!bench.is_there("two").await);
    fault.release();
    held.await.unwrap().unwrap();
    assert!(bench.is_there("two").await);

    let fault = bench.proxy.on(writes()).nth(1).hold(Side::Before);
    let held = bench.creating("four");
    fault.reached(LIMIT).await.unwrap();
    fault.abort();
    assert!(held.await.unwrap().is_err());
    assert!(!bench.is_there("four").await);

    let fault = bench.proxy.on(writes()).first(1).hold(Side::After);
    let held = bench.creating("five");
    fault.reached(LIMIT).await.unwrap();
    assert!(bench.is_there("five").await && !held.is_finished());
    fault.abort();
    assert!(held.await.unwrap().is_err());
}

#[tokio::test]
async fn a_lost_request_did_not_happen_and_a_lost_answer_did() {
    let Some(bench) = bench().await else { return };
    let before = bench.proxy.on(Match::writes()).lose(Side::Before);
    assert!(bench.create("one").await.is_err());
    assert_eq!(before.hits(), 1);
    drop(before);
    assert!(!bench.is_there("one").await);
    let after = bench.proxy.on(Match::writes()).lose(Side::After);
    assert!(bench.create("one").await.is_err());
    drop(after);
    assert!(bench.is_there("one").await);
    bench.create("two").await.unwrap();
}

#[tokio::test]
async fn refusals_look_like_the_api_servers_own() {
    let Some(bench) = bench().await else { return };
    let path = format!("/api/v1/namespaces/{}/configmaps", bench.namespace);
    for (refusal, code, retry_after, reason) in [
        (Refusal::too_many_requests(7), 429, Some("7"), "TooManyRequests"),
        (Refusal::internal_error(), 500, None, "InternalError"),
        (Refusal::unavailable(), 503, None, "ServiceUnavailable"),
        (Refusal::conflict(), 409, None, "Conflict"),
        (Refusal::gone(), 410, None, "Expired"),
    ] {
        let fault = bench.proxy.on(Match::any().target("/configmaps$").unwrap()).refuse(refusal);
        let (status, after, body) = bench.plain(&path).await;
        assert_eq!((status, after.as_deref()), (code, retry_after), "{body}");
        assert_eq!(serde_json::from_str::<Value>(&body).unwrap()["reason"], reason);
        drop(fault);
    }
    let fault = bench.proxy.on(Match::any().verb(Verb::Watch)).refuse(Refusal::expired());
    let (status, _, body) = bench.plain(&format!("{path}?watch=1")).await;
    let event: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, event["type"].as_str(), &event["object"]["code"]), (200, Some("ERROR"), &410.into()));
    assert_eq!(fault.hits(), 1);
}

#[tokio::test]
async fn a_frozen_connection_is_silent_a_cut_one_is_gone_and_new_ones_work() {
    let Some(bench) = bench().await else { return };
    assert!(bench.proxy.freeze() >= 1);
    let silent = bench.creating("one");
    let other = client(&bench.proxy).await;
    let other: Api<ConfigMap> = Api::namespaced(other, &bench.namespace);
    other.create(&PostParams::default(), &named("two")).await.unwrap();
    assert!(!silent.is_finished() && !bench.is_there("one").await);
    assert!(bench.proxy.cut() >= 2);
    assert!(silent.await.unwrap().is_err());
    // The closed connection is noticed by the client in its own time.
    until("a connection anew", LIMIT, async || other.get("two").await.ok()).await.unwrap();
    assert!(!bench.is_there("one").await);

    let fault = bench.proxy.on(Match::writes()).nth(1).freeze();
    let fresh = client(&bench.proxy).await;
    let fresh: Api<ConfigMap> = Api::namespaced(fresh, &bench.namespace);
    let write = named("three");
    let params = PostParams::default();
    let frozen = fresh.create(&params, &write);
    tokio::select! {
        answer = frozen => panic!("an answer on a frozen connection: {answer:?}"),
        seen = fault.reached(LIMIT) => assert_eq!(seen.unwrap().to_string(), "create configmaps"),
    }
}

#[tokio::test]
async fn a_delayed_request_arrives_all_the_same() {
    let Some(bench) = bench().await else { return };
    let fault = bench.proxy.on(Match::writes()).delay(Duration::from_millis(200));
    let began = std::time::Instant::now();
    bench.create("one").await.unwrap();
    assert!(began.elapsed() >= Duration::from_millis(200));
    assert_eq!(fault.hits(), 1);
}
