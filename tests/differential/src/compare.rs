//! One project, built by both programs.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

/// No project takes either program as long as this.
const LIMIT: Duration = Duration::from_secs(20);
/// How often the reference may answer anew before what it says is held against us: some of its orders come in one of twelve.
const MAX_RERUNS: usize = 200;
const GENERATOR: &str = "merging from generator ";
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// The programs, and a folder to work in.
pub(crate) struct Pair<'a> {
    pub(crate) ours: &'a Path,
    pub(crate) reference: &'a Path,
    pub(crate) place: PathBuf,
}

/// What a program answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) succeeded: bool,
    pub(crate) objects: String,
    pub(crate) words: String,
}

/// In what two answers differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Difference {
    /// One builds what the other refuses.
    Verdict,
    /// Both build, but not the same.
    Objects,
    /// Both build the same, with other warnings.
    Warnings,
    /// Both refuse, in other words.
    Error,
}

impl Pair<'_> {
    /// The folder that projects are written to.
    pub(crate) fn project(&self) -> PathBuf {
        self.place.join("project")
    }

    /// Builds `root` of the project with both: our answer, then the reference's.
    pub(crate) fn build(&self, root: &str) -> Result<[Answer; 2]> {
        let folder = self.project().join(root);
        Ok([
            self.run(self.ours, &["kustomize", "build"], &folder)?,
            self.run(self.reference, &["build"], &folder)?,
        ])
    }

    /// Builds `root` with the reference again, until it answers as we did. It takes objects in an order that changes with every
    /// run, so that which of several errors it tells, and how far it came before, is a matter of chance.
    pub(crate) fn build_again(&self, root: &str, ours: &Answer) -> Result<bool> {
        for _ in 0..MAX_RERUNS {
            let theirs = self.run(self.reference, &["build"], &self.project().join(root))?;
            if difference(&[ours.clone(), theirs]).is_none() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn run(&self, program: &Path, arguments: &[&str], folder: &Path) -> Result<Answer> {
        let [objects, words] = ["objects", "words"].map(|name| self.place.join(name));
        let mut command = Command::new(program);
        command.args(arguments).arg(folder).stdin(Stdio::null());
        command.stdout(File::create(&objects)?).stderr(File::create(&words)?);
        let status = wait(&mut command).with_context(|| format!("cannot run {}", program.display()))?;
        let read = |path| std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let mut words = read(words)?;
        let Some(status) = status else {
            words.push_str("killed after twenty seconds\n");
            return Ok(Answer { succeeded: false, objects: read(objects)?, words });
        };
        // A panic or a signal is never an answer.
        if !status.success() && status.code() != Some(1) {
            _ = writeln!(words, "{status}");
        }
        Ok(Answer { succeeded: status.success(), objects: read(objects)?, words })
    }
}

/// The status, or nothing where the program had to be killed.
fn wait(command: &mut Command) -> Result<Option<ExitStatus>> {
    let mut child = command.spawn()?;
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// How two answers differ, if they do.
pub(crate) fn difference([ours, reference]: &[Answer; 2]) -> Option<Difference> {
    // Where the reference crashes, any answer is better.
    if reference.words.contains("\ngoroutine ") {
        return ours.words.contains("\nexit status: ").then_some(Difference::Verdict);
    }
    if is_refused_hash(ours, reference) {
        return None;
    }
    if ours.succeeded != reference.succeeded {
        return Some(Difference::Verdict);
    }
    if ours.objects != reference.objects {
        return Some(Difference::Objects);
    }
    let (ours, theirs) = (neutral(&ours.words), neutral(&reference.words));
    if reference.succeeded {
        return (ours != theirs).then_some(Difference::Warnings);
    }
    // Hints follow the reference's words, on lines of their own.
    let says_it_first = ours.starts_with(theirs.trim_end()) || is_masked(&ours, theirs.trim_end());
    (!says_it_first).then_some(Difference::Error)
}

/// The hash of an object that is neither ConfigMap nor Secret covers lines and columns of its file in the reference: it is
/// refused (`tests/conformance/deviations/kustomize.yaml`), also where the reference finds it unprintable at the end.
fn is_refused_hash(ours: &Answer, reference: &Answer) -> bool {
    let refused = "no hash suffix can be made for an object of kind '";
    let comes_to_the_end = reference.succeeded || reference.words.contains("Error: map[string]interface {}");
    comes_to_the_end && !ours.succeeded && ours.words.contains(refused)
}

/// Whether our first lines are the reference's with `***` in place of what a secret generator states: its literals, and the
/// lines of its files (`docs/deviations.md`).
fn is_masked(ours: &str, theirs: &str) -> bool {
    const MASK: &str = "***";
    let said_of_sources =
        ["literal sources [", "has invalid utf8 bytes"].iter().any(|words| ours.contains(words));
    let lines = theirs.lines().count();
    let ours: Vec<&str> = ours.lines().take(lines).collect();
    let ours = ours.join("\n");
    let mut pieces = ours.split(MASK);
    let Some(mut rest) = pieces.next().and_then(|first| theirs.strip_prefix(first)) else { return false };
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        let found = match pieces.peek() {
            Some(_) => rest.find(piece),
            // After the last mask comes a text, or it would hide whatever else the reference says.
            None => rest.strip_suffix(piece).filter(|_| !piece.is_empty()).map(str::len),
        };
        // What is masked stands on one line.
        let Some(end) = found.filter(|end| !rest[..*end].contains('\n')) else { return false };
        rest = &rest[end + piece.len()..];
    }
    said_of_sources && rest.is_empty()
}

/// Words without what is another with every run: addresses in memory, and times of a log.
fn neutral(words: &str) -> String {
    let mut neutral = String::new();
    for line in words.lines() {
        let line = without_node(without_time(line));
        let mut rest = &*line;
        // The reference shows an address where a generator's name would help.
        while let Some(start) = rest.find(GENERATOR) {
            let (before, after) = rest.split_at(start + GENERATOR.len());
            neutral.push_str(before);
            let ends = [": id ", ": found ", ": cannot find "].into_iter().filter_map(|end| after.find(end));
            rest = ends.min().map_or(after, |end| &after[end..]);
        }
        neutral.push_str(rest);
        neutral.push('\n');
    }
    neutral
}

/// A list that the reference dumps from its memory, told as the list it is.
fn without_node(line: &str) -> Cow<'_, str> {
    let Some((before, rest)) = line.split_once("&yaml.RNode{") else { return Cow::Borrowed(line) };
    let Some((_, after)) = rest.split_once("Match:[]string(nil)}") else { return Cow::Borrowed(line) };
    Cow::Owned(format!("{before}SequenceNode{after}"))
}

