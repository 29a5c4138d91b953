//! One commit on its way from the push to the chat message. Every time is read from where the step leaves its trace.

use std::fmt;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use millrace_harness::until;

use super::hook::Hook;
use super::scene::{CHAT, Scene};
use crate::objects::{is_ready, revision, text};
use crate::say::say;

const LIMIT: Duration = Duration::from_mins(1);
const EDITION: &str = "/spec/template/metadata/annotations/shop.example.com~1edition";

/// When each step was seen, counted from the push.
pub(super) struct Journey {
    commit: String,
    webhook: u16,
    artifact: Duration,
    applied: Duration,
    healthy: Duration,
    chat: Duration,
}

impl fmt::Display for Journey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |duration: Duration| format!("{:.1}s", duration.as_secs_f64());
        write!(
            f,
            "push {} → webhook {} → artifact {} → applied {} → healthy {} → Slack {}",
            &self.commit[..7],
            self.webhook,
            seconds(self.artifact),
            seconds(self.applied),
            seconds(self.healthy),
            seconds(self.chat),
        )
    }
}

/// Pushes a change and watches it arrive.
pub(super) async fn watch(scene: &Scene<'_>, hook: &Hook) -> Result<Journey> {
    let example = std::fs::read_to_string(scene.repository.work_tree().join("deploy/deployment.yaml"))?;
    let edition = example.replace("edition: \"1\"", "edition: \"2\"");
    let pushed = Instant::now();
    let commit = scene.repository.commit("Second edition").file("deploy/deployment.yaml", edition).push()?;
    let (webhook, artifact, applied, healthy, chat) = tokio::try_join!(
        seen(pushed, "the answer of the webhook", async || hook.answer(&commit).is_some()),
        seen(pushed, "the artifact of the commit", async || scene
            .source()
            .await
            .is_some_and(|found| revision(&found).ends_with(&commit))),
        seen(pushed, "the change in the cluster", async || {
            scene.find("apps/v1", "Deployment").await.is_some_and(|found| text(&found, EDITION) == "2")
        }),
        seen(pushed, "the health of the commit", async || {
            scene
                .kustomization()
                .await
                .is_some_and(|found| is_ready(&found) && revision(&found).ends_with(&commit))
        }),
        seen(pushed, "the chat message", async || {
            scene.chat.requests_for(CHAT).iter().any(|request| {
                let body = String::from_utf8_lossy(&request.body);
                body.contains(&commit) && body.contains("Health check passed")
            })
        }),
    )?;
    let status = hook.answer(&commit).unwrap_or_default();
    if status != 200 {
        bail!("the webhook was answered with {status}, {:.1} s after the push", webhook.as_secs_f64());
    }
    Ok(Journey { commit, webhook: status, artifact, applied, healthy, chat })
}

async fn seen(pushed: Instant, what: &str, probe: impl AsyncFn() -> bool) -> Result<Duration> {
    until(what, LIMIT, async || probe().await.then_some(())).await?;
    let after = pushed.elapsed();
    say!("✔ {what} ({:.1} s after the push)", after.as_secs_f64());
    Ok(after)
}
