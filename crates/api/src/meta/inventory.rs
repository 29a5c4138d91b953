//! The record of what a Kustomization owns in the cluster.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The objects that were applied, in apply order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResourceInventory {
    /// One entry per object.
    pub entries: Vec<ResourceRef>,
}

/// One object of an inventory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct ResourceRef {
    /// What the object is, as `<namespace>_<name>_<group>_<kind>`; namespace and group may be empty.
    pub id: String,
    /// The API version, without group, with which it was applied last.
    pub v: String,
}
