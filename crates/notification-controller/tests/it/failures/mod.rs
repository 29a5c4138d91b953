//! The failure matrix: the rows of the contract's error table (notification-controller §6) that the built-in types can
//! meet, each with the condition, Event, log line and answer it must leave.
//!
//! Every credential that a row uses is a canary, and none may show anywhere: see [`canary`].

mod admission;
mod canary;
mod hooks;
mod intake;
mod notifications;
mod receivers;
mod table;
