//! The engine's requests to the Kubernetes API, with trees as bodies.

mod cluster;
mod discovery;
mod error;
mod mask;

pub use self::cluster::{Cluster, Target};
pub(crate) use self::discovery::FRESH;
pub use self::discovery::{Discovery, Mapping};
pub use self::error::{ApiError, Refusal};
pub use self::mask::Mask;
