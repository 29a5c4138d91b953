//! Remotes behind a proxy. Contract: source-controller §3.8, §8.3.

use millrace_harness::Recorder;
use serde_json::json;

use crate::bench::{LIMIT, on_bench};

// SC-045.
#[test]
fn a_proxy_sees_what_is_asked_of_it_and_another_scheme_is_refused() {
    on_bench(async |bench| {
        let proxy = Recorder::start().unwrap();
        bench.secret("proxy", &[("address", &proxy.url())]).await;
        bench.secret("ftp", &[("address", "ftp://x")]).await;
        let through = |url: &str, secret: &str| json!({ "url": url, "proxySecretRef": { "name": secret } });
        bench.create("plain", through("http://git.test/app", "proxy")).await;
        bench.create("secure", through("https://git.test/app", "proxy")).await;
        bench.create("refused", through("http://git.test/app", "ftp")).await;
        let plain = "http://git.test/app/info/refs?service=git-upload-pack";
        proxy.wait_for(LIMIT, |seen| seen.method == "GET" && seen.target == plain).await.unwrap();
        proxy
            .wait_for(LIMIT, |seen| seen.method == "CONNECT" && seen.target == "git.test:443")
            .await
            .unwrap();
        let message = bench.message("refused", "Ready", "False", "AuthenticationFailed").await;
        let text = format!(
            "failed to configure proxy options: secret '{}/ftp': proxy URL must use one of the supported schemes \
             (http, https, socks5), got 'ftp'",
            bench.namespace
        );
        assert_eq!(message, text);
    });
}
