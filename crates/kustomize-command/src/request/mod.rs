//! The command line of `kustomize build`: what it asks for, without doing it.
//!
//! Contract: kustomize-build §0.

mod flags;
mod help;
mod version;

use millrace_kustomize::{LoadRestrictor, Mode, Options, Reorder, go};

use flags::{Flag, Token, Value};

/// The folder that is built where none is named.
const HERE: &str = ".";
const ROOT_ONLY: &str = "LoadRestrictionsRootOnly";
const NO_RESTRICTION: &str = "LoadRestrictionsNone";

/// What a command line asks for.
#[derive(Clone, Debug)]
pub struct Request {
    /// Lines for standard error, before anything else.
    pub notices: Vec<String>,
    /// What to do.
    pub action: Action,
}

/// What to do.
#[derive(Clone, Debug)]
pub enum Action {
    /// Print this and succeed.
    Say(String),
    /// Print this on standard error and fail.
    Refuse(String),
    /// Build.
    Build(Box<Invocation>),
}

/// A build that was asked for.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// The folder, or the address of a repository, as it was given.
    pub dir: String,
    /// The file or folder to write to instead of standard output.
    pub output: Option<String>,
    restrictor: LoadRestrictor,
    reorder: Option<Reorder>,
    managed_by_label: bool,
    remote_bases: bool,
    /// Flags were given that let the reference run plugins.
    plugins: bool,
    helm: bool,
}

/// A hint for a command of the original that this program does not have.
fn left_out(command: &str) -> &'static str {
    const LEFT_OUT: [&str; 7] = ["edit", "create", "cfg", "fn", "localize", "completion", "openapi"];
    if LEFT_OUT.contains(&command) || command.starts_with("docs-") {
        "hint: of kustomize's commands this program has build, version and help\n"
    } else {
        ""
    }
}

impl Request {
    /// Reads the words after the program's name, of a program that is called `kustomize`.
    pub fn read(words: &[String]) -> Self {
        // Flags of the whole program may stand in front of the command.
        let Some(position) = words.iter().position(|word| !word.starts_with('-')) else {
            let wrong = words.iter().find(|word| !["-h", "--help", "--stack-trace"].contains(&word.as_str()));
            return match wrong {
                Some(word) => Self::refuse(&unknown(word), &format!("{}\n", usage(help::ROOT))),
                None => Self::say(help::ROOT.to_owned()),
            };
        };
        let mut rest = words.to_vec();
        match rest.remove(position).as_str() {
            "build" => Self::read_build(&rest),
            "version" => version::read(&rest),
            "help" if rest.first().is_some_and(|topic| topic == "build") => Self::say_build(),
            "help" if rest.first().is_some_and(|topic| topic == "version") => {
                Self::say(help::VERSION.to_owned())
            }
            "help" => Self::say(help::ROOT.to_owned()),
            other => {
                let quoted = go::quote(other);
                let text = format!("unknown command {quoted} for \"kustomize\"");
                let usage = "Run 'kustomize --help' for usage.\n";
                Self::refuse(&text, &format!("{}{usage}{}", meant(other), left_out(other)))
            }
        }
    }

    /// Reads the words after `build`.
    pub fn read_build(words: &[String]) -> Self {
        let (tokens, outcome) = flags::read(words, flags::BUILD);
        let mut request = Self { notices: Vec::new(), action: Action::Say(String::new()) };
        let (mut given, mut arguments) = (Given::default(), Vec::new());
        for token in tokens {
            match token {
                Token::Notice(line) => request.notices.push(line),
                Token::Argument(argument) => arguments.push(argument),
                Token::Flag(flag, value) => given.set(flag, value),
            }
        }
        request.action = match outcome {
            Err(error) => Action::Refuse(format!("Error: {error}\n")),
            Ok(()) if given.help => return Self { action: Self::say_build().action, ..request },
            Ok(()) => match given.invocation(arguments) {
                Ok(invocation) => Action::Build(Box::new(invocation)),
                Err(error) => Action::Refuse(format!("Error: {error}\n")),
            },
        };
        request
    }

    fn say_build() -> Self {
        Self::say(format!("{}{}", help::BUILD, help::OWN))
    }

    fn say(text: String) -> Self {
        Self { notices: Vec::new(), action: Action::Say(text) }
    }

    fn refuse(error: &str, after: &str) -> Self {
        Self { notices: Vec::new(), action: Action::Refuse(format!("Error: {error}\n{after}")) }
    }
}

impl Invocation {
    /// How the engine is called, for a program that runs in the folder `here` of a file system whose root is `root`.
    pub fn options(&self, root: &str, here: Option<&str>) -> Options {
        Options {
            mode: Mode::Cli,
            load_restrictor: self.restrictor,
            reorder: self.reorder,
            remote_bases: self.remote_bases,
            managed_by_label: self.managed_by_label,
            working_folder: here.map(str::to_owned),
            ..Options::cli(root)
        }
    }

