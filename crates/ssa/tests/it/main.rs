//! The engine against a scripted API server and a real one. Recorded answers of the original programs are played by
//! `tests/conformance`.

mod api;
mod apply;
mod live;
mod manifests;
mod masking;
mod prune;
mod stages;
mod wait;
