//! Decides what a run has to do, without I/O.
//!
//! Contract: source-controller §2.5.

use millrace_api::meta::{Artifact, Revision};
use millrace_api::source::v1::{GitRepositorySpec, GitRepositoryStatus};

/// What the decision rests on.
#[derive(Clone, Debug)]
pub(crate) struct Observed<'a> {
    /// The revision that the remote has.
    pub(crate) revision: &'a str,
    /// Whether upstream would know it from a listing alone.
    pub(crate) listed: bool,
    /// The artifact in the store.
    pub(crate) artifact: Option<&'a Artifact>,
    /// Whether the object says that its artifact is in the store.
    pub(crate) in_storage: bool,
    /// Whether something else than the revision decides for other content, see [`content_changed`].
    pub(crate) content_changed: bool,
}

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    /// Nothing: the remote still points at the stored revision.
    Keep,
    /// Nothing either; upstream finds that out after a full checkout, and tells so in other words.
    UpToDate,
    /// Fetch the commit and publish it.
    Publish {
        /// What the artifact is to the revision.
        because: Because,
    },
}

/// Why a new artifact is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Because {
    /// There is none.
    Missing,
    /// Its revision isn't the remote's.
    Outdated,
    /// Its revision is, but its content was made under other settings.
    Changed,
}

/// Equal observations give equal plans.
pub(crate) fn plan(observed: &Observed<'_>) -> Plan {
    let Observed { revision, listed, artifact, in_storage, content_changed } = *observed;
    let Some(artifact) = artifact else { return Plan::Publish { because: Because::Missing } };
    // Only here does a revision in the form of old releases count as today's; elsewhere plain text decides.
    let unmoved = Revision::normalize(&artifact.revision).as_str() == revision;
    if listed && in_storage && unmoved && !content_changed {
        return Plan::Keep;
    }
    match (artifact.has_revision(revision), content_changed) {
        (true, false) => Plan::UpToDate,
        (true, true) => Plan::Publish { because: Because::Changed },
        (false, _) => Plan::Publish { because: Because::Outdated },
    }
}

/// Whether the settings and includes that shape the content differ from those with which the artifact was made.
///
/// An absent `ignore` isn't an empty one. `included` are the artifacts that the includes have now.
pub(crate) fn content_changed(
    spec: &GitRepositorySpec,
    status: &GitRepositoryStatus,
    included: &[&Artifact],
) -> bool {
    let same =
        |now: &Artifact, then: &Artifact| now.has_revision(&then.revision) && now.has_digest(&then.digest);
    spec.ignore != status.observed_ignore
        || spec.recurse_submodules != status.observed_recurse_submodules
        || spec.include != status.observed_include
        || included.len() != status.included_artifacts.len()
        || included.iter().zip(&status.included_artifacts).any(|(now, then)| !same(now, then))
        || spec.sparse_checkout != status.observed_sparse_checkout
}

