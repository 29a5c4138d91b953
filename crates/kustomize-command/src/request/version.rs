//! `kustomize version`.

use millrace_kustomize::REFERENCE_VERSION;

use super::flags::{self, Flag, Token, Value};
use super::{Action, Request, help, usage};

/// What nobody has told the program about itself.
const UNKNOWN: &str = "unknown";

/// Reads the words after `version`.
pub(super) fn read(words: &[String]) -> Request {
    let (tokens, outcome) = flags::read(words, flags::VERSION);
    let (mut notices, mut helps, mut short, mut output) = (Vec::new(), false, None, None);
    for token in tokens {
        match token {
            Token::Notice(line) => notices.push(line),
            Token::Flag(Flag::Help, Value::Switch(on)) => helps = on,
            Token::Flag(Flag::Short, Value::Switch(on)) => short = Some(on),
            Token::Flag(Flag::Output, Value::Text(form)) => output = Some(form),
            Token::Flag(..) | Token::Argument(_) => {}
        }
    }
    let outcome = outcome.and_then(|()| match (helps, short, output.as_deref()) {
        (true, _, _) => Ok(help::VERSION.to_owned()),
        (false, Some(true), Some(form)) if !form.is_empty() => {
            Err("--short and --output are mutually exclusive".to_owned())
        }
        (false, Some(true), _) => Ok(format!("{{{REFERENCE_VERSION}  {UNKNOWN}   }}\n")),
        (false, _, form) => Ok(shown(form.unwrap_or_default())),
    });
    let action = outcome.map_or_else(
        |error| Action::Refuse(format!("Error: {error}\n{}\n", usage(help::VERSION))),
        Action::Say,
    );
    Request { notices, action }
}

/// The version in a form; in one that is none, nothing is.
fn shown(form: &str) -> String {
    let fields = [
        ("version", REFERENCE_VERSION),
        ("gitCommit", UNKNOWN),
        ("buildDate", UNKNOWN),
        ("goOs", std::env::consts::OS),
        ("goArch", architecture()),
        // It is not written in Go.
        ("goVersion", UNKNOWN),
    ];
    match form {
        "" => format!("{REFERENCE_VERSION}\n"),
        "json" => {
            let lines = fields.map(|(name, value)| format!("  \"{name}\": \"{value}\""));
            format!("{{\n{}\n}}\n", lines.join(",\n"))
        }
        "yaml" => {
            let lines = fields.map(|(name, value)| format!("{name}: {value}\n"));
            format!("{}\n", lines.concat())
        }
        _ => String::new(),
    }
}

/// The processor by the name that Go has for it.
fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}
