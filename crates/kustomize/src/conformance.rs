//! Recorded builds: what the reference makes of some files, and whether this engine makes the same.
//!
//! The cases are data beside the repository; this module reads them, runs them, and says what differs. It is used by tests
//! and by the repository's tasks.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use millrace_yaml::read::{self, Limits, Resolver};
use millrace_yaml::{Map, Node};

use crate::{BuildError, ErrorKind, LoadRestrictor, MemoryFiles, Mode, Options, Output, build};

/// The path that stands for the root of a case.
const ROOT: &str = "/srv/case";
const ROOT_MARK: &str = "{root}";

/// Cases that come out different on purpose, with the reason.
pub const DEVIATIONS: &[(&str, &str)] = &[
    ("imagebad", "the tree forgets the flow style in which the reference shows a node in its message"),
    (
        "emptyvals",
        "the tree forgets that an absent value stood inside of braces, where the reference's own text makes it an empty string",
    ),
    ("rep-missing-create", "as imagebad"),
    ("replacement-negative-index-path", "as imagebad"),
    (
        "patch-comments-flow",
        "comments that hold a schema are not read, since comments are no part of the tree",
    ),
    (
        "internalanno2",
        "the hash of an object that is neither ConfigMap nor Secret covers the reference's private form of its tree, lines and \
         columns included; the contract leaves it out",
    ),
];

/// One recorded build.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name.
    pub id: String,
    files: MemoryFiles,
    folder: String,
    unrestricted: bool,
    warnings: Option<Vec<String>>,
    command: Expected,
    /// What the controllers make of it, where that was recorded.
    controller: Option<Expected>,
}

/// What a build is expected to give.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Expected {
    Output(String),
    Error(String),
    ErrorContains(Vec<String>),
}

/// How a case went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As recorded.
    Passed,
    /// The build uses something that is not supported yet, and says so.
    Unsupported(String),
    /// Different from what was recorded, on purpose; the text is the reason.
    Deviating(&'static str),
    /// Different from what was recorded; the text shows how.
    Wrong(String),
}

/// The cases in a file of the recorded format.
///
/// # Errors
///
/// Says what the text lacks.
pub fn cases(text: &str) -> Result<Vec<Case>, String> {
    let node =
        read::one(text, Resolver::Kubernetes, &Limits::default()).map_err(|error| error.to_string())?.node;
    let for_controller =
        node.get("recorded").and_then(Node::as_list).is_some_and(|list| list.contains(&Node::string("flux")));
    let cases = node.get("cases").and_then(Node::as_list).ok_or("the file has no cases")?;
    cases.iter().map(|case| Case::read(case, for_controller)).collect()
}

impl Case {
    fn read(node: &Node, for_controller: bool) -> Result<Self, String> {
        let id = node.str_at(&["id"]).ok_or("a case has no id")?.to_owned();
        let map = node.as_map().ok_or("a case is no map")?;
        let command = Expected::read(map).ok_or_else(|| format!("{id} states no result"))?;
        let controller = match map.get("flux") {
            _ if !for_controller => None,
            None => Some(command.clone()),
            Some(differs) => differs.as_map().and_then(Expected::read),
        };
        let texts = |list: &[Node]| list.iter().filter_map(Node::as_str).map(placed).collect();
        Ok(Self {
            files: files(map.get("files")).ok_or_else(|| format!("{id} has a file that is no text"))?,
            folder: node.str_at(&["dir"]).unwrap_or(".").to_owned(),
            unrestricted: node.str_at(&["loadRestrictor"]) == Some("none"),
            warnings: Some(map.get("warnings").and_then(Node::as_list).map(texts).unwrap_or_default()),
            id,
            command,
            controller,
        })
    }

    /// Whether a result was recorded for a mode.
    pub fn has(&self, mode: Mode) -> bool {
        mode == Mode::Cli || self.controller.is_some()
    }

