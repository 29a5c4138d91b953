//! Regular expressions of the reference's dialect.
//!
//! Go's and Rust's expressions look alike and differ in corners: classes like `\d` are ASCII in Go, `{` may be literal, `[a[b]` is a
//! plain class, `x**` is refused. An expression is read as Go's `regexp/syntax` reads it, with its messages, and written in the
//! dialect of the `regex` crate.

mod class;
mod escape;

use regex::Regex;

/// Compiles an expression.
///
/// # Errors
///
/// If it is none, in Go's words.
pub(crate) fn compile(pattern: &str) -> Result<Regex, String> {
    let mut translation = Translation {
        whole: pattern,
        out: String::with_capacity(pattern.len() + 8),
        groups: 0,
        has_operand: false,
    };
    let translated = translation.run().map(|()| translation.out);
    let refused = |problem: Problem| format!("error parsing regexp: {}: `{}`", problem.what, problem.part);
    let translated = translated.map_err(refused)?;
    Regex::new(&translated).map_err(|_| refused(Problem::new("expression too large", pattern)))
}

/// What is wrong with which part of an expression.
#[derive(Debug)]
struct Problem {
    what: &'static str,
    part: String,
}

impl Problem {
    fn new(what: &'static str, part: &str) -> Self {
        Self { what, part: part.to_owned() }
    }

    /// Of the part that starts here and ends before `rest`.
    fn between(what: &'static str, start: &str, rest: &str) -> Self {
        Self::new(what, &start[..start.len() - rest.len()])
    }
}

/// What is left of a text after a part of it.
type Rest<'p> = Result<&'p str, Problem>;

struct Translation<'p> {
    whole: &'p str,
    out: String,
    /// Open groups.
    groups: usize,
    /// Whether there is something to repeat.
    has_operand: bool,
}

/// No expression may be repeated more often.
const MOST_REPEATS: u32 = 1000;

impl<'p> Translation<'p> {
    fn run(&mut self) -> Result<(), Problem> {
        let mut rest = self.whole;
        // Where the repetition starts that stands right before.
        let mut repetition = None;
        while let Some(first) = rest.chars().next() {
            let start = rest;
            let is_repetition = match first {
                '*' | '+' | '?' => true,
                '{' => count(rest).is_some(),
                _ => false,
            };
            rest = match first {
                _ if is_repetition => self.repetition(rest, repetition)?,
                '(' if rest.starts_with("(?") => self.flags(rest)?,
                '(' => {
                    self.groups += 1;
                    self.operator(first, rest)
                }
                '|' => self.operator(first, rest),
                ')' => {
                    self.groups =
                        self.groups.checked_sub(1).ok_or_else(|| Problem::new("unexpected )", self.whole))?;
                    self.atom(")", &rest[1..])
                }
                '^' | '$' | '.' => self.atom(&rest[..1], &rest[1..]),
                '[' => {
                    let rest = class::translate(rest, &mut self.out)?;
                    self.has_operand = true;
                    rest
                }
                '\\' => self.escape(rest)?,
                literal => {
                    self.literal(literal);
                    &rest[literal.len_utf8()..]
                }
            };
            repetition = is_repetition.then_some(start);
        }
        if self.groups > 0 { Err(Problem::new("missing closing )", self.whole)) } else { Ok(()) }
    }

