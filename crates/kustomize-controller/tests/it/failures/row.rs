//! What a row says, and what most rows have in common.

use super::classes::Next;
use super::{Offer, Tells};
use crate::bench::CONFIG_MAP;

/// One row.
pub(super) struct Row {
    /// The catalogue's first column.
    pub(super) input: &'static str,
    pub(super) next: Next,
    pub(super) offer: Offer,
    pub(super) files: &'static [(&'static str, &'static str)],
    /// Merged over the usual spec, as JSON; `{ns}` is the namespace, here and below.
    pub(super) spec: &'static str,
    /// What is there before; a namespace `{ns}-ending` is deleted at once.
    pub(super) before: &'static str,
    /// The revision that the dependency `dep` has applied.
    pub(super) dependency: &'static str,
    /// The object that the Kustomization owns already.
    pub(super) inventory: &'static str,
    pub(super) reason: &'static str,
    /// The whole message; `…` stands for anything.
    pub(super) message: &'static str,
    pub(super) tells: Tells,
    /// Whether a run takes longer than half a minute.
    pub(super) is_slow: bool,
    /// An object that is there before, and that a policy keeps together with all others of the namespace.
    pub(super) kept: &'static str,
}

const APP: &[(&str, &str)] = &[("app.yaml", CONFIG_MAP)];

/// A run that fails for the sake of what is in the artifact, or of the spec.
pub(super) const BASE: Row = Row {
    input: "",
    next: Next::Retry,
    offer: Offer::Files,
    files: APP,
    spec: "{}",
    before: "",
    dependency: "",
    inventory: "",
    reason: "BuildFailed",
    message: "",
    tells: Tells::Same,
    is_slow: false,
    kept: "",
};
pub(super) const FETCH: Row = Row { reason: "ArtifactFailed", ..BASE };
pub(super) const DENIED: Row = Row { next: Next::Edit, reason: "AccessDenied", ..BASE };
pub(super) const APPLY: Row = Row { reason: "ReconciliationFailed", ..BASE };
pub(super) const WAITS: Row = Row {
    next: Next::Dependency,
    reason: "DependencyNotReady",
    spec: r#"{"dependsOn": [{"name": "dep"}]}"#,
    tells: Tells::Note("Dependencies do not meet ready condition, retrying in 2s"),
    ..BASE
};
