//! The fields of a span or event, in the order in which they were given.

use std::error::Error;
use std::fmt::Debug;

use serde_json::Value;
use tracing::field::{Field, Visit};

use crate::failure::chain;

/// What the message of an event is called here and in the line; `tracing` calls it `message`, as an event may call a field.
pub(super) const MESSAGE: &str = "msg";

/// Names and values.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields(Vec<(String, Value)>);

impl Fields {
    /// Takes a field out.
    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(at).1)
    }

    /// The text of a field.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).and_then(|(_, value)| value.as_str())
    }

    /// Whether there is such a field.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }

    /// Adds those of `others` that are not there yet.
    pub(super) fn adopt(&mut self, others: &Self) {
        for (name, value) in &others.0 {
            if !self.has(name) {
                self.0.push((name.clone(), value.clone()));
            }
        }
    }

    /// Sets a field; a repeated one keeps its place.
    pub(super) fn set(&mut self, name: &str, value: Value) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    /// What is left, in order.
    pub(super) fn into_rest(self) -> impl Iterator<Item = (String, Value)> {
        self.0.into_iter()
    }

    fn set_text(&mut self, name: &str, text: &str) {
        // The message comes first; another field of that name is an ordinary one.
        let name = if name == "message" && !self.has(MESSAGE) { MESSAGE } else { name };
        match name.strip_prefix("json.") {
            None => self.set(name, Value::from(text)),
            Some("flat") => {
                if let Ok(Value::Object(members)) = serde_json::from_str(text) {
                    members.into_iter().for_each(|(name, value)| self.set(&name, value));
                }
            }
            Some(name) => self.set(name, serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))),
        }
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.set_text(field.name(), &format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.set_text(field.name(), value);
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        self.set_text(field.name(), &chain(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.set(field.name(), Value::from(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.set(field.name(), Value::from(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.set(field.name(), Value::from(value));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.set(field.name(), Value::from(value));
    }
}
