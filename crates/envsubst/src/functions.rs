//! What operators do with values. Values are bytes: a substring may cut a character.

use memchr::memmem;

use crate::{TextError, glob};

/// How long a text may become; no API server takes an object of a tenth of that.
const MAX_BYTES: usize = 32 << 20;

/// Which match of a pattern is cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    Shortest,
    Longest,
}

/// The upper case of a character where that is one character, as Go maps runes one by one.
pub(crate) fn upper(character: char) -> char {
    let mut mapped = character.to_uppercase();
    match (mapped.next(), mapped.next()) {
        (Some(upper), None) => upper,
        _ => title(character),
    }
}

/// Greek letters with an iota below have a single title case, which serves as their upper case.
fn title(character: char) -> char {
    let distance = match character {
        '\u{1f80}'..='\u{1f87}' | '\u{1f90}'..='\u{1f97}' | '\u{1fa0}'..='\u{1fa7}' => 8,
        '\u{1fb3}' | '\u{1fc3}' | '\u{1ff3}' => 9,
        _ => 0,
    };
    char::from_u32(u32::from(character) + distance).unwrap_or(character)
}

/// The lower case of a character; `İ` becomes `i`.
pub(crate) fn lower(character: char) -> char {
    character.to_lowercase().next().unwrap_or(character)
}

/// Maps every character; a byte that is part of none becomes U+FFFD, as in Go.
pub(crate) fn map_all(value: &[u8], map: fn(char) -> char) -> Vec<u8> {
    characters(value).into_iter().map(map).collect::<String>().into_bytes()
}

/// Maps the first character.
pub(crate) fn map_first(value: &[u8], map: fn(char) -> char) -> Vec<u8> {
    let Some((first, length)) = glob::decode(value) else { return Vec::new() };
    let mut mapped = map(first).to_string().into_bytes();
    mapped.extend_from_slice(&value[length..]);
    mapped
}

fn characters(value: &[u8]) -> Vec<char> {
    let mut characters = Vec::with_capacity(value.len());
    let mut rest = value;
    while let Some((character, length)) = glob::decode(rest) {
        characters.push(character);
        rest = &rest[length..];
    }
    characters
}

/// As Go's `strconv.Atoi`.
fn parse_number(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Bytes from an offset on, of some length; the whole value where a number can't be read. A negative offset counts from
/// the end. Returns the length where it is negative and inside the value.
pub(crate) fn substring(value: &[u8], offset: &[u8], length: Option<&[u8]>) -> Result<Vec<u8>, i64> {
    let Some(offset) = parse_number(offset) else { return Ok(value.to_vec()) };
    let size = i64::try_from(value.len()).unwrap_or(i64::MAX);
    let start = if offset < 0 { size.saturating_add(offset).max(0) } else { offset };
    let end = match length.map(parse_number) {
        None => size,
        Some(None) => return Ok(value.to_vec()),
        Some(Some(length)) => match start.saturating_add(length) {
            end if end >= size => size,
            _ if length < 0 => return Err(length),
            end => end,
        },
    };
    let index = |at: i64| usize::try_from(at).unwrap_or(usize::MAX);
    Ok(value.get(index(start)..index(end)).unwrap_or_default().to_vec())
}

/// Replaces the first `limit` occurrences; an empty text occurs before every character and at the end.
pub(crate) fn replace(value: &[u8], old: &[u8], new: &[u8], limit: usize) -> Result<Vec<u8>, TextError> {
    let mut out = Vec::with_capacity(value.len());
    let finder = memmem::Finder::new(old);
    let mut rest = value;
    let mut replaced = 0;
    while replaced < limit {
        within_limit(out.len() + rest.len())?;
        if old.is_empty() {
            out.extend_from_slice(new);
            let Some((_, length)) = glob::decode(rest) else { break };
            out.extend_from_slice(&rest[..length]);
            rest = &rest[length..];
        } else {
            let Some(position) = finder.find(rest) else { break };
            out.extend_from_slice(&rest[..position]);
            out.extend_from_slice(new);
            rest = &rest[position + old.len()..];
        }
        replaced += 1;
    }
    out.extend_from_slice(rest);
    within_limit(out.len())?;
    Ok(out)
}

/// Checks the length of a text that grows: nested replacements multiply what they are given.
pub(crate) fn within_limit(length: usize) -> Result<(), TextError> {
    if length > MAX_BYTES { Err(TextError::TooLarge { limit: MAX_BYTES }) } else { Ok(()) }
}

/// Replaces a text at the start.
pub(crate) fn replace_prefix(value: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    value.strip_prefix(old).map_or_else(|| value.to_vec(), |rest| [new, rest].concat())
}

/// Replaces a text at the end.
pub(crate) fn replace_suffix(value: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    value.strip_suffix(old).map_or_else(|| value.to_vec(), |rest| [rest, new].concat())
}

/// Cuts off what matches a pattern at the start; a match of nothing doesn't count.
pub(crate) fn trim_prefix(value: &[u8], pattern: &[u8], which: Match) -> Vec<u8> {
    let Some(pattern) = glob::Pattern::parse(pattern) else { return value.to_vec() };
    let mut lengths = pattern.matching_prefixes(value);
    let length = match which {
        Match::Shortest => lengths.next(),
        Match::Longest => lengths.last(),
    };
    value[length.unwrap_or(0)..].to_vec()
}

/// Cuts off what matches at the end: the original reverses value and pattern, so that classes and escapes never match.
pub(crate) fn trim_suffix(value: &[u8], pattern: &[u8], which: Match) -> Vec<u8> {
    reverse(&trim_prefix(&reverse(value), &reverse(pattern), which))
}

fn reverse(value: &[u8]) -> Vec<u8> {
    characters(value).into_iter().rev().collect::<String>().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_maps_one_character_to_one() {
        for (lower_case, upper_case) in
            [('a', 'A'), ('é', 'É'), ('ß', 'ß'), ('\u{1f80}', '\u{1f88}'), ('1', '1'), ('\u{149}', '\u{149}')]
        {
            assert_eq!(upper(lower_case), upper_case);
        }
        assert_eq!(lower('İ'), 'i');
    }

    #[test]
    fn substrings_follow_gos_slices() {
        let cut = |offset: &str, length: Option<&str>| {
            substring(b"0123456789", offset.as_bytes(), length.map(str::as_bytes))
                .map(|bytes| String::from_utf8(bytes).unwrap())
        };
        assert_eq!(cut("3", None).as_deref(), Ok("3456789"));
        assert_eq!(cut("-3", None).as_deref(), Ok("789"));
        assert_eq!(cut("-30", Some("2")).as_deref(), Ok("01"));
        assert_eq!(cut("100", None).as_deref(), Ok(""));
        assert_eq!(cut("2", Some("3")).as_deref(), Ok("234"));
        assert_eq!(cut("2", Some("99999999999999999999")).as_deref(), Ok("0123456789"));
        assert_eq!(cut("x", Some("-3")).as_deref(), Ok("0123456789"));
        assert_eq!(cut("2", Some("-3")), Err(-3));
        assert_eq!(cut("20", Some("-3")).as_deref(), Ok(""));
    }

    #[test]
    fn empty_text_occurs_everywhere() {
        assert_eq!(replace("aé".as_bytes(), b"", b"-", usize::MAX).unwrap(), "-a-é-".as_bytes());
        assert_eq!(replace(b"ab", b"", b"-", 1).unwrap(), b"-ab");
    }
}
