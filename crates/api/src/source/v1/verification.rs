//! What the kinds with signed content share.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An identity that may sign without a key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct OidcIdentityMatch {
    /// A regular expression (Go syntax) for the issuer in the certificate.
    pub issuer: String,
    /// A regular expression (Go syntax) for the subject in the certificate.
    pub subject: String,
}
