//! Kustomization files: found, read, decoded, checked.

mod charts;
pub(crate) mod decode;
mod file;
mod misfits;
mod model;
mod patch_texts;

pub(crate) use file::{
    COMPONENT, COMPONENT_VERSION, FILE_NAMES, KUSTOMIZATION, Loaded, VERSION, load, load_rest,
};
pub(crate) use model::*;
pub(crate) use patch_texts::PatchTexts;
