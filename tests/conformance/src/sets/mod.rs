//! The sets of recorded cases, and what one case of each proves.

mod envsubst;
mod go_duration;
mod kstatus;
mod provider_requests;
mod receivers;
mod revision;
mod sourceignore;
mod ssa_apply;
mod ssa_diff;
mod values;

use crate::cases::{Case, File};

/// A set of recorded cases.
pub(crate) struct Set {
    /// Its folder under `shared/conformance`.
    pub(crate) name: &'static str,
    promise: Promise,
    /// Cases of promised areas that wait for a feature.
    waiting: &'static [&'static str],
    /// Runs a case; the error says what differs.
    pub(crate) check: fn(&File, &Case) -> Result<(), String>,
}

/// Which areas must have no failure.
enum Promise {
    All,
    Only(&'static [&'static str]),
    AllBut(&'static [&'static str]),
}

impl Set {
    /// Whether a case must pass.
    pub(crate) fn promises(&self, case: &Case) -> bool {
        let area = match self.promise {
            Promise::All => true,
            Promise::Only(areas) => areas.contains(&case.area()),
            Promise::AllBut(areas) => !areas.contains(&case.area()),
        };
        area && !self.waiting.contains(&case.id())
    }
}

pub(crate) const SETS: &[Set] = &[
    Set { name: "envsubst", promise: Promise::All, waiting: &[], check: envsubst::check },
    Set { name: "go-duration", promise: Promise::All, waiting: &[], check: go_duration::check },
    Set { name: "kstatus", promise: Promise::All, waiting: &[], check: kstatus::check },
    Set {
        name: "provider-requests",
        promise: Promise::Only(&["generic", "generic-hmac", "msteams", "slack"]),
        waiting: &[],
        check: provider_requests::check,
    },
    Set {
        name: "receivers",
        promise: Promise::Only(&["generic", "generic-hmac", "github", "limits", "resources"]),
        // Its filter is a CEL expression.
        waiting: &["github-form-filter"],
        check: receivers::check,
    },
    Set { name: "revision", promise: Promise::All, waiting: &[], check: revision::check },
    Set {
        name: "sourceignore",
        promise: Promise::AllBut(&["bucket", "sparse"]),
        waiting: &[],
        check: sourceignore::check,
    },
    Set {
        name: "ssa-diff",
        promise: Promise::Only(&[
            "drift",
            "skip",
            "force",
            "ignore",
            "order",
            "changeset",
            "normalize",
            "normalize-dry-run",
            "read",
            "stage-predicates",
            "upstream-files",
            "metadata-match",
            "dry-run-error",
            "immutable",
            "field-managers",
            "migrate-version",
            "mask",
        ]),
        waiting: &[],
        check: ssa_diff::check,
    },
];
