//! Puts a line together: the keys, their order, and the bound on its length.

use jiff::Timestamp;
use serde_json::{Value, json};
use tracing::Level;

use super::Encoding;
use super::fields::{Fields, MESSAGE};

/// The longest line in bytes; log collectors cut longer ones anywhere.
const LINE_LIMIT: usize = 64 * 1024;

/// How much of each text a line keeps that would be too long.
const CUT_TEXT_LIMIT: usize = 4 * 1024;

/// The keys of a line in their order.
type Keys = Vec<(String, Value)>;

/// Prints an event, whose fields are `own`, within a run, whose fields are `of_run`.
pub(super) fn line(encoding: Encoding, level: Level, now: Timestamp, own: Fields, of_run: Fields) -> String {
    let level = level_name(level);
    let (logger, message, rest) = split(own, of_run);
    let print = |rest: &Keys, message: &str| match encoding {
        Encoding::Json => json_line(level, now, (logger.as_deref(), message), rest),
        Encoding::Console => console_line(level, now, (logger.as_deref(), message), rest),
    };
    let whole = print(&rest, &message);
    if whole.len() <= LINE_LIMIT {
        return whole;
    }
    let short = rest.into_iter().map(|(name, value)| (name, shortened(value))).collect();
    print(&short, &cut(&message))
}

/// The level's name as users filter by it; there is no `warn`.
fn level_name(level: Level) -> &'static str {
    match level {
        Level::ERROR => "error",
        Level::WARN | Level::INFO => "info",
        Level::DEBUG => "debug",
        Level::TRACE => "trace",
    }
}

/// Logger, message, and the other keys in the recorded order: run, event, `revision`, `error`.
fn split(mut own: Fields, mut of_run: Fields) -> (Option<String>, String, Keys) {
    let text = |value: Value| value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
    let logger = own.take("logger").map(text);
    let message = own.take(MESSAGE).map(text).unwrap_or_default();
    let error = own.take("error");
    let revision = own.take("revision").or_else(|| of_run.take("revision"));
    let mut keys = run_keys(&mut of_run);
    keys.extend(of_run.into_rest());
    keys.retain(|(name, _)| !own.has(name));
    keys.extend(own.into_rest());
    keys.extend(revision.map(|revision| ("revision".to_owned(), revision)));
    keys.extend(error.map(|error| ("error".to_owned(), error)));
    (logger, message, keys)
}

/// The keys that identify a run.
fn run_keys(of_run: &mut Fields) -> Keys {
    let object = of_run.text("kind").zip(of_run.text("name")).map(|(kind, name)| {
        let namespace = of_run.text("namespace").unwrap_or_default();
        (kind.to_owned(), json!({ "name": name, "namespace": namespace }))
    });
    let mut keys = Keys::new();
    let mut take = |field: &str, key: &str, keys: &mut Keys| {
        keys.extend(of_run.take(field).map(|value| (key.to_owned(), value)));
    };
    take("controller", "controller", &mut keys);
    take("group", "controllerGroup", &mut keys);
    take("kind", "controllerKind", &mut keys);
    keys.extend(object);
    take("namespace", "namespace", &mut keys);
    take("name", "name", &mut keys);
    take("reconcile_id", "reconcileID", &mut keys);
    keys
}

fn time(now: Timestamp) -> String {
    now.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

fn json_line(level: &str, now: Timestamp, (logger, message): (Option<&str>, &str), rest: &Keys) -> String {
    let mut line = format!("{{\"level\":\"{level}\",\"ts\":\"{}\"", time(now));
    let mut push = |name: &str, value: &Value| {
        line.push(',');
        line.push_str(&Value::from(name).to_string());
        line.push(':');
        line.push_str(&value.to_string());
    };
    if let Some(logger) = logger {
        push("logger", &Value::from(logger));
    }
    push("msg", &Value::from(message));
    for (name, value) in rest {
        push(name, value);
    }
    line.push_str("}\n");
    line
}

fn console_line(level: &str, now: Timestamp, (logger, message): (Option<&str>, &str), rest: &Keys) -> String {
    let mut line = format!("{}\t{}\t", time(now), level.to_ascii_uppercase());
    if let Some(logger) = logger {
        line.push_str(logger);
        line.push('\t');
    }
    line.push_str(message);
    if !rest.is_empty() {
        let fields: Vec<_> =
            rest.iter().map(|(name, value)| format!("{}: {value}", Value::from(name.as_str()))).collect();
        line.push_str("\t{");
        line.push_str(&fields.join(", "));
        line.push('}');
    }
    line.push('\n');
    line
}

fn shortened(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(cut(&text)),
        other => {
            let text = other.to_string();
            if text.len() <= CUT_TEXT_LIMIT { other } else { Value::String(cut(&text)) }
        }
    }
}

fn cut(text: &str) -> String {
    if text.len() <= CUT_TEXT_LIMIT {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(CUT_TEXT_LIMIT)])
}
