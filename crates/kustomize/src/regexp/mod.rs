//! Regular expressions of the reference's dialect.
//!
//! Go's and Rust's expressions look alike and differ in corners: classes like `\d` are ASCII in Go, `{` may be literal, `[a[b]` is a
//! plain class, `x**` is refused. An expression is read as Go's `regexp/syntax` reads it, with its messages, and written in the
//! dialect of the `regex` crate.

mod class;
mod escape;
mod plain;

use std::collections::HashSet;

use regex::Regex;

pub(crate) use plain::{is_plain, strip};

/// An expression for a text as a whole.
#[derive(Debug)]
pub(crate) enum Whole {
    /// One that [`is_plain`].
    Plain(Box<str>),
    /// Any other.
    Expression(Regex),
}

impl Whole {
    /// Reads an expression.
    ///
    /// # Errors
    ///
    /// If it is none, in Go's words.
    pub(crate) fn new(pattern: &str) -> Result<Self, String> {
        if is_plain(pattern) { Ok(Self::Plain(pattern.into())) } else { Self::expression(pattern) }
    }

    fn expression(pattern: &str) -> Result<Self, String> {
        compile(&format!("^(?:{pattern})$")).map(Self::Expression)
    }

    /// Whether it stands for all of `text`.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        match self {
            Self::Plain(pattern) => strip(pattern, text).is_some_and(str::is_empty),
            Self::Expression(regex) => regex.is_match(text),
        }
    }
}

/// Compiles an expression.
///
/// # Errors
///
/// If it is none, in Go's words.
pub(crate) fn compile(pattern: &str) -> Result<Regex, String> {
    let refused = |problem: Problem| format!("error parsing regexp: {}: `{}`", problem.what, problem.part);
    let too_large = || refused(Problem::new("expression too large", pattern));
    if pattern.len() > MAX_BYTES {
        return Err(too_large());
    }
    let mut translation = Translation::of(pattern);
    translation.run().map_err(refused)?;
    Regex::new(&translation.out).map_err(|_| too_large())
}

/// Longer expressions are refused.
const MAX_BYTES: usize = 64 << 10;

/// Flags such as `im-s`, each once: the last sign counts.
fn once_each(flags: &str) -> String {
    let (on, off) = flags.split_once('-').unwrap_or((flags, ""));
    let kept = |flags: &str, but: &str| -> String {
        let mut kept = String::new();
        flags.chars().filter(|flag| !but.contains(*flag)).for_each(|flag| {
            if !kept.contains(flag) {
                kept.push(flag);
            }
        });
        kept
    };
    let (on, off) = (kept(on, off), kept(off, ""));
    if off.is_empty() { on } else { format!("{on}-{off}") }
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
    /// What is around the group that is read: for each, where it starts and how much was repeated in it.
    groups: Vec<(usize, u32)>,
    /// What a repetition would repeat.
    operand: Option<Operand>,
    /// Flags behind the operand, which are written once nothing repeats that any longer.
    flags: String,
    /// How often something before the operand is repeated in the group, repetitions within repetitions multiplied.
    repeated: u32,
    checks: Checks,
}

#[derive(Clone, Copy, Debug)]
struct Operand {
    /// Where it starts.
    start: usize,
    /// How often something in it is repeated.
    repeated: u32,
    is_repetition: bool,
}

/// What is known of the whole expression, so that nothing is looked at again and again.
#[derive(Debug, Default)]
struct Checks {
    /// That no `:]` follows.
    no_name_ends: bool,
    /// Names of classes that there are.
    classes: HashSet<String>,
}

/// No expression may be repeated more often, its parts' repetitions counted in.
const MOST_REPEATS: u32 = 1000;

