//! The table.

mod content;
mod remotes;
mod secrets;
mod servers;

use serde_json::Value;

use super::canary::{URL_PASSWORD, URL_USER};
use crate::bench::Bench;

pub(super) use servers::Servers;

const CHECKOUT: &str = "failed to checkout and determine revision: ";

/// What the API server says when it refuses.
const API: &str = "an error on the server";

/// A line of the catalogue, met by one object.
pub(super) struct Row {
    /// The line.
    pub(super) contract: &'static str,
    /// The object.
    pub(super) name: String,
    pub(super) spec: Value,
    /// The condition that tells of the failure; none if only events do.
    pub(super) condition: Option<&'static str>,
    pub(super) reason: &'static str,
    pub(super) message: String,
    pub(super) class: Class,
    /// What `Ready` says where no condition tells of the failure.
    pub(super) progress: String,
}

/// What follows from a failure.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// It is tried again after a backoff; an error event each time.
    Retried,
    /// It isn't, until somebody edits the object.
    Stalled,
    /// It is looked at again after a fixed time; events that are only traces.
    Waiting,
}

/// All of it.
pub(super) fn all(bench: &Bench, servers: &Servers) -> Vec<Row> {
    let parts = [
        secrets::settings(bench),
        secrets::proxies(bench),
        secrets::logins(bench, servers),
        remotes::rows(bench, servers),
        content::references(bench),
        content::contents(bench),
        content::includes(bench),
        content::storage(bench, servers),
    ];
    parts.into_iter().flatten().collect()
}

fn retried(contract: &'static str, name: &str, reason: &'static str, spec: Value, message: String) -> Row {
    Row {
        contract,
        name: name.to_owned(),
        spec,
        condition: Some("FetchFailed"),
        reason,
        message,
        class: Class::Retried,
        progress: String::new(),
    }
}

fn named(name: &str, row: Row) -> Row {
    Row { name: name.to_owned(), ..row }
}

fn stalled(contract: &'static str, name: &str, reason: &'static str, spec: Value, message: &str) -> Row {
    Row { class: Class::Stalled, ..retried(contract, name, reason, spec, message.to_owned()) }
}

/// A failed Git operation; the message goes behind what all of them begin with.
fn git(contract: &'static str, name: &str, spec: Value, message: &str) -> Row {
    retried(contract, name, "GitOperationFailed", spec, format!("{CHECKOUT}{message}"))
}

fn with_user(url: &str) -> String {
    url.replace("://", &format!("://{URL_USER}:{URL_PASSWORD}@"))
}

fn hidden(url: &str) -> String {
    url.replace("://", "://***@")
}
