//! The control loop every Millrace controller shares.
//!
//! Owns the queue and runner, the Kubernetes client stack, conditions and status patches, finalizers, retry timing, events,
//! metrics, impersonation, secrets and leader election. It knows no kind: controllers implement [`Reconciler`] and hand it to
//! a [`Runner`].

pub mod args;
pub mod client;
pub mod clock;
pub mod context;
pub mod events;
pub mod failure;
pub mod finalizer;
pub mod gates;
pub mod http;
pub mod impersonation;
pub mod key;
pub mod leader;
pub mod logs;
pub mod metrics;
pub mod permits;
pub mod pflag;
pub mod primary;
pub mod queue;
pub mod reconciler;
pub mod report;
pub mod run;
pub mod runner;
pub mod secrets;
pub mod shutdown;
mod slot;
pub mod status;
pub mod tasks;
pub mod threads;
pub mod watch;

pub use context::Context;
pub use failure::{Failure, Reason};
pub use key::Key;
pub use reconciler::{Object, Reconciler, StatusOf};
pub use report::{Next, Report};
pub use run::Run;
pub use runner::Runner;
