//! JSON: order of keys and text of numbers are kept.

mod reader;
mod writer;

pub use reader::{JsonError, documents, from_slice, from_str, spelled};
pub use writer::{Escape, to_string, to_string_with, to_vec};
