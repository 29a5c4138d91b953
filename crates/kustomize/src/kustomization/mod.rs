//! Kustomization files: found, read, decoded, checked.

mod charts;
pub(crate) mod decode;
mod file;
mod model;

pub(crate) use file::{COMPONENT, FILE_NAMES, load};
pub(crate) use model::*;
