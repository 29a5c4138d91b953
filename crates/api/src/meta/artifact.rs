//! What a source publishes.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Time;
use crate::schema;

/// A file in the artifact store: the content of a source at one revision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    /// Checksum of the file, as `<algorithm>:<hex>`.
    #[schemars(extend("pattern" = r"^[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[a-zA-Z0-9=_-]+$"))]
    pub digest: String,
    /// When the file was written.
    #[schemars(with = "schema::DateTime")]
    pub last_update_time: Time,
    /// What the source says about the content, such as the annotations of an OCI image.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
    /// Path of the file below the root of the store. Download by `url`, not by this.
    pub path: String,
    /// The revision of the source: a commit, a digest, a chart version.
    pub revision: String,
    /// Length of the file in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<i64>,
    /// Where controllers download the file.
    pub url: String,
}

impl Artifact {
    /// Whether this is the content at a revision; plain text decides, an empty revision never matches anything else.
    pub fn has_revision(&self, revision: &str) -> bool {
        self.revision == revision
    }

    /// Whether the file has this digest.
    pub fn has_digest(&self, digest: &str) -> bool {
        self.digest == digest
    }
}
