//! Everything a contributor runs: `cargo xtask COMMAND`.

mod environment;
mod job;
mod say;
mod tools;
mod workspace;

use anyhow::Result;
use clap::{Parser, Subcommand};

use workspace::Workspace;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Everything a contributor runs")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Install the programs that tests, demo and benchmarks use
    Tools {
        /// Only these; all if none is named
        names: Vec<String>,
        /// List the programs and whether they are installed
        #[arg(long)]
        list: bool,
    },
}

fn main() -> Result<()> {
    let workspace = Workspace::open()?;
    match Arguments::parse().command {
        Command::Tools { list: true, .. } => tools::list(&workspace),
        Command::Tools { names, .. } => tools::run(&workspace, &names),
    }
}
