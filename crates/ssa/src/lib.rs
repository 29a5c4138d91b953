//! Server-side apply engine: stages, drift, inventory, prune, health.

pub mod changes;
pub mod health;
pub mod id;
pub mod inventory;
pub mod normalize;
pub mod object;
mod order;
pub mod policy;
pub mod stages;
