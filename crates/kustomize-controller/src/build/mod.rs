//! From a folder of an artifact to the objects to apply. Contract: kustomize-controller §3.

mod files;
mod generate;
mod inject;
mod objects;
mod schema;
pub(crate) mod variables;

pub(crate) use files::{Files, clamp, join};
pub(crate) use generate::{absolute, generate};
pub(crate) use inject::inject;
pub(crate) use objects::{label_and_normalize, owner};