    /// Hints about flags that ask for what this engine never does.
    pub fn hint(&self, error: &str) -> Option<&'static str> {
        if self.plugins && error.contains("external plugins disabled") {
            return Some("plugins and functions never run here, --enable-alpha-plugins or not");
        }
        (self.helm && error.contains("must specify --enable-helm"))
            .then_some("Helm charts are never inflated here, --enable-helm or not")
    }
}

/// Flags as given, the last repeat of each.
#[derive(Debug, Default)]
struct Given {
    help: bool,
    output: String,
    restrictor: Option<String>,
    reorder: Option<String>,
    managed_by_label: bool,
    no_remote_bases: bool,
    plugins: bool,
    helm: bool,
}

impl Given {
    fn set(&mut self, flag: Flag, value: Value) {
        match (flag, value) {
            (Flag::Help, Value::Switch(on)) => self.help = on,
            (Flag::EnableManagedByLabel, Value::Switch(on)) => self.managed_by_label = on,
            (Flag::NoRemoteBases, Value::Switch(on)) => self.no_remote_bases = on,
            (Flag::EnableAlphaPlugins, Value::Switch(on)) => self.plugins = on,
            (Flag::EnableHelm, Value::Switch(on)) => self.helm = on,
            (Flag::Output, Value::Text(path)) => self.output = path,
            (Flag::LoadRestrictor, Value::Text(name)) => self.restrictor = Some(name),
            (Flag::Reorder, Value::Text(name)) => self.reorder = Some(name),
            // These matter to plugins, functions and Helm alone.
            (
                Flag::AsCurrentUser
                | Flag::EnableExec
                | Flag::Env
                | Flag::HelmApiVersions
                | Flag::HelmCommand
                | Flag::HelmDebug
                | Flag::HelmKubeVersion
                | Flag::Mount
                | Flag::Network
                | Flag::NetworkName
                | Flag::Short
                | Flag::StackTrace,
                _,
            )
            // No flag has a value of the other sort.
            | (_, Value::Switch(_) | Value::Text(_)) => {}
        }
    }

    fn invocation(self, arguments: Vec<String>) -> Result<Invocation, String> {
        if arguments.len() > 1 {
            return Err("specify one path to kustomization.yaml".to_owned());
        }
        let restrictor = match self.restrictor.as_deref() {
            None | Some("" | ROOT_ONLY) => LoadRestrictor::RootOnly,
            Some(NO_RESTRICTION) => LoadRestrictor::None,
            Some(other) => {
                return Err(format!(
                    "illegal flag value --load-restrictor {other}; legal values: [{ROOT_ONLY} {NO_RESTRICTION}]"
                ));
            }
        };
        let reorder = match self.reorder.as_deref() {
            None => None,
            Some("legacy") => Some(Reorder::Legacy),
            Some("none") => Some(Reorder::None),
            Some(other) => {
                return Err(format!("illegal flag value --reorder {other}; legal values: [legacy none]"));
            }
        };
        Ok(Invocation {
            dir: arguments.into_iter().next().unwrap_or_else(|| HERE.to_owned()),
            output: Some(self.output).filter(|path| !path.is_empty()),
            restrictor,
            reorder,
            managed_by_label: self.managed_by_label,
            remote_bases: !self.no_remote_bases,
            plugins: self.plugins,
            helm: self.helm,
        })
    }
}

/// The message about a word in front of the command that is no flag of the program.
fn unknown(word: &str) -> String {
    let name = word.split('=').next().unwrap_or_default();
    if word.starts_with("--") {
        return format!("unknown flag: {name}");
    }
    let letter = word.chars().nth(1).unwrap_or('-');
    format!("unknown shorthand flag: '{letter}' in {word}")
}

/// The commands that a word may be a slip of the keyboard for.
fn meant(word: &str) -> String {
    /// Letters to exchange, add or leave out.
    const SLIPS: usize = 2;
    let word = word.to_lowercase();
    let is_near = |name: &&&str| name.starts_with(&word) || strsim::levenshtein(&word, name) <= SLIPS;
    let names: Vec<&str> = ["build", "version"].iter().filter(is_near).copied().collect();
    if names.is_empty() {
        return String::new();
    }
    format!("\nDid you mean this?\n\t{}\n\n", names.join("\n\t"))
}

/// The part of a help text that follows an error.
fn usage(text: &str) -> &str {
    text.find("Usage:").map_or("", |start| &text[start..])
}

#[cfg(test)]
mod tests;
