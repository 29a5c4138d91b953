//! Finds the tests of the workspace and the check numbers they name.
//!
//! A number counts when it stands in a test's name (`sc_017_…`) or in a comment (`SC-017`) directly above the test or inside it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::Result;

const FOLDERS: &[&str] = &["crates", "tests", "xtask"];
const PREFIXES: &[&str] = &["SC", "KC", "NC", "CLI"];

/// A test.
pub(crate) struct Test {
    pub(crate) name: String,
    /// Path from the top of the checkout.
    pub(crate) file: String,
    /// The checks that it names.
    pub(crate) numbers: BTreeSet<String>,
}

/// All tests below `root` that name a check.
pub(super) fn tests(root: &Path) -> Result<Vec<Test>> {
    let mut found = all_tests(root)?;
    found.retain(|test| !test.numbers.is_empty());
    Ok(found)
}

/// All tests below `root`, in the order of their files.
pub(crate) fn all_tests(root: &Path) -> Result<Vec<Test>> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        visit(&root.join(folder), &mut |path| {
            let text = fs::read_to_string(path)?;
            let file = path.strip_prefix(root).unwrap_or(path).display().to_string();
            found.extend(tests_in(&text).into_iter().map(|(name, numbers)| Test {
                name,
                file: file.clone(),
                numbers,
            }));
            Ok(())
        })?;
    }
    found.sort_by(|left, right| left.file.cmp(&right.file));
    Ok(found)
}

fn visit(folder: &Path, file: &mut impl FnMut(&Path) -> Result<()>) -> Result<()> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            visit(&path, file)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            file(&path)?;
        }
    }
    Ok(())
}

/// Names and numbers of the tests in a source file, which is formatted: a function ends at a brace as far in as its start.
fn tests_in(text: &str) -> Vec<(String, BTreeSet<String>)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        let above: Vec<&str> =
            lines[..index].iter().rev().copied().take_while(|line| belongs_to_next(line)).collect();
        if !above.iter().any(|line| is_test_attribute(line))
            || above.iter().any(|line| line.trim().starts_with("#[ignore"))
        {
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let body =
            lines[index..].iter().skip(1).take_while(|line| **line != format!("{}}}", " ".repeat(indent)));
        let comments = above.iter().chain(body).filter_map(|line| comment(line));
        let mut numbers: BTreeSet<String> = comments.flat_map(|comment| numbers_in(comment, '-')).collect();
        numbers.extend(numbers_in(&name.to_uppercase(), '_'));
        found.push((name.to_owned(), numbers));
    }
    found
}

fn function_name(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = line.strip_prefix("pub(crate) ").unwrap_or(line);
    let line = line.strip_prefix("async ").unwrap_or(line);
    line.strip_prefix("fn ")?.split(['(', '<']).next()
}

fn belongs_to_next(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("//") || line.starts_with("#[")
}

fn is_test_attribute(line: &str) -> bool {
    let line = line.trim();
    line == "#[test]" || line.starts_with("#[tokio::test") || line.starts_with("#[rstest")
}

fn comment(line: &str) -> Option<&str> {
    let start = line.find("//")?;
    Some(&line[start..])
}

/// The numbers in a text, such as `SC-017` with the separator `-`.
fn numbers_in(text: &str, separator: char) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != separator);
    let mut found = Vec::new();
    for word in words {
        let parts: Vec<&str> = word.split(separator).collect();
        for pair in parts.windows(2) {
            let is_number = pair[1].len() == 3 && pair[1].bytes().all(|byte| byte.is_ascii_digit());
            if PREFIXES.contains(&pair[0]) && is_number {
                found.push(format!("{}-{}", pair[0], pair[1]));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_above_inside_and_in_the_name_of_a_test() {
        let source = "
/// SC-001 is prose of a function that is no test.
fn helper() {}

// SC-002 (and KC-010)
#[test]
fn first() {
    let x = \"SC-003 in a string\";
    // NC-101: the answer
    if x.is_empty() {
    }
}

mod nested {
    #[tokio::test(flavor = \"multi_thread\")]
    async fn sc_017_second() {
        act().await; // CLI-004
    }
    // SC-099 belongs to no test
}

#[test]
#[ignore = \"later\"]
fn sc_020_skipped() {
}
";
        let found = tests_in(source);
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["first", "sc_017_second"]);
        let numbers: Vec<Vec<&str>> =
            found.iter().map(|(_, numbers)| numbers.iter().map(String::as_str).collect()).collect();
        assert_eq!(numbers, [vec!["KC-010", "NC-101", "SC-002"], vec!["CLI-004", "SC-017"]]);
    }
}