/// Whether includes have come, gone or moved to other revisions. The order doesn't count, and neither do digests.
pub(crate) fn includes_moved(now: &[&Artifact], then: &[Artifact]) -> bool {
    now.len() != then.len() || now.iter().any(|now| !then.iter().any(|then| then.has_revision(&now.revision)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use jiff::Timestamp;
    use millrace_api::meta::{LocalObjectReference, Time};
    use millrace_api::source::v1::GitRepositoryInclude;

    use super::*;

    const C1: &str = "main@sha1:5394cb7f48332b2de7c17dd8b8384bbc84b7e738";
    const C1_LEGACY: &str = "main/5394cb7f48332b2de7c17dd8b8384bbc84b7e738";
    const C2: &str = "main@sha1:731f7eaddfb6af01cb2173e18f0f75b0ba780ef1";

    fn artifact(revision: &str) -> Artifact {
        Artifact {
            digest: String::new(),
            last_update_time: Time(Timestamp::UNIX_EPOCH),
            metadata: BTreeMap::new(),
            path: String::new(),
            revision: revision.to_owned(),
            size: None,
            url: String::new(),
        }
    }

    #[test]
    fn the_plan_follows_from_revision_settings_and_what_is_stored() {
        let stored = artifact(C1);
        let legacy = artifact(C1_LEGACY);
        let same = Observed {
            revision: C1,
            listed: true,
            artifact: Some(&stored),
            in_storage: true,
            content_changed: false,
        };
        let publish = |because| Plan::Publish { because };
        let cases = [
            ("nothing new", same.clone(), Plan::Keep),
            ("nothing stored", Observed { artifact: None, ..same.clone() }, publish(Because::Missing)),
            ("new commit", Observed { revision: C2, ..same.clone() }, publish(Because::Outdated)),
            ("new settings", Observed { content_changed: true, ..same.clone() }, publish(Because::Changed)),
            ("a range or commit", Observed { listed: false, ..same.clone() }, Plan::UpToDate),
            ("condition lost", Observed { in_storage: false, ..same.clone() }, Plan::UpToDate),
            ("old form", Observed { artifact: Some(&legacy), ..same.clone() }, Plan::Keep),
            (
                "old form, new settings",
                Observed { artifact: Some(&legacy), content_changed: true, ..same.clone() },
                publish(Because::Outdated),
            ),
        ];
        for (what, observed, expected) in cases {
            assert_eq!(plan(&observed), expected, "{what}");
        }
    }

    // Part of SC-047: an empty value isn't an absent one.
    #[test]
    fn settings_that_shape_the_content_are_compared_with_those_of_the_artifact() {
        let spec =
            |ignore: Option<&str>| GitRepositorySpec { ignore: ignore.map(Into::into), ..Default::default() };
        let status = |ignore: Option<&str>| GitRepositoryStatus {
            observed_ignore: ignore.map(Into::into),
            ..Default::default()
        };
        assert!(!content_changed(&spec(None), &status(None), &[]));
        assert!(!content_changed(&spec(Some("a")), &status(Some("a")), &[]));
        assert!(content_changed(&spec(Some("")), &status(None), &[]));
        assert!(content_changed(&spec(None), &status(Some("")), &[]));
        let sparse =
            GitRepositoryStatus { observed_sparse_checkout: vec!["a".to_owned()], ..Default::default() };
        assert!(content_changed(&spec(None), &sparse, &[]));
    }

    #[test]
    fn an_include_counts_with_its_place_its_revision_and_its_digest() {
        let include = |to: &str| GitRepositoryInclude {
            repository: LocalObjectReference { name: "lib".to_owned() },
            to_path: Some(to.to_owned()),
            ..Default::default()
        };
        let spec = |to: &str| GitRepositorySpec { include: vec![include(to)], ..Default::default() };
        let stored = artifact(C1);
        let status = GitRepositoryStatus {
            observed_include: vec![include("a")],
            included_artifacts: vec![stored.clone()],
            ..Default::default()
        };
        let rebuilt = Artifact { digest: "sha256:1".to_owned(), ..stored.clone() };
        let moved = artifact(C2);
        assert!(!content_changed(&spec("a"), &status, &[&stored]));
        assert!(content_changed(&spec("b"), &status, &[&stored]));
        assert!(content_changed(&spec("a"), &status, &[&rebuilt]));
        assert!(content_changed(&spec("a"), &status, &[&moved]));
        assert!(content_changed(&GitRepositorySpec::default(), &status, &[]));
    }

    #[test]
    fn includes_move_as_a_set_of_revisions() {
        let (one, two) = (artifact(C1), artifact(C2));
        let rebuilt = Artifact { digest: "sha256:1".to_owned(), ..one.clone() };
        let rows: [(&[&Artifact], &[&Artifact], bool); 6] = [
            (&[], &[], false),
            (&[&one], &[], true),
            (&[], &[&one], true),
            (&[&one, &two], &[&two, &one], false),
            (&[&rebuilt], &[&one], false),
            (&[&two], &[&one], true),
        ];
        for (now, then, moved) in rows {
            let then: Vec<_> = then.iter().map(|artifact| (*artifact).clone()).collect();
            assert_eq!(includes_moved(now, &then), moved, "{now:?} {then:?}");
        }
    }
}
