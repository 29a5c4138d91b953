//! Is a stored file still what it was?

use std::{fs::File, io};

use millrace_api::meta::{Digest, ParseDigestError};

use super::{ArtifactPath, Storage};
use crate::digest;

/// A file that isn't what its status says. The texts are the contract's.
#[derive(Debug, thiserror::Error)]
pub enum IntegrityError {
    /// The status has no digest.
    #[error("artifact has no digest")]
    NoDigest,
    /// The status has something else.
    #[error("failed to parse artifact digest '{digest}'")]
    Unparsable {
        /// What the status has.
        digest: String,
        /// What is wrong with it.
        #[source]
        source: ParseDigestError,
    },
    /// The file can't be read.
    #[error("failed to read artifact")]
    Read(#[source] io::Error),
    /// The file has other content.
    #[error("computed digest doesn't match '{0}'")]
    Mismatch(Digest),
}

impl Storage {
    /// Checks a stored file against the digest that a status holds.
    ///
    /// # Errors
    /// [`IntegrityError`].
    pub fn verify(&self, path: &ArtifactPath, expected: &str) -> Result<(), IntegrityError> {
        if expected.is_empty() {
            return Err(IntegrityError::NoDigest);
        }
        let unparsable = |source| IntegrityError::Unparsable { digest: expected.to_owned(), source };
        let expected: Digest = expected.parse().map_err(unparsable)?;
        let file = File::open(self.file(path)).map_err(IntegrityError::Read)?;
        let computed = digest::of_reader(expected.algorithm(), file).map_err(IntegrityError::Read)?;
        if computed == expected { Ok(()) } else { Err(IntegrityError::Mismatch(expected)) }
    }
}
