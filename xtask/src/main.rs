//! Everything a contributor runs: `cargo xtask COMMAND`.
//!
//! This program is small on purpose, so that a newcomer's first command answers within seconds. What needs Kubernetes or the
//! engines runs in programs of its own: `tests/workbench` and `tests/conformance`.

mod cargo;
mod conformance;
mod contract;
mod demo;
mod docs;
mod environment;
mod fuzz;
mod generate;
mod job;
mod layers;
mod say;
mod test;
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
    /// Check format, lints, layers and dependencies, and run all tests
    Test {
        #[arg(value_enum, default_value = "full")]
        level: test::Level,
    },
    /// List every acceptance check of the contracts with the test that covers it
    Contract {
        /// Only checks without a test
        #[arg(long)]
        open: bool,
        /// Only the figures
        #[arg(long)]
        summary: bool,
    },
    /// Run recorded cases through the code that ships
    Conformance(conformance::Arguments),
    /// Show how a commit gets from a Git server into a cluster
    Demo(demo::Arguments),
    /// Measure the program: `build`, `idle`, `many --n 200`, or `faults --minutes 20`
    Bench {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
        arguments: Vec<String>,
    },
    /// Feed the readers with input that breaks them, for a while: a target, or `all`
    Fuzz(fuzz::Arguments),
    /// Write the CRDs to `crds/`
    Crds,
    /// Check that what the pages link to and the tests they name are there
    Docs,
}

fn main() -> Result<()> {
    let workspace = Workspace::open()?;
    match Arguments::parse().command {
        Command::Tools { list: true, .. } => tools::list(&workspace),
        Command::Tools { names, .. } => tools::run(&workspace, &names),
        Command::Test { level } => test::run(&workspace, level),
        Command::Contract { open, summary } => contract::run(&workspace, contract::Options { open, summary }),
        Command::Conformance(arguments) => conformance::run(&workspace, &arguments),
        Command::Demo(arguments) => demo::run(&workspace, &arguments),
        Command::Bench { arguments } => demo::bench(&workspace, &arguments),
        Command::Fuzz(arguments) => fuzz::run(&workspace, &arguments),
        Command::Crds => generate::crds(&workspace),
        Command::Docs => docs::check(&workspace),
    }
}
