//! The failure matrix: the rows of the contract's error table (notification-controller §6) that the built-in types can
//! meet, each with the condition, Event, log line and answer it must leave, and with what comes of it later.
//!
//! Every credential that a row uses is a canary, and none may show anywhere: see [`canary`]. Rows that nobody can meet yet
//! stand in [`untried`].

mod admission;
mod canary;
mod catalogue;
mod hooks;
mod intake;
mod notifications;
mod receivers;
mod table;
mod untried;
