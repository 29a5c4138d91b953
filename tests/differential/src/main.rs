//! Made-up kustomizations, built by the program and by the reference program: they have to answer alike.
//!
//! A seed makes a project: a base of objects as people write them, overlays and components with any of the fields, patches made
//! of the objects they are for. Where the programs differ, the project is made as small as it gets and kept.
//! `cargo xtask fuzz kustomize` runs this.

mod chooser;
mod compare;
mod doc;
mod fields;
mod findings;
mod generators;
mod make;
mod objects;
mod patches;
mod project;
mod rare;
mod wide;

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Parser;

use crate::compare::{Answer, Difference, Pair, difference};
use crate::findings::{first_lines, keep, shrink};

#[derive(Parser)]
#[command(
    name = "millrace-differential",
    about = "Compare made-up kustomizations with the reference program"
)]
struct Arguments {
    /// The program
    #[arg(long, env = "MILLRACE_BIN")]
    millrace: PathBuf,
    /// The reference program
    #[arg(long, env = "KUSTOMIZE_BIN")]
    kustomize: PathBuf,
    /// For how long
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// The first seed; every project has the next one
    #[arg(long)]
    seed: Option<u64>,
    /// Only so many projects
    #[arg(long)]
    count: Option<u64>,
    /// Where differences are kept
    #[arg(long)]
    findings: PathBuf,
    /// Keep every project, whatever comes out
    #[arg(long)]
    keep: bool,
    /// Keep projects that differ as they are, which is quicker than making them small
    #[arg(long)]
    whole: bool,
    /// Stop after so many differences
    #[arg(long, default_value_t = 20)]
    enough: usize,
    /// How many projects at a time
    #[arg(long, default_value_t = 2)]
    jobs: usize,
}

/// A run of an hour that is ended from outside has said by then what it had compared.
const TOLD_EVERY: Duration = Duration::from_mins(1);

/// What came out so far.
#[derive(Default)]
struct Tally {
    built: u64,
    refused: u64,
    /// The reference gave our answer and another one.
    by_chance: u64,
    found: BTreeMap<Difference, u64>,
}

impl Tally {
    fn differ(&self) -> u64 {
        self.found.values().sum()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let differ = self.differ();
        write!(
            formatter,
            "{} projects: {} built alike, {} refused alike, {} alike in one of several answers of the reference, {differ} differ",
            self.built + self.refused + self.by_chance + differ,
            self.built,
            self.refused,
            self.by_chance,
        )?;
        self.found.iter().try_for_each(|(kind, count)| write!(formatter, ", {kind:?} {count}"))
    }
}

/// What the threads share.
struct Run<'a> {
    arguments: &'a Arguments,
    first: u64,
    next: AtomicU64,
    end: Instant,
    tally: Mutex<Tally>,
    /// When the tally is told next.
    told_next: Mutex<Instant>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let first = arguments.seed.unwrap_or_else(|| rand::random::<u32>().into());
    let run = Run {
        arguments: &arguments,
        first,
        next: AtomicU64::new(first),
        end: Instant::now() + Duration::from_secs(arguments.seconds),
        tally: Mutex::default(),
        told_next: Mutex::new(Instant::now() + TOLD_EVERY),
    };
    say(&format!("first seed {first}"));
    thread::scope(|scope| {
        let threads: Vec<_> = (0..arguments.jobs.max(1)).map(|_| scope.spawn(|| run.work())).collect();
        threads.into_iter().try_for_each(|thread| match thread.join() {
            Ok(result) => result,
            Err(_) => bail!("a thread panicked"),
        })
    })?;
    let tally = run.tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    say(&tally.to_string());
    let found = tally.differ();
    if found > 0 {
        bail!("{found} projects differ: see {}", arguments.findings.display());
    }
    Ok(())
}

impl Run<'_> {
    fn work(&self) -> Result<()> {
        let place = tempfile::tempdir()?;
        let pair = Pair {
            ours: &self.arguments.millrace,
            reference: &self.arguments.kustomize,
            place: place.path().to_owned(),
        };
        loop {
            let seed = self.next.fetch_add(1, Ordering::Relaxed);
            let is_last = self.arguments.count.is_some_and(|count| seed - self.first >= count);
            if is_last || Instant::now() > self.end || self.has_enough() {
                return Ok(());
            }
            self.one(&pair, seed)?;
            self.tell_now_and_then();
        }
    }

    fn one(&self, pair: &Pair<'_>, seed: u64) -> Result<()> {
        let project = make::project(seed);
        project.write(&pair.project())?;
        let answers = pair.build(&project.root)?;
        if self.arguments.keep {
            keep(&self.arguments.findings, seed, &project, &answers)?;
        }
        let Some(kind) = difference(&answers) else {
            let mut tally = self.tally();
            if answers[1].succeeded {
                tally.built += 1;
            } else {
                tally.refused += 1;
            }
            return Ok(());
        };
        // Chance decides between words alone: what is built is always the same.
        if matches!(kind, Difference::Error | Difference::Warnings)
            && pair.build_again(&project.root, &answers[0])?
        {
            self.tally().by_chance += 1;
            return Ok(());
        }
        *self.tally().found.entry(kind).or_default() += 1;
        let (project, answers) =
            if self.arguments.whole { (project, answers) } else { shrink(pair, &project, kind)? };
        let place = keep(&self.arguments.findings, seed, &project, &answers)?;
        say(&format!("seed {seed}: {kind:?}, see {}\n{}", place.display(), shown(&answers)));
        Ok(())
    }

    fn tell_now_and_then(&self) {
        let now = Instant::now();
        let mut next = self.told_next.lock().unwrap_or_else(PoisonError::into_inner);
        if now >= *next {
            *next = now + TOLD_EVERY;
            say(&format!("so far {}", self.tally()));
        }
    }

    fn has_enough(&self) -> bool {
        usize::try_from(self.tally().differ()).is_ok_and(|found| found >= self.arguments.enough)
    }

    fn tally(&self) -> std::sync::MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where two answers part, for a person.
fn shown([ours, reference]: &[Answer; 2]) -> String {
    let same = ours.objects == reference.objects;
    let (ours, reference) = if same {
        first_lines(&ours.words, &reference.words)
    } else {
        first_lines(&ours.objects, &reference.objects)
    };
    format!("  millrace:  {ours}\n  kustomize: {reference}")
}

fn say(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}
