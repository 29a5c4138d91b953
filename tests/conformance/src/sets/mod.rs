//! The sets of recorded cases, and what one case of each proves.

mod envsubst;
mod go_duration;
mod kstatus;
mod kustomize;
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
    /// Its other files, under `shared`.
    pub(crate) beside: &'static [&'static str],
    promise: Promise,
    /// Cases of promised areas that wait for a feature.
    waiting: &'static [&'static str],
    /// How many runs pass at least where the recorded data is there: fewer mean that cases were not read.
    pub(crate) least: usize,
    check: Check,
}

/// How a case is run.
#[derive(Clone, Copy)]
enum Check {
    /// Once; the error says what differs.
    Once(fn(&File, &Case) -> Result<(), String>),
    /// Once for each way in which it was recorded.
    Each(fn(&File, &Case) -> Vec<Verdict>),
}

/// How a run of a case went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// As recorded.
    Passed,
    /// Other than recorded on purpose, and as the list of such cases says; the text is the reason.
    Deviating(String),
    /// Other than recorded; the text says how.
    Failed(String),
}

/// Which areas must have no failure.
enum Promise {
    All,
    Only(&'static [&'static str]),
    AllBut(&'static [&'static str]),
}

impl Set {
    /// Runs a case.
    pub(crate) fn run(&self, file: &File, case: &Case) -> Vec<Verdict> {
        match self.check {
            Check::Once(check) => {
                vec![check(file, case).map_or_else(Verdict::Failed, |()| Verdict::Passed)]
            }
            Check::Each(check) => check(file, case),
        }
    }

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
    Set {
        name: "envsubst",
        beside: &[],
        promise: Promise::All,
        waiting: &[],
        least: 375,
        check: Check::Once(envsubst::check),
    },
    Set {
        name: "go-duration",
        beside: &[],
        promise: Promise::All,
        waiting: &[],
        least: 23,
        check: Check::Once(go_duration::check),
    },
    Set {
        name: "kstatus",
        beside: &[],
        promise: Promise::All,
        waiting: &[],
        least: 117,
        check: Check::Once(kstatus::check),
    },
    Set {
        name: "kustomize",
        beside: &["kustomize/checks.yaml"],
        promise: Promise::All,
        waiting: &[],
        least: 742,
        check: Check::Each(kustomize::check),
    },
    Set {
        name: "provider-requests",
        beside: &[],
        promise: Promise::Only(&["generic", "generic-hmac", "msteams", "slack"]),
        waiting: &[],
        least: 46,
        check: Check::Once(provider_requests::check),
    },
    Set {
        name: "receivers",
        beside: &[],
        promise: Promise::Only(&["generic", "generic-hmac", "github", "limits", "resources"]),
        // Its filter is a CEL expression.
        waiting: &["github-form-filter"],
        least: 46,
        check: Check::Once(receivers::check),
    },
    Set {
        name: "revision",
        beside: &[],
        promise: Promise::All,
        waiting: &[],
        least: 18,
        check: Check::Once(revision::check),
    },
    Set {
        name: "sourceignore",
        beside: &[],
        promise: Promise::AllBut(&["bucket", "sparse"]),
        waiting: &[],
        least: 79,
        check: Check::Once(sourceignore::check),
    },
    Set {
        name: "ssa-diff",
        beside: &[],
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
        least: 132,
        check: Check::Once(ssa_diff::check),
    },
];
