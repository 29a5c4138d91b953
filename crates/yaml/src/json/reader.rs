//! Reading, with Go's error texts.

use std::borrow::Cow;

use crate::read::{Budget, Limits};
use crate::{List, MapBuilder, Node, Scalar, ScalarKind, Style, quote};

/// Text that is no JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct JsonError {
    message: String,
    offset: usize,
}

impl JsonError {
    /// Where in the text, in bytes from its start.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

/// Reads one value; of equal keys the last one wins, in the first one's place.
pub fn from_slice(bytes: &[u8]) -> Result<Node, JsonError> {
    let text = std::str::from_utf8(bytes).map_err(|err| JsonError {
        message: "invalid UTF-8 in string literal".to_owned(),
        offset: err.valid_up_to(),
    })?;
    from_str(text)
}

/// Reads one value from text, like [`from_slice`].
pub fn from_str(text: &str) -> Result<Node, JsonError> {
    Reader::new(text).whole()
}

/// Reads one value from text, like [`from_str`], but leaves strings as they are spelled: with their quotes and escapes.
///
/// Keys are read.
pub fn spelled(text: &str) -> Result<Node, JsonError> {
    Reader { spelled: true, ..Reader::new(text) }.whole()
}

/// Reads values that follow each other, as `kubectl` and the controllers read a `.json` file; together they keep the limits
/// of depth and of values.
pub fn documents(text: &str, limits: &Limits) -> Result<Vec<Node>, JsonError> {
    let budget = Some(Budget::new(limits));
    let mut reader = Reader { depth: limits.depth.min(Limits::MAX_DEPTH), budget, ..Reader::new(text) };
    let mut nodes = Vec::new();
    while reader.peek().is_some() {
        nodes.push(reader.document()?);
    }
    Ok(nodes)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    /// What is left of the limits, where there are any beside depth.
    budget: Option<Budget>,
    /// Whether strings stay as they are spelled.
    spelled: bool,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0, depth: Limits::default().depth, budget: None, spelled: false }
    }

    /// The only value of the text.
    fn whole(mut self) -> Result<Node, JsonError> {
        let node = self.document()?;
        match self.peek() {
            None => Ok(node),
            Some(_) => Err(self.invalid("after top-level value")),
        }
    }

    fn document(&mut self) -> Result<Node, JsonError> {
        self.value(self.depth)
    }

    /// The next byte that is no blank.
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = bytes.get(self.at) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    fn error(&self, message: impl Into<String>) -> JsonError {
        JsonError { message: message.into(), offset: self.at }
    }

    fn invalid(&self, context: &str) -> JsonError {
        // Go looks at bytes, and takes each for a character of its own.
        match self.text.as_bytes().get(self.at) {
            None => self.error("unexpected end of JSON input"),
            Some(byte) => self.error(format!("invalid character {} {context}", quoted(*byte))),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, JsonError> {
        if let Some(budget) = &mut self.budget
            && let Err(problem) = budget.value(self.depth - depth)
        {
            return Err(self.error(problem));
        }
        match self.peek() {
            Some(b'{') => self.object(self.deeper(depth)?),
            Some(b'[') => self.array(self.deeper(depth)?),
            Some(b'"') => {
                let start = self.at;
                let read = self.string()?;
                let text = if self.spelled { Cow::Borrowed(&self.text[start..self.at]) } else { read };
                Ok(Node::Scalar(Scalar::new(text, ScalarKind::Str, Style::Plain)))
            }
            Some(b't') => self.literal("true", Node::bool(true)),
            Some(b'f') => self.literal("false", Node::bool(false)),
            Some(b'n') => self.literal("null", Node::null()),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) | None => Err(self.invalid("looking for beginning of value")),
        }
    }

    fn deeper(&self, depth: usize) -> Result<usize, JsonError> {
        depth.checked_sub(1).ok_or_else(|| self.error(format!("exceeded max depth of {}", self.depth)))
    }

    fn object(&mut self, depth: usize) -> Result<Node, JsonError> {
        self.at += 1;
        let mut map = MapBuilder::default();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Node::Map(map.finish()));
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err(self.invalid("looking for beginning of object key string"));
            }
            let key = Scalar::string(self.string()?);
            if self.peek() != Some(b':') {
                return Err(self.invalid("after object key"));
            }
            self.at += 1;
            let value = self.value(depth)?;
            map.insert(key, value);
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                Some(_) | None => return Err(self.invalid("after object key:value pair")),
            }
        }
        self.at += 1;
        Ok(Node::Map(map.finish()))
    }

    fn array(&mut self, depth: usize) -> Result<Node, JsonError> {
        self.at += 1;
        let mut items = List::default();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Node::List(items));
        }
        loop {
            items.push(self.value(depth)?);
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                Some(_) | None => return Err(self.invalid("after array element")),
            }
        }
        self.at += 1;
        Ok(Node::List(items))
    }

    fn literal(&mut self, word: &str, node: Node) -> Result<Node, JsonError> {
        for expected in word.chars() {
            if !self.text[self.at..].starts_with(expected) {
                let expecting = format!("in literal {word} (expecting '{expected}')");
                return Err(self.invalid(&expecting));
            }
            self.at += 1;
        }
        Ok(node)
    }

    fn digits(&mut self) -> usize {
        let length = self.text.as_bytes()[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += length;
        length
    }

    fn number(&mut self) -> Result<Node, JsonError> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let mut kind = ScalarKind::Int;
        self.at += usize::from(bytes[self.at] == b'-');
        if bytes.get(self.at) == Some(&b'0') {
            self.at += 1;
        } else if self.digits() == 0 {
            return Err(self.invalid("in numeric literal"));
        }
        if bytes.get(self.at) == Some(&b'.') {
            kind = ScalarKind::Float;
            self.at += 1;
            if self.digits() == 0 {
                return Err(self.invalid("after decimal point in numeric literal"));
            }
        }
        if let Some(b'e' | b'E') = bytes.get(self.at) {
            kind = ScalarKind::Float;
            self.at += 1;
            self.at += usize::from(matches!(bytes.get(self.at), Some(b'+' | b'-')));
            if self.digits() == 0 {
                return Err(self.invalid("in exponent of numeric literal"));
            }
        }
        let text = &self.text[start..self.at];
        if kind == ScalarKind::Float && text.parse::<f64>().map_or(true, f64::is_infinite) {
            return Err(
                self.error(format!("json: cannot unmarshal number {text} into Go value of type float64"))
            );
        }
        Ok(Node::Scalar(Scalar::new(text, kind, Style::Plain)))
    }

    fn string(&mut self) -> Result<Cow<'a, str>, JsonError> {
        self.at += 1;
        let start = self.at;
        let mut decoded = String::new();
        let mut copied = start;
        loop {
            let rest = &self.text.as_bytes()[self.at..];
            let length = rest.iter().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..=0x1f)).count();
            self.at += length;
            match rest.get(length) {
                Some(b'"') => break,
                Some(b'\\') => {
                    decoded.push_str(&self.text[copied..self.at]);
                    self.at += 1;
                    decoded.push(self.escape()?);
                    copied = self.at;
                }
                Some(_) => return Err(self.invalid("in string literal")),
                None => return Err(self.error("unexpected end of JSON input")),
            }
        }
        let tail = &self.text[copied..self.at];
        self.at += 1;
        if copied == start {
            return Ok(Cow::Borrowed(tail));
        }
        decoded.push_str(tail);
        Ok(Cow::Owned(decoded))
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        let character = match self.text.as_bytes().get(self.at) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode();
            }
            Some(_) | None => return Err(self.invalid("in string escape code")),
        };
        self.at += 1;
        Ok(character)
    }

    /// `XXXX`, with the low surrogate that belongs to it; a lone surrogate is replaced.
    fn unicode(&mut self) -> Result<char, JsonError> {
        let high = self.hex()?;
        if !(0xd800..0xdc00).contains(&high) {
            return Ok(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let after_high = self.at;
        if self.text[self.at..].starts_with("\\u") {
            self.at += 2;
            let low = self.hex()?;
            if (0xdc00..0xe000).contains(&low) {
                let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = after_high;
        }
        Ok(char::REPLACEMENT_CHARACTER)
    }

    fn hex(&mut self) -> Result<u32, JsonError> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.text[self.at..].chars().next().and_then(|digit| digit.to_digit(16));
            code = code * 16 + digit.ok_or_else(|| self.invalid("in \\u hexadecimal character escape"))?;
            self.at += 1;
        }
        Ok(code)
    }
}

