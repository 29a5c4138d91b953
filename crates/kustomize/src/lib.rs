//! The `kustomize build` engine: pure, synchronous, over an in-memory file system.
//!
//! [`build`] reads the target in one folder of a [`FileSystem`] and returns the objects it stands for. It has no globals:
//! builds run side by side without a lock. It uses no clock, environment, network or disk; files come through the trait,
//! which [`Recorder`] wraps so that a caller knows what a result depends on.
//!
//! Beside the engine stand [`command`], which reads the command line of `kustomize build`, and [`DiskFiles`] for programs that
//! build where a person stands. What is on other hosts the caller fetches, see [`remote`].
//!
//! How a build goes (contract: kustomize-build §2):
//!
//! 1. `kustomization` finds, reads and checks the kustomization file of a target;
//! 2. `target` gathers its objects, bases first, and runs its generators, components and transformers in order;
//! 3. `build` finishes at the root: hashes, references between names, variables, order;
//! 4. `output` brings the objects into their final form.

mod annotations;
mod build;
pub mod command;
mod configurations;
mod disk;
mod error;
mod fields;
mod fs;
mod generators;
mod go;
mod kustomization;
mod loader;
mod options;
mod order;
mod origin;
mod output;
mod patch;
mod plugins;
mod references;
pub mod remote;
mod replacements;
mod resource;
mod schema;
mod syntax;
mod tables;
mod target;
mod transformers;
mod variables;

pub use build::{Output, build};
pub use disk::{DiskFiles, os_words};
pub use error::{BuildError, ErrorKind};
pub use fs::{Broken, FileKind, FileSystem, MemoryFiles, Observed, ReadError, Recorder};
pub use options::{Cancel, Limits, LoadRestrictor, Mode, Options, Reorder};
