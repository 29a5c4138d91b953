//! The pages keep their promises: what they link to exists, and so does every test that a promise names.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::contract::scan;
use crate::say::say;
use crate::workspace::Workspace;

/// Pages at the top; the others are below [`FOLDER`].
const TOP: [&str; 2] = ["README.md", "CONTRIBUTING.md"];
const FOLDER: &str = "docs";
/// Where a page names the tests that show what it promises.
const GUIDE: &str = "docs/guide";
/// A name of this many words in back quotes is a test's.
const WORDS_OF_A_TEST: usize = 4;

/// Checks every page.
///
/// # Errors
/// When a link leads nowhere or a test is not there; each is printed.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let root = workspace.root();
    let tests: BTreeSet<String> = scan::all_tests(root)?.into_iter().map(|test| test.name).collect();
    let mut pages: Vec<PathBuf> = TOP.iter().map(|name| root.join(name)).collect();
    collect(&root.join(FOLDER), &mut pages)?;
    let mut wrong = Vec::new();
    for page in pages {
        let text = fs::read_to_string(&page).with_context(|| format!("cannot read {}", page.display()))?;
        let name = page.strip_prefix(root).unwrap_or(&page);
        let folder = page.parent().unwrap_or(root);
        let dead = links(&text).into_iter().filter(|link| !folder.join(link).exists());
        wrong.extend(dead.map(|link| format!("{}: {link} does not exist", name.display())));
        if name.starts_with(GUIDE) {
            let absent = test_names(&text).into_iter().filter(|test| !tests.contains(*test));
            wrong.extend(absent.map(|test| format!("{}: there is no test {test}", name.display())));
        }
    }
    for line in &wrong {
        say!("  {line}");
    }
    if !wrong.is_empty() {
        bail!("{} references of the pages lead nowhere", wrong.len());
    }
    Ok(())
}

fn collect(folder: &Path, pages: &mut Vec<PathBuf>) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, pages)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
    Ok(())
}

/// The relative links of a page, without what they say about a place inside.
fn links(text: &str) -> Vec<String> {
    // Code is no link, but a link may have code for its text.
    let without_code: String =
        text.lines().map(|line| line.split('`').step_by(2).collect::<Vec<_>>().concat() + "\n").collect();
    let targets = without_code.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets
        .map(|target| target.split('#').next().unwrap_or_default().to_owned())
        .filter(|target| {
            !target.is_empty() && !target.contains("://") && !target.contains(char::is_whitespace)
        })
        .collect()
}

/// The names of tests in back quotes.
fn test_names(text: &str) -> BTreeSet<&str> {
    let quoted = text.split('`').skip(1).step_by(2);
    let is_word =
        |word: &str| word.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit());
    quoted
        .filter(|name| {
            let words: Vec<&str> = name.split('_').collect();
            words.len() >= WORDS_OF_A_TEST && words.iter().all(|word| !word.is_empty() && is_word(word))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_links_are_found_without_their_anchors() {
        let text = "[a](docs/a.md) [`b`](../b.md#part), [c](https://example.com/c) [d](#here) `[x](y)`";
        assert_eq!(links(text), ["docs/a.md", "../b.md"]);
    }

    #[test]
    fn names_of_tests_are_told_from_other_code() {
        let text = "| lost | `a_kill_loses_nothing_at_all`, `sc_030_two_are_kept` | `max_retry_delay` `A_B_C_D` `a-b_c_d_e`";
        let names: Vec<&str> = test_names(text).into_iter().collect();
        assert_eq!(names, ["a_kill_loses_nothing_at_all", "sc_030_two_are_kept"]);
    }
}
