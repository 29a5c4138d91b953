//! Regular expressions in Go's dialect, on the `regex` crate.
//!
//! Both engines run in linear time and agree on most syntax; this module rewrites what differs and refuses what
//! Go refuses. Contract: notification-controller §2.6.

use std::fmt::Write as _;
use std::iter::Peekable;
use std::str::Chars;

use regex::Regex;

/// Why a pattern does not compile.
#[derive(Debug, thiserror::Error)]
pub enum PatternError {
    /// Go refuses it, whatever this engine would make of it.
    #[error("error parsing regexp: {0}")]
    Syntax(String),
    /// The rewritten pattern is refused by the engine.
    #[error("error parsing regexp")]
    Engine(#[from] regex::Error),
}

/// Compiles a pattern written for Go.
pub fn compile(pattern: &str) -> Result<Regex, PatternError> {
    let mut translation = Translation { input: pattern.chars().peekable(), out: String::new() };
    translation.run()?;
    Ok(Regex::new(&translation.out)?)
}

const MAX_REPEAT: u32 = 1000;
const POSIX_CLASSES: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "word", "xdigit",
];
const DIGIT: &str = "0-9";
const WORD: &str = "0-9A-Za-z_";
const SPACE: &str = r"\t\n\f\r ";

struct Translation<'p> {
    input: Peekable<Chars<'p>>,
    out: String,
}

fn syntax(text: impl Into<String>) -> PatternError {
    PatternError::Syntax(text.into())
}

