//! Sends events out and lets webhooks in.

pub mod dispatch;
pub mod event;
pub mod go;
pub mod intake;
pub mod providers;
pub mod receivers;
pub mod secret;
pub mod signature;
