//! The error catalogue (contract: kustomize-controller §9) as a matrix: for each row the whole condition, the event, and what
//! makes the next run.
//!
//! Which delay made the next run is told by which one could have: rows of different classes belong to different controllers,
//! and only the delay of the class is short there.
//!
//! Every row carries marked secrets wherever it can, so that at the end [`canary`] can look for them in everything that the
//! controllers have said.

mod bases;
mod canary;
mod classes;
mod quotes;
mod row;
mod rows;

use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, ensure};
use futures::future::join_all;
use millrace_harness::recorder::Answer;
use millrace_harness::until;
use millrace_matrix::Matrix;
use millrace_matrix::logs::Logs;
use serde_json::{Value, json};
use tracing::Level;

use crate::bench::{Artifact, Bench, CONFIG_MAP, SOON, condition, same};
use crate::controller::Running;
use bases::BASES;
use classes::{Controllers, Next};
use quotes::QUOTES;
use row::Row;
use rows::{NOT_YET, ROWS};

/// How the message ends where there is no source.
const NO_SOURCE: &str = "\"repo\" not found";

/// What the source offers.
#[derive(Clone, Copy, Debug)]
enum Offer {
    /// There is no source.
    NoSource,
    /// A source that has no artifact yet.
    NoArtifact,
    /// The row's files.
    Files,
    /// A URL that is answered so.
    Answer(u16),
    /// A URL where nobody listens.
    NoServer,
    /// Other bytes than the digest's.
    WrongBytes,
    /// Bytes that are no archive.
    NoArchive,
}

/// The event of a failed run.
#[derive(Clone, Copy, Debug)]
enum Tells {
    /// A warning with the condition's text.
    Same,
    /// A normal event with another text.
    Note(&'static str),
    /// Nothing.
    Nothing,
}

/// KC-008, KC-073: those rows among the others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_row_of_the_error_catalogue_shows_and_is_tried_again_as_written() -> Result<()> {
    // Of libraries as much as `--log-level=trace` shows.
    let logs = Logs::of_process(Level::DEBUG);
    let Some(bench) = Bench::start().await? else { return Ok(()) };
    bases::play_hosts(&bench)?;
    let controllers = Controllers::start(&bench).await?;
    let mut matrix = Matrix::new("failures kustomize");
    let mut stalled = Vec::new();
    let played = join_all(rows().map(|row| row.play(&bench, &controllers)));
    let others = async {
        tokio::join!(
            without_spec(&bench, &controllers),
            without_temp_dir(&bench),
            refused_by_the_schema(&bench),
            quotes::success(&bench),
            quotes::refused_end(&bench, &controllers, &logs),
            bases::waiting(&bench),
        )
    };
    let (played, others) = tokio::join!(played, others);
    for (row, outcome) in rows().zip(played) {
        match outcome {
            Ok(namespace) if row.next == Next::Edit => stalled.push((row, namespace)),
            outcome => matrix.row(row.input, outcome),
        }
    }
    // The other rows took their time: what needs no edit to run again has done so by now.
    for (row, namespace) in stalled {
        let running = controllers.of(Next::Edit);
        let seen = (running.runs(&namespace), running.events(&namespace).len());
        matrix.row(row.input, if seen == (1, 1) { Ok(()) } else { Err(anyhow!("{seen:?} runs and events")) });
    }
    matrix.row("KS without `spec`", others.0);
    matrix.row("temp dir not creatable", others.1);
    matrix.row("schema-invalid KS", others.2);
    matrix.row("none of them", others.3);
    matrix.row("delete denied by webhook, at the end", others.4);
    matrix.row("remote base, silent server, and something has changed", others.5);
    for (row, why) in NOT_YET {
        matrix.untried(row, why);
    }
    let canaries = canary::search(&bench, &controllers, &logs, rows()).await?;
    let failed: Vec<_> = [matrix.finish(), canaries.finish()].into_iter().filter_map(Result::err).collect();
    ensure!(failed.is_empty(), "{}", failed.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    Ok(())
}

fn rows() -> impl Iterator<Item = &'static Row> {
    ROWS.iter().chain(QUOTES).chain(BASES)
}

