//! The last outcomes of a reconciliation, newest first.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{GoDuration, Time};
use crate::schema;

/// How many snapshots a status keeps.
pub const HISTORY_LIMIT: usize = 5;

/// What came of reconciling one set of objects, as often as that happened in a row or again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// Checksum of the objects, as `<algorithm>:<hex>`.
    pub digest: String,
    /// When these objects first had this outcome.
    #[schemars(with = "schema::DateTime")]
    pub first_reconciled: Time,
    /// When these objects last had this outcome.
    #[schemars(with = "schema::DateTime")]
    pub last_reconciled: Time,
    /// How long the last run took.
    pub last_reconciled_duration: GoDuration,
    /// The outcome: the reason of the `Ready` condition.
    pub last_reconciled_status: String,
    /// More about the run, such as the revision.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
    /// How many runs had this outcome with these objects.
    pub total_reconciliations: i64,
}

/// Puts the outcome of a run in front of a history.
///
/// A snapshot with the same digest and status is continued: it moves to the front, keeps `first_reconciled` and counts
/// one more. The rest keeps its order, and only [`HISTORY_LIMIT`] snapshots stay. `first_reconciled` and
/// `total_reconciliations` of `latest` count only when it is the first of its kind.
///
/// Contract: kustomize-controller §1.5.
pub fn record_snapshot(history: &mut Vec<Snapshot>, latest: Snapshot) {
    let same = |old: &Snapshot| {
        old.digest == latest.digest && old.last_reconciled_status == latest.last_reconciled_status
    };
    let front = match history.iter().position(same) {
        Some(at) => {
            let old = history.remove(at);
            Snapshot {
                first_reconciled: old.first_reconciled,
                total_reconciliations: old.total_reconciliations + 1,
                ..latest
            }
        }
        None => latest,
    };
    history.insert(0, front);
    history.truncate(HISTORY_LIMIT);
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn snapshot(digest: &str, status: &str, second: i64) -> Snapshot {
        let time = Time(Timestamp::from_second(second).unwrap());
        Snapshot {
            digest: digest.to_owned(),
            first_reconciled: time.clone(),
            last_reconciled: time,
            last_reconciled_duration: GoDuration::from_secs(1),
            last_reconciled_status: status.to_owned(),
            metadata: BTreeMap::new(),
            total_reconciliations: 1,
        }
    }

    #[test]
    fn a_repeated_outcome_continues_its_snapshot_at_the_front() {
        let mut history = vec![];
        for (digest, status, second) in [("a", "Ok", 1), ("b", "Ok", 2), ("a", "Failed", 3), ("a", "Ok", 4)] {
            record_snapshot(&mut history, snapshot(digest, status, second));
        }
        let seen: Vec<_> = history
            .iter()
            .map(|s| (s.digest.as_str(), s.last_reconciled_status.as_str(), s.total_reconciliations))
            .collect();
        assert_eq!(seen, [("a", "Ok", 2), ("a", "Failed", 1), ("b", "Ok", 1)]);
        assert_eq!(history[0].first_reconciled.0.as_second(), 1);
        assert_eq!(history[0].last_reconciled.0.as_second(), 4);
    }

    #[test]
    fn only_the_newest_snapshots_stay() {
        let mut history = vec![];
        for second in 0..9 {
            record_snapshot(&mut history, snapshot(&second.to_string(), "Ok", second));
        }
        let digests: Vec<_> = history.iter().map(|s| s.digest.as_str()).collect();
        assert_eq!(digests, ["8", "7", "6", "5", "4"]);
    }
}
