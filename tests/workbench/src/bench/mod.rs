//! `cargo xtask bench`: what the program costs, measured on a control plane of its own, or beside the reference program.

mod build;
mod faults;
mod idle;
mod load;
mod many;

use anyhow::Result;

#[derive(clap::Subcommand)]
pub(crate) enum Arguments {
    /// `kustomize build` beside the reference program: wall and CPU time, memory, growth
    Build(build::Arguments),
    /// Many Kustomizations under kills, API faults, commits and hand edits: is anything lost?
    Faults(faults::Arguments),
    /// Resident memory with 1 and with 200 Kustomizations, API requests per minute
    Idle(idle::Arguments),
    /// Many Kustomizations: cold to ready, then requested again unchanged
    Many(many::Arguments),
}

pub(crate) async fn run(arguments: &Arguments) -> Result<()> {
    match arguments {
        Arguments::Build(arguments) => build::run(arguments),
        Arguments::Faults(arguments) => faults::run(arguments).await,
        Arguments::Idle(arguments) => idle::run(arguments).await,
        Arguments::Many(arguments) => many::run(arguments).await,
    }
}
