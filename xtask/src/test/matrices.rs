//! Matrices: tests that go through many rows tell here how many they tried and how many passed.
//!
//! A runner hides what passing tests print, so each of them appends its line to a file (`tests/matrix` writes it).

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::workspace::Workspace;

/// The variable that names the file to the tests.
const VARIABLE: &str = "MILLRACE_MATRICES";

/// The file of one run; it goes with this value.
#[derive(Debug)]
pub(super) struct Matrices {
    file: PathBuf,
}

/// The sum of all lines of one matrix.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) name: String,
    tried: u64,
    passed: u64,
    untried: Vec<String>,
}

impl Matrices {
    pub(super) fn new(workspace: &Workspace) -> Result<Self> {
        std::fs::create_dir_all(workspace.target())?;
        let file = workspace.target().join(format!("matrices-{}", std::process::id()));
        std::fs::write(&file, "").with_context(|| format!("cannot write {}", file.display()))?;
        Ok(Self { file })
    }

    /// Tells a runner of tests about the file.
    pub(super) fn tell(&self, command: &mut Command) {
        command.env(VARIABLE, &self.file);
    }

    /// Adds the line of a matrix that no test writes by itself.
    pub(super) fn add(&self, line: &str) -> Result<()> {
        let mut file = File::options().append(true).open(&self.file)?;
        writeln!(file, "{line}").with_context(|| format!("cannot write {}", self.file.display()))
    }

    /// What the tests have told so far, a sum per matrix in the order of their names.
    pub(super) fn sums(&self) -> Result<Vec<Sum>> {
        sums_in(&self.read()?).with_context(|| format!("in {}", self.file.display()))
    }

    fn read(&self) -> Result<String> {
        let path: &Path = &self.file;
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
    }
}

impl Drop for Matrices {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.file);
    }
}

impl Sum {
    /// Whether a row was tried and failed, or none was tried at all.
    pub(super) fn has_failed(&self) -> bool {
        self.passed < self.tried || self.tried == 0
    }

    /// The lines of the summary.
    pub(super) fn lines(&self) -> Vec<String> {
        let first = format!("{}: {} rows tried, {} passed", self.name, self.tried, self.passed);
        let rest = self.untried.iter().map(|row| format!("    not tried: {row}"));
        std::iter::once(first).chain(rest).collect()
    }
}

pub(super) fn sums_in(text: &str) -> Result<Vec<Sum>> {
    let mut sums: Vec<Sum> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let new = parse(line).with_context(|| format!("{line:?} is no line of a matrix"))?;
        match sums.iter_mut().find(|sum| sum.name == new.name) {
            Some(sum) => {
                sum.tried += new.tried;
                sum.passed += new.passed;
                sum.untried.extend(new.untried);
            }
            None => sums.push(new),
        }
    }
    sums.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(sums)
}

/// Reads `NAME: N rows tried, M passed[; not tried: ROW: WHY[; ROW: WHY]…]`.
fn parse(line: &str) -> Option<Sum> {
    let (figures, untried) = line.split_once("; not tried: ").unwrap_or((line, ""));
    let (name, figures) = figures.rsplit_once(": ")?;
    let (tried, passed) = figures.split_once(" rows tried, ")?;
    Some(Sum {
        name: name.trim().to_owned(),
        tried: tried.parse().ok()?,
        passed: passed.strip_suffix(" passed")?.parse().ok()?,
        untried: untried.split("; ").filter(|row| !row.is_empty()).map(str::to_owned).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_one_matrix_are_added_up() {
        let sums = sums_in(
            "tenancy: 12 rows tried, 12 passed\n\
             kill matrix: create: 20 rows tried, 19 passed; not tried: lease: none here; slow etcd: no proxy\n\
             tenancy: 3 rows tried, 3 passed\n\
             canary: 0 rows tried, 0 passed\n",
        )
        .unwrap();
        let lines: Vec<Vec<String>> = sums.iter().map(Sum::lines).collect();
        assert_eq!(
            lines,
            [
                vec!["canary: 0 rows tried, 0 passed"],
                vec![
                    "kill matrix: create: 20 rows tried, 19 passed",
                    "    not tried: lease: none here",
                    "    not tried: slow etcd: no proxy"
                ],
                vec!["tenancy: 15 rows tried, 15 passed"],
            ]
        );
        assert!(sums[0].has_failed(), "nothing was tried");
        assert!(sums[1].has_failed());
        assert!(!sums[2].has_failed());
    }

    #[test]
    fn a_line_of_another_form_is_named() {
        for line in
            ["tenancy: all passed", "tenancy: x rows tried, 1 passed", "tenancy 1 rows tried, 1 passed"]
        {
            let error = sums_in(line).unwrap_err().to_string();
            assert!(error.contains(line), "{error}");
        }
    }
}
