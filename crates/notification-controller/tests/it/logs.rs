//! What is logged while a test runs.

use std::{
    fmt::{Debug, Write as _},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
    subscriber::DefaultGuard,
};

/// Everything that is logged on this thread, whatever its level.
pub(crate) struct Logs {
    lines: Lines,
    _capturing: DefaultGuard,
}

/// Lines as `LEVEL message key=value …`.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

impl Logs {
    /// Begins; ends when the value is dropped.
    pub(crate) fn capture() -> Self {
        let lines = Lines::default();
        let capture = Capture { lines: lines.clone(), spans: AtomicU64::new(1) };
        Self { lines, _capturing: tracing::subscriber::set_default(capture) }
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.lines.0.lock().unwrap().clone()
    }

    /// The lines that contain all of `texts`.
    pub(crate) fn with(&self, texts: &[&str]) -> Vec<String> {
        let lines = self.lines().into_iter();
        lines.filter(|line| texts.iter().all(|text| line.contains(text))).collect()
    }
}

struct Capture {
    lines: Lines,
    spans: AtomicU64,
}

impl Capture {
    fn put(&self, what: &str, record: impl FnOnce(&mut Text)) {
        let mut text = Text::default();
        record(&mut text);
        let line = format!("{what} {}{}", text.message, text.fields);
        self.lines.0.lock().unwrap().push(line);
    }
}

impl Subscriber for Capture {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
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
            write!(self.fields, " {}={value}", field.name()).unwrap();
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}
