//! Patches of single objects: strategic merge and JSON patch.

mod associative;
mod json;
mod requirements;
mod selector;
mod strategic;

pub(crate) use json::JsonPatch;
pub(crate) use selector::ObjectSelector;
pub(crate) use strategic::merge;