impl Translation<'_> {
    fn run(&mut self) -> Result<(), PatternError> {
        while let Some(c) = self.input.next() {
            match c {
                '\\' => self.escape()?,
                '[' => self.class()?,
                '(' => self.group()?,
                '*' | '+' | '?' => {
                    self.out.push(c);
                    self.after_repeat()?;
                }
                '{' => match self.counts()? {
                    Some(counts) => {
                        self.out.push_str(&counts);
                        self.after_repeat()?;
                    }
                    None => self.out.push_str(r"\{"),
                },
                '}' | ']' => self.literal(c),
                c => self.out.push(c),
            }
        }
        Ok(())
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        self.out.write_fmt(text).expect("strings take any text");
    }

    fn literal(&mut self, c: char) {
        self.out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
    }

    /// Takes the lazy mark and refuses a second operator, which this engine would accept.
    fn after_repeat(&mut self) -> Result<(), PatternError> {
        if self.input.next_if_eq(&'?').is_some() {
            self.out.push('?');
        }
        let stacked = match self.input.peek() {
            Some('*' | '+' | '?') => true,
            Some('{') => {
                let mut ahead = Self { input: self.input.clone(), out: String::new() };
                ahead.input.next();
                ahead.counts()?.is_some()
            }
            _ => false,
        };
        if stacked { Err(syntax("invalid nested repetition operator")) } else { Ok(()) }
    }

    /// Reads `n}`, `n,}` or `n,m}`; anything else is literal text and nothing is taken.
    fn counts(&mut self) -> Result<Option<String>, PatternError> {
        let rest: String = self.input.clone().take_while(|c| *c != '}').collect();
        let closed = self.input.clone().nth(rest.chars().count()) == Some('}');
        let (low, high) = rest.split_once(',').map_or((rest.as_str(), None), |(low, high)| (low, Some(high)));
        let numeric = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let well_formed = numeric(low) && high.is_none_or(|high| high.is_empty() || numeric(high));
        if !closed || !well_formed {
            return Ok(None);
        }
        let low: u32 = low.parse().unwrap_or(u32::MAX);
        let high: Option<u32> = high.filter(|h| !h.is_empty()).map(|high| high.parse().unwrap_or(u32::MAX));
        if low > MAX_REPEAT || high.is_some_and(|high| high > MAX_REPEAT || high < low) {
            return Err(syntax(format!("invalid repeat count: `{{{rest}}}`")));
        }
        self.input.nth(rest.chars().count());
        Ok(Some(format!("{{{rest}}}")))
    }

    fn group(&mut self) -> Result<(), PatternError> {
        self.out.push('(');
        if self.input.next_if_eq(&'?').is_none() {
            return Ok(());
        }
        let mut ahead = self.input.clone();
        let named = match ahead.next() {
            Some('<') => true,
            Some('P') => ahead.next() == Some('<'),
            _ => false,
        };
        if named {
            return self.group_name();
        }
        let flags: String = self.input.clone().take_while(|c| !matches!(c, ':' | ')')).collect();
        if flags.is_empty() && self.input.peek() == Some(&')') || !flags.chars().all(|c| "imsU-".contains(c))
        {
            return Err(syntax(format!("invalid or unsupported Perl syntax: `(?{flags}`")));
        }
        self.out.push('?');
        Ok(())
    }

    /// Drops a group's name: nobody reads captures, and names may start with a digit in Go.
    fn group_name(&mut self) -> Result<(), PatternError> {
        let header: String = self.input.by_ref().take_while(|c| *c != '>').collect();
        let name = header.trim_start_matches('P').trim_start_matches('<');
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(syntax(format!("invalid named capture: `(?{header}>`")));
        }
        Ok(())
    }

    fn escape(&mut self) -> Result<(), PatternError> {
        let Some(c) = self.input.next() else {
            return Err(syntax("trailing backslash at end of expression: ``"));
        };
        match c {
            'Q' => self.quoted(),
            'd' => self.ascii_class("", DIGIT),
            'D' => self.ascii_class("^", DIGIT),
            'w' => self.ascii_class("", WORD),
            'W' => self.ascii_class("^", WORD),
            's' => self.ascii_class("", SPACE),
            'S' => self.ascii_class("^", SPACE),
            'b' => self.out.push_str(r"(?-u:\b)"),
            'B' => self.out.push_str(r"(?-u:\B)"),
            'A' | 'z' => self.out.extend(['\\', c]),
            'p' | 'P' => self.property(c)?,
            c => {
                let c = self.character(c)?;
                self.literal(c);
            }
        }
        Ok(())
    }

    /// Copies the text between `\Q` and `\E`, or the end.
    fn quoted(&mut self) {
        while let Some(c) = self.input.next() {
            if c == '\\' && self.input.next_if_eq(&'E').is_some() {
                return;
            }
            self.literal(c);
        }
    }

    /// Writes a class that stays ASCII under the flag `i`, as Go's does.
    fn ascii_class(&mut self, negation: &str, members: &str) {
        self.push(format_args!("(?-i:[{negation}{members}])"));
    }

    fn property(&mut self, letter: char) -> Result<(), PatternError> {
        let name = match self.input.next() {
            Some('{') => self.input.by_ref().take_while(|c| *c != '}').collect(),
            Some(c) => c.to_string(),
            None => String::new(),
        };
        let (negated, bare) = name.strip_prefix('^').map_or((false, name.as_str()), |bare| (true, bare));
        if bare.is_empty() || !bare.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(syntax(format!("invalid character class range: `\\{letter}{{{name}}}`")));
        }
        let letter = if negated == (letter == 'p') { 'P' } else { 'p' };
        self.push(format_args!("\\{letter}{{{bare}}}"));
        Ok(())
    }

    /// The character that `\` and `c` stand for.
    fn character(&mut self, c: char) -> Result<char, PatternError> {
        let octal = |c: &char| ('0'..='7').contains(c);
        match c {
            '1'..='7' if !self.input.peek().is_some_and(octal) => {
                Err(syntax(format!("invalid escape sequence: `\\{c}`")))
            }
            '0'..='7' => {
                let mut value = c as u32 - '0' as u32;
                for _ in 0..2 {
                    match self.input.next_if(octal) {
                        Some(digit) => value = value * 8 + (digit as u32 - '0' as u32),
                        None => break,
                    }
                }
                char::from_u32(value).ok_or_else(|| syntax("invalid escape sequence"))
            }
            'x' => self.hexadecimal(),
            'a' => Ok('\x07'),
            'f' => Ok('\x0c'),
            'n' => Ok('\n'),
            'r' => Ok('\r'),
            't' => Ok('\t'),
            'v' => Ok('\x0b'),
            c if c.is_ascii_punctuation() => Ok(c),
            c => Err(syntax(format!("invalid escape sequence: `\\{c}`"))),
        }
    }

    fn hexadecimal(&mut self) -> Result<char, PatternError> {
        let digits: String = if self.input.next_if_eq(&'{').is_some() {
            self.input.by_ref().take_while(|c| *c != '}').collect()
        } else {
            self.input.by_ref().take(2).collect()
        };
        u32::from_str_radix(&digits, 16)
            .ok()
            .filter(|_| !digits.starts_with('+'))
            .and_then(char::from_u32)
            .ok_or_else(|| syntax(format!("invalid escape sequence: `\\x{digits}`")))
    }

    /// Reads a class as Go does: `[`, `&&`, `--` and `~~` are ordinary characters in it.
    fn class(&mut self) -> Result<(), PatternError> {
        self.out.push('[');
        if self.input.next_if_eq(&'^').is_some() {
            self.out.push('^');
        }
        let mut first = true;
        loop {
            let Some(c) = self.input.next() else { return Err(syntax("missing closing ]")) };
            match c {
                ']' if !first => break,
                '[' if self.input.peek() == Some(&':') && self.posix_class()? => {}
                '\\' if self.class_escape()? => {}
                c => self.class_range(c)?,
            }
            first = false;
        }
        self.out.push(']');
        Ok(())
    }

    /// Copies `[:name:]`; without the closing `:]` it is ordinary text.
    fn posix_class(&mut self) -> Result<bool, PatternError> {
        let rest: String = self.input.clone().skip(1).collect();
        let Some(end) = rest.find(":]") else { return Ok(false) };
        let name = &rest[..end];
        if !POSIX_CLASSES.contains(&name.trim_start_matches('^')) {
            return Err(syntax(format!("invalid character class range: `[:{name}:]`")));
        }
        self.push(format_args!("[:{name}:]"));
        self.input.nth(name.chars().count() + 2);
        Ok(true)
    }

    /// Rewrites an escape that stands for several characters; others are left to [`Self::class_range`].
    fn class_escape(&mut self) -> Result<bool, PatternError> {
        let Some(&c) = self.input.peek() else { return Ok(false) };
        match c {
            'd' => self.out.push_str(DIGIT),
            'w' => self.out.push_str(WORD),
            's' => self.out.push_str(SPACE),
            'D' => self.push(format_args!("[^{DIGIT}]")),
            'W' => self.push(format_args!("[^{WORD}]")),
            'S' => self.push(format_args!("[^{SPACE}]")),
            'p' | 'P' => {
                self.input.next();
                self.property(c)?;
                return Ok(true);
            }
            _ => return Ok(false),
        }
        self.input.next();
        Ok(true)
    }

    fn class_range(&mut self, c: char) -> Result<(), PatternError> {
        let low = self.class_character(c)?;
        self.literal_in_class(low);
        let mut ahead = self.input.clone();
        if ahead.next() != Some('-') || ahead.next().is_none_or(|c| c == ']') {
            return Ok(());
        }
        self.input.next();
        let Some(c) = self.input.next() else { return Err(syntax("missing closing ]")) };
        let high = self.class_character(c)?;
        if high < low {
            return Err(syntax(format!("invalid character class range: `{low}-{high}`")));
        }
        self.out.push('-');
        self.literal_in_class(high);
        Ok(())
    }

    fn class_character(&mut self, c: char) -> Result<char, PatternError> {
        if c != '\\' {
            return Ok(c);
        }
        let Some(c) = self.input.next() else { return Err(syntax("missing closing ]")) };
        self.character(c)
    }

    fn literal_in_class(&mut self, c: char) {
        if c.is_ascii_punctuation() {
            self.out.push('\\');
        }
        self.out.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_what_they_match_in_go() {
        for (pattern, text, expected) in [
            (r"\Qa.b\E", "a.b", true), // NC-031
            (r"\Qa.b\E", "axb", false),
            (r"\Qa.b", "xa.b", true),
            ("^Health", "Health check failed", true),
            ("(?i)NOT READY$", "Health\nnot ready", true),
            ("failed$", "failed\nmore", false),
            ("(?m)failed$", "failed\nmore", true),
            ("a.b", "a\nb", false),
            ("(?s)a.b", "a\nb", true),
            (r"\d", "٣", false),
            (r"(?i)^\w$", "ſ", false),
            (r"^[\W]$", "é", true),
            (r"\bé", " é", false),
            (r"a\B", "ab", true),
            (r"[a&&b]+$", "a&&b", true),
            ("^[+--]$", ",", true),
            ("^[[a]$", "[", true),
            ("^[]a]$", "]", true),
            ("^[^]a]$", "b", true),
            ("^[[:alpha:]_]+$", "ab_", true),
            ("^[a-]$", "-", true),
            (r"^[\x41-\x{43}]$", "B", true),
            (r"\<3/5\>", "<3/5>", true),
            ("x{,2}", "x{,2}", true),
            ("{", "{", true),
            ("a{b}", "a{b}", true),
            (r"\012", "\n", true),
            (r"\z", "", true),
            ("(?P<1st>a)", "a", true),
            ("(?<n>a)(?:b)(c)", "abc", true),
            (r"\p{^Greek}", "α", false),
            (r"\PN", "1", false),
            ("a*?b", "aab", true),
            ("a{2}b", "aab", true),
            ("(?U)a+", "a", true),
            ("}]", "}]", true),
        ] {
            let regex = compile(pattern).unwrap_or_else(|err| panic!("{pattern}: {err:?}"));
            assert_eq!(regex.is_match(text), expected, "{pattern} on {text:?} ({regex})");
        }
    }

    #[test]
    fn patterns_go_refuses_do_not_compile() {
        for pattern in [
            "[",
            "(",
            "a**",
            "a{2}{3}",
            "a{1001}",
            "a{3,2}",
            r"\Z",
            r"\1",
            r"\e",
            r"a\",
            "(?x)a",
            "(?R)a",
            "(?u)a",
            "*a",
            "[z-a]",
            "[a--]",
            "[]",
            "(?=a)",
            "(?P<>a)",
            r"\C",
            "[[:nope:]]",
            r"\xg1",
        ] {
            assert!(compile(pattern).is_err(), "{pattern}");
        }
    }
}