impl Row {
    /// Brings the row about in a namespace of its own, and checks what it shows.
    async fn play(&self, bench: &Bench, controllers: &Controllers) -> Result<String> {
        let namespace = bench.namespace("row").await?;
        let artifact = self.offer(bench, &namespace).await?;
        self.prepare(bench, &namespace).await?;
        self.begin(bench, &namespace).await?;
        let fill = |pattern: &str| {
            let url = canary::shown(&artifact.url);
            let pattern = pattern.replace("{ns}", &namespace).replace("{url}", &url);
            let pattern = pattern.replace("{digest}", &artifact.digest).replace("{web}", bench.web());
            pattern.replace("{address}", address_of(&artifact.url))
        };
        let app = self.failed(bench, &namespace).await?;
        same("message", &condition(&app, "Ready").message, &fill(self.message))?;
        let running = controllers.of(self.next);
        self.check_stalled(&app)?;
        self.check_event(running, &namespace, &fill).await?;
        if self.next != Next::Edit {
            self.again(bench, running, &namespace).await?;
            bench.respec(&namespace, json!({ "suspend": true })).await?;
        }
        Ok(namespace)
    }

    async fn offer(&self, bench: &Bench, namespace: &str) -> Result<Artifact> {
        let other = || bench.promise(format!("sha256:{}", "0".repeat(64)));
        let artifact = match self.offer {
            Offer::NoSource => return Ok(other()),
            Offer::NoArtifact => {
                bench.bare_source(namespace).await?;
                return Ok(other());
            }
            Offer::Files => {
                let files = canary::with_secret(bench, self.files);
                let files: Vec<_> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
                bench.artifact(&files)?
            }
            Offer::Answer(code) => {
                let artifact = other();
                bench.answer(&artifact.path, Answer::status(code)?);
                artifact
            }
            Offer::NoServer => Artifact { url: "http://127.0.0.1:1/a.tar.gz".to_owned(), ..other() },
            Offer::WrongBytes => Artifact { digest: other().digest, ..bench.artifact(self.files)? },
            Offer::NoArchive => bench.serve(format!("no archive, for {namespace}").into_bytes())?,
        };
        let artifact = canary::with_login(artifact);
        bench.source(namespace, "v1", &artifact).await?;
        Ok(artifact)
    }

    async fn prepare(&self, bench: &Bench, namespace: &str) -> Result<()> {
        bench.apply(namespace, self.before).await?;
        if self.before.contains("{ns}-ending") {
            bench.delete("", &format!("Namespace/{namespace}-ending")).await?;
        }
        if !self.kept.is_empty() {
            bench.keep(namespace, self.kept).await?;
        }
        if !self.dependency.is_empty() {
            let ready = json!({
                "type": "Ready", "status": "True", "reason": "ReconciliationSucceeded", "message": "",
                "lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": 1,
            });
            let status = json!({
                "conditions": [ready], "observedGeneration": 1, "lastAppliedRevision": self.dependency,
            });
            bench.status(namespace, "Kustomization/dep", &status).await?;
        }
        Ok(())
    }

    /// Makes the Kustomization; what it owns already is in its status before it runs.
    async fn begin(&self, bench: &Bench, namespace: &str) -> Result<()> {
        let spec = self.spec.replace("{ns}", namespace);
        let mut spec: Value = serde_json::from_str(&spec).with_context(|| spec.clone())?;
        spec["retryInterval"] = json!(self.next.retry_interval());
        canary::with_variables(bench, namespace, &mut spec).await?;
        if self.inventory.is_empty() {
            return bench.kustomization(namespace, self.next.class(), &spec).await;
        }
        // No controller looks at this class.
        bench.kustomization(namespace, "nobody", &spec).await?;
        let entry = json!({ "id": self.inventory.replace("{ns}", namespace), "v": "v1" });
        bench.status(namespace, "Kustomization/app", &json!({ "inventory": { "entries": [entry] } })).await?;
        let labels = json!({ "metadata": { "labels": { "class": self.next.class() } } });
        bench.patch(namespace, "Kustomization/app", &labels).await
    }

    async fn failed(&self, bench: &Bench, namespace: &str) -> Result<Value> {
        let limit = if self.is_slow { Duration::from_secs(100) } else { SOON };
        let mut last = Value::Null;
        let found = until(self.input, limit, async || {
            last = bench.find(namespace, "Kustomization/app").await.ok()??;
            let ready = condition(&last, "Ready");
            // The watch of sources may be a moment behind that of Kustomizations.
            let is_behind = ready.message.ends_with(NO_SOURCE) && !self.message.ends_with(NO_SOURCE);
            let failed = ready.status == "False" && ready.reason == self.reason && !is_behind;
            failed.then(|| last.clone())
        });
        found.await.with_context(|| format!("last seen: {:#}", last["status"]))
    }

