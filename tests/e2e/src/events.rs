//! Core Events, as stories look at them.

use anyhow::{Context as _, Result, bail};
use millrace_harness::until;
use serde_json::Value;

use crate::{SOON, Story, says};

impl Story {
    /// The messages of core Events about an object, with type and reason, oldest first.
    pub async fn events(&self, object: &str) -> Result<Vec<(String, String, String)>> {
        let (kind, name) = object.split_once('/').context("Kind/name")?;
        let api = self.cluster.api("v1", "Event", &self.namespace).await?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut found = Vec::new();
        for event in api.list(&kube::api::ListParams::default()).await? {
            let event = serde_json::to_value(event)?;
            if event["involvedObject"]["kind"] == kind && event["involvedObject"]["name"] == name {
                let first = text(&event["firstTimestamp"]);
                found.push((first, (text(&event["type"]), text(&event["reason"]), text(&event["message"]))));
            }
        }
        found.sort_by(|left, right| left.0.cmp(&right.0));
        Ok(found.into_iter().map(|(_, event)| event).collect())
    }

    /// Waits for a core Event about an object.
    pub async fn event(&self, object: &str, wanted: impl Fn(&str, &str, &str) -> bool) -> Result<()> {
        let outcome = until(&format!("an event of {object}"), SOON, async || {
            let events = self.events(object).await.ok()?;
            events.iter().any(|(type_, reason, message)| wanted(type_, reason, message)).then_some(())
        })
        .await;
        match outcome {
            Ok(()) => Ok(()),
            Err(error) => bail!("{error}; there are: {:#?}", self.events(object).await?),
        }
    }

    /// Waits for a core Event of this type, reason and message about an object.
    pub async fn told(&self, object: &str, event: (&str, &str, &str)) -> Result<()> {
        let (type_, reason, message) = event;
        let outcome = self.event(object, |its_type, its_reason, said| {
            (its_type, its_reason) == (type_, reason) && says(said, message)
        });
        outcome.await.with_context(|| format!("no {type_} event {reason} says {message:?}"))
    }
}
