//! Runs the program under any of its names.

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

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

/// How long a line of a running program is waited for.
const PATIENCE: Duration = Duration::from_mins(1);

/// A program that runs on until the test ends, whatever becomes of that.
pub(crate) struct Running(Child);

impl Running {
    /// Starts it.
    pub(crate) fn start(command: &mut Command) -> Self {
        Self(command.stderr(Stdio::piped()).spawn().expect("the program starts"))
    }

    /// What it logs until something is said, that line included; a program that never says so fails the test.
    pub(crate) fn logs_until(&mut self, message: &str) -> Vec<serde_json::Value> {
        let stderr = self.0.stderr.take().expect("its logs are read once");
        let (sender, receiver) = sync_channel(100);
        std::thread::spawn(move || {
            // Nobody receives any more once the line was there; what follows is read, so that the program goes on.
            BufReader::new(stderr).lines().map_while(Result::ok).for_each(|line| drop(sender.send(line)));
        });
        let end = Instant::now() + PATIENCE;
        let mut told: Vec<serde_json::Value> = Vec::new();
        while told.last().is_none_or(|line| line["msg"] != message) {
            let line = receiver.recv_timeout(end.saturating_duration_since(Instant::now()));
            assert!(line.is_ok(), "{line:?}, without {message:?}: {told:#?}");
            told.extend(line.map(|line| serde_json::from_str::<serde_json::Value>(&line).expect("JSON")));
        }
        told
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
