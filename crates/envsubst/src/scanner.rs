//! Reading a text rune by rune.

/// The part of a text that is still to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

/// Which pairs of characters stand for their second one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Escapes {
    None,
    /// `$$`.
    Dollar,
    /// `$$`, `\/` and `\\`.
    All,
}

impl<'t> Scanner<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    /// The character after the next one.
    pub(crate) fn peek_second(&self) -> Option<char> {
        self.text[self.at..].chars().nth(1)
    }

    /// Whether an expression starts here.
    pub(crate) fn at_expression(&self) -> bool {
        self.text[self.at..].starts_with("${")
    }

    /// Moves over a text if it stands here.
    pub(crate) fn accept(&mut self, expected: &str) -> bool {
        let accepted = self.text[self.at..].starts_with(expected);
        if accepted {
            self.at += expected.len();
        }
        accepted
    }

    /// Moves over at most `limit` characters that `wanted` accepts.
    pub(crate) fn take_while(&mut self, limit: usize, wanted: impl Fn(char) -> bool) -> &'t str {
        let rest = &self.text[self.at..];
        let taken =
            rest.chars().take(limit).take_while(|character| wanted(*character)).map(char::len_utf8).sum();
        self.at += taken;
        &rest[..taken]
    }

    /// Moves over text up to an expression or a character that `wanted` rejects, and appends what it stands for.
    ///
    /// An escaped character is taken whatever it is. `None` where nothing could be taken.
    pub(crate) fn take_text(&mut self, escapes: Escapes, wanted: impl Fn(char) -> bool) -> Option<String> {
        let mut text = String::new();
        let mut taken = false;
        while let Some(character) = self.peek() {
            if self.at_expression() {
                break;
            }
            if let Some(escaped) = self.escaped(escapes) {
                text.push(escaped);
                self.at += 2;
            } else if wanted(character) {
                text.push(character);
                self.at += character.len_utf8();
            } else {
                break;
            }
            taken = true;
        }
        taken.then_some(text)
    }

    fn escaped(&self, escapes: Escapes) -> Option<char> {
        let rest = &self.text.as_bytes()[self.at..];
        match (escapes, rest) {
            (Escapes::Dollar | Escapes::All, [b'$', b'$', ..]) => Some('$'),
            (Escapes::All, [b'\\', b'/', ..]) => Some('/'),
            (Escapes::All, [b'\\', b'\\', ..]) => Some('\\'),
            (Escapes::None | Escapes::Dollar | Escapes::All, _) => None,
        }
    }
}
