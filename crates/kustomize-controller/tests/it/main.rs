//! The controller in this process against a real API server, with sources and artifacts that the tests make: the set-up of
//! the contract's acceptance checks (kustomize-controller §10).

#![expect(clippy::print_stderr, reason = "tests say what they skip")]

mod bench;
mod controller;
mod failures;
mod live;
mod stories;
