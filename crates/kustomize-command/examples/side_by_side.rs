//! Builds one folder eight times: one after the other, then side by side on as many threads as there are cores.
//!
//!     cargo run --release --package millrace-kustomize-command --example side_by_side -- DIR [ROUNDS]
//!
//! Shows how to embed the engine as well: a build is a function of files and options, and shares nothing with another.
//!
//! Both ways take turns, and the fastest round of each counts: whatever else the machine does can only make a round slower,
//! and with many short rounds it rarely reaches all of them. The middle ones and the CPU time are printed too. CPU time
//! tells lack of cores from lack of independence: builds that hinder each other (a lock, one allocator for all) need more
//! of it side by side than in turn, builds that only wait for a core do not.

use std::error::Error;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use millrace_kustomize::{BuildError, Options, build};
use millrace_kustomize_command::DiskFiles;

const BUILDS: usize = 8;
const ROUNDS: usize = 40;
const LONGEST_FILE: u64 = 50 << 20;

/// What eight builds took.
#[derive(Clone, Copy)]
struct Took {
    wall: Duration,
    cpu: Duration,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("which folder?")?).canonicalize()?;
    let rounds = arguments.next().map_or(Ok(ROUNDS), |rounds| rounds.to_string_lossy().parse())?.max(1);
    // What the disk costs at first is not what is measured.
    let objects = once(&folder)?;
    let threads = thread::available_parallelism()?.get().min(BUILDS);
    let (mut in_turn, mut side_by_side) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        in_turn.push(on_threads(1, &folder)?);
        side_by_side.push(on_threads(threads, &folder)?);
    }
    let mut out = io::stdout().lock();
    writeln!(out, "{BUILDS} builds of {objects} objects within one process, {rounds} rounds:")?;
    for (what, of) in [("fastest", fastest as fn(&[Took]) -> Took), ("middle", middle)] {
        let (turns, sides) = (of(&in_turn), of(&side_by_side));
        writeln!(
            out,
            "  {what}: {:.0} ms in turn, {:.0} ms on {threads} threads, {:.2} of the time, {:.2} of the CPU time",
            milliseconds(turns.wall),
            milliseconds(sides.wall),
            sides.wall.as_secs_f64() / turns.wall.as_secs_f64(),
            sides.cpu.as_secs_f64() / turns.cpu.as_secs_f64()
        )?;
    }
    Ok(())
}

/// Builds eight times on some threads, each of which takes the next build as soon as it has done one.
fn on_threads(threads: usize, folder: &Path) -> Result<Took, String> {
    let next = AtomicUsize::new(0);
    let work = || {
        let before = cpu_of_this_thread();
        while next.fetch_add(1, Ordering::Relaxed) < BUILDS {
            once(folder)?;
        }
        Ok(cpu_of_this_thread().saturating_sub(before))
    };
    let start = Instant::now();
    let cpu: Result<Duration, String> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().map_err(|_| "a build panicked".to_owned())?).sum()
    });
    Ok(Took { wall: start.elapsed(), cpu: cpu? })
}

/// Builds once; how many objects there are.
fn once(folder: &Path) -> Result<usize, String> {
    let (root, name) = (folder.parent().unwrap_or(folder), folder.file_name().unwrap_or_default());
    let files = DiskFiles::new(root, LONGEST_FILE);
    let options = Options::cli(root.to_string_lossy());
    let output =
        build(&files, &name.to_string_lossy(), &options).map_err(|error: BuildError| error.to_string())?;
    // Printing is part of what a caller waits for.
    std::hint::black_box(output.to_yaml());
    Ok(output.resources.len())
}

/// How long this thread has run so far, as the kernel counts it; zero where it does not say.
fn cpu_of_this_thread() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split(' ').next().and_then(|spent| spent.parse().ok()).unwrap_or_default())
}

fn fastest(rounds: &[Took]) -> Took {
    by_rank(rounds, 0)
}

fn middle(rounds: &[Took]) -> Took {
    by_rank(rounds, rounds.len() / 2)
}

/// Each figure of the round that has this place when the rounds are sorted by it.
fn by_rank(rounds: &[Took], rank: usize) -> Took {
    let sorted = |figure: fn(&Took) -> Duration| {
        let mut figures: Vec<Duration> = rounds.iter().map(figure).collect();
        figures.sort_unstable();
        figures[rank]
    };
    Took { wall: sorted(|took| took.wall), cpu: sorted(|took| took.cpu) }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