impl<'p> Translation<'p> {
    fn of(whole: &'p str) -> Self {
        Self {
            whole,
            out: String::with_capacity(whole.len() + 8),
            groups: Vec::new(),
            operand: None,
            flags: String::new(),
            repeated: 1,
            checks: Checks::default(),
        }
    }

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
                    self.open("(");
                    &rest[1..]
                }
                '|' => {
                    self.settle();
                    self.out.push('|');
                    &rest[1..]
                }
                ')' => self.close(rest)?,
                '^' | '$' | '.' => self.atom(&rest[..1], &rest[1..]),
                '[' => {
                    let start = self.begin();
                    let rest = class::translate(rest, &mut self.out, &mut self.checks)?;
                    self.end(start, 1);
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
        if self.groups.is_empty() { Ok(()) } else { Err(Problem::new("missing closing )", self.whole)) }
    }

    /// Nothing repeats the operand any longer.
    fn settle(&mut self) {
        if let Some(operand) = self.operand.take() {
            self.repeated = self.repeated.max(operand.repeated);
        }
        self.out.push_str(&self.flags);
        self.flags.clear();
    }

    /// Begins an operand; says where.
    fn begin(&mut self) -> usize {
        self.settle();
        self.out.len()
    }

    fn end(&mut self, start: usize, repeated: u32) {
        self.operand = Some(Operand { start, repeated, is_repetition: false });
    }

    fn open(&mut self, group: &str) {
        let start = self.begin();
        self.out.push_str(group);
        self.groups.push((start, self.repeated));
        self.repeated = 1;
    }

    fn close(&mut self, rest: &'p str) -> Rest<'p> {
        let around = self.groups.pop();
        let (start, repeated) = around.ok_or_else(|| Problem::new("unexpected )", self.whole))?;
        self.settle();
        self.out.push(')');
        self.end(start, self.repeated);
        self.repeated = repeated;
        Ok(&rest[1..])
    }

    fn atom(&mut self, atom: &str, rest: &'p str) -> &'p str {
        let start = self.begin();
        self.out.push_str(atom);
        self.end(start, 1);
        rest
    }

    fn literal(&mut self, literal: char) {
        self.atom(&regex::escape(literal.encode_utf8(&mut [0; 4])), "");
    }

    /// `*`, `+`, `?` or a count, and a `?` behind it.
    fn repetition(&mut self, start: &'p str, before: Option<&'p str>) -> Rest<'p> {
        let (times, after) = match count(start) {
            None => (1, &start[1..]),
            Some((least, most, after)) => {
                let is_backwards = most.is_some_and(|most| least > most);
                if least.max(most.unwrap_or_default()) > MOST_REPEATS || is_backwards {
                    return Err(Problem::between("invalid repeat count", start, after));
                }
                (most.unwrap_or(least.max(1)), after)
            }
        };
        let rest = after.strip_prefix('?').unwrap_or(after);
        if let Some(before) = before {
            return Err(Problem::between("invalid nested repetition operator", before, rest));
        }
        let Some(operand) = &mut self.operand else {
            return Err(Problem::between("missing argument to repetition operator", start, rest));
        };
        // What is repeated no times counts for nothing.
        operand.repeated = (operand.repeated * times).max(1);
        if operand.repeated > MOST_REPEATS {
            return Err(Problem::between("invalid repeat count", start, rest));
        }
        // Behind flags, a repetition may be repeated: a `?` would belong to it otherwise.
        if operand.is_repetition {
            self.out.insert_str(operand.start, "(?:");
            self.out.push(')');
        }
        operand.is_repetition = true;
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
            self.open("(");
            return Ok(&start[end + 1..]);
        }
        let (mut is_negative, mut has_flag) = (false, false);
        for (at, letter) in start.char_indices().skip(2) {
            match letter {
                'i' | 'm' | 's' | 'U' => has_flag = true,
                '-' if !is_negative => (is_negative, has_flag) = (true, false),
                ':' | ')' if !is_negative || has_flag => {
                    let flags = once_each(&start[2..at]);
                    if letter == ':' {
                        self.open(&format!("(?{flags}:"));
                    } else if !flags.is_empty() {
                        self.flags.extend(["(?", &flags, ")"]);
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
            'A' | 'z' => Ok(self.atom(&start[..2], rest)),
            // Words are of ASCII letters.
            'b' => Ok(self.atom(r"(?-u:\b)", rest)),
            'B' => Ok(self.atom(r"(?-u:\B)", rest)),
            'C' => Err(Problem::new("invalid escape sequence", &start[..2])),
            'Q' => {
                let (literals, rest) = rest.split_once("\\E").unwrap_or((rest, ""));
                literals.chars().for_each(|literal| self.literal(literal));
                Ok(rest)
            }
            'p' | 'P' => {
                let (class, rest) = escape::unicode_class(start, &mut self.checks)?;
                Ok(self.atom(&class, rest))
            }
            _ => {
                if let Some(class) = escape::perl_class(letter) {
                    return Ok(self.atom(&format!("[{class}]"), rest));
                }
                let (literal, rest) = escape::character(start)?;
                Ok(self.atom(&escape::code(literal), rest))
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
mod tests;
