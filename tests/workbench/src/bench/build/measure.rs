//! What one run of a program costs.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use wait4::Wait4 as _;

/// A program that builds.
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) path: PathBuf,
    /// What comes before the folder.
    pub(super) arguments: &'static [&'static str],
}

/// What a run used.
#[derive(Clone, Copy)]
pub(super) struct Cost {
    pub(super) wall: Duration,
    pub(super) cpu: Duration,
    /// The most resident memory, in bytes.
    pub(super) memory: u64,
}

impl Program {
    /// Builds `folder` once; what it prints goes to `output`.
    pub(super) fn run(&self, folder: &Path, output: &Path) -> Result<Cost> {
        let errors = output.with_extension("errors");
        let mut command = Command::new(&self.path);
        command.args(self.arguments).arg(folder);
        command.stdin(Stdio::null()).stdout(File::create(output)?).stderr(File::create(&errors)?);
        let start = Instant::now();
        let child = command.spawn().with_context(|| format!("cannot start {}", self.path.display()))?;
        let used = child.wait4()?;
        let wall = start.elapsed();
        if !used.status.success() {
            bail!("{} of {}: {}", self.name, folder.display(), std::fs::read_to_string(errors)?);
        }
        Ok(Cost { wall, cpu: used.rusage.utime + used.rusage.stime, memory: used.rusage.maxrss })
    }
}

/// The middle of several runs: half of them took less.
pub(super) fn middle(costs: &[Cost]) -> Result<Cost> {
    ensure!(!costs.is_empty(), "nothing was measured");
    let of = |figure: &dyn Fn(&Cost) -> Duration| {
        let mut figures: Vec<Duration> = costs.iter().map(figure).collect();
        figures.sort();
        figures[figures.len() / 2]
    };
    let memory = costs.iter().map(|cost| cost.memory).max().unwrap_or_default();
    Ok(Cost { wall: of(&|cost| cost.wall), cpu: of(&|cost| cost.cpu), memory })
}
