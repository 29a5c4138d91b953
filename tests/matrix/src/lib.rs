//! Test matrices: one test that goes through many rows, and tells how many it tried and how many passed.
//!
//! ```ignore
//! let mut matrix = Matrix::new("kill matrix");
//! for step in steps {
//!     matrix.row(&step.name, try_step(&step).await);
//! }
//! matrix.untried("lease lost", "this control plane has no leases");
//! matrix.finish()?;
//! ```
//!
//! The line goes to the file that [`FILE_VARIABLE`] names, or to standard output. `cargo xtask test` sets the variable, adds up the
//! lines of a name and prints the sums: several tests, each a process of its own, may share one matrix.
//!
//! [`canary`] is the matrix of places where secrets are put, [`logs`] what it needs to search what was logged, [`clock`] what tests
//! of growth measure.

pub mod canary;
pub mod clock;
pub mod logs;

use std::fmt::{self, Display};
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The variable that names the file to append to.
pub const FILE_VARIABLE: &str = "MILLRACE_MATRICES";

/// The rows of a matrix, counted as they are tried.
#[derive(Debug)]
pub struct Matrix {
    name: String,
    tried: usize,
    failures: Vec<String>,
    untried: Vec<String>,
}

/// Rows that did not pass, each with what happened.
#[derive(Debug)]
pub struct Failed {
    name: String,
    tried: usize,
    failures: Vec<String>,
}

impl Matrix {
    /// A matrix of no rows yet; its name is what the summary calls it.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), tried: 0, failures: Vec::new(), untried: Vec::new() }
    }

    /// Counts a row that was tried. The other rows are worth trying, whatever came of it.
    pub fn row<T, E: Display>(&mut self, row: &str, outcome: Result<T, E>) {
        self.tried += 1;
        if let Err(error) = outcome {
            // With `:#`, errors that have causes print them too.
            self.failures.push(format!("{row}: {error:#}"));
        }
    }

    /// Names a row that can't be tried, and why.
    pub fn untried(&mut self, row: &str, why: &str) {
        self.untried.push(format!("{row}: {why}"));
    }

    /// Reports the line.
    ///
    /// # Errors
    /// When a row failed; the error names every such row.
    pub fn finish(self) -> Result<(), Failed> {
        self.finish_at(place().as_deref())
    }

    fn finish_at(self, place: Option<&Path>) -> Result<(), Failed> {
        if let Err(error) = append(place, &self.to_string()) {
            return Err(Failed {
                failures: vec![format!("the line could not be written: {error}")],
                name: self.name,
                tried: self.tried,
            });
        }
        let Self { name, tried, failures, .. } = self;
        if failures.is_empty() { Ok(()) } else { Err(Failed { name, tried, failures }) }
    }
}

impl Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let passed = self.tried - self.failures.len();
        write!(f, "{}: {} rows tried, {passed} passed", self.name, self.tried)?;
        if !self.untried.is_empty() {
            write!(f, "; not tried: {}", self.untried.join("; "))?;
        }
        Ok(())
    }
}

impl Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, tried, failures } = self;
        write!(f, "{name}: {} of {tried} rows failed:\n  {}", failures.len(), failures.join("\n  "))
    }
}

impl std::error::Error for Failed {}

#[expect(clippy::disallowed_methods, reason = "the one setting of this crate")]
fn place() -> Option<PathBuf> {
    std::env::var_os(FILE_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Adds one line in one write, so that lines of processes side by side stay whole.
fn append(place: Option<&Path>, line: &str) -> io::Result<()> {
    let text = format!("{}\n", line.replace('\n', " "));
    match place {
        Some(path) => File::options().create(true).append(true).open(path)?.write_all(text.as_bytes()),
        None => io::stdout().write_all(text.as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_and_what_failed_is_named() {
        let mut matrix = Matrix::new("kill matrix");
        matrix.row("create, step 1", Ok::<_, String>(()));
        matrix.row("create, step 2", Err::<(), _>("ConfigMap/a is untracked"));
        assert_eq!(matrix.to_string(), "kill matrix: 2 rows tried, 1 passed");
        matrix.untried("lease lost", "no lease here");
        matrix.untried("slow etcd", "no proxy\nhere");
        assert_eq!(
            matrix.to_string(),
            "kill matrix: 2 rows tried, 1 passed; not tried: lease lost: no lease here; slow etcd: no proxy\nhere"
        );
        let failed = matrix.finish_at(None).unwrap_err().to_string();
        assert_eq!(failed, "kill matrix: 1 of 2 rows failed:\n  create, step 2: ConfigMap/a is untracked");
    }

    #[test]
    fn a_matrix_without_a_failed_row_passes() {
        let mut matrix = Matrix::new("tenancy");
        matrix.row("cross-namespace source", Ok::<_, String>(()));
        assert!(matrix.finish_at(None).is_ok());
    }

    #[test]
    fn every_line_is_one_line_at_the_end_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("matrices");
        append(Some(&file), "first: 1 rows tried, 1 passed").unwrap();
        append(Some(&file), "second: 0 rows tried,\n0 passed").unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(text, "first: 1 rows tried, 1 passed\nsecond: 0 rows tried, 0 passed\n");
    }
}