/// A byte as Go shows a character that has no place where it stands.
fn quoted(byte: u8) -> String {
    match byte {
        b'\'' => "'\\''".to_owned(),
        b'"' => "'\"'".to_owned(),
        byte => {
            let quoted = quote(&char::from(byte).to_string());
            format!("'{}'", &quoted[1..quoted.len() - 1])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_read_like_gos() {
        for (text, expected) in [
            ("", "unexpected end of JSON input"),
            ("{", "unexpected end of JSON input"),
            ("x", "invalid character 'x' looking for beginning of value"),
            ("[1 2]", "invalid character '2' after array element"),
            ("{\"a\" 1}", "invalid character '1' after object key"),
            ("{a: 1}", "invalid character 'a' looking for beginning of object key string"),
            ("{\"a\":1 x", "invalid character 'x' after object key:value pair"),
            ("truth", "invalid character 't' in literal true (expecting 'e')"),
            ("1 2", "invalid character '2' after top-level value"),
            ("\"\\q\"", "invalid character 'q' in string escape code"),
            ("[\u{201c}a\u{201d}]", "invalid character 'â' looking for beginning of value"),
            ("[1\u{a0}]", "invalid character 'Â' after array element"),
            ("\u{7f}", "invalid character '\\x7f' looking for beginning of value"),
            ("\\", "invalid character '\\\\' looking for beginning of value"),
            ("'a'", "invalid character '\\'' looking for beginning of value"),
            ("[\"a\nb\"]", "invalid character '\\n' in string literal"),
            ("\"\\u00\u{201c}\"", "invalid character 'â' in \\u hexadecimal character escape"),
        ] {
            assert_eq!(from_str(text).unwrap_err().to_string(), expected, "{text}");
        }
    }

    #[test]
    fn strings_are_unescaped() {
        let node = from_str(r#""a\n\u00e9\ud83d\ude00\ud83dx\/""#).unwrap();
        assert_eq!(node.as_str(), Some("a\né😀\u{fffd}x/"));
    }

    #[test]
    fn strings_stay_as_they_are_spelled() {
        let items = [Node::string(r#""a\/b""#), Node::string("\"é&\""), Node::null()];
        let wanted = Node::Map(crate::Map::from_iter([(Scalar::string("a"), Node::list(items.to_vec()))]));
        assert_eq!(spelled(r#"{"\u0061": ["a\/b", "é&", null]}"#), Ok(wanted));
    }

    #[test]
    fn depth_is_bounded() {
        let deep = "[".repeat(100_000);
        assert_eq!(from_str(&deep).unwrap_err().to_string(), "exceeded max depth of 500");
    }

    #[test]
    fn documents_follow_each_other() {
        let nodes = documents("{\"a\":1}\n{\"b\":2} [3]", &Limits::default()).unwrap();
        assert_eq!(nodes.len(), 3);
    }
}
