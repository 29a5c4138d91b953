//! i
pub mod limiter;
pub mod metadata;