    /// What only an edit can help is stalled for the same reason, with the same text; nothing else is.
    fn check_stalled(&self, app: &Value) -> Result<()> {
        let (stalled, ready) = (condition(app, "Stalled"), condition(app, "Ready"));
        if self.next != Next::Edit {
            ensure!(stalled.status.is_empty(), "it is stalled: {stalled:?}");
            return Ok(());
        }
        let same = (&stalled.reason, &stalled.message) == (&ready.reason, &ready.message);
        ensure!(stalled.status == "True" && same, "{stalled:?} beside {ready:?}");
        let (observed, generation) = (&app["status"]["observedGeneration"], &app["metadata"]["generation"]);
        ensure!(*observed == -1 || observed == generation, "generation {observed}");
        Ok(())
    }

    async fn check_event(
        &self,
        running: &Running,
        namespace: &str,
        fill: &impl Fn(&str) -> String,
    ) -> Result<()> {
        let (is_warning, text) = match self.tells {
            Tells::Same => (true, fill(self.message)),
            Tells::Note(text) => (false, text.to_owned()),
            Tells::Nothing => {
                let events = running.events(namespace);
                ensure!(events.is_empty(), "events: {events:?}");
                return Ok(());
            }
        };
        let found = until("the event", SOON, async || {
            let mut events = running.events(namespace).into_iter();
            events.find(|event| event.reason == self.reason && event.is_warning == is_warning)
        });
        let event = found.await.with_context(|| format!("{:?}", running.events(namespace)))?;
        same("event", &event.message, &text)?;
        if self.next == Next::Retry {
            let revision = ("kustomize.toolkit.fluxcd.io/revision".to_owned(), "v1".to_owned());
            ensure!(event.metadata.contains(&revision), "it names no revision: {event:?}");
        }
        Ok(())
    }

    /// Waits for the next run; one that takes long is seen when it begins.
    async fn again(&self, bench: &Bench, running: &Running, namespace: &str) -> Result<()> {
        if self.is_slow {
            let begins = |app: &Value| condition(app, "Ready").status == "Unknown";
            return bench.until(namespace, "the next run", begins).await.map(drop);
        }
        next_run(running, namespace).await
    }
}

async fn next_run(running: &Running, namespace: &str) -> Result<()> {
    until("the next run", SOON, async || (running.runs(namespace) >= 2).then_some(())).await
}

fn address_of(url: &str) -> &str {
    let authority = url.strip_prefix("http://").and_then(|rest| rest.split('/').next()).unwrap_or_default();
    authority.rsplit('@').next().unwrap_or_default()
}

/// The schema allows an object without a spec; nothing is known of it but that it has no source.
async fn without_spec(bench: &Bench, controllers: &Controllers) -> Result<()> {
    let namespace = bench.namespace("row").await?;
    let object = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: app\n  labels:\n    \
                  class: backoff\n";
    bench.apply(&namespace, object).await?;
    let message = bench.failed(&namespace, "ArtifactFailed").await?;
    same("message", &message, "source `` kind '' not supported")?;
    let running = controllers.of(Next::Backoff);
    ensure!(running.events(&namespace).is_empty(), "{:?}", running.events(&namespace));
    next_run(running, &namespace).await
}

/// A controller of its own, whose folder is not there.
async fn without_temp_dir(bench: &Bench) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let missing = folder.path().join("missing");
    let flags = ["--watch-label-selector=class=homeless", "--requeue-dependency=1h", "--min-retry-delay=1h"];
    let running = Running::start_in(bench, &flags, &missing, folder).await?;
    let namespace = bench.namespace("row").await?;
    bench.source(&namespace, "v1", &bench.artifact(&[("app.yaml", CONFIG_MAP)])?).await?;
    bench.kustomization(&namespace, "homeless", &json!({ "retryInterval": "1s" })).await?;
    let message = bench.failed(&namespace, "DirectoryCreationFailed").await?;
    same("message", &message, "tmp dir error: …")?;
    next_run(&running, &namespace).await?;
    let events = running.events(&namespace);
    ensure!(events.iter().any(|event| event.is_warning && event.message == message), "{events:?}");
    Ok(())
}

async fn refused_by_the_schema(bench: &Bench) -> Result<()> {
    let namespace = bench.namespace("row").await?;
    let refused = bench.kustomization(&namespace, "retry", &json!({ "interval": null })).await;
    let text = refused.err().map(|error| format!("{error:#}")).context("it was accepted")?;
    ensure!(text.contains("spec.interval: Required value"), "{text}");
    Ok(())
}
