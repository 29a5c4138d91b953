//! The contract pages and the rows of their acceptance checks.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

/// A page under `docs/contract/` that numbers its checks.
pub(super) struct Page {
    pub(super) name: &'static str,
    /// Start of the heading whose section holds the checks.
    section: &'static str,
    /// What the numbers start with in tests.
    prefix: &'static str,
    rows: Rows,
}

/// How a page writes its checks.
#[derive(Clone, Copy)]
enum Rows {
    /// Rows of tables, `| A17 | …`, with this before the number.
    Table(&'static str),
    /// Items of a list, `17. …`.
    List,
}

/// One acceptance check.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Check {
    /// `SC-017`.
    pub(super) number: String,
    /// The start of its text.
    pub(super) text: String,
}

pub(super) const PAGES: &[Page] = &[
    Page { name: "source-controller", section: "## 8. ", prefix: "SC", rows: Rows::Table("A") },
    Page { name: "kustomize-controller", section: "## 10. ", prefix: "KC", rows: Rows::List },
    Page { name: "notification-controller", section: "## 7. ", prefix: "NC", rows: Rows::Table("") },
    Page { name: "cli", section: "# C. ", prefix: "CLI", rows: Rows::Table("") },
];

const TEXT_LIMIT: usize = 140;

/// Reads the checks of a page, in their order.
pub(super) fn checks(root: &Path, page: &Page) -> Result<Vec<Check>> {
    let path = root.join("docs/contract").join(format!("{}.md", page.name));
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let checks = checks_in(&text, page);
    if checks.is_empty() {
        bail!("{} has no acceptance checks under {:?}", path.display(), page.section);
    }
    Ok(checks)
}

fn checks_in(text: &str, page: &Page) -> Vec<Check> {
    let level = page.section.chars().take_while(|letter| *letter == '#').count();
    let ends = |line: &str| {
        let depth = line.chars().take_while(|letter| *letter == '#').count();
        depth > 0 && depth <= level
    };
    let section = text
        .lines()
        .skip_while(|line| !line.starts_with(page.section))
        .skip(1)
        .take_while(|line| !ends(line));
    section
        .filter_map(|line| row(line, page.rows))
        .map(|(number, text)| Check { number: format!("{}-{number:03}", page.prefix), text: shorten(text) })
        .collect()
}

/// The number and the rest of a row.
fn row(line: &str, rows: Rows) -> Option<(u32, &str)> {
    let (number, rest) = match rows {
        Rows::Table(before) => {
            let (cell, rest) = line.strip_prefix('|')?.split_once('|')?;
            (cell.trim().strip_prefix(before)?, rest.trim().trim_end_matches('|'))
        }
        Rows::List => line.split_once(". ")?,
    };
    Some((number.parse().ok()?, rest.trim()))
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(TEXT_LIMIT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(page: &Page, text: &str) -> Vec<String> {
        checks_in(text, page).into_iter().map(|check| check.number).collect()
    }

    #[test]
    fn rows_of_tables_are_read_inside_their_section_only() {
        let text = "## 7. Other\n| A9 | x | y |\n## 8. Acceptance\n### 8.1 API\n| # | Given | Then |\n|---|---|---|\n| A1 | a | b |\n\
                    | A12 | c | d |\n## 9. After\n| A3 | x | y |\n";
        assert_eq!(numbers(&PAGES[0], text), ["SC-001", "SC-012"]);
        let check = &checks_in(text, &PAGES[0])[0];
        assert_eq!(check.text, "a | b");
    }

    #[test]
    fn items_of_a_list_are_read() {
        let text = "## 10. Acceptance checks\nSetup.\n1. first\n2. second\nNot. a row\n130. last\n## 11. Traps\n1. x\n";
        assert_eq!(numbers(&PAGES[1], text), ["KC-001", "KC-002", "KC-130"]);
    }
}
