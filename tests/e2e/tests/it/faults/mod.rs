//! What the program does when it is killed, and when the API server misbehaves, all over the API proxy.

mod control_plane;
mod kills;
mod site;
mod world;

use world::World;

/// Begins a world, or skips the test where the programs it needs are not installed.
macro_rules! world_or_skip {
    ($name:literal) => {{
        if !millrace_harness::tools::available(millrace_e2e::TOOLS) {
            eprintln!("skipped: {} are not installed (cargo xtask tools)", millrace_e2e::TOOLS.join(", "));
            return Ok(());
        }
        crate::faults::World::begin($name).await?
    }};
}
use world_or_skip;
