//! Does what a command line asks for: builds, fetches, writes, and says what went wrong.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use millrace_kustomize::{BuildError, ErrorKind, Options, Output, build};

use crate::disk::os_words;
use crate::fetch::Fetcher;
use crate::output_files::output_files;
use crate::{Action, DiskFiles, Environment, Invocation, Request};

/// Adds the managed-by label to every object where it is `on`.
const MANAGED_BY: &str = "KUSTOMIZE_ENABLE_MANAGEDBY_LABEL";

/// The stack that builds run on: what the depth of trees is limited for, and room for fetching.
const STACK_BYTES: usize = 8 << 20;
/// Files and repositories that one build may fetch.
const MAX_FETCHES: usize = 1000;

/// Does what the words ask for.
pub fn main(words: &[String], environment: &Environment) -> ExitCode {
    let Request { notices, action } = Request::read(words);
    warn(&notices);
    match action {
        Action::Say(text) => say(&text),
        Action::Refuse(text) => {
            warn(&[text.trim_end_matches('\n').to_owned()]);
            ExitCode::FAILURE
        }
        Action::Build(invocation) => match on_a_stack(|| run(&invocation, environment)) {
            Ok(text) => say(&text),
            Err(error) => {
                warn(&[format!("Error: {error}")]);
                ExitCode::FAILURE
            }
        },
    }
}

/// Runs work on a stack of known size, whatever limit the shell has set.
fn on_a_stack(work: impl FnOnce() -> Result<String, String> + Send) -> Result<String, String> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        let thread = thread.map_err(|error| format!("cannot start a thread: {error}"))?;
        // What went wrong in it is printed already.
        thread.join().unwrap_or_else(|_| Err("the build broke off".to_owned()))
    })
}

/// Builds, writes where the output goes to files, and returns what goes to the terminal; the error is what a person reads.
fn run(invocation: &Invocation, environment: &Environment) -> Result<String, String> {
    let here = working_folder(environment)?;
    let mut options = invocation.options("", Some(&here));
    options.managed_by_label |= environment.get(MANAGED_BY).is_some_and(|value| value == "on");
    let destination = Destination::of(invocation.output.as_deref());
    options.own_files = matches!(destination, Destination::Folder(_));
    let mut fetcher = Fetcher::new(environment, options.limits.bytes);
    let built = build_with_remotes(&invocation.dir, options, &mut fetcher);
    let warnings = built.as_ref().map_or_else(|error| &error.warnings[..], |output| &output.warnings);
    warn(&warnings.iter().map(|line| fetcher.shown(line)).collect::<Vec<_>>());
    match built {
        Ok(output) => destination.deliver(&output),
        Err(error) => Err(fetcher.shown(&told(&error, invocation))),
    }
}

/// Builds, fetches what that needed, and builds again.
fn build_with_remotes(
    dir: &str,
    mut options: Options,
    fetcher: &mut Fetcher<'_>,
) -> Result<Output, BuildError> {
    let files = DiskFiles::new("/", options.limits.bytes);
    for _ in 0..MAX_FETCHES {
        let result = build(&files, dir, &options);
        match result.as_ref().map_err(BuildError::kind) {
            Err(ErrorKind::Needs(need)) => fetcher.fetch(need, Arc::make_mut(&mut options.remotes)),
            Ok(_) | Err(_) => return result,
        }
    }
    build(&files, dir, &options)
}

fn told(error: &BuildError, invocation: &Invocation) -> String {
    let hint = invocation.hint(&error.reference).map(|hint| format!("\nhint: {hint}"));
    format!("{error}{}", hint.unwrap_or_default())
}

/// The folder in which this process stands, by the name under which the shell came there.
fn working_folder(environment: &Environment) -> Result<String, String> {
    let wrong = |error: &dyn std::fmt::Display| format!("abs path error on '.' : getwd: {error}");
    let folder = std::env::current_dir().map_err(|error| wrong(&error))?;
    let named = environment.get("PWD").filter(|path| {
        let path = Path::new(path);
        path.is_absolute() && fs::canonicalize(path).is_ok_and(|real| real == folder)
    });
    match named {
        Some(path) => Ok(path.clone()),
        None => folder.into_os_string().into_string().map_err(|_| wrong(&"its path is no text")),
    }
}

/// Where the output goes. What is built depends on it.
enum Destination<'d> {
    Terminal,
    File(&'d Path),
    /// One file for each object.
    Folder(&'d Path),
}

impl<'d> Destination<'d> {
    fn of(output: Option<&'d str>) -> Self {
        match output.map(Path::new) {
            None => Self::Terminal,
            Some(path) if path.is_dir() => Self::Folder(path),
            Some(path) => Self::File(path),
        }
    }

    /// Writes the output to files; what goes to the terminal is returned.
    fn deliver(&self, output: &Output) -> Result<String, String> {
        match self {
            Self::Terminal => return Ok(output.to_yaml()),
            Self::File(path) => write(path, &output.to_yaml())?,
            Self::Folder(path) => {
                for file in output_files(output)? {
                    write(&path.join(file.name), &file.text)?;
                }
            }
        }
        Ok(String::new())
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("open {}: {}", path.display(), os_words(&error)))
}

fn say(text: &str) -> ExitCode {
    match io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads has enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::FAILURE,
        Err(error) => {
            warn(&[format!("Error: write /dev/stdout: {error}")]);
            ExitCode::FAILURE
        }
    }
}

/// Prints lines on standard error.
pub(crate) fn warn(lines: &[String]) {
    let mut stderr = io::stderr().lock();
    for line in lines {
        // Nobody reads it if the pipe is closed.
        let _ = writeln!(stderr, "{line}");
    }
}
