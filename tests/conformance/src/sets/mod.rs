//! The sets of recorded cases, and what one case of each proves.

mod go_duration;
mod kstatus;
mod revision;
mod sourceignore;
mod ssa_diff;

use crate::cases::{Case, File};

/// A set of recorded cases.
pub(crate) struct Set {
    /// Its folder under `shared/conformance`.
    pub(crate) name: &'static str,
    promise: Promise,
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
    /// Whether every case of the area must pass.
    pub(crate) fn promises(&self, area: &str) -> bool {
        match self.promise {
            Promise::All => true,
            Promise::Only(areas) => areas.contains(&area),
            Promise::AllBut(areas) => !areas.contains(&area),
        }
    }
}

pub(crate) const SETS: &[Set] = &[
    Set { name: "go-duration", promise: Promise::All, check: go_duration::check },
    Set { name: "kstatus", promise: Promise::All, check: kstatus::check },
    Set { name: "revision", promise: Promise::All, check: revision::check },
    Set { name: "sourceignore", promise: Promise::AllBut(&["bucket", "sparse"]), check: sourceignore::check },
    Set {
        name: "ssa-diff",
        promise: Promise::Only(&[
            "order",
            "changeset",
            "normalize",
            "normalize-dry-run",
            "read",
            "stage-predicates",
        ]),
        check: ssa_diff::check,
    },
];
