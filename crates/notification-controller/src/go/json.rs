//! JSON as Go's `encoding/json` writes and reads it.
//!
//! Contract: notification-controller §0.3.

use std::{fmt, io, marker::PhantomData};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{MapAccess, Visitor},
};
use serde_json::ser::{Formatter, Serializer};

/// Serialises `value` to the bytes Go would send: no spaces, no trailing newline, HTML characters escaped.
///
/// Struct fields keep their declared order; maps must be sorted by the caller (`BTreeMap`).
pub fn to_bytes(value: &impl Serialize) -> Vec<u8> {
    let mut out = Vec::with_capacity(512);
    value
        .serialize(&mut Serializer::with_formatter(&mut out, HtmlSafe))
        .expect("payloads have string keys and are written to memory");
    out
}

/// Escapes what Go escapes beyond the JSON minimum.
struct HtmlSafe;

impl Formatter for HtmlSafe {
    fn write_string_fragment<W>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()>
    where
        W: ?Sized + io::Write,
    {
        let mut rest = fragment;
        while let Some(at) = rest.find(['<', '>', '&', '\u{2028}', '\u{2029}']) {
            let (plain, tail) = rest.split_at(at);
            writer.write_all(plain.as_bytes())?;
            let mut chars = tail.chars();
            if let Some(c) = chars.next() {
                write!(writer, "\\u{:04x}", c as u32)?;
            }
            rest = chars.as_str();
        }
        writer.write_all(rest.as_bytes())
    }
}

/// Why a body is not the JSON that was asked for.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct DecodeError(#[from] serde_json::Error);

/// How deep Go's decoder looks into a value before it gives up.
const MAX_DEPTH: usize = 10_000;

/// Refuses text that is nested deeper than Go's decoder allows, whoever would read it.
///
/// # Errors
///
/// If it is.
pub fn check_depth(text: &str) -> Result<(), DecodeError> {
    let mut depth = 0_usize;
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => skip_string(&mut bytes),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Err(DecodeError(serde::de::Error::custom("exceeded max depth")));
        }
    }
    Ok(())
}

fn skip_string(bytes: &mut std::str::Bytes<'_>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => _ = bytes.next(),
            _ => {}
        }
    }
}

/// Makes `body` readable for a strict parser: what Go replaces by U+FFFD inside strings is replaced here.
///
/// That is every byte that is not UTF-8 and every escape that names half a surrogate pair. Both stay errors
/// outside strings, because U+FFFD is one there.
pub fn lenient_text(body: &[u8]) -> String {
    let mut text = String::with_capacity(body.len());
    for chunk in body.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    if text.contains("\\u") { mend_surrogates(&text) } else { text }
}

fn mend_surrogates(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = match escaped_unit(rest) {
            Some(0xd800..=0xdbff)
                if matches!(rest.get(6..).and_then(escaped_unit), Some(0xdc00..=0xdfff)) =>
            {
                12
            }
            Some(0xd800..=0xdfff) => {
                out.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            Some(_) => 6,
            // A backslash and whatever it escapes, so that `\\u` is not taken for an escape.
            None => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    out.push_str(rest);
    out
}

/// Reads `\uXXXX` at the start of `text`.
fn escaped_unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
}

/// The members of a JSON object in the order they were written, repeated keys included.
#[derive(Debug)]
pub struct Entries<V>(pub Vec<(String, V)>);

impl<V> Default for Entries<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Entries<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for Collect<V> {
            type Value = Entries<V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Collect(PhantomData))
    }
}

/// Folds a key so that keys Go treats as the same member compare equal.
pub fn fold_key(key: &str) -> String {
    key.chars()
        .map(|c| match c {
            'ſ' => 's',
            '\u{212a}' => 'k',
            c => c.to_ascii_lowercase(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped_like_go_does() {
        let text = "<a> & \"b\" \\ \u{2028}\u{2029} \x07\x08\x0c\n\r\t \x7f é 😀";
        let expected =
            "\"\\u003ca\\u003e \\u0026 \\\"b\\\" \\\\ \\u2028\\u2029 \\u0007\\b\\f\\n\\r\\t \x7f é 😀\"";
        assert_eq!(String::from_utf8(to_bytes(&text)).unwrap(), expected);
    }

    #[test]
    fn broken_text_becomes_replacement_characters() {
        for (body, expected) in [
            (&b"\"a\xff\xfeb\""[..], "a\u{fffd}\u{fffd}b"),
            (br#""\ud800x""#, "\u{fffd}x"),
            (br#""\udc00\ud83d\ude00""#, "\u{fffd}😀"),
            (br#""\\ud800""#, "\\ud800"),
            (br#""\ud800\u0041""#, "\u{fffd}A"),
        ] {
            let text = lenient_text(body);
            assert_eq!(serde_json::from_str::<String>(&text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn keys_fold_without_regard_to_case() {
        assert_eq!(fold_key("InvolvedObject"), fold_key("involvedobject"));
        assert_eq!(fold_key("reaſon"), "reason");
    }
}
