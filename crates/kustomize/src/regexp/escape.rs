//! What a backslash makes of letters.

use std::borrow::Cow;
use std::cmp::Ordering;

use regex::Regex;

use super::{Checks, Problem};

/// The class without characters: halves of a pair are characters in Go, of which no text has any.
const NONE: &str = r"\P{Any}";
/// Its opposite.
const ANY: &str = r"\p{Any}";

/// The insides of the class that a letter stands for.
pub(super) fn perl_class(letter: char) -> Option<&'static str> {
    Some(match letter {
        'd' => "0-9",
        'D' => "[^0-9]",
        's' => r"\t\n\f\r\x20",
        'S' => r"[^\t\n\f\r\x20]",
        'w' => "0-9A-Za-z_",
        'W' => "[^0-9A-Za-z_]",
        _ => return None,
    })
}

/// A class by name, like `\pL`, `\P{Greek}` or `\p{^Greek}`, and what follows it.
pub(super) fn unicode_class<'p>(
    start: &'p str,
    checks: &mut Checks,
) -> Result<(Cow<'static, str>, &'p str), Problem> {
    let invalid = |part| Problem::new("invalid character class range", part);
    let name = start.get(2..).unwrap_or_default();
    let length = match name.chars().next() {
        None => return Err(Problem::new("invalid character class range", start)),
        Some('{') => name.find('}').ok_or_else(|| invalid(start))? + 1,
        Some(letter) => letter.len_utf8(),
    };
    let (class, rest) = start.split_at(2 + length);
    let named = name[..length].strip_prefix('{').and_then(|name| name.strip_suffix('}'));
    let (name, is_inverted) = match named.map(|name| (name, name.strip_prefix('^'))) {
        Some((_, Some(name))) => (name, true),
        Some((name, None)) => (name, false),
        None => (&name[..length], false),
    };
    let is_negative = class.starts_with(r"\P") != is_inverted;
    if name.eq_ignore_ascii_case("Cs") {
        return Ok((if is_negative { ANY } else { NONE }.into(), rest));
    }
    // What Go names is a category or a script; Rust's names of these are more, and never other ones.
    let key = name.to_ascii_lowercase();
    if !checks.classes.contains(&key) {
        let is_word = name.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        let is_one = |of: &str| Regex::new(&format!(r"\p{{{of}={name}}}")).is_ok();
        if !is_word || !(is_one("gc") || is_one("sc")) {
            return Err(invalid(class));
        }
        checks.classes.insert(key);
    }
    let letter = if is_negative { 'P' } else { 'p' };
    Ok((format!(r"\{letter}{{{name}}}").into(), rest))
}

/// The one character that an escape stands for, and what follows it.
pub(super) fn character(start: &str) -> Result<(u32, &str), Problem> {
    let mut letters = start.chars();
    letters.next();
    let Some(letter) = letters.next() else {
        return Err(Problem::new("trailing backslash at end of expression", ""));
    };
    let rest = letters.as_str();
    let found = match letter {
        '0' => Some(octal(rest, 0)),
        '1'..='7' if rest.starts_with(|next: char| next.is_digit(8)) => {
            Some(octal(rest, letter.to_digit(8).unwrap_or_default()))
        }
        'x' => return hexadecimal(start, rest),
        'a' => Some((0x7, rest)),
        'f' => Some((0xc, rest)),
        'n' => Some((0xa, rest)),
        'r' => Some((0xd, rest)),
        't' => Some((0x9, rest)),
        'v' => Some((0xb, rest)),
        sign if sign.is_ascii() && !sign.is_ascii_alphanumeric() => Some((sign.into(), rest)),
        _ => None,
    };
    found.ok_or_else(|| Problem::between("invalid escape sequence", start, rest))
}

/// Up to two more digits.
fn octal(rest: &str, first: u32) -> (u32, &str) {
    let digits = rest.chars().take(2).take_while(|letter| letter.is_digit(8));
    let digits: Vec<u32> = digits.filter_map(|letter| letter.to_digit(8)).collect();
    let code = digits.iter().fold(first, |code, digit| code * 8 + digit);
    (code, &rest[digits.len()..])
}

/// Two digits, or any number of them in braces.
fn hexadecimal<'p>(start: &'p str, rest: &'p str) -> Result<(u32, &'p str), Problem> {
    let mut letters = rest.chars();
    let invalid = |rest: &str| Problem::between("invalid escape sequence", start, rest);
    let mut code = 0;
    if rest.starts_with('{') {
        letters.next();
        let mut digits = 0;
        loop {
            let letter = letters.next();
            match letter.and_then(|letter| letter.to_digit(16)) {
                Some(digit) if code <= u32::from(char::MAX) => {
                    code = code * 16 + digit;
                    digits += 1;
                }
                None if letter == Some('}') && digits > 0 => break,
                Some(_) | None => return Err(invalid(letters.as_str())),
            }
        }
    } else {
        for _ in 0..2 {
            let digit = letters.next().and_then(|letter| letter.to_digit(16));
            code = code * 16 + digit.ok_or_else(|| invalid(letters.as_str()))?;
        }
    }
    if code > u32::from(char::MAX) {
        return Err(invalid(letters.as_str()));
    }
    Ok((code, letters.as_str()))
}

/// A character by its number, which means nothing else anywhere; a class that is empty where that is half of a pair.
pub(super) fn code(character: u32) -> String {
    code_range(character, character)
}

/// All characters from one to another, for a class.
pub(super) fn code_range(low: u32, high: u32) -> String {
    let is_half = |code: &u32| char::from_u32(*code).is_none();
    let low = if is_half(&low) { 0xe000 } else { low };
    let high = if is_half(&high) { 0xd7ff } else { high };
    match low.cmp(&high) {
        Ordering::Less => format!(r"\x{{{low:x}}}-\x{{{high:x}}}"),
        Ordering::Equal => format!(r"\x{{{low:x}}}"),
        Ordering::Greater => NONE.to_owned(),
    }
}
