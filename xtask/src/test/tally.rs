//! Runs test programs, shows what they print, and keeps their closing lines for the summary.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::say::say;

/// Figures over all runners.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) passed: u64,
    pub(super) failed: u64,
    /// The runners' own closing lines.
    pub(super) lines: Vec<String>,
}

impl Tally {
    /// Runs a command, prints its output line by line, and counts what its closing lines say.
    pub(super) fn run(&mut self, what: &str, command: &mut Command) -> Result<()> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", command.get_program().display()))?;
        let stdout = child.stdout.take().context("the output is piped")?;
        let stderr = child.stderr.take().context("the output is piped")?;
        // Closing lines come on either stream.
        let other = std::thread::spawn(move || follow(stderr));
        let mut closing = follow(stdout);
        closing.extend(other.join().unwrap_or_default());
        let status = child.wait()?;
        for line in closing {
            let (passed, failed) = counts(&line).unwrap_or_default();
            self.passed += passed;
            self.failed += failed;
            self.lines.push(format!("{what}: {}", line.trim()));
        }
        if !status.success() {
            bail!("{what}: {status}");
        }
        Ok(())
    }
}

fn follow(stream: impl std::io::Read) -> Vec<String> {
    let lines = BufReader::new(stream).split(b'\n').map_while(Result::ok);
    let mut closing = Vec::new();
    for line in lines {
        let line = String::from_utf8_lossy(&line).into_owned();
        say!("{line}");
        if counts(&line).is_some() {
            closing.push(line);
        }
    }
    closing
}

/// What a closing line counts: passed and failed. `None` for any other line.
///
/// Knows nextest (`Summary [ 1.2s] 3 tests run: 2 passed, 1 failed, 0 skipped`), cargo's own runner and the plain form.
fn counts(line: &str) -> Option<(u64, u64)> {
    let line = line.trim();
    let figures = if line.starts_with("Summary [") {
        line.split_once("run:")?.1
    } else if let Some(rest) = line.strip_prefix("test result: ") {
        rest
    } else {
        let starts =
            line.split_whitespace().next().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        if !starts || !line.contains(" passed, ") || !line.contains(" failed") {
            return None;
        }
        line
    };
    let (mut passed, mut failed) = (0, 0);
    let words: Vec<&str> =
        figures.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    for pair in words.windows(2) {
        let Ok(count) = pair[0].parse::<u64>() else { continue };
        match pair[1] {
            "passed" => passed += count,
            "failed" | "timed" | "exec" => failed += count,
            _ => {}
        }
    }
    Some((passed, failed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_of_all_runners_are_counted() {
        for (line, expected) in [
            ("     Summary [   1.204s] 15 tests run: 15 passed, 0 skipped", Some((15, 0))),
            (
                "     Summary [   9.001s] 9 tests run: 5 passed (1 slow), 2 failed, 2 timed out, 3 skipped",
                Some((5, 4)),
            ),
            (
                "test result: FAILED. 13 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 41.13s",
                Some((13, 2)),
            ),
            ("65 passed, 5 failed", Some((65, 5))),
            ("        PASS [   0.004s] xtask tests::a", None),
            ("ok  git-clone (1.2s)", None),
        ] {
            assert_eq!(counts(line), expected, "{line}");
        }
    }
}
