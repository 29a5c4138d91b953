//! The controller as the program runs it, in this process.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use kube::config::{KubeConfigOptions, Kubeconfig};
use millrace_artifact::fetch::{self, Fetcher};
use millrace_artifact::tree::Trees;
use millrace_kustomize_controller::args::Args;
use millrace_kustomize_controller::{Controller, Needs};
use millrace_net::{HttpClient, Proxy};
use millrace_reconcile::Context;
use millrace_reconcile::client::{Limits, Stack};
use millrace_reconcile::clock::{Clock, SystemClock};
use millrace_reconcile::events::{Captured, Recorder, Severity};
use millrace_reconcile::impersonation::Impersonator;
use millrace_reconcile::metrics::Metrics;
use millrace_reconcile::permits::CpuPool;
use millrace_reconcile::pflag::{Environment, FlagSet, parse};
use millrace_reconcile::tasks::Tasks;

use crate::bench::Bench;

/// A controller, and what can be seen of it besides the cluster. It ends with this value.
pub(crate) struct Running {
    captured: Captured,
    metrics: Metrics,
    tasks: Tasks,
    _folder: tempfile::TempDir,
}

/// An event as tests look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) is_warning: bool,
    pub(crate) reason: &'static str,
    pub(crate) message: String,
    pub(crate) metadata: Vec<(String, String)>,
}

impl Running {
    /// Starts one with these flags.
    pub(crate) async fn start(bench: &Bench, flags: &[&str]) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let spool = folder.path().to_owned();
        Self::start_in(bench, flags, &spool, folder).await
    }

    /// Starts one whose downloads go to a folder.
    pub(crate) async fn start_in(
        bench: &Bench,
        flags: &[&str],
        spool: &Path,
        folder: tempfile::TempDir,
    ) -> Result<Self> {
        let line: Vec<String> = flags.iter().map(ToString::to_string).collect();
        let parsed = parse("kustomize-controller", &line, vec![FlagSet::of::<Args>(None)]);
        let parsed = parsed.map_err(|stop| anyhow!(stop.text()))?;
        let args: Args = parsed.values(0, &Environment::new()).map_err(|stop| anyhow!(stop.text()))?;
        let kubeconfig = Kubeconfig::read_from(bench.plane.kubeconfig())?;
        let mut config =
            kube::Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
        config.proxy_url = None;
        let (metrics, tasks) = (Metrics::default(), Tasks::new());
        let limits = Limits { qps: 500.0, burst: 1000 };
        let stack = Stack::connect(&config, "kustomize-controller", limits, metrics.clone()).await?;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let (events, captured) = Recorder::capturing(Arc::clone(&clock));
        let context = Context {
            client: stack.client(),
            clock,
            events,
            metrics: metrics.clone(),
            cpu: CpuPool::new(2, tasks.clone()),
            tasks: tasks.clone(),
        };
        let needs = Needs {
            context,
            impersonator: Impersonator::new(stack, args.controller.default_service_account()),
            fetcher: fetcher(spool, args.http_retry)?,
            egress: Arc::default(),
            local_store: None,
            environment: Environment::new(),
        };
        let controller = Controller::new(&args, needs).context("the flags are fine")?;
        tasks.spawn(controller.run());
        Ok(Self { captured, metrics, tasks, _folder: folder })
    }

    /// The events about the Kustomization `app` of a namespace.
    pub(crate) fn events(&self, namespace: &str) -> Vec<Told> {
        let all = self.captured.all().into_iter();
        let own = all.filter(|(about, _)| about.namespace.as_deref() == Some(namespace));
        own.map(|(_, event)| Told {
            is_warning: event.severity == Severity::Error,
            reason: event.reason.as_str(),
            message: event.message,
            metadata: event.metadata.into_iter().collect(),
        })
        .collect()
    }

    /// All events, with what they are about.
    pub(crate) fn everything_recorded(&self) -> Vec<String> {
        self.captured.all().iter().map(|(about, event)| format!("{about:?} {event:?}")).collect()
    }

    /// The lines of the metrics.
    pub(crate) fn metrics(&self) -> Vec<String> {
        self.metrics.render().lines().map(str::to_owned).collect()
    }

    /// How often the Kustomization `app` of a namespace has run.
    pub(crate) fn runs(&self, namespace: &str) -> u64 {
        let metrics = self.metrics.render();
        let series = metrics.lines().find(|line| {
            line.starts_with("gotk_reconcile_duration_seconds_count{")
                && line.contains("name=\"app\"")
                && line.contains(&format!("namespace=\"{namespace}\""))
        });
        let count =
            series.and_then(|line| line.rsplit(' ').next()).and_then(|count| count.parse::<f64>().ok());
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
        count.map_or(0, |count| count as u64)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.tasks.shutdown().cancel();
    }
}

/// Downloads as the program does, but doesn't wait long between attempts.
fn fetcher(spool: &Path, retries: u32) -> Result<Fetcher> {
    let client = HttpClient::new(&millrace_net::Options { proxy: Proxy::Direct, ..Default::default() })?;
    let options = fetch::Options {
        retries,
        min_wait: Duration::from_millis(1),
        max_wait: Duration::from_millis(2),
        ..fetch::Options::default()
    };
    Ok(Fetcher::new(client, Trees::new(spool, 1 << 20), options))
}
