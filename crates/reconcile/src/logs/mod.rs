//! Log lines with the keys that users of the original query.
//!
//! One line per event on standard error: JSON, or text for a terminal. A run's span carries `controller`, `group`, `kind`,
//! `namespace`, `name` and `reconcile_id`; its lines show them as `controller`, `controllerGroup`, `controllerKind`,
//! `<Kind>`, `namespace`, `name` and `reconcileID`. Fields of an event keep their names, with three conventions:
//! `logger` names the part of the program, `json.<key>` holds JSON that is shown as such under `<key>`, and the members of
//! `json.flat` become fields themselves. Contract: cli §B1.7, source-controller §6.3.

mod fields;
mod line;

use std::io::Write as _;

use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

use fields::Fields;

/// The shape of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// One JSON object.
    Json,
    /// Columns for people.
    Console,
}

/// What is logged, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The least severe level that is shown.
    pub level: Level,
    /// The shape of a line.
    pub encoding: Encoding,
}

impl Options {
    /// Reads `--log-level` and `--log-encoding`; an unknown value silently means the default, as upstream.
    pub fn from_flags(level: &str, encoding: &str) -> Self {
        let level = match level {
            "trace" => Level::TRACE,
            "debug" => Level::DEBUG,
            "error" => Level::ERROR,
            _ => Level::INFO,
        };
        let encoding = if encoding == "console" { Encoding::Console } else { Encoding::Json };
        Self { level, encoding }
    }

    /// Our own lines from the level on; what libraries say only from two levels above it on.
    fn filter(self) -> Targets {
        let libraries = match self.level {
            Level::TRACE => LevelFilter::DEBUG,
            Level::DEBUG => LevelFilter::WARN,
            _ => LevelFilter::ERROR,
        };
        Targets::new().with_target("millrace", self.level).with_default(libraries)
    }
}

/// Starts logging to standard error for the rest of the process.
///
/// A second call changes nothing, so that a test binary may make it more than once.
pub fn start(options: Options) {
    let lines = Lines { encoding: options.encoding, write: to_standard_error };
    // An error means that logging has started already.
    let _ = tracing_subscriber::registry().with(lines.with_filter(options.filter())).try_init();
}

fn to_standard_error(line: &str) {
    // Nobody can be told that a log line was lost.
    let _ = std::io::stderr().lock().write_all(line.as_bytes());
}

/// Prints events as lines.
struct Lines<W> {
    encoding: Encoding,
    write: W,
}

impl<S, W> Layer<S> for Lines<W>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: Fn(&str) + 'static,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(fields);
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(fields) = span.extensions_mut().get_mut::<Fields>()
        {
            values.record(fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut own = Fields::default();
        event.record(&mut own);
        let mut of_run = Fields::default();
        for span in context.event_scope(event).into_iter().flatten() {
            if let Some(fields) = span.extensions().get::<Fields>() {
                // Spans come from the inside out: what an inner one says stands.
                of_run.adopt(fields);
            }
        }
        let now = jiff::Timestamp::now();
        (self.write)(&line::line(self.encoding, *event.metadata().level(), now, own, of_run));
    }
}

#[cfg(test)]
mod tests;
