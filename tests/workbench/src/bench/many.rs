//! Many Kustomizations at once.

use anyhow::Result;

use super::load::{Load, Usage, mib};
use crate::say::say;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How many Kustomizations
    #[arg(long, default_value_t = 200)]
    n: usize,
    /// Flags for the program, after `--`
    #[arg(last = true)]
    flags: Vec<String>,
}

pub(super) async fn run(arguments: &Arguments) -> Result<()> {
    let load = Load::start(arguments.n, &arguments.flags).await?;
    let start = load.begin()?;
    load.create(0, arguments.n).await?;
    load.wait_ready(arguments.n).await?;
    report("cold to ready", &load.end(&start)?);
    let start = load.begin()?;
    load.request_all(arguments.n).await?;
    report("again, unchanged", &load.end(&start)?);
    Ok(())
}

fn report(what: &str, usage: &Usage) {
    say!(
        "{what}: {:.1} s, {:.1} s CPU, {} at its peak, {} API requests ({})",
        usage.wall.as_secs_f64(),
        usage.cpu.as_secs_f64(),
        mib(usage.memory_kib.1),
        usage.total(),
        usage.by_verb(),
    );
}
