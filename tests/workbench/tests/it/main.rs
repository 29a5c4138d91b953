//! The workbench's program as `cargo xtask` calls it.

mod guest;
