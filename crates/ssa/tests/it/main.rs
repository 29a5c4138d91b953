//! The engine against recorded answers of the original programs, and against a scripted API server.

mod api;
mod apply;
mod cases;
mod kstatus;
mod prune;
mod ssa_diff;
mod wait;
