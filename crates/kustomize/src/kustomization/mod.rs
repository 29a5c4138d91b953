//! Kustomization files: found, read, decoded, checked.

mod charts;
pub(crate) mod decode;
mod file;
mod model;

pub(crate) use file::{COMPONENT, load};
pub(crate) use model::*;
