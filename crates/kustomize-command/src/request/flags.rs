//! The flags of `kustomize build` and `kustomize version`, in the grammar of Go's pflag.

use millrace_kustomize::go;

/// What a flag sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
    AsCurrentUser,
    EnableAlphaPlugins,
    EnableExec,
    EnableHelm,
    EnableManagedByLabel,
    Env,
    HelmApiVersions,
    HelmCommand,
    HelmDebug,
    HelmKubeVersion,
    Help,
    LoadRestrictor,
    Mount,
    Network,
    NetworkName,
    NoRemoteBases,
    Output,
    Reorder,
    Short,
    StackTrace,
}

/// A flag as it is declared.
pub(super) struct Declaration {
    pub(super) flag: Flag,
    name: &'static str,
    letter: Option<char>,
    /// A switch takes a value only after `=`.
    switch: bool,
    deprecated: Option<&'static str>,
}

/// One thing on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Flag(Flag, Value),
    Argument(String),
    /// A line about a flag that is going to go.
    Notice(String),
}

/// The value of a flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Switch(bool),
    Text(String),
}

const fn text(flag: Flag, name: &'static str) -> Declaration {
    Declaration { flag, name, letter: None, switch: false, deprecated: None }
}

const fn switch(flag: Flag, name: &'static str) -> Declaration {
    Declaration { switch: true, ..text(flag, name) }
}

/// Those of `build`.
pub(super) const BUILD: &[Declaration] = &[
    switch(Flag::AsCurrentUser, "as-current-user"),
    switch(Flag::EnableAlphaPlugins, "enable-alpha-plugins"),
    switch(Flag::EnableExec, "enable-exec"),
    switch(Flag::EnableHelm, "enable-helm"),
    Declaration {
        deprecated: Some(
            "The flag `enable-managedby-label` has been deprecated. Use the `managedByLabel` option in the `buildMetadata` field \
             instead.",
        ),
        ..switch(Flag::EnableManagedByLabel, "enable-managedby-label")
    },
    Declaration { letter: Some('e'), ..text(Flag::Env, "env") },
    text(Flag::HelmApiVersions, "helm-api-versions"),
    text(Flag::HelmCommand, "helm-command"),
    switch(Flag::HelmDebug, "helm-debug"),
    text(Flag::HelmKubeVersion, "helm-kube-version"),
    HELP,
    text(Flag::LoadRestrictor, "load-restrictor"),
    text(Flag::Mount, "mount"),
    switch(Flag::Network, "network"),
    text(Flag::NetworkName, "network-name"),
    switch(Flag::NoRemoteBases, "no-remote-bases"),
    OUTPUT,
    Declaration {
        deprecated: Some("use the new 'sortOptions' field in kustomization.yaml instead."),
        ..text(Flag::Reorder, "reorder")
    },
    STACK_TRACE,
];

/// Those of `version`.
pub(super) const VERSION: &[Declaration] = &[
    HELP,
    OUTPUT,
    Declaration { deprecated: Some("and will be removed in the future."), ..switch(Flag::Short, "short") },
    STACK_TRACE,
];

const HELP: Declaration = Declaration { letter: Some('h'), ..switch(Flag::Help, "help") };
const OUTPUT: Declaration = Declaration { letter: Some('o'), ..text(Flag::Output, "output") };
const STACK_TRACE: Declaration = switch(Flag::StackTrace, "stack-trace");

/// Reads words one by one; the last is an error where a word is none that the reference takes, and nothing is read after it.
pub(super) fn read(words: &[String], declarations: &[Declaration]) -> (Vec<Token>, Result<(), String>) {
    let mut tokens = Vec::new();
    let mut reader = Reader { words, declarations, tokens: &mut tokens };
    let result = reader.read();
    (tokens, result)
}

struct Reader<'w, 't> {
    words: &'w [String],
    declarations: &'w [Declaration],
    tokens: &'t mut Vec<Token>,
}

impl Reader<'_, '_> {
    fn read(&mut self) -> Result<(), String> {
        while let Some((word, rest)) = self.words.split_first() {
            self.words = rest;
            if word == "--" {
                self.tokens.extend(rest.iter().cloned().map(Token::Argument));
                return Ok(());
            } else if let Some(long) = word.strip_prefix("--") {
                self.long(word, long)?;
            } else if word.len() > 1 && word.starts_with('-') {
                self.letters(&word[1..])?;
            } else {
                self.tokens.push(Token::Argument(word.clone()));
            }
        }
        Ok(())
    }

    fn long(&mut self, word: &str, long: &str) -> Result<(), String> {
        if long.starts_with(['-', '=']) {
            return Err(format!("bad flag syntax: {word}"));
        }
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (long, None),
        };
        let declaration = self
            .declarations
            .iter()
            .find(|declaration| declaration.name == name)
            .ok_or_else(|| format!("unknown flag: --{name}"))?;
        let value = match value {
            Some(value) => value,
            None if declaration.switch => "true".to_owned(),
            None => self.next().ok_or_else(|| format!("flag needs an argument: {word}"))?,
        };
        self.set(declaration, value)
    }

    /// Flags of one letter: switches may stand together, and what follows another letter is its value.
    fn letters(&mut self, mut letters: &str) -> Result<(), String> {
        while let Some(letter) = letters.chars().next() {
            let rest = &letters[letter.len_utf8()..];
            let declaration = self
                .declarations
                .iter()
                .find(|declaration| declaration.letter == Some(letter))
                .ok_or_else(|| format!("unknown shorthand flag: '{letter}' in -{letters}"))?;
            let (value, left) = match rest.strip_prefix('=') {
                Some(value) => (value.to_owned(), ""),
                None if declaration.switch => ("true".to_owned(), rest),
                None if !rest.is_empty() => (rest.to_owned(), ""),
                None => {
                    let missing = || format!("flag needs an argument: '{letter}' in -{letters}");
                    (self.next().ok_or_else(missing)?, "")
                }
            };
            self.set(declaration, value)?;
            letters = left;
        }
        Ok(())
    }

    fn next(&mut self) -> Option<String> {
        let (word, rest) = self.words.split_first()?;
        self.words = rest;
        Some(word.clone())
    }

    fn set(&mut self, declaration: &Declaration, value: String) -> Result<(), String> {
        let value = if declaration.switch {
            Value::Switch(go::parse_bool(&value).ok_or_else(|| declaration.no_bool(&value))?)
        } else {
            Value::Text(value)
        };
        if let Some(instead) = declaration.deprecated {
            let name = declaration.name;
            self.tokens.push(Token::Notice(format!("Flag --{name} has been deprecated, {instead}")));
        }
        self.tokens.push(Token::Flag(declaration.flag, value));
        Ok(())
    }
}

impl Declaration {
    fn no_bool(&self, value: &str) -> String {
        let letter = self.letter.map(|letter| format!("-{letter}, ")).unwrap_or_default();
        let quoted = go::quote(value);
        format!(
            "invalid argument {quoted} for \"{letter}--{}\" flag: strconv.ParseBool: parsing {quoted}: invalid syntax",
            self.name
        )
    }
}
