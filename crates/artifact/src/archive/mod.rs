//! The archive format of artifacts.
//!
//! Writing is deterministic: equal trees give equal bytes, whoever owns the files and whenever they were made.
//! Reading trusts nothing: names can't leave the root, and sizes are bounded before anything is allocated.
//!
//! Contract: source-controller §3.4.

mod extensions;
mod header;
mod read;
mod write;

pub use read::{Entry, EntryKind, ExtractError, Limits, Links, read};
pub use write::{Archive, Written, write};
