//! Why objects could not be applied.

use std::fmt;

use crate::changes::ChangeSet;
use crate::client::ApiError;
use crate::drift::ignore::IgnoreError;
use crate::failure::DryRunError;
use crate::wait::WaitError;

/// The run could not record what it is about to own.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct LedgerError(pub Box<dyn std::error::Error + Send + Sync>);

/// Why a stage was not applied.
#[derive(Debug, thiserror::Error)]
pub enum StageError {
    /// Objects did not pass validation; nothing of the stage was written.
    #[error("{}", Lines(.0))]
    Rejected(Vec<Rejection>),
    /// The ledger could not be extended; nothing of the stage was written.
    #[error("failed to record the inventory")]
    Ledger(#[from] LedgerError),
    /// Metadata of a live object could not be cleaned up.
    #[error("{subject} metadata.managedFields cleanup failed: {source}")]
    Cleanup {
        /// The object.
        subject: String,
        /// The API's error.
        source: ApiError,
    },
    /// An object that has to be recreated could not be deleted.
    #[error("{subject} immutable field detected, failed to delete object: {source}")]
    Delete {
        /// The object.
        subject: String,
        /// The API's error.
        source: ApiError,
    },
    /// An object that has to be recreated did not go.
    #[error("{subject} immutable field detected, failed to wait for object to be deleted: {message}")]
    Deletion {
        /// The object.
        subject: String,
        /// What was seen last.
        message: String,
    },
    /// A deleted object can't be created anew.
    #[error("{0}")]
    Recreate(DryRunError),
    /// An object was refused although its dry run had passed.
    #[error("{subject} apply failed: {source}")]
    Apply {
        /// The object.
        subject: String,
        /// The API's error.
        source: ApiError,
    },
    /// The stage was applied but did not become healthy.
    #[error(transparent)]
    Wait(#[from] WaitError),
}

/// Why one object did not pass validation.
#[derive(Debug, thiserror::Error)]
pub enum Rejection {
    /// Its dry run failed.
    #[error("{0}")]
    DryRun(#[from] DryRunError),
    /// The rules of ignored fields don't fit it.
    #[error("{0}")]
    Ignore(#[from] IgnoreError),
    /// Its managed fields could not be moved to the manifest's API version.
    #[error(
        "{subject} failed to migrate API version: failed to migrate managed fields API version to {api_version}: {source}"
    )]
    Migrate {
        /// The object.
        subject: String,
        /// The manifest's API version.
        api_version: String,
        /// The API's error.
        source: ApiError,
    },
}

/// How many rejected objects an error names; it has to fit into a condition.
const NAMED: usize = 20;

/// The first as the reference tells it, the others each on a line of its own behind it.
struct Lines<'a>(&'a [Rejection]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, rejection) in self.0.iter().take(NAMED).enumerate() {
            if index > 0 {
                out.write_str("\n")?;
            }
            write!(out, "{rejection}")?;
        }
        match self.0.len().checked_sub(NAMED) {
            Some(more @ 1..) => write!(out, "\nand {more} more"),
            Some(0) | None => Ok(()),
        }
    }
}

/// A stage failed after others were applied. Prints the error, a newline, and a line for each object that those stages
/// have written.
#[derive(Debug)]
pub struct ApplyError {
    /// What failed.
    pub error: StageError,
    /// What was done before.
    pub applied: ChangeSet,
}

impl ApplyError {
    /// Whether the API server refused because the identity may not do it.
    pub fn is_forbidden(&self) -> bool {
        match &self.error {
            StageError::Rejected(rejections) => rejections.iter().any(Rejection::is_forbidden),
            StageError::Cleanup { source, .. }
            | StageError::Delete { source, .. }
            | StageError::Apply { source, .. }
            | StageError::Recreate(DryRunError { source, .. }) => source.is_forbidden(),
            StageError::Ledger(_) | StageError::Deletion { .. } | StageError::Wait(_) => false,
        }
    }
}

impl Rejection {
    fn is_forbidden(&self) -> bool {
        match self {
            Self::DryRun(DryRunError { source, .. }) | Self::Migrate { source, .. } => source.is_forbidden(),
            Self::Ignore(_) => false,
        }
    }
}

impl From<IgnoreError> for ApplyError {
    /// Rules that can't be compiled reject the first stage.
    fn from(error: IgnoreError) -> Self {
        Self { error: StageError::Rejected(vec![Rejection::Ignore(error)]), applied: ChangeSet::default() }
    }
}

impl fmt::Display for ApplyError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.error {
            StageError::Ledger(cause) => writeln!(out, "{}: {cause}", self.error)?,
            error => writeln!(out, "{error}")?,
        }
        self.applied.writes().changes().iter().try_for_each(|change| writeln!(out, "{change}"))
    }
}

impl std::error::Error for ApplyError {}
