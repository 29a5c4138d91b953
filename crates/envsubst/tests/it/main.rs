//! Substitution as a whole: the contract's tables, properties. Recorded results are played by `tests/conformance`.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

mod contract;
mod objects;
mod properties;
