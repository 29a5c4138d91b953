//! Nothing lost: many Kustomizations while the program is killed, the API server fails, people push, and people edit by hand.
//!
//! A run has two halves. In the first one the program is killed again and again; in the second it lives through everything else,
//! and its memory is watched. Each half has rounds; after each, everything must come to what Git holds by itself.

mod chaos;
mod deletions;
mod manifest;
mod memory;
mod model;
mod settle;
mod strike;
mod verify;
mod world;

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use rand::Rng as _;

use super::load::mib;
use crate::say::say;
use chaos::{Round, rage};
use memory::Verdict;
use settle::settle;
use world::World;

const ROUND: Duration = Duration::from_mins(1);
/// Rounds of each half of a run that is shorter.
const FEWEST_ROUNDS: u32 = 2;
/// Findings that are shown.
const SHOWN: usize = 40;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How many Kustomizations
    #[arg(long, default_value_t = 200)]
    n: usize,
    /// How long
    #[arg(long, default_value_t = 20)]
    minutes: u32,
    /// What chooses when to do what; a new one if none is given
    #[arg(long)]
    seed: Option<u64>,
    /// Flags for the program, after `--`
    #[arg(last = true)]
    flags: Vec<String>,
}

pub(super) async fn run(arguments: &Arguments) -> Result<()> {
    let seed = arguments.seed.unwrap_or_else(|| rand::rng().random_range(0..1_000_000));
    say!("seed {seed}");
    let world = World::start(arguments.n.max(1), &arguments.flags).await?;
    world.create_all().await?;
    let took = settle(&world, "first").await?;
    say!("{} Kustomizations are ready after {:.1} s", arguments.n.max(1), took.as_secs_f64());
    let whole = Duration::from_mins(arguments.minutes.max(1).into());
    let outcome = play(&world, whole, seed).await;
    report(&world, seed, outcome).await
}

/// Plays both halves; returns how long the slowest round took to converge.
async fn play(world: &World, whole: Duration, seed: u64) -> Result<Duration> {
    let half = whole / 2;
    let length = ROUND.min(half / FEWEST_ROUNDS);
    let mut slowest = Duration::ZERO;
    let mut number = 0;
    for kills in [true, false] {
        let started = Instant::now();
        while started.elapsed() + length / 2 < half {
            number += 1;
            let before = *world.counts.borrow();
            // Rounds draw from sources of their own, so that the length of one changes nothing in the next.
            let round = Round { seed: seed.wrapping_mul(1_000).wrapping_add(number * 10), length, kills };
            rage(world, round, started).await?;
            let took = settle(world, &format!("round-{number}")).await?;
            slowest = slowest.max(took);
            let now = *world.counts.borrow();
            let (resident, _) = world.program.lock().await.memory_kib()?;
            say!(
                "round {number}: {} commits, {} hand edits, {} API faults, {} kills; converged in {:.1} s; {} findings; {} resident",
                now.commits - before.commits,
                now.edits - before.edits,
                now.faults - before.faults,
                now.kills - before.kills,
                took.as_secs_f64(),
                world.findings.borrow().count(),
                mib(resident),
            );
        }
    }
    Ok(slowest)
}

async fn report(world: &World, seed: u64, outcome: Result<Duration>) -> Result<()> {
    let counts = *world.counts.borrow();
    let (findings, memory) = (world.findings.take(), world.memory.take());
    say!(
        "\nseed {seed}: {} commits, {} hand edits, {} API faults, {} kills; the program deleted {} objects",
        counts.commits,
        counts.edits,
        counts.faults,
        counts.kills,
        world.deletions.borrow().count,
    );
    match &outcome {
        Ok(slowest) => say!("converged: yes, within {:.1} s", slowest.as_secs_f64()),
        Err(error) => say!("converged: no: {error:#}"),
    }
    say!("objects lost: {}", findings.lost.len());
    say!("objects untracked: {}", findings.untracked.len());
    say!("objects deleted in error: {}", findings.deleted.len());
    say!("artifacts advertised and not served: {}", findings.unserved.len());
    let minutes: Vec<String> = memory.by_minute().into_iter().map(mib).collect();
    let verdict = memory.verdict();
    say!(
        "memory by minute without kills: {}: {}",
        minutes.join(", "),
        match verdict {
            Verdict::Flat => "flat",
            Verdict::Grows => "it grows",
            Verdict::TooShort => "too short a time to say",
        }
    );
    for line in findings.lines().take(SHOWN) {
        say!("  {line}");
    }
    let passed = outcome.is_ok() && findings.count() == 0 && verdict != Verdict::Grows;
    if !passed {
        say!("logs: {}", world.keep_logs().await?.display());
    }
    ensure!(passed, "not everything was kept; again with `--seed {seed}`");
    Ok(())
}
