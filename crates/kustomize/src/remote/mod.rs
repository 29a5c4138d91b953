//! What builds need from other hosts.
//!
//! The engine fetches nothing. A build that comes to an entry it has no content for fails with the [`Need`]; the caller
//! fetches that, puts it among the [`Remotes`] of the options, and builds again.
//!
//! Contract: kustomize-build §1.7.

mod address;
mod observed;
mod period;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub use address::Repository;
pub use observed::ObservedCheckout;
pub(crate) use observed::Recorders;

use crate::fs::FileSystem;

/// What a build cannot go on without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// The file at an address that begins with `http://` or `https://`.
    File(String),
    /// A repository, checked out.
    Repository(Repository),
}

/// What was fetched so far.
#[derive(Clone, Debug, Default)]
pub struct Remotes {
    files: HashMap<String, Result<Arc<[u8]>, FileFailure>>,
    repositories: HashMap<CheckoutKey, Result<Checkout, RepositoryFailure>>,
}

/// Why a file could not be fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileFailure {
    /// The server answered with another status than success.
    Status {
        /// The status.
        code: u16,
        /// What the status is called.
        name: String,
    },
    /// There was no answer; the text says why.
    Unreached(String),
}

/// Why a repository could not be fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RepositoryFailure {
    /// Git failed; the text says how.
    Failed(String),
    /// The repository is not to be had for a reason that a person can do something about.
    Refused {
        /// Why.
        text: String,
        /// What to do.
        advice: String,
    },
    /// Git took too long.
    TimedOut {
        /// How long it was given.
        after: Duration,
        /// The command.
        line: String,
    },
}

/// The files of a repository at one commit.
#[derive(Clone)]
pub struct Checkout {
    /// The absolute path that the top folder has in messages, without a final slash.
    pub folder: String,
    /// The files in it.
    pub files: Arc<dyn FileSystem + Send + Sync>,
}

/// What tells checkouts apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct CheckoutKey {
    url: String,
    reference: Option<String>,
    submodules: bool,
}

impl Remotes {
    /// Adds what fetching the file at an address came to.
    pub fn add_file(&mut self, address: impl Into<String>, outcome: Result<Vec<u8>, FileFailure>) {
        self.files.insert(address.into(), outcome.map(Arc::from));
    }

    /// Adds what fetching a repository came to.
    pub fn add_repository(&mut self, repository: &Repository, outcome: Result<Checkout, RepositoryFailure>) {
        self.repositories.insert(CheckoutKey::of(repository), outcome);
    }

    pub(crate) fn file(&self, address: &str) -> Option<&Result<Arc<[u8]>, FileFailure>> {
        self.files.get(address)
    }
}

impl CheckoutKey {
    fn of(repository: &Repository) -> Self {
        let Repository { url, reference, submodules, .. } = repository.clone();
        Self { url, reference, submodules }
    }
}

impl fmt::Debug for Checkout {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Checkout").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// Whether an entry is the address of a file on a web server.
pub(crate) fn is_file_address(entry: &str) -> bool {
    entry.split_once("://").is_some_and(|(scheme, _)| {
        scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
    })
}
