//! Artifacts, from the files of a source to the tree that a build reads.
//!
//! Writing: [`files`] is what a source offers, [`ignore`] decides which of it counts, [`archive`] turns that into a
//! deterministic `tar.gz`, [`storage`] publishes it atomically and [`server`] hands it out over HTTP. Reading:
//! [`fetch`] downloads and checks an artifact, [`tree`] is its content, opened once per digest and shared.
//!
//! The crate knows nothing about Kubernetes objects: paths, digests and bytes go in and out.
//!
//! Contract: source-controller §2.11, §3.2, §3.4, §3.5, §4; kustomize-controller §2.7.

pub mod archive;
pub mod digest;
pub mod fetch;
pub mod files;
pub mod ignore;
pub mod server;
pub mod storage;
pub mod tree;
