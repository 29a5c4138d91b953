//! One visit at the remote: what does it have, is that news, and if so, the commit.
//!
//! The three steps share a thread, a connection and a deadline, so that nobody holds a place at the remote while waiting
//! for something else. Contract: source-controller §2.5 (source 7–11), §3.3.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use millrace_api::meta::{Artifact, Revision};
use millrace_git::{Checkout, GitError, Remote, TransportError};
use millrace_net::{Clients, EgressPolicy, HttpError, Proxy, RedactedUrl};
use millrace_reconcile::Failure;
use millrace_reconcile::failure::chain;
use tokio::runtime::Handle;

use super::MAX_CACHE_BYTES;
use super::credentials::Access;
use super::input::Input;
use super::plan::{self, Because, Observed, Plan};
use super::tree::Selection;
use super::work::{Stop, Work};
use crate::trouble::Trouble;
use crate::vocabulary::{EMPTY_GIT_REPOSITORY, FETCH_FAILED, GIT_OPERATION_FAILED, URL_INVALID};

/// How to get there.
pub(crate) struct Way {
    pub(crate) input: Input,
    pub(crate) access: Access,
    pub(crate) proxy: Proxy,
    pub(crate) clients: Arc<Clients>,
    pub(crate) egress: Arc<EgressPolicy>,
}

/// What is known before, and what is wanted.
pub(crate) struct Wanted {
    /// The artifact in the store.
    pub(crate) artifact: Option<Artifact>,
    /// Whether the object says that its artifact is in the store.
    pub(crate) in_storage: bool,
    /// Whether something else than the revision asks for new content.
    pub(crate) content_changed: bool,
    /// `spec.sparseCheckout`.
    pub(crate) sparse: Vec<String>,
    /// Where the original would check the commit out, which its messages tell.
    pub(crate) folder: PathBuf,
}

/// What came of it.
pub(crate) struct Visited {
    /// The revision that the remote has.
    pub(crate) revision: String,
    pub(crate) news: News,
}

/// Whether there is something to publish.
pub(crate) enum News {
    /// A listing told that there is nothing.
    Kept,
    /// There is nothing, which upstream finds out after a full checkout.
    UpToDate,
    /// There is, and it has been fetched.
    Fetched { because: Because, checkout: Box<Checkout> },
}

/// Visits the remote. Only what is new is transferred; the cache stays usable whatever happens.
pub(crate) async fn visit(work: &Work<'_>, way: Way, wanted: Wanted) -> Result<Visited, Stop> {
    let visit = Visit {
        way,
        wanted,
        cache: work.cache.clone(),
        runtime: Handle::current(),
        interrupt: work.interrupt(),
    };
    let host = visit.host();
    Ok(work.remote(&host, move || visit.make()).await??)
}

struct Visit {
    way: Way,
    wanted: Wanted,
    cache: PathBuf,
    runtime: Handle,
    interrupt: Arc<AtomicBool>,
}

impl Visit {
    /// Who may stall: one server, whatever the repository.
    fn host(&self) -> String {
        let url = &self.way.input.url;
        format!("{}:{}", url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or_default())
    }

    fn make(self) -> Result<Visited, Trouble> {
        let Self { way, wanted, cache, runtime, interrupt } = self;
        let reference = way.input.reference.clone();
        let mut remote = connect(way, runtime, interrupt).map_err(classify)?;
        let stored = wanted.artifact.as_ref().filter(|_| wanted.in_storage);
        let stored = stored.map(|artifact| Revision::normalize(&artifact.revision));
        let resolved = remote.resolve(&reference, stored.as_ref(), &cache).map_err(classify)?;
        let revision = resolved.revision.to_string();
        let plan = plan::plan(&Observed {
            revision: &revision,
            listed: reference.is_listed(),
            artifact: wanted.artifact.as_ref(),
            in_storage: wanted.in_storage,
            content_changed: wanted.content_changed,
        });
        tracing::debug!(?plan, %revision, "resolved the reference");
        let news = match plan {
            Plan::Keep => News::Kept,
            Plan::UpToDate => News::UpToDate,
            Plan::Publish { because } => {
                let checkout = remote.fetch(&resolved, &cache).map_err(classify)?;
                Selection::check(&checkout, &wanted.sparse, &wanted.folder).map_err(|error| {
                    // The blank before the colon is the original's (trap T39).
                    let message = format!("failed to sparse checkout directories : {}", chain(&error));
                    Trouble::retry(FETCH_FAILED, GIT_OPERATION_FAILED, message)
                })?;
                News::Fetched { because, checkout: Box::new(checkout) }
            }
        };
        Ok(Visited { revision, news })
    }
}

