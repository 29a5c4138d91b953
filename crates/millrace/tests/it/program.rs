//! Runs the program under any of its names.

use std::os::unix::process::CommandExt as _;
use std::process::{Command, Output};

/// An artifact store that is there.
pub(crate) const STORAGE: &str = concat!("--storage-path=", env!("CARGO_TARGET_TMPDIR"));

/// The program.
pub(crate) const MILLRACE: &str = env!("CARGO_BIN_EXE_millrace");

/// What a command line leads to, with an empty environment.
pub(crate) fn run(name: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(MILLRACE);
    command.arg0(name).args(arguments).env_clear();
    command.output().expect("the program starts")
}

/// Whether this build has the controller that a command line is for.
pub(crate) fn is_built_in(name: &str, arguments: &[&str]) -> bool {
    let asked = |word: &str| name.ends_with(word) || arguments.first() == Some(&word);
    !(asked("source-controller") && cfg!(not(feature = "source"))
        || asked("kustomize-controller") && cfg!(not(feature = "kustomize"))
        || asked("notification-controller") && cfg!(not(feature = "notification")))
}

/// What went to standard output.
pub(crate) fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

/// What went to standard error.
pub(crate) fn errors(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}

/// The last log line as JSON.
pub(crate) fn last_log(output: &Output) -> serde_json::Value {
    let text = errors(output);
    serde_json::from_str(text.lines().last().expect("a line")).expect("JSON")
}
