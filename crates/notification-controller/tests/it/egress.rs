//! Where Providers may send, whatever their objects say.

use millrace_net::EgressPolicy;
use serde_json::{Value, json};

use crate::{
    bench::{ALERTS, Bench, E1, PROVIDERS, alert, config, provider},
    cluster::Cluster,
    hook_conformance::secret,
    server::{Reply, Server},
};

const REFUSED: &str = "is refused by the egress policy\n";

/// Sends E1 to a Provider with these fields and returns the Event on the alert.
async fn refusal(spec: Value, egress: EgressPolicy) -> String {
    let cluster = Cluster::new();
    cluster.put(PROVIDERS, provider("prov", spec));
    let proxy = json!({ "address": "http://[::ffff:169.254.169.254]:3128" });
    cluster.put("/api/v1/secrets", secret("px", &proxy));
    cluster.put(ALERTS, alert("on-call", "prov", json!({})));
    let (bench, _leader) = Bench::follow_within(cluster, config(), egress).await;
    bench.post(E1).await;
    bench.wait_for_event("on-call", "NotificationDispatchFailed").await
}

#[tokio::test(start_paused = true)]
async fn a_provider_reaches_no_metadata_service_however_it_names_it() {
    for type_ in ["generic", "msteams", "slack"] {
        for host in [
            "169.254.169.254",
            "2852039166",
            "0xa9fea9fe",
            "[::ffff:169.254.169.254]",
            "[fe80::1]",
            "[fd00:ec2::254]",
            "100.100.100.200",
            "0.0.0.0",
        ] {
            let spec = json!({ "type": type_, "address": format!("http://{host}/latest") });
            let event = refusal(spec, EgressPolicy::default()).await;
            assert!(event.contains(REFUSED), "{type_} {host}: {event}");
            assert!(event.contains("giving up after 1 attempt(s)"), "{type_} {host}: {event}");
            assert!(event.contains("--allow-egress-cidr="), "{type_} {host}: {event}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn neither_a_proxy_nor_a_redirect_is_a_way_around() {
    let address = "http://example.com/x";
    let through = json!({ "type": "generic", "address": address, "proxySecretRef": { "name": "px" } });
    let event = refusal(through, EgressPolicy::default()).await;
    assert!(event.contains("proxyconnect tcp: address ") && event.contains(REFUSED), "{event}");
    let headers = vec![("location".to_owned(), "http://2852039166/latest".to_owned())];
    let server = Server::start(vec![Reply { headers, ..Reply::status(307, "") }]).await;
    let event = refusal(json!({ "type": "generic", "address": server.url() }), EgressPolicy::default()).await;
    assert!(event.contains("address 169.254.169.254 of ") && event.contains(REFUSED), "{event}");
    assert_eq!(server.recorded().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn this_host_is_closed_under_lockdown_and_opened_by_the_flag() {
    let server = Server::start(vec![Reply::status(400, "reached")]).await;
    let spec = || json!({ "type": "generic", "address": server.url() });
    let lockdown = EgressPolicy { lockdown: true, ..EgressPolicy::default() };
    let event = refusal(spec(), lockdown.clone()).await;
    assert!(event.contains(REFUSED) && event.contains("--allow-egress-cidr=127.0.0.1 opens it"), "{event}");
    let named = format!("http://localhost:{}/", server.address.port());
    let event = refusal(json!({ "type": "generic", "address": named }), lockdown.clone()).await;
    assert!(event.contains(" of 'localhost' is refused"), "{event}");
    assert!(server.recorded().is_empty());
    let opened = EgressPolicy { allow: vec!["127.0.0.0/8".parse().unwrap()], ..lockdown };
    assert!(refusal(spec(), opened).await.ends_with("status code 400: reached"));
    assert!(refusal(spec(), EgressPolicy::default()).await.ends_with("status code 400: reached"));
}
