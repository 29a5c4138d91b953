//! Chooses cases, runs them, prints what differs, counts.

use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::cases::{self, Case, File};
use crate::sets::{SETS, Set, Verdict};

/// Which cases to run.
#[derive(Debug, Default)]
pub(crate) struct Choice {
    pub(crate) area: Vec<String>,
    pub(crate) only: Vec<String>,
    pub(crate) paths: Vec<PathBuf>,
}

impl Choice {
    fn takes(&self, case: &Case) -> bool {
        let listed = |list: &[String], value: &str| list.is_empty() || list.iter().any(|one| one == value);
        listed(&self.area, case.area()) && listed(&self.only, case.id())
    }
}

/// Runs of cases.
#[derive(Debug, Default, Clone, Copy)]
struct Count {
    passed: usize,
    /// Other than recorded on purpose: neither passed nor failed.
    deviating: usize,
    failed: usize,
}

impl Count {
    fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.deviating += other.deviating;
        self.failed += other.failed;
    }

    /// Says so where fewer runs passed than there are.
    fn shortfall(self, least: usize) -> Option<String> {
        let passed = self.passed;
        (passed < least)
            .then(|| format!("{passed} passed, at least {least} are recorded: were all cases read?"))
    }

    fn words(self) -> String {
        let deviating =
            if self.deviating == 0 { String::new() } else { format!(", {} deviating", self.deviating) };
        format!("{} passed, {} failed{deviating}", self.passed, self.failed)
    }
}

/// Runs the chosen cases of a set and returns how many failed.
pub(crate) fn one(name: &str, choice: &Choice) -> Result<usize> {
    let Some(set) = SETS.iter().find(|set| set.name == name) else {
        let known: Vec<&str> = SETS.iter().map(|set| set.name).collect();
        bail!("there is no set {name:?}; the sets are {}, scenarios", known.join(", "));
    };
    let count = run(set, choice, |_| true)?;
    finish(count)
}

/// Runs what is promised of every set and returns how many cases failed.
pub(crate) fn promised() -> Result<usize> {
    let mut total = Count::default();
    for set in SETS {
        let mut count = run(set, &Choice::default(), |case| set.promises(case))?;
        say(&format!("{}: {}", set.name, count.words()))?;
        if recorded(set).iter().all(|path| path.exists())
            && let Some(reason) = count.shortfall(set.least)
        {
            say(&format!("FAIL {}: {reason}", set.name))?;
            count.failed += 1;
        }
        total.add(count);
    }
    finish(total)
}

fn run(set: &Set, choice: &Choice, in_scope: impl Fn(&Case) -> bool) -> Result<Count> {
    let paths = if choice.paths.is_empty() { recorded(set) } else { choice.paths.clone() };
    let mut count = Count::default();
    for path in paths {
        if choice.paths.is_empty() && !path.exists() {
            say(&format!("skipped: there is no recorded data at {}", path.display()))?;
            continue;
        }
        for file in cases::load(&path)? {
            for case in file.cases.iter().filter(|case| in_scope(case) && choice.takes(case)) {
                for verdict in verdicts(set, &file, case) {
                    count.add(tell(set, case, verdict)?);
                }
            }
        }
    }
    Ok(count)
}

/// The files and folders of a set.
fn recorded(set: &Set) -> Vec<PathBuf> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let beside = set.beside.iter().map(|path| shared.join(path));
    beside.chain([shared.join("conformance").join(set.name)]).collect()
}

/// Runs one case; a panic is that case's failure.
fn verdicts(set: &Set, file: &File, case: &Case) -> Vec<Verdict> {
    catch_unwind(AssertUnwindSafe(|| set.run(file, case)))
        .unwrap_or_else(|_| vec![Verdict::Failed("it panicked".to_owned())])
}

/// Says how a run went unless it passed, and counts it.
fn tell(set: &Set, case: &Case, verdict: Verdict) -> Result<Count> {
    let mut count = Count::default();
    match verdict {
        Verdict::Passed => count.passed = 1,
        Verdict::Deviating(reason) => {
            count.deviating = 1;
            say(&format!("deviates {} {}: {reason}", set.name, case.id()))?;
        }
        Verdict::Failed(difference) => {
            count.failed = 1;
            say(&format!("FAIL {} {}\n{}", set.name, case.id(), indent(&difference)))?;
        }
    }
    Ok(count)
}

fn finish(count: Count) -> Result<usize> {
    if count.deviating > 0 {
        say(&format!("{} deviate on purpose", count.deviating))?;
    }
    say(&format!("{} passed, {} failed", count.passed, count.failed))?;
    Ok(count.failed)
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

fn say(line: &str) -> Result<()> {
    Ok(writeln!(std::io::stdout(), "{line}")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_that_were_not_read_are_missed() {
        for set in SETS {
            let passed = |passed| Count { passed, deviating: 5, failed: 0 }.shortfall(set.least);
            assert!(passed(0).is_some() && passed(set.least - 1).is_some(), "{}", set.name);
            assert_eq!(passed(set.least), None, "{}", set.name);
        }
    }
}
