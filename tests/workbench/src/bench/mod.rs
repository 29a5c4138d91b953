//! `cargo xtask bench`: what the program costs, measured on a control plane of its own.

mod idle;
mod load;
mod many;

use anyhow::Result;

#[derive(clap::Subcommand)]
pub(crate) enum Arguments {
    /// Resident memory with 1 and with 200 Kustomizations, API requests per minute
    Idle(idle::Arguments),
    /// Many Kustomizations: cold to ready, then requested again unchanged
    Many(many::Arguments),
}

pub(crate) async fn run(arguments: &Arguments) -> Result<()> {
    match arguments {
        Arguments::Idle(arguments) => idle::run(arguments).await,
        Arguments::Many(arguments) => many::run(arguments).await,
    }
}
