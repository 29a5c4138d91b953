//! Times as the Kubernetes types print them.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// An RFC 3339 time, in UTC and whole seconds; `None` if it is none.
pub(super) fn canonical_seconds(text: &str) -> Option<String> {
    let time = parse(text)?;
    Some(time.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

/// An RFC 3339 time, in UTC and with six digits of a second; `None` if it is none.
pub(super) fn canonical_micros(text: &str) -> Option<String> {
    let time = parse(text)?;
    Some(time.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%S%.6fZ").to_string())
}

/// Only the strict form: four digits of a year, a `T`, and `Z` or an offset with a colon.
fn parse(text: &str) -> Option<Timestamp> {
    let bytes = text.as_bytes();
    let strict = bytes.len() >= 20
        && bytes[4] == b'-'
        && bytes[7] == b'-'
        && bytes[10] == b'T'
        && bytes[13] == b':'
        && bytes[16] == b':'
        && (text.ends_with('Z') || (bytes[bytes.len() - 3] == b':' && !text.ends_with(']')));
    if strict { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_print_in_utc() {
        assert_eq!(canonical_seconds("2026-01-01T01:00:00+01:00").as_deref(), Some("2026-01-01T00:00:00Z"));
        assert_eq!(canonical_seconds("2026-01-01T00:00:00.9Z").as_deref(), Some("2026-01-01T00:00:00Z"));
        assert_eq!(
            canonical_micros("2026-01-01T00:00:00.5Z").as_deref(),
            Some("2026-01-01T00:00:00.500000Z")
        );
        for text in ["", "now", "2026-01-01", "2026-01-01 00:00:00Z"] {
            assert_eq!(canonical_seconds(text), None, "{text}");
        }
    }
}
