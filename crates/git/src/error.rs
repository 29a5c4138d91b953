//! What can go wrong with a remote.

use std::io;

use millrace_net::{HttpError, RedactedUrl};

use crate::version::ConstraintError;

/// A reference that can't be resolved or fetched. Joined with its sources by `: `, the text is the contract's.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// The URL isn't one, or isn't HTTP.
    #[error("unsupported url '{0}'")]
    InvalidUrl(RedactedUrl),
    /// The client for these options can't be made.
    #[error("failed to create Git client")]
    Client(#[source] HttpError),
    /// There are two ways to authenticate.
    #[error("basic auth and bearer token cannot be set at the same time")]
    AmbiguousAuth,
    /// The remote can't be listed.
    #[error("unable to list remote for '{url}'")]
    List {
        /// The URL.
        url: RedactedUrl,
        /// Why.
        #[source]
        source: TransportError,
    },
    /// The remote can't be listed for, or doesn't hand out, what the reference means.
    #[error("unable to clone '{url}'")]
    Clone {
        /// The URL.
        url: RedactedUrl,
        /// Why.
        #[source]
        source: TransportError,
    },
    /// A branch is wanted of a repository without commits.
    #[error("git repository is empty")]
    Empty,
    /// Something else is wanted of a repository without commits.
    #[error("unable to clone: remote repository is empty: git repository: '{url}'")]
    EmptyClone {
        /// The URL.
        url: RedactedUrl,
    },
    /// The remote has no reference of this name.
    #[error("unable to resolve ref '{0}' to a specific commit")]
    NameNotFound(String),
    /// No reference can have this name.
    #[error("ref {0} is invalid; Git refs cannot begin or end with a slash '/'")]
    InvalidName(String),
    /// The remote has no such commit, or the hash isn't complete.
    #[error("unable to resolve commit object for '{0}': object not found")]
    CommitNotFound(String),
    /// The range of versions doesn't parse.
    #[error("semver parse error")]
    Semver(#[source] ConstraintError),
    /// No tag is in the range.
    #[error("no match found for semver: {0}")]
    NoMatch(String),
    /// The object store can't be used.
    #[error("failed to use Git object cache")]
    Store(#[source] io::Error),
    /// What was fetched can't be read.
    #[error("unable to read commit '{commit}'")]
    Unreadable {
        /// The commit.
        commit: String,
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// What a server said, or that it said nothing. The texts resemble the original's.
#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    /// The server asks for credentials, or for others.
    #[error("authentication required: {0}")]
    AuthenticationRequired(String),
    /// The server knows who we are, and refuses.
    #[error("authorization failed: {0}")]
    AuthorizationFailed(String),
    /// The server knows no such repository.
    #[error("repository not found: {0}")]
    RepositoryNotFound(String),
    /// The repository has no such reference.
    #[error("couldn't find remote ref {0:?}")]
    RefNotFound(String),
    /// The server answers with another status.
    #[error("unexpected client error: unexpected requesting {url:?} status code: {status}{}", separated(.body))]
    Status {
        /// The URL.
        url: String,
        /// The status.
        status: u16,
        /// The start of the body.
        body: String,
    },
    /// The server redirects where we don't follow.
    #[error("http redirect: {0}")]
    Redirect(String),
    /// There was no answer, or not all of it.
    #[error("{method} {url:?}")]
    Http {
        /// `Get` or `Post`.
        method: &'static str,
        /// The URL.
        url: String,
        /// Why.
        #[source]
        source: HttpError,
    },
    /// The time for this operation is over.
    #[error("context deadline exceeded")]
    DeadlineExceeded,
    /// The operation was interrupted.
    #[error("context canceled")]
    Interrupted,
    /// The server sends more than is taken.
    #[error("it sends more than the limit of {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: u64,
    },
    /// The server doesn't speak Git as we understand it.
    #[error("{0}")]
    Protocol(String),
}

fn separated(body: &str) -> String {
    if body.is_empty() { String::new() } else { format!(": {body}") }
}

/// A tree that no folder on disk can be like; comes inside of an [`io::Error`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// An entry would lead out of the tree, or into the repository's own data.
    #[error("invalid path {path:?} in tree")]
    Name {
        /// The entry, as far as its path is known.
        path: String,
    },
    /// Two entries of a folder have the same name.
    #[error("{path:?} is in tree twice")]
    Twice {
        /// The entry, as far as its path is known.
        path: String,
    },
}

impl TreeError {
    /// What is wrong with the tree, if that is what the error is about.
    pub fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }

    /// The same error of a tree that is the content of `folder`; other errors stay as they are.
    pub fn below(error: io::Error, folder: &[u8]) -> io::Error {
        let below = |path: &str| match folder {
            [] => path.to_owned(),
            folder => format!("{}/{path}", String::from_utf8_lossy(folder)),
        };
        match Self::of(&error) {
            Some(Self::Name { path }) => Self::Name { path: below(path) }.into(),
            Some(Self::Twice { path }) => Self::Twice { path: below(path) }.into(),
            None => error,
        }
    }
}

impl From<TreeError> for io::Error {
    fn from(error: TreeError) -> Self {
        Self::new(io::ErrorKind::InvalidData, error)
    }
}
