//! What the runner says about each story.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};

use super::pardons::Pardons;

/// How the runner indents a difference.
const INDENT: &str = "    [";

/// Which stories passed.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) passed: BTreeMap<String, bool>,
    /// Whether the runner came to its end.
    pub(super) is_whole: bool,
}

impl Outcome {
    pub(super) fn failed(&self) -> Vec<String> {
        self.passed.iter().filter(|(_, passed)| !**passed).map(|(id, _)| id.clone()).collect()
    }
}

/// Runs the runner, prints what it says, and reads the verdicts. Differences that are pardoned don't count.
pub(super) fn run(mut command: Command, pardons: Option<&Pardons>) -> Result<Outcome> {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().context("cannot start the runner")?;
    let stdout = child.stdout.take().context("the output is piped")?;
    let mut reader = Reader { pardons, outcome: Outcome::default(), story: None };
    for line in BufReader::new(stdout).lines() {
        for line in reader.line(line?) {
            writeln!(std::io::stdout(), "{line}")?;
        }
    }
    for line in reader.close() {
        writeln!(std::io::stdout(), "{line}")?;
    }
    child.wait()?;
    Ok(reader.outcome)
}

/// A story that failed, as far as it was read.
struct Story {
    heading: String,
    id: String,
    /// Each may have several lines.
    differences: Vec<String>,
}

struct Reader<'a> {
    pardons: Option<&'a Pardons>,
    outcome: Outcome,
    story: Option<Story>,
}

impl Reader<'_> {
    /// Takes a line and returns what is to be printed now.
    fn line(&mut self, line: String) -> Vec<String> {
        let Some((id, passed)) = verdict(&line) else { return self.more(line) };
        let id = id.to_owned();
        let mut print = self.close();
        if passed {
            self.outcome.passed.insert(id, true);
            print.push(line);
        } else {
            self.story = Some(Story { heading: line, id, differences: Vec::new() });
        }
        print
    }

    fn more(&mut self, line: String) -> Vec<String> {
        // The closing line comes with a duration; the caller's own follows.
        if line.contains(" passed, ") {
            self.outcome.is_whole = true;
            return self.close();
        }
        let Some(story) = &mut self.story else { return vec![line] };
        match story.differences.last_mut() {
            Some(last) if !line.starts_with(INDENT) => {
                last.push('\n');
                last.push_str(&line);
            }
            _ => story.differences.push(line),
        }
        Vec::new()
    }

    /// The verdict on the story that was read.
    fn close(&mut self) -> Vec<String> {
        let Some(Story { heading, id, differences }) = self.story.take() else { return Vec::new() };
        let total = differences.len();
        let mut pardoned = Vec::new();
        let mut left = differences;
        if let Some(pardons) = self.pardons {
            left.retain(|difference| {
                let keep = !pardons.covers(&id, difference.trim_start(), &pardoned);
                if !keep {
                    pardoned.push(difference.trim_start().to_owned());
                }
                keep
            });
        }
        let passed = left.is_empty() && total > 0;
        let mut print = vec![if passed { heading.replacen("FAIL", "ok  ", 1) } else { heading }];
        if !pardoned.is_empty() {
            print.push(format!("    ({} repetitions ignored)", pardoned.len()));
        }
        print.extend(left);
        self.outcome.passed.insert(id, passed);
        print
    }
}

/// Reads `ok   ID (1.2s)` and `FAIL ID (1.2s)`.
fn verdict(line: &str) -> Option<(&str, bool)> {
    let mut words = line.split_whitespace();
    let passed = match words.next()? {
        "ok" if line.starts_with("ok") => true,
        "FAIL" if line.starts_with("FAIL") => false,
        _ => return None,
    };
    Some((words.next()?, passed))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "ok   first (1.2s)
FAIL second (3.4s)
    [a]/flux/x: expected to begin with
      'one'
    got
      'two'
FAIL third (0.1s)
    [a]/events/Kustomization/x: unexpected {\"type\": \"Normal\", \"message\": \"said\"}
  third: cleanup: no
1 passed, 2 failed  (5s)";

    fn read(pardons: Option<&Pardons>) -> (Outcome, Vec<String>) {
        let mut reader = Reader { pardons, outcome: Outcome::default(), story: None };
        let mut printed: Vec<String> = SAID.lines().flat_map(|line| reader.line(line.to_owned())).collect();
        printed.extend(reader.close());
        (reader.outcome, printed)
    }

    #[test]
    fn verdicts_are_read_and_differences_kept_whole() {
        let (outcome, printed) = read(None);
        assert_eq!(outcome.failed(), ["second", "third"]);
        assert!(outcome.is_whole);
        assert_eq!(printed.join("\n"), SAID.lines().take(9).collect::<Vec<_>>().join("\n"));
    }
}
