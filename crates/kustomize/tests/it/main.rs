//! Builds against what the reference recorded, and behaviour beside it.

mod recorded;
