//! What a build looked at in checkouts.

use std::collections::HashMap;

use super::{CheckoutKey, Remotes, Repository, RepositoryFailure};
use crate::fs::{Observed, Recorder};

/// What a build looked at in one checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedCheckout {
    /// What it was fetched from.
    pub url: String,
    /// The branch, tag or commit; the remote's own choice otherwise.
    pub reference: Option<String>,
    /// Whether the submodules belong to it.
    pub submodules: bool,
    /// What the build looked at.
    pub observed: Observed,
}

/// The checkouts of one build, with notes of what it asks them.
pub(crate) struct Recorders<'r> {
    remotes: &'r Remotes,
    checkouts: HashMap<&'r CheckoutKey, Recorder<'r>>,
}

/// The path of a checkout in messages, and its files.
pub(crate) type Recorded<'l> = (&'l str, &'l Recorder<'l>);

impl<'r> Recorders<'r> {
    pub(crate) fn of(remotes: &'r Remotes) -> Self {
        let fetched = remotes.repositories.iter();
        let checkouts = fetched.filter_map(|(key, outcome)| {
            let checkout = outcome.as_ref().ok()?;
            Some((key, Recorder::new(&*checkout.files)))
        });
        Self { remotes, checkouts: checkouts.collect() }
    }

    /// What fetching a repository came to, if that was tried.
    pub(crate) fn repository(
        &self,
        repository: &Repository,
    ) -> Option<Result<Recorded<'_>, &RepositoryFailure>> {
        let key = CheckoutKey::of(repository);
        Some(match self.remotes.repositories.get(&key)? {
            Ok(checkout) => Ok((checkout.folder.as_str(), self.checkouts.get(&key)?)),
            Err(failure) => Err(failure),
        })
    }

    /// What was asked so far, by address.
    pub(crate) fn observed(&self) -> Vec<ObservedCheckout> {
        let all = self.checkouts.iter().map(|(key, recorder)| {
            let CheckoutKey { url, reference, submodules } = (*key).clone();
            ObservedCheckout { url, reference, submodules, observed: recorder.observed() }
        });
        let mut used: Vec<_> = all.filter(|checkout| checkout.observed != Observed::default()).collect();
        used.sort_unstable_by(|left, right| {
            (&left.url, &left.reference, left.submodules).cmp(&(
                &right.url,
                &right.reference,
                right.submodules,
            ))
        });
        used
    }
}
