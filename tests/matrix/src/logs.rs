//! What is logged while a test runs.

use std::fmt::{Debug, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Level, Metadata, Subscriber};

/// Lines of the log as `LEVEL message key=value …`; the fields of spans are lines of their own, `SPAN key=value …`.
#[derive(Debug)]
pub struct Logs {
    lines: Lines,
    /// Until this is dropped, where only one thread is listened to.
    _capturing: Option<DefaultGuard>,
}

#[derive(Clone, Debug, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

impl Logs {
    /// Begins to keep everything that is logged on this thread, whatever its level; ends when the value is dropped.
    pub fn of_thread() -> Self {
        let lines = Lines::default();
        let guard = tracing::subscriber::set_default(Capture::new(lines.clone(), Level::TRACE));
        Self { lines, _capturing: Some(guard) }
    }

    /// Begins to keep everything that the process logs: our own lines at every level, those of libraries as far as
    /// `libraries` goes.
    ///
    /// # Panics
    /// If something listens already.
    pub fn of_process(libraries: Level) -> Self {
        let lines = Lines::default();
        tracing::subscriber::set_global_default(Capture::new(lines.clone(), libraries))
            .expect("nothing else listens");
        Self { lines, _capturing: None }
    }

    /// All lines so far.
    pub fn lines(&self) -> Vec<String> {
        self.lines.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The lines that contain all of `texts`.
    pub fn with(&self, texts: &[&str]) -> Vec<String> {
        let lines = self.lines().into_iter();
        lines.filter(|line| texts.iter().all(|text| line.contains(text))).collect()
    }
}

struct Capture {
    lines: Lines,
    /// How much of libraries is kept.
    libraries: Level,
    spans: AtomicU64,
}

impl Capture {
    fn new(lines: Lines, libraries: Level) -> Self {
        Self { lines, libraries, spans: AtomicU64::new(1) }
    }

    fn put(&self, what: &str, record: impl FnOnce(&mut Text)) {
        let mut text = Text::default();
        record(&mut text);
        let line = format!("{what} {}{}", text.message, text.fields);
        self.lines.0.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }
}

impl Subscriber for Capture {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("millrace") || *metadata.level() <= self.libraries
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.put("SPAN", |text| span.record(text));
        Id::from_u64(self.spans.fetch_add(1, Ordering::Relaxed))
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        self.put("SPAN", |text| values.record(text));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        self.put(event.metadata().level().as_str(), |text| event.record(text));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[derive(Default)]
struct Text {
    message: String,
    fields: String,
}

impl Visit for Text {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            value.clone_into(&mut self.message);
        } else {
            // Writing to a string can't fail.
            let _ = write!(self.fields, " {}={value}", field.name());
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_fields_and_spans_are_lines() {
        let logs = Logs::of_thread();
        let span = tracing::info_span!("run", name = "app");
        tracing::debug!(parent: &span, error = "why", count = 3, "it {}", "failed");
        assert_eq!(logs.lines(), ["SPAN  name=app", "DEBUG it failed error=why count=3"]);
        assert_eq!(logs.with(&["failed", "why"]).len(), 1);
        assert!(logs.with(&["failed", "because"]).is_empty());
    }

    #[test]
    fn of_libraries_only_so_much_is_kept() {
        let capture = Capture::new(Lines::default(), Level::DEBUG);
        let lines = capture.lines.clone();
        tracing::subscriber::with_default(capture, || {
            tracing::trace!(target: "hyper", "too much");
            tracing::debug!(target: "hyper", "some");
            tracing::trace!(target: "millrace_net", "all");
        });
        assert_eq!(*lines.0.lock().unwrap(), ["DEBUG some", "TRACE all"]);
    }
}
