//! The command `kustomize build`: its command line, the disk, and what is fetched from other hosts, around the engine.
//!
//! It is called as `millrace kustomize build`, and as `build` where the program is called `kustomize`: [`called`] tells,
//! [`main`] does it. The engine is pure; what it must not touch is here. This is the only crate that starts a process:
//! `git`, which has the logins of the person at the terminal (`docs/adr/0007-the-command-runs-git.md`). No controller comes
//! here.
//!
//! - `request` says what a command line means, without doing it;
//! - `run` does it, with [`DiskFiles`] for the disk, `fetch` and `git` for other hosts, and `output_files` for `-o FOLDER`.

mod disk;
mod fetch;
mod git;
mod output_files;
mod process_tree;
mod request;
mod run;

use std::collections::BTreeMap;
use std::path::Path;

pub use disk::DiskFiles;
pub use request::{Action, Invocation, Request};
pub use run::main;

/// The variables of the process.
pub type Environment = BTreeMap<String, String>;

/// The program that is stood in for.
const NAME: &str = "kustomize";

/// The words after the name, if a command line calls this command.
pub fn called(words: &[String]) -> Option<&[String]> {
    let (own, rest) = words.split_first()?;
    if Path::new(own).file_name().is_some_and(|name| name == NAME) {
        return Some(rest);
    }
    let (command, rest) = rest.split_first()?;
    (command == NAME).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &[&str]) -> Vec<String> {
        line.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_name_or_the_first_argument_calls_the_command() {
        for (line, rest) in [
            (&["/usr/bin/kustomize", "build", "a"][..], Some(&["build", "a"][..])),
            (&["millrace", "kustomize", "build"], Some(&["build"])),
            (&["kustomize"], Some(&[])),
            (&["kustomize-controller", "build"], None),
            (&["millrace", "controllers", "kustomize"], None),
            (&[], None),
        ] {
            let line = words(line);
            assert_eq!(called(&line), rest.map(words).as_deref(), "{line:?}");
        }
    }
}