/// `2026/01/02 03:04:05 text` is `text`.
fn without_time(line: &str) -> &str {
    let is_time = line.len() > 20
        && line.is_char_boundary(20)
        && line[..20].bytes().zip("0000/00/00 00:00:00 ".bytes()).all(|(found, form)| match form {
            b'0' => found.is_ascii_digit(),
            form => found == form,
        });
    if is_time { &line[20..] } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(succeeded: bool, objects: &str, words: &str) -> Answer {
        Answer { succeeded, objects: objects.to_owned(), words: words.to_owned() }
    }

    #[test]
    fn answers_differ_in_verdict_objects_warnings_or_error() {
        let cases = [
            (answer(true, "a", ""), answer(true, "a", ""), None),
            (answer(true, "a", ""), answer(false, "", "Error: x\n"), Some(Difference::Verdict)),
            (answer(true, "a", ""), answer(true, "b", ""), Some(Difference::Objects)),
            (answer(true, "a", "x"), answer(true, "a", ""), Some(Difference::Warnings)),
            (answer(false, "", "Error: x\n  see y\n"), answer(false, "", "Error: x\n"), None),
            (answer(false, "", "Error: y\n"), answer(false, "", "Error: x\n"), Some(Difference::Error)),
            (answer(true, "a", ""), answer(false, "", "panic: x\n\ngoroutine 1 [running]:\n"), None),
            (
                answer(false, "", "panicked\nexit status: 101\n"),
                answer(false, "", "panic: x\n\ngoroutine 1 [running]:\n"),
                Some(Difference::Verdict),
            ),
        ];
        for (ours, reference, expected) in cases {
            assert_eq!(difference(&[ours, reference]), expected);
        }
    }

    #[test]
    fn a_hash_that_is_refused_and_a_masked_literal_are_no_differences() {
        let refused =
            answer(false, "", "Error: no hash suffix can be made for an object of kind 'Pod', only for x\n");
        assert_eq!(difference(&[refused.clone(), answer(true, "a", "")]), None);
        assert_eq!(difference(&[answer(true, "a", ""), answer(true, "b", "")]), Some(Difference::Objects));
        assert_eq!(difference(&[refused, answer(false, "", "Error: x\n")]), Some(Difference::Error));
        let theirs = "Error: literal sources [a=b c]: invalid literal source c, expected key=value\n";
        for (ours, expected) in [
            (
                "Error: literal sources [a=*** ***]: invalid literal source ***, expected key=value\nhint: x\n",
                None,
            ),
            ("Error: literal sources [a=*** ***]: invalid literal source ***\n", Some(Difference::Error)),
            ("Error: *** literal sources [\n", Some(Difference::Error)),
            ("Error: ***\n", Some(Difference::Error)),
        ] {
            assert_eq!(difference(&[answer(false, "", ours), answer(false, "", theirs)]), expected, "{ours}");
        }
    }

    #[test]
    fn addresses_and_times_do_not_count() {
        let [one, other] = ["&{0xc0001a <nil>}", "app"].map(|name| {
            neutral(&format!("2026/01/02 03:04:05 x: merging from generator {name}: id a exists\nb: c"))
        });
        assert_eq!(one, "x: merging from generator : id a exists\nb: c\n");
        assert_eq!(one, other);
    }
}