fn connect(way: Way, runtime: Handle, interrupt: Arc<AtomicBool>) -> Result<Remote, GitError> {
    let Way { input, access, proxy, clients, egress } = way;
    let options =
        millrace_net::Options { tls: access.tls, proxy, egress, ..millrace_net::Options::default() };
    let options = millrace_git::Options {
        client: clients.get(&options).map_err(|error| no_client(&input.address, error))?,
        runtime,
        auth: access.auth,
        timeout: input.timeout,
        interrupt,
        max_cache_bytes: MAX_CACHE_BYTES,
    };
    Remote::new(&input.address, options)
}

/// A client certificate that can't be used is found out by the clone in the original, so that is what fails.
fn no_client(address: &str, error: HttpError) -> GitError {
    match error {
        HttpError::Tls(_) => GitError::Clone {
            url: RedactedUrl::new(address),
            source: TransportError::Protocol(chain(&error)),
        },
        HttpError::Proxy(_)
        | HttpError::Build(_)
        | HttpError::Request(_)
        | HttpError::Transport(_)
        | HttpError::TooManyRedirects(_)
        | HttpError::BodyTooLarge { .. } => GitError::Client(error),
    }
}

/// What a failed Git operation means for the object. Contract: source-controller §3.3, §7.2, §7.8.
pub(crate) fn classify(error: GitError) -> Trouble {
    match &error {
        GitError::InvalidUrl(_) => Trouble::at(FETCH_FAILED, Failure::stalled(URL_INVALID, error)),
        GitError::Empty => Trouble::at(FETCH_FAILED, Failure::transient(EMPTY_GIT_REPOSITORY, error)),
        GitError::Client(_) => Trouble::at(FETCH_FAILED, Failure::transient(GIT_OPERATION_FAILED, error)),
        GitError::AmbiguousAuth
        | GitError::List { .. }
        | GitError::Clone { .. }
        | GitError::EmptyClone { .. }
        | GitError::NameNotFound(_)
        | GitError::InvalidName(_)
        | GitError::CommitNotFound(_)
        | GitError::Semver(_)
        | GitError::NoMatch(_)
        | GitError::Store(_)
        | GitError::Unreadable { .. } => {
            let message = format!("failed to checkout and determine revision: {}", chain(&error));
            Trouble::retry(FETCH_FAILED, GIT_OPERATION_FAILED, message)
        }
    }
}

#[cfg(test)]
mod tests {
    use millrace_reconcile::failure::Remedy;

    use super::*;

    // SC-018, SC-038, SC-039 and the bearer case of SC-041: reason and text of each.
    #[test]
    fn every_git_failure_has_its_class_and_its_words() {
        let url = RedactedUrl::new("https://me:pw@h/r");
        let prefix = "failed to checkout and determine revision: ";
        let retry = Remedy::Retry;
        let missing = TransportError::RefNotFound("refs/heads/nope".to_owned());
        let denied = TransportError::AuthenticationRequired("no entry".to_owned());
        let rows = [
            (
                GitError::Clone { url: url.clone(), source: missing },
                GIT_OPERATION_FAILED,
                retry,
                format!(
                    "{prefix}unable to clone 'https://***@h/r': couldn't find remote ref \"refs/heads/nope\""
                ),
            ),
            (
                GitError::List { url: url.clone(), source: denied },
                GIT_OPERATION_FAILED,
                retry,
                format!(
                    "{prefix}unable to list remote for 'https://***@h/r': authentication required: no entry"
                ),
            ),
            (
                GitError::EmptyClone { url: url.clone() },
                GIT_OPERATION_FAILED,
                retry,
                format!(
                    "{prefix}unable to clone: remote repository is empty: git repository: 'https://***@h/r'"
                ),
            ),
            (GitError::Empty, EMPTY_GIT_REPOSITORY, retry, "git repository is empty".to_owned()),
            (
                GitError::AmbiguousAuth,
                GIT_OPERATION_FAILED,
                retry,
                format!("{prefix}basic auth and bearer token cannot be set at the same time"),
            ),
            (
                GitError::NoMatch(">=99.0.0".to_owned()),
                GIT_OPERATION_FAILED,
                retry,
                format!("{prefix}no match found for semver: >=99.0.0"),
            ),
            (
                GitError::CommitNotFound("5394cb7f48".to_owned()),
                GIT_OPERATION_FAILED,
                retry,
                format!("{prefix}unable to resolve commit object for '5394cb7f48': object not found"),
            ),
            (
                GitError::InvalidName("refs/heads/x/".to_owned()),
                GIT_OPERATION_FAILED,
                retry,
                format!(
                    "{prefix}ref refs/heads/x/ is invalid; Git refs cannot begin or end with a slash '/'"
                ),
            ),
        ];
        for (error, reason, remedy, message) in rows {
            let Trouble { condition, failure } = classify(error);
            assert_eq!(failure.message(), message);
            assert_eq!((condition, failure.reason(), failure.remedy()), (Some(FETCH_FAILED), reason, remedy));
        }
    }
}
