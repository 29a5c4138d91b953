//! CRD types of the GitOps Toolkit and the value types they share.
//!
//! Owns the wire form of every object Millrace reads or writes: one module per API group and version, plus [`meta`]
//! for what the groups share. The structs mirror the CRDs, strings included; what a string means is parsed once, by
//! the controller that observes it. [`crds`] generates the `CustomResourceDefinition`s from the same types, so schema
//! and struct can't drift apart.
//!
//! This crate does no I/O and reads no clock: times are arguments.

pub mod crd;
pub mod kustomize;
pub mod meta;
pub mod notification;
pub mod source;

mod object;
mod schema;

pub use crd::{crd_files, crds};
pub use object::{ConditionedStatus, Reconcilable};
