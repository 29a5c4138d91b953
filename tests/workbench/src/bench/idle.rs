//! What the program costs while nothing happens.

use std::time::Duration;

use anyhow::Result;

use super::load::{Load, mib};
use crate::say::say;

const SETTLE: Duration = Duration::from_secs(20);

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How many Kustomizations the second measurement has
    #[arg(long, default_value_t = 200)]
    n: usize,
    /// Flags for the program, after `--`
    #[arg(last = true)]
    flags: Vec<String>,
    /// Seconds that each measurement lasts
    #[arg(long, default_value_t = 60)]
    seconds: u64,
}

pub(super) async fn run(arguments: &Arguments) -> Result<()> {
    let load = Load::start(arguments.n.max(1), &arguments.flags).await?;
    let mut created = 0;
    for count in [1, arguments.n] {
        if count > created {
            load.create(created, count).await?;
            created = count;
        }
        load.wait_ready(count).await?;
        tokio::time::sleep(SETTLE).await;
        let start = load.begin()?;
        tokio::time::sleep(Duration::from_secs(arguments.seconds)).await;
        let usage = load.end(&start)?;
        say!(
            "idle with {count}: {} resident, {:.1} API requests per minute ({}), {:.2} s CPU per minute",
            mib(usage.memory_kib.0),
            per_minute(usage.total(), usage.wall),
            usage.by_verb(),
            usage.cpu.as_secs_f64() / usage.wall.as_secs_f64() * 60.0,
        );
    }
    Ok(())
}

fn per_minute(count: usize, wall: Duration) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX)) / wall.as_secs_f64() * 60.0
}
