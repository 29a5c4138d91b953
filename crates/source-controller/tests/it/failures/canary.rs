//! Looks for the secrets of the table in everything that the controller has said.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use kube::api::ListParams;
use millrace_harness::git::PASSWORD;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::bench::Bench;

/// What every marked secret begins with.
pub(super) const MARK: &str = "canary";

/// Everything that was logged.
#[derive(Clone, Default)]
pub(super) struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

impl Write for Log {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// Begins to keep what is logged: our own lines at every level, those of libraries as far as `--log-level=trace` shows
/// them.
pub(super) fn capture() -> Log {
    let log = Log::default();
    let filter = Targets::new().with_target("millrace", LevelFilter::TRACE).with_default(LevelFilter::DEBUG);
    let lines = tracing_subscriber::fmt::layer().json().with_writer(log.clone()).with_filter(filter);
    tracing_subscriber::registry().with(lines).init();
    log
}

/// Fails with the first place where a secret shows.
pub(super) async fn search(bench: &Bench, log: &Log) -> Result<(), String> {
    let objects = bench.api().list(&ListParams::default()).await.unwrap();
    let statuses: Vec<_> = objects.items.into_iter().map(|object| object.status).collect();
    let said = [
        ("the log", log.text()),
        ("events", format!("{:#?}", bench.all_events())),
        ("statuses", format!("{statuses:#?}")),
        ("metrics", bench.metrics()),
    ];
    for (place, text) in said {
        assert!(text.len() > 1000, "{place}: there must be something to search");
        let mut lines = text.lines();
        if let Some(line) = lines.find(|line| line.contains(MARK) || line.contains(PASSWORD)) {
            return Err(format!("{place} shows a secret: {line}"));
        }
    }
    Ok(())
}
