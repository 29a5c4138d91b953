//! What one run of a program costs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};

/// A program that builds.
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) path: PathBuf,
    /// What comes before the folder.
    pub(super) arguments: &'static [&'static str],
    /// The program that starts it and says what it used, see there for why.
    pub(super) launch: PathBuf,
}

/// What a run used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
        let mut command = Command::new(&self.launch);
        command.arg(output).arg(&errors).arg(&self.path).args(self.arguments).arg(folder);
        let launched = command.stdin(Stdio::null()).output();
        let launched = launched.with_context(|| format!("cannot start {}", self.launch.display()))?;
        if !launched.status.success() {
            let told = std::fs::read_to_string(errors).unwrap_or_default();
            let own = String::from_utf8_lossy(&launched.stderr);
            bail!("{} of {}: {told}{own}", self.name, folder.display());
        }
        let line = String::from_utf8_lossy(&launched.stdout);
        Cost::parse(&line)
            .with_context(|| format!("{} says what is no cost: {line:?}", self.launch.display()))
    }
}

impl Cost {
    /// What the launcher prints.
    fn parse(line: &str) -> Option<Self> {
        let figures: Option<Vec<u64>> = line.split_whitespace().map(|word| word.parse().ok()).collect();
        let [wall, cpu, memory] = figures?[..] else { return None };
        Some(Self { wall: Duration::from_nanos(wall), cpu: Duration::from_nanos(cpu), memory })
    }

    /// Without the time that `part` took.
    pub(super) fn without(self, part: Self) -> Self {
        let (wall, cpu) = (self.wall.saturating_sub(part.wall), self.cpu.saturating_sub(part.cpu));
        Self { wall, cpu, ..self }
    }
}

/// The middle of several runs: half of them took less.
pub(super) fn middle(costs: &[Cost]) -> Result<Cost> {
    ranked(costs, costs.len() / 2)
}

/// The fastest of several runs: what else the machine does can only make a run slower.
pub(super) fn fastest(costs: &[Cost]) -> Result<Cost> {
    ranked(costs, 0)
}

/// Each time as it stands at `rank` when the runs are sorted by it, and the most memory of all.
fn ranked(costs: &[Cost], rank: usize) -> Result<Cost> {
    ensure!(!costs.is_empty(), "nothing was measured");
    let of = |figure: fn(&Cost) -> Duration| {
        let mut figures: Vec<Duration> = costs.iter().map(figure).collect();
        figures.sort_unstable();
        figures[rank]
    };
    let memory = costs.iter().map(|cost| cost.memory).max().unwrap_or_default();
    Ok(Cost { wall: of(|cost| cost.wall), cpu: of(|cost| cost.cpu), memory })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_time_is_ranked_for_itself_and_memory_is_the_most() {
        let cost = |wall, cpu, memory| Cost {
            wall: Duration::from_millis(wall),
            cpu: Duration::from_millis(cpu),
            memory,
        };
        let costs = [cost(30, 1, 5), cost(10, 2, 9), cost(20, 3, 1)];
        assert_eq!(middle(&costs).unwrap(), cost(20, 2, 9));
        assert_eq!(fastest(&costs).unwrap(), cost(10, 1, 9));
        assert_eq!(cost(30, 4, 5).without(cost(10, 5, 9)), cost(20, 0, 5));
        assert!(middle(&[]).is_err());
    }

    #[test]
    fn what_the_launcher_prints_is_read() {
        let cost = Cost::parse("2000000 1000000 4096\n");
        let (wall, cpu) = (Duration::from_millis(2), Duration::from_millis(1));
        assert_eq!(cost, Some(Cost { wall, cpu, memory: 4096 }));
        assert_eq!((Cost::parse("1 2"), Cost::parse("1 2 x"), Cost::parse("1 2 3 4")), (None, None, None));
    }
}
