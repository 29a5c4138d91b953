//! Command lines in the grammar of Go's pflag, on top of flags that are declared with clap.
//!
//! The controllers declare their flags as `clap::Args`; this module reads command lines the way the original programs do:
//! `--name=value` and `--name value`, `--switch` and `--switch=false`, the last repeat wins, lists and gates merge,
//! anything that is no flag is set aside, and a mistake prints the usage and one line that says what was wrong. One command
//! line can serve several controllers at once: a shared flag sets all of them, a prefixed one its own.
//! Contract: cli §B1.5; design: one binary, two topologies.

mod number;
mod tokens;
mod usage;
mod value;

use std::collections::BTreeMap;

use clap::{Arg, ArgAction, Args, Command, FromArgMatches};

use crate::gates::Gate;
use tokens::{Given, Token};
pub use value::{GoBoolError, parse_go_bool};

/// Flags of past releases: accepted and ignored, with a warning.
const RETIRED: [&str; 1] = ["log-json"];

/// The environment that supplies defaults, read once at the start of the process.
pub type Environment = BTreeMap<String, String>;

/// Why a command line gives no configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// `--help` was asked for: print the usage on standard output and exit 0.
    Help {
        /// The text.
        usage: String,
    },
    /// Print the usage, then the message as the last line, on standard error and exit 2.
    Usage {
        /// The text before the message.
        usage: String,
        /// What was wrong.
        message: String,
    },
}

impl Stop {
    /// What is printed: on standard output if help was asked for, else on standard error.
    pub fn text(&self) -> String {
        match self {
            Self::Help { usage } => usage.clone(),
            Self::Usage { usage, message } => format!("{usage}{message}\n"),
        }
    }

    /// The exit status of the process.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Help { .. } => 0,
            Self::Usage { .. } => 2,
        }
    }
}

/// One set of flags that a command line is read for: a controller's, or the process's own.
#[derive(Clone, Debug)]
pub struct FlagSet {
    prefix: Option<&'static str>,
    own: Vec<&'static str>,
    gates: &'static [Gate],
    command: Command,
}

impl FlagSet {
    /// The flags that `A` declares; with a prefix, `--<prefix>-<name>` sets this set alone.
    pub fn of<A: Args>(prefix: Option<&'static str>) -> Self {
        let command = A::augment_args(Command::new("flags").no_binary_name(true).disable_help_flag(true));
        Self { prefix, own: Vec::new(), gates: &[], command }
    }

    /// Lists the gates that the owner of this set knows in the usage.
    #[must_use]
    pub fn with_gates(mut self, gates: &'static [Gate]) -> Self {
        self.gates = gates;
        self
    }

    /// Gives `flag` another default, and lets only its prefixed name set it: for a flag that means something else to the
    /// other sets of the process.
    #[must_use]
    pub fn with_own(mut self, flag: &'static str, default: &'static str) -> Self {
        self.command = self.command.mut_args(|arg| {
            if arg.get_long() == Some(flag) { arg.env(None::<&str>).default_value(default) } else { arg }
        });
        self.own.push(flag);
        self
    }

    fn flag(&self, name: &str) -> Option<&Arg> {
        self.command.get_arguments().find(|arg| arg.get_long() == Some(name))
    }

    /// The flag that `name` means for this set: its own name, or that with the prefix.
    fn meant(&self, name: &str) -> Option<(&Arg, bool)> {
        let prefixed = || {
            let name = name.strip_prefix(self.prefix?)?.strip_prefix('-')?;
            self.flag(name).map(|flag| (flag, true))
        };
        let bare = self.flag(name).filter(|_| !self.own.contains(&name));
        bare.map(|flag| (flag, false)).or_else(prefixed)
    }
}

/// A command line that has been read for some flag sets; [`Self::values`] gives each set its values.
#[derive(Debug)]
pub struct Parsed {
    sets: Vec<FlagSet>,
    given: Vec<Vec<Setting>>,
    usage: String,
    retired: Vec<&'static str>,
    words: Vec<String>,
}

/// A flag of one set with the value it was given.
#[derive(Clone, Debug)]
struct Setting {
    name: String,
    /// The name as it was given, which may bear the prefix.
    given: String,
    value: String,
    prefixed: bool,
}

