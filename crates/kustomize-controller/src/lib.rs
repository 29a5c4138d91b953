//! Reconciles Kustomizations: fetches an artifact, builds a folder of it, applies the objects, prunes what went, and waits
//! until everything is healthy.
//!
//! Contract: kustomize-controller.

pub mod args;
mod bases;
mod build;
mod controller;
mod kustomization;
mod masking;
mod reason;
mod sources;
mod triggers;

pub use controller::{Controller, LocalStore, Needs};
