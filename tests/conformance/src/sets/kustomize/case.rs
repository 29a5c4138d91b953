//! A recorded build.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use millrace_kustomize::{MemoryFiles, Mode, Options};
use millrace_kustomize_command::{Action, Request};
use millrace_yaml::Node;

use super::{Built, Expected};
use crate::cases::{Case, File};

/// The path that stands for the root of a case.
const ROOT: &str = "/srv/case";
const ROOT_MARK: &str = "{root}";
/// How the lines about the kustomization file begin; other lines hold the time of day.
const WARNING: &str = "# Warning: ";

/// A case as it is run.
pub(super) struct Recorded {
    pub(super) files: MemoryFiles,
    pub(super) folder: String,
    command: Expected,
    /// What the controllers make of it, where that was recorded.
    controller: Option<Expected>,
    command_options: Options,
    warnings: Vec<String>,
}

impl Recorded {
    pub(super) fn read(file: &File, case: &Case) -> Result<Self, String> {
        let command = Expected::read(&case.node)?.ok_or("the case states no result")?;
        let for_controller =
            file.head.get("recorded").and_then(Node::as_list).is_some_and(|list| list.contains(&flux()));
        let controller = match case.get("flux") {
            Some(differs) => Expected::read(differs)?,
            None if for_controller => Some(command.clone()),
            None => None,
        };
        Ok(Self {
            files: files(case)?,
            folder: placed(case.text("dir").unwrap_or(".")),
            command,
            controller,
            command_options: command_options(case)?,
            warnings: texts(case.get("warnings")),
        })
    }

    pub(super) fn modes(&self) -> impl Iterator<Item = Mode> + '_ {
        [Mode::Cli, Mode::Flux].into_iter().filter(|mode| *mode == Mode::Cli || self.controller.is_some())
    }

    pub(super) fn expected(&self, mode: Mode) -> &Expected {
        match mode {
            Mode::Cli => &self.command,
            Mode::Flux => self.controller.as_ref().unwrap_or(&self.command),
        }
    }

    pub(super) fn options(&self, mode: Mode) -> Options {
        match mode {
            Mode::Cli => self.command_options.clone(),
            Mode::Flux => Options::flux(ROOT),
        }
    }

    /// The lines about the kustomization files that differ from those recorded.
    pub(super) fn warning_difference(&self, result: &Built) -> Option<String> {
        let found = match result {
            Ok(output) => &output.warnings[..],
            Err(error) => &error.warnings[..],
        };
        let about_files = |lines: &[String]| -> Vec<String> {
            lines.iter().filter(|line| line.starts_with(WARNING)).cloned().collect()
        };
        let (wanted, found) = (about_files(&self.warnings), about_files(found));
        (wanted != found).then(|| format!("warnings: wanted {wanted:?}, found {found:?}"))
    }
}

/// How the command calls the engine.
fn command_options(case: &Case) -> Result<Options, String> {
    let mut words = texts(case.get("args"));
    match case.text("loadRestrictor") {
        None => {}
        Some("none") => words.push("--load-restrictor=LoadRestrictionsNone".to_owned()),
        Some(other) => words.push(format!("--load-restrictor={other}")),
    }
    match Request::read_build(&words).action {
        Action::Build(invocation) => Ok(invocation.options(ROOT, None)),
        Action::Say(text) | Action::Refuse(text) => Err(format!("the flags {words:?} give no build: {text}")),
    }
}

fn files(case: &Case) -> Result<MemoryFiles, String> {
    let mut files = MemoryFiles::new();
    let entries = case.get("files").and_then(Node::as_map).ok_or("the case has no files")?;
    for (path, content) in entries.iter() {
        let wrong = || format!("the file {path} is neither text nor a link nor bytes");
        if let Some(target) = content.str_at(&["symlink"]) {
            files.link(path, &relative(path, target));
        } else if let Some(bytes) = content.str_at(&["base64"]) {
            let bytes: String = bytes.split_whitespace().collect();
            files.insert(path, STANDARD.decode(bytes).map_err(|error| format!("{path}: {error}"))?);
        } else {
            files.insert(path, placed(content.as_scalar().ok_or_else(wrong)?.text()));
        }
    }
    Ok(files)
}

/// Where the link at `path` leads: links to full paths below the root are written as relative ones.
fn relative(path: &str, target: &str) -> String {
    let target = placed(target);
    match target.strip_prefix(ROOT) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            let up = "../".repeat(path.split('/').count() - 1);
            format!("{up}.{rest}")
        }
        Some(_) | None => target,
    }
}

/// The texts of a list, with the root in its place.
pub(super) fn texts(list: Option<&Node>) -> Vec<String> {
    let texts = list.and_then(Node::as_list).unwrap_or_default().iter();
    texts.filter_map(|node| node.as_scalar().map(|scalar| placed(scalar.text()))).collect()
}

/// A text with the root in its place.
pub(super) fn placed(text: &str) -> String {
    text.replace(ROOT_MARK, ROOT)
}

fn flux() -> Node {
    Node::string("flux")
}
