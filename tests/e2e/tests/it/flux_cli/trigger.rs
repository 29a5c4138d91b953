//! `flux trigger receiver`.

use anyhow::{Context as _, Result};
use millrace_e2e::SOON;
use millrace_harness::until;

use super::fixture;
use super::objects::Fixture;
use super::said::Said;

const SIGNED: &str = "
apiVersion: notification.toolkit.fluxcd.io/v1
kind: Receiver
metadata:
  name: signed
spec:
  type: generic-hmac
  secretRef:
    name: token
  resources:
  - kind: GitRepository
    name: infra
";

// CLI-072.
#[tokio::test(flavor = "multi_thread")]
async fn a_triggered_receiver_asks_its_targets_to_reconcile() -> Result<()> {
    let fixture = fixture!("trigger");
    let story = &fixture.story;
    story.apply(SIGNED).await?;
    story.ready("Receiver/signed").await?;
    let namespace = fixture.namespace();
    let mut handled = story.get("GitRepository/infra").await?["status"]["lastHandledReconcileAt"].clone();
    for (name, type_) in [("hook", "generic"), ("signed", "generic-hmac")] {
        let said = trigger(&fixture, &[name, "--type", type_, "--token", "t"])?;
        let expected =
            format!("► triggering Receiver {namespace}/{name}\n✔ Receiver {namespace}/{name} triggered\n");
        assert_eq!(said, Said::reports(expected));
        handled = until("the run that was asked for", SOON, async || {
            let infra = story.get("GitRepository/infra").await.ok()?;
            let now = infra["status"]["lastHandledReconcileAt"].clone();
            (now != handled && now == infra["metadata"]["annotations"]["reconcile.fluxcd.io/requestedAt"])
                .then_some(now)
        })
        .await?;
    }

    let start = format!("► triggering Receiver {namespace}/hook\n");
    let reason =
        format!("request to {}/hook/PATH failed with status 404 Not Found", story.millrace.receiver_url());
    let said = trigger(&fixture, &["hook", "--token", "wrong", "--retries", "0"])?;
    assert_eq!(masked(said)?, Said::fails(format!("{start}✗ {reason}\n")));
    let said = trigger(&fixture, &["hook", "--token", "wrong", "--retries", "2", "--retry-delay", "1s"])?;
    let retries = ["1/2", "2/2"].map(|count| format!("◎ {reason}; retrying in 1s ({count})\n")).concat();
    assert_eq!(masked(said)?, Said::fails(format!("{start}{retries}✗ {reason}\n")));

    let said = trigger(&fixture, &["hook"])?;
    assert_eq!(said, Said::refuses("--token is required for --type=generic"));
    Ok(())
}

fn trigger(fixture: &Fixture, arguments: &[&str]) -> Result<Said> {
    let url = fixture.story.millrace.receiver_url();
    fixture.flux(&[&["trigger", "receiver", "--url", &url], arguments].concat())
}

/// The webhook's path, a digest of the token, is masked.
fn masked(mut said: Said) -> Result<Said> {
    let (_, rest) = said.stderr.split_once("/hook/").context("a webhook's path")?;
    let digest = rest.split(' ').next().unwrap_or_default().to_owned();
    assert!(digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()), "{digest}");
    said.stderr = said.stderr.replace(&digest, "PATH");
    Ok(said)
}
