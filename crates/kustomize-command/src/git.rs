//! Checks repositories out with the `git` program: what it may be asked for, and for how long.
//!
//! Addresses and references are the words of whoever wrote a kustomization. None of them may be an option of Git, and none may
//! choose a transport that runs commands.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use millrace_kustomize::remote::{Repository, RepositoryFailure};

use crate::{Environment, process_tree};

/// What is read of what Git says, in bytes.
const SAID: u64 = 64 << 10;
/// Git's own list of transports; a shorter one that a person has set is kept.
const ALLOW_PROTOCOL: &str = "GIT_ALLOW_PROTOCOL";
/// The transports that addresses may lead to.
const TRANSPORTS: [&str; 5] = ["file", "git", "http", "https", "ssh"];
/// Of these, what submodules may not use unless a person's list names it, as Git has it by itself.
const LOCAL: &str = "file";

/// Ends what would be an option; the reference leaves it out, and so do messages.
const END_OF_OPTIONS: &str = "--";

/// Git in the folder of one checkout.
struct Git<'e> {
    program: PathBuf,
    folder: &'e Path,
    timeout: Duration,
    environment: &'e Environment,
}

/// Checks a repository out in an empty folder.
pub(crate) fn check_out(
    repository: &Repository,
    folder: &Path,
    environment: &Environment,
) -> Result<(), RepositoryFailure> {
    let Repository { raw: _, url, path: _, reference, submodules, timeout } = repository;
    let git = Git { program: program(environment)?, folder, timeout: *timeout, environment };
    git.run(&["init"], true)?;
    git.run(&["remote", "add", END_OF_OPTIONS, "origin", url], true)?;
    let reference = reference.as_deref().unwrap_or("HEAD");
    git.run(&["fetch", "--depth=1", END_OF_OPTIONS, url, reference], true)?;
    git.run(&["checkout", "FETCH_HEAD"], true)?;
    if *submodules {
        git.run(&["submodule", "update", "--init", "--recursive"], false)?;
    }
    Ok(())
}

/// Refuses what Git could take for an option.
pub(crate) fn check(repository: &Repository) -> Result<(), RepositoryFailure> {
    let Repository { raw: _, url, path: _, reference, submodules: _, timeout: _ } = repository;
    for (what, word) in [("reference", reference.as_deref().unwrap_or_default()), ("address", url)] {
        if word.starts_with('-') {
            let text = format!("the {what} '{word}' is refused: no name in git begins with '-'");
            return Err(RepositoryFailure::Failed(text));
        }
    }
    Ok(())
}

fn program(environment: &Environment) -> Result<PathBuf, RepositoryFailure> {
    let path = environment.get("PATH").map(String::as_str).unwrap_or_default();
    let program = std::env::split_paths(path).map(|folder| folder.join("git")).find(|file| file.is_file());
    program.ok_or_else(|| {
        let text = "no 'git' program on path: exec: \"git\": executable file not found in $PATH";
        RepositoryFailure::Failed(text.to_owned())
    })
}

impl Git<'_> {
    /// Runs Git to its end, or as long as it may take.
    fn run(&self, words: &[&str], is_local_allowed: bool) -> Result<(), RepositoryFailure> {
        let shown: Vec<_> = words.iter().filter(|word| **word != END_OF_OPTIONS).copied().collect();
        let line = format!("{} {}", self.program.display(), shown.join(" "));
        let failed = |said: &str, error: &dyn std::fmt::Display| {
            RepositoryFailure::Failed(format!("failed to run '{line}': {said}: {error}"))
        };
        let start = || -> io::Result<_> {
            let (reader, writer) = io::pipe()?;
            let mut command = Command::new(&self.program);
            command.args(words).current_dir(self.folder).stdin(Stdio::null());
            command.env(ALLOW_PROTOCOL, self.transports(is_local_allowed));
            command.stdout(writer.try_clone()?).stderr(writer);
            Ok((command.spawn()?, reader))
        };
        let (mut child, reader) = start().map_err(|error| failed("", &error))?;
        let (sender, receiver) = sync_channel(1);
        std::thread::spawn(move || {
            let mut said = Vec::new();
            let mut kept = reader.take(SAID);
            // What cannot be read is not shown; what is too long is read and thrown away, so that Git goes on.
            let _ = kept.read_to_end(&mut said);
            let _ = io::copy(&mut kept.into_inner(), &mut io::sink());
            let _ = sender.send(said);
        });
        let said = match receiver.recv_timeout(self.timeout) {
            Ok(said) => String::from_utf8_lossy(&said).into_owned(),
            Err(RecvTimeoutError::Timeout) => {
                process_tree::end(&child);
                // Nothing is left to be said about it.
                let _ = child.wait();
                return Err(RepositoryFailure::TimedOut { after: self.timeout, line });
            }
            Err(RecvTimeoutError::Disconnected) => String::new(),
        };
        match child.wait() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(failed(&said, &status.to_string().replace("exit status: ", "exit status "))),
            Err(error) => Err(failed(&said, &error)),
        }
    }

    /// The transports that Git may use, in the form of its variable, which no configuration can widen.
    fn transports(&self, is_local_allowed: bool) -> String {
        let own = self.environment.get(ALLOW_PROTOCOL);
        let is_allowed = |name: &str| match own {
            Some(list) => list.split(':').any(|one| one == name),
            None => is_local_allowed || name != LOCAL,
        };
        let names: Vec<_> = TRANSPORTS.into_iter().filter(|name| is_allowed(name)).collect();
        names.join(":")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transports_are_those_of_the_grammar_and_never_more_than_a_person_allows() {
        for (own, fetched, submodules) in [
            (None, "file:git:http:https:ssh", "git:http:https:ssh"),
            (Some("ext:https:file"), "file:https", "file:https"),
            (Some(""), "", ""),
        ] {
            let environment: Environment =
                own.map(|list| (ALLOW_PROTOCOL.to_owned(), list.to_owned())).into_iter().collect();
            let git = Git {
                program: PathBuf::new(),
                folder: Path::new(""),
                timeout: Duration::ZERO,
                environment: &environment,
            };
            assert_eq!((&*git.transports(true), &*git.transports(false)), (fetched, submodules), "{own:?}");
        }
    }
}
