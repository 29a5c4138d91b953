//! Substitution as a whole: recorded results, the contract's tables, properties.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

mod conformance;
mod contract;
mod objects;
mod properties;
