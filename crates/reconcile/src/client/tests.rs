use std::sync::Mutex;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use tokio::net::TcpListener;
use tower::BoxError;
use tower::util::BoxCloneSyncService;

use super::*;

type Log = Arc<Mutex<Vec<(usize, String, http::HeaderMap)>>>;

/// An API server on plain HTTP that answers by path and logs on which connection a request came.
async fn server(
    answer: impl Fn(&str, usize) -> (u16, Option<u32>) + Clone + Send + Sync + 'static,
) -> (kube::Config, Log) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("port");
    let address = listener.local_addr().expect("address");
    let log = Log::default();
    let seen = Arc::clone(&log);
    let task = async move {
        for connection in 0.. {
            let Ok((stream, _)) = listener.accept().await else { return };
            let (seen, answer) = (Arc::clone(&seen), answer.clone());
            let service = service_fn(move |request: Request<Incoming>| {
                let path = request.uri().to_string();
                let mut log = seen.lock().expect("lock");
                let before = log.iter().filter(|(_, known, _)| *known == path).count();
                log.push((connection, path.clone(), request.headers().clone()));
                drop(log);
                let (status, retry_after) = answer(&path, before);
                let mut response =
                    http::Response::builder().status(status).header("content-type", "application/json");
                if let Some(seconds) = retry_after {
                    response = response.header("retry-after", seconds);
                }
                if path == "/livez/ping" && status == 200 {
                    response = response.header(FLOW_SCHEMA_HEADER, "x");
                }
                let body = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}"#;
                async move { response.body(Full::new(bytes::Bytes::from_static(body.as_bytes()))) }
            });
            let builder = hyper_util::server::conn::auto::Builder::new(TokioExecutor::new());
            tasks().spawn(async move {
                // Connections end when the client drops them.
                let _ = builder.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    };
    tasks().spawn(task);
    (kube::Config::new(format!("http://{address}").parse().expect("url")), log)
}

fn tasks() -> crate::tasks::Tasks {
    crate::tasks::Tasks::new()
}

const LIMITS: Limits = Limits { qps: 50.0, burst: 300 };

async fn stack(config: &kube::Config, metrics: Metrics) -> Stack {
    Stack::connect(config, "source-controller", LIMITS, metrics).await.expect("stack")
}

#[tokio::test]
async fn clients_share_connections_and_differ_by_headers() {
    let (config, log) = server(|_, _| (200, None)).await;
    let own = stack(&config, Metrics::default()).await;
    let tenant =
        own.impersonate(&Identity::with_groups("system:serviceaccount:apps:dev", ["a".into(), "b".into()]));
    let other = own.named("kustomize-controller").client();
    for client in [own.client(), tenant, other] {
        Api::<ConfigMap>::namespaced(client, "ns").get("c").await.expect("object");
    }
    let log = log.lock().expect("lock").clone();
    let header = |at: usize, name: &str| -> Vec<_> {
        log[at].2.get_all(name).iter().map(|value| value.to_str().expect("text").to_owned()).collect()
    };
    assert!(header(1, "user-agent")[0].starts_with("source-controller/v"));
    assert!(header(1, "impersonate-user").is_empty());
    assert_eq!(header(2, "impersonate-user"), ["system:serviceaccount:apps:dev"]);
    assert_eq!(header(2, "impersonate-group"), ["a", "b"]);
    assert!(header(3, "user-agent")[0].starts_with("kustomize-controller/v"));
    assert!(log.iter().all(|(connection, _, _)| *connection == 0), "{log:?}");
}

#[tokio::test]
async fn a_name_that_leads_elsewhere_is_not_found_and_not_asked_for() {
    let (config, log) = server(|_, _| (200, None)).await;
    let client = stack(&config, Metrics::default()).await.client();
    let before = log.lock().expect("lock").len();
    let maps = Api::<ConfigMap>::namespaced(client.clone(), "ns");
    assert!(maps.get_opt("../../alice/configmaps/token").await.expect("an answer").is_none());
    let secret = crate::secrets::fetch(&client, "ns", "../../alice/secrets/token").await;
    assert!(secret.is_err_and(|error| error.is_not_found()));
    assert_eq!(log.lock().expect("lock").len(), before);
}

#[tokio::test]
async fn watches_use_a_connection_of_their_own() {
    let (config, log) = server(|_, _| (200, None)).await;
    let client = stack(&config, Metrics::default()).await.client();
    for path in ["/api/v1/pods", "/api/v1/pods?watch=true", "/api/v1/nodes"] {
        let request = Request::get(path).body(Body::empty()).expect("request");
        client.send(request).await.expect("answer").into_body().collect().await.expect("body");
    }
    let connections: Vec<_> =
        log.lock().expect("lock").iter().map(|(connection, _, _)| *connection).collect();
    assert_eq!(connections, [0, 0, 1, 0]);
}

#[tokio::test]
async fn an_overloaded_server_is_asked_again_and_every_attempt_counts() {
    let (config, log) =
        server(
            |path, before| {
                if path.contains("configmaps") && before == 0 { (429, Some(0)) } else { (200, None) }
            },
        )
        .await;
    let metrics = Metrics::default();
    let client = stack(&config, metrics.clone()).await.client();
    Api::<ConfigMap>::namespaced(client, "ns").get("c").await.expect("object at last");
    assert_eq!(log.lock().expect("lock").len(), 3);
    let host = config.cluster_url.authority().expect("host").to_string();
    for (code, method) in [("429", "GET"), ("200", "GET"), ("200", "HEAD")] {
        let line =
            format!("rest_client_requests_total{{code=\"{code}\",host=\"{host}\",method=\"{method}\"}} 1\n");
        assert!(metrics.render().contains(&line), "{line}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_counts_as_an_error() {
    let address = {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("port");
        listener.local_addr().expect("address")
    };
    let config = kube::Config::new(format!("http://{address}").parse().expect("url"));
    let metrics = Metrics::default();
    let client = stack(&config, metrics.clone()).await.client();
    Api::<ConfigMap>::namespaced(client, "ns").get("c").await.expect_err("nobody there");
    assert!(metrics.render().contains("rest_client_requests_total{code=\"<error>\","));
}

#[tokio::test]
async fn limits_apply_only_where_the_server_has_none_of_its_own() {
    for (ping, limited) in [(200, false), (404, true)] {
        let (config, _) = server(move |path, _| (if path == "/livez/ping" { ping } else { 200 }, None)).await;
        let limits = Limits { qps: 10.0, burst: 1 };
        let stack = Stack::connect(&config, "c", limits, Metrics::default()).await.expect("stack");
        let start = std::time::Instant::now();
        for _ in 0..4 {
            Api::<ConfigMap>::namespaced(stack.client(), "ns").get("c").await.expect("object");
        }
        assert_eq!(start.elapsed() >= Duration::from_millis(290), limited, "{:?}", start.elapsed());
    }
}

/// A stack over a transport that answers every request with `status` and logs the methods.
fn logging(status: u16) -> (Stack, Arc<Mutex<Vec<http::Method>>>) {
    let methods = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&methods);
    let transport = tower::service_fn(move |request: Request<Body>| {
        log.lock().expect("lock").push(request.method().clone());
        async move {
            let body = Full::new(bytes::Bytes::from_static(b"{}")).map_err(BoxError::from).boxed_unsync();
            let response = http::Response::builder().status(status).header("retry-after", 20);
            Ok::<_, BoxError>(response.body(body).expect("response"))
        }
    });
    let shared = Shared::new(BoxCloneSyncService::new(transport), None, Metrics::default(), "h".into());
    (Stack::over(shared, "c", "ns"), methods)
}

async fn send(client: &Client, method: &str) -> Result<http::StatusCode, kube::Error> {
    let request = Request::builder().method(method).uri("/x").body(Body::empty()).expect("request");
    client.send(request).await.map(|answer| answer.status())
}

fn is_fenced<T: std::fmt::Debug>(outcome: Result<T, kube::Error>) -> bool {
    let error = outcome.expect_err("refused");
    matches!(&error, kube::Error::Service(source) if source.is::<Fenced>())
}

#[tokio::test]
async fn after_a_lost_lease_nothing_is_written_under_any_name_but_reads_go_on() {
    let (stack, methods) = logging(200);
    let clients =
        [stack.client(), stack.named("other").client(), stack.impersonate(&Identity::user("tenant"))];
    stack.fence().close();
    for client in &clients {
        for method in ["POST", "PUT", "PATCH", "DELETE"] {
            assert!(is_fenced(send(client, method).await), "{method}");
        }
        send(client, "GET").await.expect("a read");
    }
    assert_eq!(*methods.lock().expect("lock"), [http::Method::GET; 3]);
    send(&stack.unfenced(), "PUT").await.expect("the lease's own client");
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_may_have_run_out_stops_writes_before_anybody_notices_the_loss() {
    let (stack, methods) = logging(200);
    stack.fence().hold("lease", tokio::time::Instant::now() + Duration::from_secs(10));
    send(&stack.client(), "PATCH").await.expect("held");
    tokio::time::advance(Duration::from_secs(10)).await;
    assert!(is_fenced(send(&stack.client(), "PATCH").await));
    assert_eq!(methods.lock().expect("lock").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_write_under_way_is_cut_by_the_loss() {
    let transport = tower::service_fn(|_: Request<Body>| std::future::pending());
    let shared = Shared::new(BoxCloneSyncService::new(transport), None, Metrics::default(), "h".into());
    let stack = Stack::over(shared, "c", "ns");
    let client = stack.client();
    let writing = send(&client, "PATCH");
    tokio::pin!(writing);
    assert!(tokio::time::timeout(Duration::from_secs(1), &mut writing).await.is_err(), "it was sent");
    stack.fence().close();
    assert!(is_fenced(writing.await));
}

#[tokio::test(start_paused = true)]
async fn a_write_that_waits_to_be_repeated_is_not_sent_after_the_loss() {
    let (stack, methods) = logging(429);
    let client = stack.client();
    let writing = send(&client, "PATCH");
    tokio::pin!(writing);
    assert!(tokio::time::timeout(Duration::from_secs(50), &mut writing).await.is_err(), "it is repeated");
    let sent = methods.lock().expect("lock").len();
    assert_eq!(sent, 3, "at once, after 20 and after 40 seconds");
    stack.fence().close();
    assert!(is_fenced(writing.await));
    assert_eq!(methods.lock().expect("lock").len(), sent);
}

#[tokio::test(start_paused = true)]
async fn only_the_body_of_a_watch_may_take_its_time() {
    let transport = tower::service_fn(move |_: Request<Body>| async move {
        let never = futures::stream::pending::<Result<http_body::Frame<bytes::Bytes>, BoxError>>();
        Ok::<_, BoxError>(http::Response::new(http_body_util::StreamBody::new(never).boxed_unsync()))
    });
    let shared = Shared::new(BoxCloneSyncService::new(transport), None, Metrics::default(), "h".into());
    let client = Stack::over(shared, "c", "ns").client();
    for (path, ends) in [("/api/v1/pods", true), ("/api/v1/pods?watch=true", false)] {
        let request = Request::get(path).body(Body::empty()).expect("request");
        let body = client.send(request).await.expect("a head").into_body();
        let collected = tokio::time::timeout(Duration::from_hours(1), body.collect()).await;
        assert_eq!(collected.is_ok(), ends, "{path}");
    }
}

#[tokio::test]
async fn a_name_that_fits_no_header_never_becomes_the_controllers_own() {
    let requests = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&requests);
    let transport = tower::service_fn(move |request: Request<Body>| {
        log.lock().expect("lock").push(request.headers().get("impersonate-user").cloned());
        async move {
            let body = Full::new(bytes::Bytes::from_static(b"{}")).map_err(BoxError::from).boxed_unsync();
            Ok::<_, BoxError>(http::Response::new(body))
        }
    });
    let shared = Shared::new(BoxCloneSyncService::new(transport), None, Metrics::default(), "h".into());
    let stack = Stack::over(shared, "c", "ns");
    let client = stack.impersonate(&Identity::user("line\nbreak"));
    client.send(Request::get("/x").body(Body::empty()).expect("request")).await.expect("answer");
    let seen = requests.lock().expect("lock").clone();
    assert_eq!(seen[0].as_ref().expect("header"), "system:millrace:invalid-name");
}

#[test]
fn an_error_reads_as_the_server_said_it() {
    let status =
        serde_json::json!({"message": "secrets \"x\" is forbidden", "code": 403, "status": "Failure"});
    let error = kube::Error::Api(serde_json::from_value(status).expect("status"));
    assert_eq!(error_text(&error), "secrets \"x\" is forbidden");
}
