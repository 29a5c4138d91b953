//! Git over HTTP(S) without a work tree.
//!
//! [`Remote::resolve`] finds the commit that a [`Reference`] means, [`Remote::fetch`] brings that one commit into a bare
//! object store that is kept between runs, and [`Checkout`] reads files straight from its packs. Only what is new is
//! ever transferred; losing the store costs one fetch. [`Stores`] keeps stores that many read from.
//!
//! Calls block and belong on the blocking pool of a Tokio runtime, whose handle they use for the network. No other crate
//! names a type of `gix`.
//!
//! Contract: source-controller §3.3.

mod auth;
mod checkout;
mod error;
mod exchange;
mod http;
mod limited;
mod listing;
mod name;
mod reference;
mod remote;
mod session;
mod store;
pub mod stores;
mod submodules;
pub mod version;

pub use auth::Auth;
pub use checkout::{Checkout, Commit, Entry, EntryKind, Node, WalkError};
pub use error::{GitError, TransportError, TreeError};
pub use reference::Reference;
pub use remote::{Options, Remote, Resolved};
pub use stores::{SharedStore, Stores};
pub use submodules::{Submodule, Submodules, relative_to};
