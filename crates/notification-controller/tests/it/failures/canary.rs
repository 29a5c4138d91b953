//! Credentials that are recognized wherever they turn up.

use base64::{Engine as _, prelude::BASE64_STANDARD};

use crate::{bench::Bench, logs::Logs};

/// What every credential of the matrix contains.
const MARK: &str = "canary";

pub(super) const TOKEN: &str = "canary-token-5f0e";
pub(super) const PASSWORD: &str = "canary-password-5f0e";
pub(super) const HEADER: &str = "canary-header-5f0e";
pub(super) const PATH: &str = "canary-path-of-a-webhook";
pub(super) const QUERY: &str = "canary-query-5f0e";
pub(super) const LOGIN: &str = "canary-login-5f0e";
pub(super) const PROXY: &str = "canary-proxy-5f0e";
pub(super) const HOOK: &str = "canary-hook-5f0e";

/// Fails the test if a credential stands in a log line, an event, a status, a metric or an answer.
pub(super) fn search(row: &str, bench: &Bench, logs: &Logs) {
    let mut texts = logs.lines();
    texts.extend(bench.everything_recorded());
    texts.push(bench.metrics.render());
    texts.extend(bench.answers());
    for mut object in bench.cluster.objects() {
        // Secrets hold them, and a Provider's spec may; what is written to objects may not.
        if let Some(fields) = object.as_object_mut() {
            fields.retain(|field, _| matches!(field.as_str(), "metadata" | "status"));
        }
        texts.push(object.to_string());
    }
    for text in &texts {
        assert!(!shows_a_credential(text), "{row}: a credential shows in: {text}");
    }
}

fn shows_a_credential(text: &str) -> bool {
    let is_base64 = |c: char| c.is_ascii_alphanumeric() || "+/=".contains(c);
    let mut words = text.split(|c| !is_base64(c)).filter(|word| word.len() >= 8);
    text.to_lowercase().contains(MARK) || words.any(|word| decoded(word).to_lowercase().contains(MARK))
}

/// What a word says in Base64, as far as it is.
fn decoded(word: &str) -> String {
    let whole_groups = &word[..word.len() / 4 * 4];
    let bytes = BASE64_STANDARD.decode(whole_groups).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn a_credential_is_recognized_in_every_form() {
    for text in
        ["x Canary-Token", &BASE64_STANDARD.encode("me:canary-password"), &BASE64_STANDARD.encode("a:canary")]
    {
        assert!(shows_a_credential(text), "{text}");
    }
    for text in ["nothing", &BASE64_STANDARD.encode("me:canoe")] {
        assert!(!shows_a_credential(text), "{text}");
    }
}