/// Reads `arguments`, the program's name excluded, for all of `sets`.
///
/// # Errors
/// Help was asked for, a flag is known to no set, or a flag lacks its value.
pub fn parse(program: &str, arguments: &[String], sets: Vec<FlagSet>) -> Result<Parsed, Stop> {
    let usage = usage::usage(program, &sets);
    let wrong = |message: String| Stop::Usage { usage: usage.clone(), message };
    let mut given = vec![Vec::new(); sets.len()];
    let mut retired = Vec::new();
    let mut words = Vec::new();
    let mut tokens = tokens::Tokens::new(arguments);
    while let Some(token) = tokens.next().map_err(wrong)? {
        let Given { name, value } = match token {
            Token::Help => return Err(Stop::Help { usage }),
            Token::Word(word) => {
                words.push(word);
                continue;
            }
            Token::Flag(given) => given,
        };
        if let Some(known) = RETIRED.iter().find(|retired| **retired == name) {
            retired.push(*known);
            continue;
        }
        let meant: Vec<_> =
            sets.iter().enumerate().filter_map(|(at, set)| Some((at, set.meant(&name)?))).collect();
        let Some((_, (flag, _))) = meant.first() else {
            if name == "help" {
                return Err(Stop::Help { usage });
            }
            return Err(wrong(format!("unknown flag: --{name}")));
        };
        let value = match value {
            Some(value) => value,
            None if value::is_switch(flag) => "true".to_owned(),
            None => tokens.value_of(&name).map_err(wrong)?,
        };
        for (at, (flag, prefixed)) in meant {
            let long = flag.get_long().unwrap_or_default().to_owned();
            given[at].push(Setting { name: long, given: name.clone(), value: value.clone(), prefixed });
        }
    }
    Ok(Parsed { sets, given, usage, retired, words })
}

impl Parsed {
    /// Flags of past releases that were given, for a warning.
    pub fn retired(&self) -> &[&'static str] {
        &self.retired
    }

    /// What the command line holds beside flags, which the original programs ignore.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// The values that the set at `index` was given for `flag`, as texts and in their order.
    pub fn texts<'a>(&'a self, index: usize, flag: &'a str) -> impl Iterator<Item = &'a str> {
        self.settings(index, flag).map(|setting| setting.value.as_str())
    }

    /// What the command line calls the `flag` that has `value` in the set at `index`: its own name, or that with the prefix.
    pub fn spelled<'a>(&'a self, index: usize, flag: &'a str, value: &str) -> &'a str {
        let settings = || self.settings(index, flag);
        // The prefixed one wins over the others, and the last over those before it.
        let in_force = || settings().rfind(|setting| setting.prefixed).or_else(|| settings().next_back());
        let of_value = settings().rfind(|setting| setting.value.split(',').any(|part| part.contains(value)));
        of_value.or_else(in_force).map_or(flag, |setting| setting.given.as_str())
    }

    fn settings<'a>(&'a self, index: usize, flag: &'a str) -> impl DoubleEndedIterator<Item = &'a Setting> {
        self.given.get(index).into_iter().flatten().filter(move |setting| setting.name == flag)
    }

    /// The values of the set at `index`; defaults come from `environment` where a flag names a variable that is not empty.
    ///
    /// # Errors
    /// A value doesn't parse.
    pub fn values<A: FromArgMatches>(&self, index: usize, environment: &Environment) -> Result<A, Stop> {
        let set = &self.sets[index];
        let line = normalized(set, &self.given[index]).map_err(|message| self.wrong(message))?;
        // Defaults from the environment are ours to apply: clap would take an empty variable for a value.
        let command = set.command.clone().mut_args(|arg| value::with_default(arg, environment));
        let told = |error: clap::Error| {
            self.wrong(value::message(&error, |flag, value| self.spelled(index, flag, value)))
        };
        let matches = command.try_get_matches_from(line).map_err(told)?;
        A::from_arg_matches(&matches).map_err(told)
    }

    fn wrong(&self, message: String) -> Stop {
        Stop::Usage { usage: self.usage.clone(), message }
    }
}

/// The settings of one set as clap wants them: one `--name=value` per flag, several only where they merge.
fn normalized(set: &FlagSet, given: &[Setting]) -> Result<Vec<String>, String> {
    let mut line = Vec::new();
    for flag in set.command.get_arguments() {
        let Some(name) = flag.get_long() else { continue };
        let of_flag = || given.iter().filter(|setting| setting.name == name);
        if matches!(flag.get_action(), ArgAction::Append) {
            // A set's own entries come after the shared ones, so that they win where entries have names.
            let (own, shared): (Vec<_>, Vec<_>) = of_flag().partition(|setting| setting.prefixed);
            let entries = shared.into_iter().chain(own).filter(|setting| !setting.value.is_empty());
            line.extend(entries.map(|setting| format!("--{name}={}", setting.value)));
            continue;
        }
        let last = of_flag().rfind(|setting| setting.prefixed).or_else(|| of_flag().next_back());
        let Some(Setting { value, given: spelled, .. }) = last else { continue };
        if value::is_switch(flag) {
            let on = parse_go_bool(value).map_err(|error| value::invalid(value, spelled, &error))?;
            match flag.get_action() {
                ArgAction::SetTrue if !on => {}
                ArgAction::SetTrue => line.push(format!("--{name}")),
                _ => line.push(format!("--{name}={on}")),
            }
        } else {
            let value =
                number::normalized(flag, value).map_err(|reason| value::invalid(value, spelled, &reason))?;
            line.push(format!("--{name}={value}"));
        }
    }
    Ok(line)
}

#[cfg(test)]
mod tests;
