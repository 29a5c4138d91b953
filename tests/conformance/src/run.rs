//! Chooses cases, runs them, prints what differs, counts.

use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::cases::{self, Case, File};
use crate::sets::{SETS, Set};

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

/// Passed and failed cases.
#[derive(Debug, Default, Clone, Copy)]
struct Count {
    passed: usize,
    failed: usize,
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
        let count = run(set, &Choice::default(), |case| set.promises(case))?;
        say(&format!("{}: {} passed, {} failed", set.name, count.passed, count.failed))?;
        total.passed += count.passed;
        total.failed += count.failed;
    }
    finish(total)
}

fn run(set: &Set, choice: &Choice, in_scope: impl Fn(&Case) -> bool) -> Result<Count> {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance").join(set.name);
    let paths = if choice.paths.is_empty() { vec![recorded] } else { choice.paths.clone() };
    let mut count = Count::default();
    for path in paths {
        if choice.paths.is_empty() && !path.exists() {
            say(&format!("skipped: there is no recorded data at {}", path.display()))?;
            continue;
        }
        for file in cases::load(&path)? {
            for case in file.cases.iter().filter(|case| in_scope(case) && choice.takes(case)) {
                match check(set, &file, case) {
                    Ok(()) => count.passed += 1,
                    Err(difference) => {
                        count.failed += 1;
                        say(&format!("FAIL {} {}\n{}", set.name, case.id(), indent(&difference)))?;
                    }
                }
            }
        }
    }
    Ok(count)
}

/// Checks one case; a panic is that case's failure.
fn check(set: &Set, file: &File, case: &Case) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(|| (set.check)(file, case)))
        .unwrap_or_else(|_| Err("it panicked".to_owned()))
}

fn finish(count: Count) -> Result<usize> {
    say(&format!("{} passed, {} failed", count.passed, count.failed))?;
    Ok(count.failed)
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

fn say(line: &str) -> Result<()> {
    Ok(writeln!(std::io::stdout(), "{line}")?)
}
