//! What makes the next run, and controllers in which nothing else can.

use anyhow::{Result, anyhow};

use crate::bench::Bench;
use crate::controller::Running;

/// What makes the next run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// `spec.retryInterval`.
    Retry,
    /// `--requeue-dependency`.
    Dependency,
    /// The queue's backoff.
    Backoff,
    /// A change of the object alone.
    Edit,
}

impl Next {
    const ALL: [Self; 4] = [Self::Retry, Self::Dependency, Self::Backoff, Self::Edit];

    /// The label that tells the controllers' objects apart.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Dependency => "dependency",
            Self::Backoff => "backoff",
            Self::Edit => "edit",
        }
    }

    /// What objects of the class have in their spec.
    pub(super) fn retry_interval(self) -> &'static str {
        match self {
            Self::Retry | Self::Edit => "1s",
            Self::Dependency | Self::Backoff => "1h",
        }
    }

    /// The delays of the controller: out of reach but for that of the class. Where nothing may make a run, all are short.
    fn delays(self) -> [&'static str; 3] {
        const NO_DEPENDENCY: &str = "--requeue-dependency=1h";
        const NO_BACKOFF: [&str; 2] = ["--min-retry-delay=1h", "--max-retry-delay=1h"];
        const BACKOFF: [&str; 2] = ["--min-retry-delay=500ms", "--max-retry-delay=1s"];
        match self {
            Self::Retry => [NO_DEPENDENCY, NO_BACKOFF[0], NO_BACKOFF[1]],
            Self::Dependency => ["--requeue-dependency=2s", NO_BACKOFF[0], NO_BACKOFF[1]],
            Self::Backoff => [NO_DEPENDENCY, BACKOFF[0], BACKOFF[1]],
            Self::Edit => ["--requeue-dependency=1s", BACKOFF[0], BACKOFF[1]],
        }
    }
}

/// One controller per class.
pub(super) struct Controllers(Vec<(Next, Running)>);

impl Controllers {
    pub(super) async fn start(bench: &Bench) -> Result<Self> {
        let mut running = Vec::new();
        for class in Next::ALL {
            let selector = format!("--watch-label-selector=class={}", class.class());
            let flags =
                [&class.delays()[..], &[&selector, "--no-cross-namespace-refs", "--concurrent=50"]].concat();
            running.push((class, Running::start(bench, &flags).await?));
        }
        Ok(Self(running))
    }

    pub(super) fn of(&self, class: Next) -> &Running {
        let found = self.0.iter().find(|(other, _)| *other == class);
        found
            .map(|(_, running)| running)
            .ok_or_else(|| anyhow!("no such class"))
            .expect("every class has one")
    }

    /// All events of all controllers.
    pub(super) fn events(&self) -> Vec<String> {
        self.0.iter().flat_map(|(_, running)| running.everything_recorded()).collect()
    }

    /// All lines of all controllers' metrics.
    pub(super) fn metrics(&self) -> Vec<String> {
        self.0.iter().flat_map(|(_, running)| running.metrics()).collect()
    }
}
