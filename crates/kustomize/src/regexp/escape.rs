//! What a backslash makes of letters.

use std::fmt::Write as _;

use regex::Regex;

use super::Problem;

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

/// A class by name, like `\pL` or `\P{Greek}`, and what follows it.
pub(super) fn unicode_class(start: &str) -> Result<(&str, &str), Problem> {
    let invalid = |part| Problem::new("invalid character class range", part);
    let name = start.get(2..).unwrap_or_default();
    let length = match name.chars().next() {
        None => return Err(Problem::new("invalid character class range", start)),
        Some('{') => name.find('}').ok_or_else(|| invalid(start))? + 1,
        Some(letter) => letter.len_utf8(),
    };
    let (class, rest) = start.split_at(2 + length);
    // Names of Rust's that Go doesn't have are of no interest, and the other way round there are none.
    Regex::new(class).map_err(|_| invalid(class))?;
    Ok((class, rest))
}

/// The one character that an escape stands for, and what follows it.
pub(super) fn character(start: &str) -> Result<(char, &str), Problem> {
    let mut letters = start.chars();
    letters.next();
    let Some(letter) = letters.next() else {
        return Err(Problem::new("trailing backslash at end of expression", ""));
    };
    let rest = letters.as_str();
    let found = match letter {
        '0' => octal(rest, 0),
        '1'..='7' if rest.starts_with(|next: char| next.is_digit(8)) => {
            octal(rest, letter.to_digit(8).unwrap_or_default())
        }
        'x' => return hexadecimal(start, rest),
        'a' => Some(('\u{7}', rest)),
        'f' => Some(('\u{c}', rest)),
        'n' => Some(('\n', rest)),
        'r' => Some(('\r', rest)),
        't' => Some(('\t', rest)),
        'v' => Some(('\u{b}', rest)),
        sign if sign.is_ascii() && !sign.is_ascii_alphanumeric() => Some((sign, rest)),
        _ => None,
    };
    found.ok_or_else(|| Problem::between("invalid escape sequence", start, rest))
}

/// Up to two more digits.
fn octal(rest: &str, first: u32) -> Option<(char, &str)> {
    let digits = rest.chars().take(2).take_while(|letter| letter.is_digit(8));
    let digits: Vec<u32> = digits.filter_map(|letter| letter.to_digit(8)).collect();
    let code = digits.iter().fold(first, |code, digit| code * 8 + digit);
    Some((char::from_u32(code)?, &rest[digits.len()..]))
}

/// Two digits, or any number of them in braces.
fn hexadecimal<'p>(start: &'p str, rest: &'p str) -> Result<(char, &'p str), Problem> {
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
    char::from_u32(code).map(|letter| (letter, letters.as_str())).ok_or_else(|| invalid(letters.as_str()))
}

/// A character by its number, which means nothing else anywhere.
pub(super) fn code(character: char) -> String {
    let mut code = String::new();
    _ = write!(code, "\\x{{{:x}}}", u32::from(character));
    code
}
