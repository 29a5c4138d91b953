//! What `cargo xtask` runs against real servers. It is a program of its own so that xtask stays small and quick to build.

mod bench;
mod cluster;
mod crds;
mod demo;
mod logs;
mod objects;
mod say;
mod scenarios;

use anyhow::Result;
use clap::Parser;

#[derive(Parser)]
#[command(name = "millrace-workbench", about = "Runs real servers for cargo xtask")]
enum Arguments {
    /// Measure the program
    #[command(subcommand)]
    Bench(bench::Arguments),
    /// Run a control plane until standard input closes
    Cluster(cluster::Arguments),
    /// Write the CRDs to a folder
    Crds { folder: std::path::PathBuf },
    /// Show how a commit gets into a cluster
    Demo(demo::Arguments),
    /// Play the recorded stories against the program
    Scenarios(scenarios::Arguments),
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        match arguments {
            Arguments::Bench(arguments) => bench::run(&arguments).await,
            Arguments::Cluster(arguments) => cluster::run(&arguments).await,
            Arguments::Crds { folder } => crds::write(&folder),
            Arguments::Demo(arguments) => demo::run(&arguments).await,
            Arguments::Scenarios(arguments) => scenarios::run(&arguments).await,
        }
    })
}
