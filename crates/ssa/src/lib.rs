//! Server-side apply engine: stages, drift, inventory, prune, health.
//!
//! An [`engine::Engine`] is one cluster under one identity. [`apply::all`] brings objects into it, [`prune`] deletes what
//! is owned no longer, and [`engine::Engine::wait`] waits until what was applied is healthy. What they decide is decided
//! by pure modules: [`normalize`], [`stages`], [`drift`], [`health`], [`inventory`].
//!
//! The engine knows no kind of Flux: its owner says who owns what ([`policy::Owner`]), records what is about to be owned
//! ([`apply::Host`]), and tells the outcome.

pub mod apply;
pub mod changes;
pub mod client;
pub mod drift;
pub mod engine;
pub mod failure;
pub mod health;
pub mod id;
pub mod inventory;
mod known;
pub mod normalize;
pub mod object;
mod order;
pub mod policy;
pub mod prune;
pub mod read;
pub mod stages;
pub mod wait;
