//! Sends events out and lets webhooks in.
//!
//! Owns the event endpoint and the bus behind it ([`intake`]), the choice of alerts and the sending ([`dispatch`]), what
//! each service wants to be sent ([`providers`]), the webhook endpoint ([`hook`]), what makes a call genuine
//! ([`receivers`]), and the reconcilers of the three kinds. [`NotificationController`] puts them together.
//!
//! Providers and receiver types are pure: values in, values out. Everything that reads or writes is in `dispatch`,
//! `hook`, the reconcilers and the watches.
//!
//! Contract: notification-controller.

pub mod args;
mod cluster;
mod controller;
pub mod dispatch;
pub mod event;
mod fields;
mod finalizers;
pub mod go;
mod hex;
pub mod hook;
pub mod intake;
pub mod objects;
pub mod providers;
mod receiver;
pub mod receivers;
pub mod secret;
mod secret_watch;
pub mod signature;
mod web;

pub use args::{Args, Config};
pub use controller::{Leader, NotificationController};
