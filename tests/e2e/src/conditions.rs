//! Conditions, as stories wait for them.

use anyhow::{Context as _, Result, bail};
use millrace_harness::until;
use serde_json::Value;

use crate::{SOON, Story, tail};

/// A condition as tests look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// `True`, `False` or `Unknown`.
    pub status: String,
    /// The reason.
    pub reason: String,
    /// The message.
    pub message: String,
    /// Whether it was set for the object's present generation.
    pub is_current: bool,
}

/// What a condition has to be, word for word.
#[derive(Clone, Copy, Debug)]
pub struct Verdict<'a> {
    /// The condition's type.
    pub type_: &'a str,
    /// Its status.
    pub status: &'a str,
    /// Its reason.
    pub reason: &'a str,
    /// The whole message, but for hints after it.
    pub message: &'a str,
}

/// An object's generations, as written in its metadata and in its status.
struct Generations {
    present: Option<i64>,
    observed: Option<i64>,
}

impl Story {
    /// A condition of an object; `None` if it has none of that type, or is not there.
    pub async fn condition(&self, object: &str, type_: &str) -> Result<Option<Condition>> {
        let Some(found) = self.find(object).await? else { return Ok(None) };
        Ok(condition_of(&serde_json::to_value(found)?, type_))
    }

    /// Waits until a condition is as wanted.
    pub async fn until(
        &self,
        object: &str,
        type_: &str,
        wanted: impl Fn(&Condition) -> bool,
    ) -> Result<Condition> {
        self.until_object(object, type_, |_, condition| wanted(condition)).await
    }

    /// Waits until an object is Ready at its generation.
    pub async fn ready(&self, object: &str) -> Result<Condition> {
        self.ready_with(object, "").await
    }

    /// Waits until an object is Ready at its generation, with a message that ends so.
    pub async fn ready_with(&self, object: &str, end: &str) -> Result<Condition> {
        self.until_object(object, "Ready", |found, ready| {
            let Generations { present, observed } = generations(found);
            ready.status == "True" && ready.is_current && observed == present && ready.message.ends_with(end)
        })
        .await
    }

    /// Waits until Ready is False for this reason, at the object's generation.
    pub async fn failing(&self, object: &str, reason: &str) -> Result<Condition> {
        self.until(object, "Ready", |ready| {
            ready.status == "False" && ready.reason == reason && ready.is_current
        })
        .await
    }

    /// Waits until a condition is the verdict, word for word, at the object's generation.
    pub async fn verdict(&self, object: &str, verdict: Verdict<'_>) -> Result<()> {
        self.settled(object, verdict, |_| true).await
    }

    /// Waits until an object has failed for now and goes on trying: the verdict, and `Reconciling` for another try.
    pub async fn retried(&self, object: &str, verdict: Verdict<'_>) -> Result<()> {
        self.settled(object, verdict, |found| {
            let again = condition_of(found, "Reconciling");
            again.is_some_and(|again| again.status == "True" && again.reason == "ProgressingWithRetry")
                && condition_of(found, "Stalled").is_none()
        })
        .await
    }

    /// Waits until an object has given up: the verdict, `Stalled` for the same reason, and no `Reconciling`.
    pub async fn stalled(&self, object: &str, verdict: Verdict<'_>) -> Result<()> {
        self.settled(object, verdict, |found| {
            let given_up = condition_of(found, "Stalled");
            given_up.is_some_and(|given_up| {
                (given_up.status.as_str(), given_up.reason.as_str()) == ("True", verdict.reason)
                    && says(&given_up.message, verdict.message)
            }) && condition_of(found, "Reconciling").is_none()
        })
        .await
    }

    async fn settled(
        &self,
        object: &str,
        verdict: Verdict<'_>,
        others_fit: impl Fn(&Value) -> bool,
    ) -> Result<()> {
        let Verdict { type_, status, reason, message } = verdict;
        let fits = |found: &Value, condition: &Condition| {
            let is_it = (condition.status.as_str(), condition.reason.as_str()) == (status, reason);
            is_it && says(&condition.message, message) && condition.is_current && others_fit(found)
        };
        let found = self.until_object(object, type_, fits).await;
        found.map(drop).with_context(|| format!("{object} is not {verdict:?}"))
    }

    async fn until_object(
        &self,
        object: &str,
        type_: &str,
        wanted: impl Fn(&Value, &Condition) -> bool,
    ) -> Result<Condition> {
        let mut last = None;
        let outcome = until(&format!("{type_} of {object}"), SOON, async || {
            let found = serde_json::to_value(self.find(object).await.ok()??).ok()?;
            last = condition_of(&found, type_);
            last.clone().filter(|condition| wanted(&found, condition))
        })
        .await;
        match outcome {
            Ok(condition) => Ok(condition),
            Err(error) => bail!("{error}; last seen: {last:?}\n{}", tail(&self.millrace.log())),
        }
    }
}

fn condition_of(object: &Value, type_: &str) -> Option<Condition> {
    let present = generations(object).present;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut conditions = object["status"]["conditions"].as_array()?.iter();
    conditions.find(|condition| condition["type"] == type_).map(|condition| Condition {
        status: text(&condition["status"]),
        reason: text(&condition["reason"]),
        message: text(&condition["message"]),
        is_current: condition["observedGeneration"].as_i64() == present,
    })
}

fn generations(object: &Value) -> Generations {
    Generations {
        present: object["metadata"]["generation"].as_i64(),
        observed: object["status"]["observedGeneration"].as_i64(),
    }
}

/// Whether a message is the contract's, word for word. Hints of our own may follow, on lines of their own.
pub fn says(message: &str, contract: &str) -> bool {
    let rest = message.strip_prefix(contract);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('\n') || contract.ends_with('\n'))
}
