//! The one in-memory form of a manifest, its YAML and JSON readers and writers.
//!
//! [`Node`] is the tree. [`read`] makes trees of text under one of two resolvers, [`mod@print`] makes text of trees,
//! [`json`] does both for JSON, [`canonical`] is the last step of a build, and [`from_node`] and [`to_node`] lead to and
//! from types that speak serde. [`styled`] is for text that is changed in one place and written again.
//!
//! Every reader bounds depth, so trees can be cloned, compared, printed and dropped by plain recursion.

mod bridge;
mod canonical;
pub mod json;
mod list;
mod map;
mod map_builder;
mod number;
pub mod print;
mod quote;
pub mod read;
mod refold;
mod resolve;
mod same;
pub mod styled;
mod text_time;
mod tree;

pub use bridge::{SerdeError, from_node, to_node};
pub use canonical::{CanonicalError, canonical, canonicalize};
pub use list::List;
pub use map::Map;
pub use map_builder::MapBuilder;
pub use number::{as_from_untyped_json, round_to_f64};
pub use quote::quote;
pub use tree::{Node, Scalar, ScalarKind, Style};
