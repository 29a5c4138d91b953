//! `cargo xtask contract`: every acceptance check of the contract pages, with the tests that prove it or "open".

mod pages;
pub(crate) mod scan;

use std::collections::BTreeMap;

use anyhow::Result;

use crate::say::say;
use crate::workspace::Workspace;
use pages::PAGES;

/// What to print.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    /// Only checks without a test.
    pub(crate) open: bool,
    /// Only the figures.
    pub(crate) summary: bool,
}

/// Lists the checks and ends with the figures of each page.
pub(crate) fn run(workspace: &Workspace, options: Options) -> Result<()> {
    let tests = scan::tests(workspace.root())?;
    let mut covering: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for test in &tests {
        for number in &test.numbers {
            covering.entry(number).or_default().push(format!("{} ({})", test.name, test.file));
        }
    }
    let (mut all, mut all_covered) = (0, 0);
    let mut figures = Vec::new();
    for page in PAGES {
        let checks = pages::checks(workspace.root(), page)?;
        let mut covered = 0;
        for check in &checks {
            let proofs = covering.remove(check.number.as_str()).unwrap_or_default();
            covered += usize::from(!proofs.is_empty());
            if options.summary || (options.open && !proofs.is_empty()) {
                continue;
            }
            let proof = if proofs.is_empty() { "open".to_owned() } else { proofs.join(", ") };
            say!("{}  {proof}\n         {}", check.number, check.text);
        }
        figures.push(format!("CONTRACT {} {covered}/{}", page.name, checks.len()));
        all += checks.len();
        all_covered += covered;
    }
    for (number, proofs) in &covering {
        say!("{number} is no check of any page; named by {}", proofs.join(", "));
    }
    for figure in figures {
        say!("{figure}");
    }
    say!("CONTRACT {all_covered}/{all}");
    Ok(())
}
