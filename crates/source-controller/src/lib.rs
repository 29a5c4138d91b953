//! Reconciles sources into artifacts.
//!
//! Owns the artifact store and its server, and one reconciler for each kind of source: so far [`GitRepository`].
//! How content is fetched, archived and stored is the business of the engines; here is decided what to fetch, when to
//! store it, and what to say about it.
//!
//! Contract: source-controller.
//!
//! [`GitRepository`]: millrace_api::source::v1::GitRepository

pub mod args;
mod conclude;
mod controller;
mod draft;
mod git_repository;
mod stored;
mod trouble;
mod vocabulary;

pub use controller::{Controller, Needs, RunError};
