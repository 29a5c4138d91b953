//! Following field rows through objects, and writing what stands there.
//!
//! Contract: kustomize-build §3.0.

mod compiled;
mod walk;
mod write;

pub(crate) use compiled::{CompiledRow, CompiledRows, split_path};
pub(crate) use walk::{Create, Fault, MAX_DEPTH, TOO_DEEP, is_key, key_in};
pub(crate) use write::{expect_map, node_kind, set_entry, set_text, write_string, write_text, wrong_kind};