    /// Builds the case and compares.
    pub fn run(&self, mode: Mode) -> Verdict {
        let (expected, mut options) = match mode {
            Mode::Cli => (&self.command, Options::cli(ROOT)),
            Mode::Flux => (self.controller.as_ref().unwrap_or(&self.command), Options::flux(ROOT)),
        };
        if self.unrestricted {
            options.load_restrictor = LoadRestrictor::None;
        }
        let result = build(&self.files, &self.folder, &options);
        let deviation = DEVIATIONS.iter().find(|(id, _)| *id == self.id).map(|(_, reason)| *reason);
        if let Some(ErrorKind::Unsupported { field, .. }) = result.as_ref().err().map(BuildError::kind) {
            return deviation.map_or_else(|| Verdict::Unsupported(field.clone()), Verdict::Deviating);
        }
        let warnings = self.warnings.as_ref().filter(|_| mode == Mode::Cli);
        match expected
            .difference(&result)
            .or_else(|| warnings.and_then(|wanted| warning_difference(wanted, &result)))
        {
            Some(difference) => deviation.map_or(Verdict::Wrong(difference), Verdict::Deviating),
            None => Verdict::Passed,
        }
    }
}

impl Expected {
    fn read(map: &Map) -> Option<Self> {
        let text = |key| map.get(key).and_then(Node::as_str).map(placed);
        let substrings = |list: &[Node]| list.iter().filter_map(Node::as_str).map(placed).collect();
        text("output")
            .map(Self::Output)
            .or_else(|| text("error").map(Self::Error))
            .or_else(|| map.get("errorContains")?.as_list().map(substrings).map(Self::ErrorContains))
    }

    fn difference(&self, result: &Result<Output, BuildError>) -> Option<String> {
        let trimmed = |text: &str| text.trim_end_matches('\n').to_owned();
        match (self, result) {
            (Self::Output(wanted), Ok(output)) => {
                let found = output.to_yaml();
                (*wanted != found).then(|| describe(wanted, &found))
            }
            (Self::Error(wanted), Err(error)) => {
                let (wanted, found) = (trimmed(wanted), trimmed(&error.reference));
                (wanted != found).then(|| describe(&wanted, &found))
            }
            (Self::ErrorContains(parts), Err(error)) => {
                let missing = parts.iter().find(|part| !error.reference.contains(part.as_str()))?;
                Some(format!("the error lacks {missing:?}: {}", error.reference))
            }
            (Self::Output(_), Err(error)) => Some(format!("failed: {error}")),
            (Self::Error(wanted), Ok(output)) => {
                Some(format!("did not fail with {wanted:?} but gave\n{}", output.to_yaml()))
            }
            (Self::ErrorContains(_), Ok(output)) => {
                Some(format!("did not fail but gave\n{}", output.to_yaml()))
            }
        }
    }
}

fn warning_difference(wanted: &[String], result: &Result<Output, BuildError>) -> Option<String> {
    let found: Vec<&String> = match result {
        Ok(output) => output.warnings.iter().filter(|line| line.starts_with("# Warning: ")).collect(),
        Err(_) => return None,
    };
    let wanted: Vec<&String> = wanted.iter().filter(|line| line.starts_with("# Warning: ")).collect();
    (wanted != found).then(|| format!("warnings: wanted {wanted:?}, found {found:?}"))
}

/// The first lines that differ, with what both sides have.
fn describe(wanted: &str, found: &str) -> String {
    let position = wanted.lines().zip(found.lines()).take_while(|(wanted, found)| wanted == found).count();
    let shown = |text: &str| {
        let start = position.saturating_sub(3);
        let lines: Vec<String> =
            text.lines().skip(start).take(12).map(|line| format!("    {line}\n")).collect();
        lines.concat()
    };
    format!("line {} differs\n  wanted\n{}  found\n{}", position + 1, shown(wanted), shown(found))
}

fn placed(text: &str) -> String {
    text.replace(ROOT_MARK, ROOT)
}

fn files(node: Option<&Node>) -> Option<MemoryFiles> {
    let mut files = MemoryFiles::new();
    for (path, content) in node?.as_map()?.iter() {
        match (content.as_str(), content.str_at(&["symlink"]), content.str_at(&["base64"])) {
            (Some(text), _, _) => files.insert(path, placed(text)),
            (_, Some(target), _) => files.link(path, target),
            (_, _, Some(bytes)) => {
                let bytes: String = bytes.split_whitespace().collect();
                files.insert(path, STANDARD.decode(bytes).ok()?);
            }
            (None, None, None) => return None,
        }
    }
    Some(files)
}
