//! Splits a command line into flags and their values, without knowing which flags there are.

/// What the command line holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// `-h`.
    Help,
    /// What is no flag, and no flag's value.
    Word(String),
    /// A flag, with the value that is joined to it by `=`.
    Flag(Given),
}

/// A flag as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Given {
    pub(super) name: String,
    pub(super) value: Option<String>,
}

/// The rest of a command line.
pub(super) struct Tokens<'a> {
    rest: &'a [String],
    only_words: bool,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(arguments: &'a [String]) -> Self {
        Self { rest: arguments, only_words: false }
    }

    /// The next flag or word; `--` ends the flags.
    pub(super) fn next(&mut self) -> Result<Option<Token>, String> {
        while let Some((first, rest)) = self.rest.split_first() {
            self.rest = rest;
            let text = first.strip_prefix('-').filter(|text| !text.is_empty() && !self.only_words);
            let Some(text) = text else { return Ok(Some(Token::Word(first.clone()))) };
            let Some(long) = text.strip_prefix('-') else { return shorthand(text).map(Some) };
            if long.is_empty() {
                self.only_words = true;
                continue;
            }
            if long.starts_with(['-', '=']) {
                return Err(format!("bad flag syntax: {first}"));
            }
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (long, None),
            };
            return Ok(Some(Token::Flag(Given { name: name.to_owned(), value })));
        }
        Ok(None)
    }

    /// Takes the next argument, whatever it looks like, as the value of the flag before it.
    pub(super) fn value_of(&mut self, name: &str) -> Result<String, String> {
        let (value, rest) =
            self.rest.split_first().ok_or_else(|| format!("flag needs an argument: --{name}"))?;
        self.rest = rest;
        Ok(value.clone())
    }
}

/// No controller has one-letter flags; `-h` asks for help all the same.
fn shorthand(text: &str) -> Result<Token, String> {
    match text.chars().next() {
        Some('h') => Ok(Token::Help),
        letter => Err(format!("unknown shorthand flag: '{}' in -{text}", letter.unwrap_or_default())),
    }
}