    /// A `(` or `|`, after which nothing can be repeated.
    fn operator(&mut self, operator: char, rest: &'p str) -> &'p str {
        self.out.push(operator);
        self.has_operand = false;
        &rest[1..]
    }

    fn atom(&mut self, atom: &str, rest: &'p str) -> &'p str {
        self.out.push_str(atom);
        self.has_operand = true;
        rest
    }

    fn literal(&mut self, literal: char) {
        self.out.push_str(&regex::escape(literal.encode_utf8(&mut [0; 4])));
        self.has_operand = true;
    }

    /// `*`, `+`, `?` or a count, and a `?` behind it.
    fn repetition(&mut self, start: &'p str, before: Option<&'p str>) -> Rest<'p> {
        let after = match count(start) {
            None => &start[1..],
            Some((least, most, after)) => {
                let is_backwards = most.is_some_and(|most| least > most);
                if least.max(most.unwrap_or_default()) > MOST_REPEATS || is_backwards {
                    return Err(Problem::between("invalid repeat count", start, after));
                }
                after
            }
        };
        let rest = after.strip_prefix('?').unwrap_or(after);
        if let Some(before) = before {
            return Err(Problem::between("invalid nested repetition operator", before, rest));
        }
        if !self.has_operand {
            return Err(Problem::between("missing argument to repetition operator", start, rest));
        }
        self.out.push_str(&start[..start.len() - rest.len()]);
        Ok(rest)
    }

    /// What begins with `(?`: a group with a name, one that is not captured, flags.
    fn flags(&mut self, start: &'p str) -> Rest<'p> {
        let named = ["(?P<", "(?<"]
            .into_iter()
            .find(|opening| start.starts_with(opening) && start.len() > opening.len());
        if let Some(opening) = named {
            let invalid = |part| Problem::new("invalid named capture", part);
            let end = start.find('>').ok_or_else(|| invalid(start))?;
            let name = &start[opening.len()..end];
            if name.is_empty() || !name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric()) {
                return Err(invalid(&start[..=end]));
            }
            // Nobody asks for the group by its name.
            self.groups += 1;
            self.out.push('(');
            self.has_operand = false;
            return Ok(&start[end + 1..]);
        }
        let (mut is_negative, mut has_flag) = (false, false);
        for (at, letter) in start.char_indices().skip(2) {
            match letter {
                'i' | 'm' | 's' | 'U' => has_flag = true,
                '-' if !is_negative => (is_negative, has_flag) = (true, false),
                ':' | ')' if !is_negative || has_flag => {
                    if letter == ':' {
                        self.groups += 1;
                        self.has_operand = false;
                    }
                    // Without flags it is nothing.
                    if letter == ':' || at > 2 {
                        self.out.push_str(&start[..=at]);
                    }
                    return Ok(&start[at + 1..]);
                }
                other => {
                    let part = &start[..at + other.len_utf8()];
                    return Err(Problem::new("invalid or unsupported Perl syntax", part));
                }
            }
        }
        Err(Problem::new("invalid or unsupported Perl syntax", start))
    }

    /// What begins with a backslash.
    fn escape(&mut self, start: &'p str) -> Rest<'p> {
        let Some(letter) = start.chars().nth(1) else {
            return Err(Problem::new("trailing backslash at end of expression", ""));
        };
        let rest = &start[1 + letter.len_utf8()..];
        match letter {
            'A' | 'z' | 'b' | 'B' => Ok(self.atom(&start[..2], rest)),
            'C' => Err(Problem::new("invalid escape sequence", &start[..2])),
            'Q' => {
                let (literals, rest) = rest.split_once("\\E").unwrap_or((rest, ""));
                literals.chars().for_each(|literal| self.literal(literal));
                Ok(rest)
            }
            'p' | 'P' => {
                let (class, rest) = escape::unicode_class(start)?;
                Ok(self.atom(class, rest))
            }
            _ => {
                if let Some(class) = escape::perl_class(letter) {
                    return Ok(self.atom(&format!("[{class}]"), rest));
                }
                let (literal, rest) = escape::character(start)?;
                self.atom(&escape::code(literal), rest);
                Ok(rest)
            }
        }
    }
}

/// How often a count repeats at least and, where it is bounded, at most; and what follows it. Braces of another form are literal.
fn count(text: &str) -> Option<(u32, Option<u32>, &str)> {
    let (least, rest) = number(text.strip_prefix('{')?)?;
    let (most, rest) = match rest.strip_prefix(',') {
        None => (Some(least), rest),
        Some(rest) if rest.starts_with('}') => (None, rest),
        Some(rest) => {
            let (most, rest) = number(rest)?;
            (Some(most), rest)
        }
    };
    Some((least, most, rest.strip_prefix('}')?))
}

/// A number without zeros before it; one that is too large stays too large.
fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    if digits.is_empty() || (digits.len() > 1 && digits.starts_with('0')) {
        return None;
    }
    Some((digits.parse().unwrap_or(u32::MAX), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_refused_in_the_words_of_go() {
        for (pattern, message) in [
            ("^(?:[)$", "missing closing ]: `[)$`"),
            ("^(?:*)$", "missing argument to repetition operator: `*`"),
            ("a|+", "missing argument to repetition operator: `+`"),
            ("(?=x)", "invalid or unsupported Perl syntax: `(?=`"),
            ("a{2,1}", "invalid repeat count: `{2,1}`"),
            ("x{1001}", "invalid repeat count: `{1001}`"),
            ("^(?:\\)$", "missing closing ): `^(?:\\)$`"),
            ("^(?:a))$", "unexpected ): `^(?:a))$`"),
            ("[z-a]", "invalid character class range: `z-a`"),
            ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
            ("\\p{Foo}", "invalid character class range: `\\p{Foo}`"),
            ("a**", "invalid nested repetition operator: `**`"),
            ("a+?{2}b", "invalid nested repetition operator: `+?{2}`"),
            ("\\q", "invalid escape sequence: `\\q`"),
            ("\\8", "invalid escape sequence: `\\8`"),
            ("(?P<n)$", "invalid named capture: `(?P<n)$`"),
            ("(?<a-b>x)", "invalid named capture: `(?<a-b>`"),
            ("a\\", "trailing backslash at end of expression: ``"),
        ] {
            let error = compile(pattern).expect_err(pattern);
            assert_eq!(error, format!("error parsing regexp: {message}"), "{pattern}");
        }
    }

    #[test]
    fn expressions_mean_what_they_mean_in_go() {
        for (pattern, text, expected) in [
            ("^a{$", "a{", true),
            ("^{,5}$", "{,5}", true),
            ("^a{01}$", "a{01}", true),
            ("^\\d$", "٣", false),
            ("^\\w+$", "é", false),
            ("^[a[b]+$", "[ab", true),
            ("^[a&&b]+$", "&", true),
            ("^[]a]+$", "]", true),
            ("^[^\\d]$", "a", true),
            ("^[a-]+$", "-", true),
            ("^[\\w-]+$", "a-b", true),
            ("^[[:alpha:]]+$", "ab", true),
            ("^\\Qa.b\\E$", "a.b", true),
            ("^\\Qa.b\\E$", "axb", false),
            ("^\\x41\\x{42}\\101$", "ABA", true),
            ("^(?i)ABC$", "abc", true),
            ("^(?i:A)b$", "aB", false),
            ("^(?P<x>a)(?<y>b)$", "ab", true),
            ("^\\pL\\p{Greek}$", "aα", true),
            ("^a.c$", "a\nc", false),
            ("^\\<a\\>$", "<a>", true),
            ("^()*$", "", true),
            ("^a#b c$", "a#b c", true),
        ] {
            let regex = compile(pattern).expect(pattern);
            assert_eq!(regex.is_match(text), expected, "{pattern} on {text}");
        }
    }
}
