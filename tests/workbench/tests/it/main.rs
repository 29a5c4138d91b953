//! The workbench's program as `cargo xtask` calls it.

mod admission;
mod guest;
mod launch;
