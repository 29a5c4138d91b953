//! The `kustomize build` engine: pure, synchronous, over an in-memory file system.
//!
//! [`build`] reads the target in one folder of a [`FileSystem`] and returns the objects it stands for. It has no globals:
//! builds run side by side without a lock. It uses no clock, environment, network or disk; files come through the trait,
//! which [`Recorder`] wraps so that a caller knows what a result depends on.
//!
//! What is on other hosts the caller fetches, see [`remote`]. The command line and the disk are the business of the crate
//! `kustomize-command`.
//!
//! How a build goes (contract: kustomize-build §2):
//!
//! 1. `kustomization` finds, reads and checks the kustomization file of a target;
//! 2. `target` gathers its objects, bases first, and runs its generators, components and transformers in order;
//! 3. `build` finishes at the root: hashes, references between names, variables, order;
//! 4. `output` brings the objects into their final form.

mod annotations;
mod build;
mod configurations;
mod error;
mod fields;
mod fs;
mod generators;
pub mod go;
mod go_sort;
mod hints;
mod kustomization;
mod loader;
mod options;
mod order;
mod origin;
mod output;
mod patch;
mod plugins;
mod references;
mod regexp;
pub mod remote;
mod replacements;
mod resource;
mod schema;
mod syntax;
mod tables;
mod target;
mod text;
mod transformers;
mod variables;

pub use build::{Output, REFERENCE_VERSION, WrittenId, build, survey};
pub use error::{BuildError, ErrorKind};
pub use fs::{Broken, FileKind, FileSystem, MemoryFiles, Observed, ReadError, Recorder};
pub use options::{Cancel, Limits, LoadRestrictor, Mode, Options, Reorder};
