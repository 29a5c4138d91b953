//! Values of flags: Go's truth values, defaults from the environment, and what a wrong value is told.

use std::any::TypeId;
use std::error::Error;
use std::fmt::Display;

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction};

use super::Environment;

/// A text that is no truth value; the message is Go's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("strconv.ParseBool: parsing {0:?}: invalid syntax")]
pub struct GoBoolError(String);

/// Reads a truth value as Go does.
///
/// # Errors
/// The text is none of the accepted spellings.
pub fn parse_go_bool(text: &str) -> Result<bool, GoBoolError> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err(GoBoolError(text.to_owned())),
    }
}

/// Whether a flag may stand without a value.
pub(super) fn is_switch(flag: &Arg) -> bool {
    matches!(flag.get_action(), ArgAction::SetTrue | ArgAction::SetFalse)
        || flag.get_value_parser().type_id() == TypeId::of::<bool>()
}

/// Replaces clap's own look into the environment by a default, unless the variable is empty.
pub(super) fn with_default(flag: Arg, environment: &Environment) -> Arg {
    let variable = flag.get_env().map(|name| name.to_string_lossy().into_owned());
    let Some(variable) = variable else { return flag };
    let flag = flag.env(None::<&str>);
    match environment.get(&variable).filter(|value| !value.is_empty()) {
        Some(value) => flag.default_value(value.clone()),
        None => flag,
    }
}

/// pflag's message for a value that doesn't parse.
pub(super) fn invalid(value: &str, name: &str, reason: &dyn Display) -> String {
    format!("invalid argument {value:?} for \"--{name}\" flag: {reason}")
}

/// Turns clap's verdict on a normalized command line into pflag's words; `spelled` says what the command line calls the flag
/// that has a value.
pub(super) fn message<'a>(error: &'a clap::Error, spelled: impl Fn(&'a str, &str) -> &'a str) -> String {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let flag = context(ContextKind::InvalidArg).map(flag_name);
    match (flag, context(ContextKind::InvalidValue)) {
        (Some(name), Some(value)) => {
            let reason = error.source().map_or_else(|| "invalid value".to_owned(), ToString::to_string);
            invalid(value, spelled(name, value), &reason)
        }
        _ => error.to_string().lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned(),
    }
}

/// The name in clap's `--name <VALUE>`.
fn flag_name(shown: &str) -> &str {
    let name = shown.trim_start_matches("--");
    name.split([' ', '=', '[', '<']).next().unwrap_or(name)
}
