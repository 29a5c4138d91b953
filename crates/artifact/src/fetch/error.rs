//! Why an artifact can't be had.

use std::io;
use std::sync::Arc;

use http::StatusCode;
use millrace_api::meta::ParseDigestError;
use millrace_net::HttpError;

use crate::archive::ExtractError;

/// An artifact that can't be had. Joined with its sources by `: `, the text is the contract's.
///
/// Addresses are shown without the login in them.
///
/// Everyone who waits for the same download gets the same error, so it can be cloned.
#[derive(Clone, Debug, thiserror::Error)]
pub enum FetchError {
    /// The server has no such file: it was collected, or the server has just started.
    #[error("artifact not found")]
    NotFound,
    /// The artifact's URL isn't one.
    #[error("failed to download archive: invalid URL '{url}'")]
    InvalidUrl {
        /// The text, without a login.
        url: String,
        /// What is wrong with it.
        #[source]
        source: url::ParseError,
    },
    /// The server answered, but with errors to the end.
    #[error("failed to download archive: GET {url} giving up after {attempts} attempt(s)")]
    GaveUp {
        /// The URL.
        url: String,
        /// The number of requests.
        attempts: u32,
    },
    /// The server didn't answer.
    #[error("failed to download archive: GET {url} giving up after {attempts} attempt(s)")]
    Unreachable {
        /// The URL.
        url: String,
        /// The number of requests.
        attempts: u32,
        /// Why.
        #[source]
        source: Arc<HttpError>,
    },
    /// The server answered with a status that no retry can help.
    #[error("failed to download archive from {url} (status: {status})")]
    Status {
        /// The URL.
        url: String,
        /// Code and name.
        status: StatusCode,
    },
    /// The download is longer than allowed.
    #[error("failed to download archive: artifact exceeds {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The source has no digest.
    #[error("failed to verify archive: empty digest")]
    NoDigest,
    /// The source has something else.
    #[error("failed to verify archive: failed to parse digest '{digest}'")]
    InvalidDigest {
        /// What the source has.
        digest: String,
        /// What is wrong with it.
        #[source]
        source: ParseDigestError,
    },
    /// The file isn't what the source promised.
    #[error(
        "failed to verify archive: computed digest doesn't match provided '{0}' (check whether file size exceeds max \
         download size)"
    )]
    Mismatch(String),
    /// The file is no archive, or not a safe one.
    #[error("failed to extract archive (check whether file size exceeds max download size)")]
    Extract(#[source] Arc<ExtractError>),
    /// There is no place for the download.
    #[error("tmp dir error")]
    TempFile(#[source] Arc<io::Error>),
    /// The local disk failed.
    #[error("failed to spool archive")]
    Spool(#[source] Arc<io::Error>),
}

impl FetchError {
    pub(super) fn spool(error: io::Error) -> Self {
        Self::Spool(Arc::new(error))
    }
}
