//! From bytes to text: UTF-8, or UTF-16 behind a byte order mark, with the texts of go-yaml's reader for what is neither.

use std::borrow::Cow;

use super::ReadError;
use super::scan::first_control_character;

/// The text that bytes are for go-yaml.
///
/// Of UTF-16 it is the first document alone: whoever separates documents before they are decoded finds nothing to separate.
///
/// # Errors
///
/// If the bytes are neither UTF-8 nor, with a byte order mark at their start, UTF-16.
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, ReadError> {
    let decoded = match bytes {
        [0xff, 0xfe, units @ ..] => utf16(units, u16::from_le_bytes),
        [0xfe, 0xff, units @ ..] => utf16(units, u16::from_be_bytes),
        _ => return std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|_| not_utf8(bytes)),
    };
    let text = decoded.map_err(|problem| ReadError::syntax(None, problem))?;
    Ok(Cow::Owned(first_document(text)))
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, &'static str> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(bytes.len());
    let mut units = pairs.iter().map(|pair| unit(*pair)).peekable();
    while let Some(first) = units.next() {
        let decoded = match first {
            0xdc00..=0xdfff => return Err("unexpected low surrogate area"),
            0xd800..=0xdbff => match units.next() {
                Some(second) => char::decode_utf16([first, second]).next(),
                None => return Err("incomplete UTF-16 surrogate pair"),
            },
            first => char::decode_utf16([first]).next(),
        };
        match decoded {
            Some(Ok(character)) => text.push(character),
            Some(Err(_)) | None => return Err("expected low surrogate area"),
        }
    }
    if rest.is_empty() { Ok(text) } else { Err("incomplete UTF-16 character") }
}

/// The text up to the line of dashes that follows content.
fn first_document(mut text: String) -> String {
    let mut has_content = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let is_separator = line
            .strip_prefix("---")
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']));
        if is_separator && has_content {
            text.truncate(at);
            return text;
        }
        has_content |= is_separator || !(line.trim().is_empty() || line.starts_with(['#', '%']));
        at += line.len();
    }
    text
}

/// What go-yaml says of bytes that are no UTF-8.
#[cold]
fn not_utf8(bytes: &[u8]) -> ReadError {
    let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    let (text, bad) = bytes.split_at(valid);
    if std::str::from_utf8(text).is_ok_and(|text| first_control_character(text).is_some()) {
        return ReadError::syntax(None, "control characters are not allowed");
    }
    let width = match bad.first().copied().unwrap_or_default() {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf7 => 4,
        0..=0xbf | 0xf8.. => return ReadError::syntax(None, "invalid leading UTF-8 octet"),
    };
    let problem = match bad.get(..width) {
        None => "incomplete UTF-8 octet sequence",
        Some(octets) if octets[1..].iter().any(|octet| octet & 0xc0 != 0x80) => {
            "invalid trailing UTF-8 octet"
        }
        Some([0xc0 | 0xc1, ..] | [0xe0, 0x80..=0x9f, ..] | [0xf0, 0x80..=0x8f, ..]) => {
            "invalid length of a UTF-8 sequence"
        }
        Some(_) => "invalid Unicode character",
    };
    ReadError::syntax(None, problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text, or the words of `go.yaml.in/yaml/v3` 3.0.4.
    fn decoded(bytes: &[u8]) -> String {
        decode(bytes).map_or_else(|error| error.to_string(), Cow::into_owned)
    }

    #[test]
    fn what_is_no_utf_8_is_refused_in_the_words_of_the_reference() {
        for (bytes, expected) in [
            (&b"a: \xff\n"[..], "yaml: invalid leading UTF-8 octet"),
            (b"a: \x80\n", "yaml: invalid leading UTF-8 octet"),
            (b"a: \xe4\n", "yaml: incomplete UTF-8 octet sequence"),
            (b"a: \xe2\x82", "yaml: incomplete UTF-8 octet sequence"),
            (b"a: \xe2\x82\nb", "yaml: invalid trailing UTF-8 octet"),
            (b"a: \xc3(\n", "yaml: invalid trailing UTF-8 octet"),
            (b"a: \xc0\x80\n", "yaml: invalid length of a UTF-8 sequence"),
            (b"a: \xed\xa0\x80\n", "yaml: invalid Unicode character"),
            (b"a: \xf4\x90\x80\x80\n", "yaml: invalid Unicode character"),
            (b"a\0:\0 \0\xe9\0", "yaml: control characters are not allowed"),
        ] {
            assert_eq!(decoded(bytes), expected, "{bytes:?}");
        }
        assert_eq!(decoded("a: é\u{1f600}\n".as_bytes()), "a: é\u{1f600}\n");
    }

    #[test]
    fn utf_16_with_a_byte_order_mark_is_read_up_to_the_second_document() {
        let of = |text: &str, mark: [u8; 2], bytes: fn(u16) -> [u8; 2], more: &[u8]| {
            let units = text.encode_utf16().flat_map(bytes);
            decoded(&mark.into_iter().chain(units).chain(more.iter().copied()).collect::<Vec<u8>>())
        };
        let little = |text: &str, more: &[u8]| of(text, [0xff, 0xfe], u16::to_le_bytes, more);
        let big = |text: &str, more: &[u8]| of(text, [0xfe, 0xff], u16::to_be_bytes, more);
        assert_eq!(little("# c\n---\na: é\u{1f600}\n---\nb: 1\n", b""), "# c\n---\na: é\u{1f600}\n");
        assert_eq!(big("a: é\u{1f600}\n--- # c\nb: 1\n", b""), "a: é\u{1f600}\n");
        assert_eq!(little("a: 1\n", b"\0"), "yaml: incomplete UTF-16 character");
        assert_eq!(little("a: 1\n", b"\x00\xdcx\0"), "yaml: unexpected low surrogate area");
        assert_eq!(big("a: 1\n", b"\xd8\0\0x"), "yaml: expected low surrogate area");
        assert_eq!(big("a: 1\n", b"\xd8\0"), "yaml: incomplete UTF-16 surrogate pair");
    }
}
