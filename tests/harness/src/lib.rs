//! Real servers on loopback for tests, demo and benchmarks.
//!
//! | part | type |
//! |---|---|
//! | control plane: etcd, API server, controller-manager, scheduler, nodes by kwok | [`ControlPlane`] |
//! | Git over HTTP and HTTPS | [`GitServer`] |
//! | proxy in front of the API server: counts and breaks what it is told to | [`ApiProxy`] |
//! | relay in front of etcd: passes everything on, late if it is told to | [`Relay`] |
//! | HTTP receiver that records what it is sent | [`Recorder`] |
//! | the program under test as a child process | [`Millrace`] |
//!
//! Every server runs in a process group of its own, with a cleared environment, on ports that no other harness has, and
//! below a temporary folder. The group ends with the process that started it, also when that one panics, is interrupted or
//! killed. Programs come from the tool cache (`cargo xtask tools`); nothing here installs anything.

mod background;
mod environment;
mod ports;
mod wait;
mod work;

pub mod chart;
pub mod control_plane;
pub mod git;
pub mod millrace;
pub mod pki;
pub mod process;
pub mod proxy;
pub mod recorder;
pub mod relay;
pub mod tools;

pub use control_plane::{ControlPlane, Namespace, Profile};
pub use git::GitServer;
pub use millrace::Millrace;
pub use proxy::ApiProxy;
pub use recorder::Recorder;
pub use relay::Relay;
pub use wait::until;

/// What harness functions return.
pub type Result<T> = anyhow::Result<T>;
