//! Points in time as Kubernetes objects write them: RFC 3339 in UTC, whole seconds.

use std::fmt::Write;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

use super::Time;

/// Cuts a point in time to whole seconds, the precision of object metadata and conditions.
pub fn whole_seconds(time: Timestamp) -> Time {
    Time(Timestamp::from_second(time.as_second()).unwrap_or(time))
}

/// Prints a point in time as Kubernetes objects do: `2026-01-02T03:04:05Z`.
pub fn format_rfc3339(time: Timestamp) -> String {
    let utc = Offset::UTC.to_datetime(time);
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z",
        utc.year(),
        utc.month(),
        utc.day(),
        utc.hour(),
        utc.minute(),
        utc.second()
    )
}

/// The text is no RFC 3339 time; the message is Go's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseTimeError {
    /// A part of the text isn't what its place asks for.
    #[error("parsing time {} as \"2006-01-02T15:04:05Z07:00\": cannot parse {} as {}", quote(.text), quote(.found), quote(.layout))]
    Mismatch {
        /// The whole text.
        text: String,
        /// What stands from that place on.
        found: String,
        /// Go's name of the place, such as `15` for the hour.
        layout: &'static str,
    },
    /// A number is too large for its place.
    #[error("parsing time {}: {} out of range", quote(.text), .part)]
    OutOfRange {
        /// The whole text.
        text: String,
        /// What the number counts.
        part: &'static str,
    },
    /// Something follows the time.
    #[error("parsing time {}: extra text: {}", quote(.text), quote(.extra))]
    ExtraText {
        /// The whole text.
        text: String,
        /// What follows.
        extra: String,
    },
}

/// Reads an RFC 3339 time as leniently and as strictly as Go does, for example with fractions of any length.
pub fn parse_rfc3339(text: &str) -> Result<Timestamp, ParseTimeError> {
    let mut cursor = Cursor { text, rest: text };
    let year = cursor.year()?;
    cursor.literal("-")?;
    let month = cursor.number("01", 2, "month", |n| (1..=12).contains(&n))?;
    cursor.literal("-")?;
    let day = cursor.number("02", 2, "day", |_| true)?;
    cursor.literal("T")?;
    let hour = cursor.number("15", 1, "hour", |n| n < 24)?;
    cursor.literal(":")?;
    let minute = cursor.number("04", 2, "minute", |n| n < 60)?;
    cursor.literal(":")?;
    let second = cursor.number("05", 2, "second", |n| n < 60)?;
    let nanos = cursor.fraction();
    let offset = cursor.offset_seconds()?;
    if !cursor.rest.is_empty() {
        return Err(ParseTimeError::ExtraText { text: text.to_owned(), extra: cursor.rest.to_owned() });
    }
    let date_time =
        DateTime::new(year, month, day, hour, minute, second, nanos).map_err(|_| cursor.range("day"))?;
    Offset::from_seconds(offset)
        .and_then(|offset| offset.to_timestamp(date_time))
        .map_err(|_| cursor.range("time zone offset hour"))
}

struct Cursor<'a> {
    text: &'a str,
    rest: &'a str,
}

impl Cursor<'_> {
    fn mismatch(&self, layout: &'static str) -> ParseTimeError {
        ParseTimeError::Mismatch { text: self.text.to_owned(), found: self.rest.to_owned(), layout }
    }

    fn range(&self, part: &'static str) -> ParseTimeError {
        ParseTimeError::OutOfRange { text: self.text.to_owned(), part }
    }

    fn digit(&self, at: usize) -> Option<u8> {
        self.rest.as_bytes().get(at).filter(|b| b.is_ascii_digit()).map(|b| b - b'0')
    }

    fn year(&mut self) -> Result<i16, ParseTimeError> {
        let digits: Option<Vec<u8>> = (0..4).map(|at| self.digit(at)).collect();
        let digits = digits.ok_or_else(|| self.mismatch("2006"))?;
        self.rest = &self.rest[4..];
        Ok(digits.iter().fold(0, |year, &digit| year * 10 + i16::from(digit)))
    }

    fn literal(&mut self, prefix: &'static str) -> Result<(), ParseTimeError> {
        self.rest = self.rest.strip_prefix(prefix).ok_or_else(|| self.mismatch(prefix))?;
        Ok(())
    }

    /// Reads two digits, or one where `at_least` is 1.
    fn number(
        &mut self,
        layout: &'static str,
        at_least: usize,
        part: &'static str,
        in_range: impl Fn(i8) -> bool,
    ) -> Result<i8, ParseTimeError> {
        let (number, width) = match (self.digit(0), self.digit(1)) {
            (Some(tens), Some(ones)) => (tens * 10 + ones, 2),
            (Some(ones), None) if at_least == 1 => (ones, 1),
            _ => return Err(self.mismatch(layout)),
        };
        self.rest = &self.rest[width..];
        // Two decimal digits always fit.
        let number = i8::try_from(number).unwrap_or(i8::MAX);
        if in_range(number) { Ok(number) } else { Err(self.range(part)) }
    }

    /// Reads `.123` or `,123` if it is there; digits beyond the ninth are dropped.
    fn fraction(&mut self) -> i32 {
        if !self.rest.starts_with(['.', ',']) || self.digit(1).is_none() {
            return 0;
        }
        let digits = &self.rest[1..];
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let nanos = digits[..end].bytes().chain(std::iter::repeat(b'0')).take(9);
        let nanos = nanos.fold(0, |sum, digit| sum * 10 + i32::from(digit - b'0'));
        self.rest = &digits[end..];
        nanos
    }

    fn offset_seconds(&mut self) -> Result<i32, ParseTimeError> {
        const LAYOUT: &str = "Z07:00";
        if let Some(rest) = self.rest.strip_prefix('Z') {
            self.rest = rest;
            return Ok(0);
        }
        let sign = match self.rest.as_bytes() {
            [b'+', _, _, b':', _, _, ..] => 1,
            [b'-', _, _, b':', _, _, ..] => -1,
            _ => return Err(self.mismatch(LAYOUT)),
        };
        let pair = |at| Some(i32::from(self.digit(at)?) * 10 + i32::from(self.digit(at + 1)?));
        let (Some(hours), Some(minutes)) = (pair(1), pair(4)) else {
            return Err(self.mismatch(LAYOUT));
        };
        if hours > 24 {
            return Err(self.range("time zone offset hour"));
        }
        if minutes > 60 {
            return Err(self.range("time zone offset minute"));
        }
        self.rest = &self.rest[6..];
        Ok(sign * (hours * 3600 + minutes * 60))
    }
}

/// Quotes a text the way Go's `time` package does in its errors: bytes outside printable ASCII as `\x..`.
pub(super) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            ' '..='\u{7f}' => quoted.push(c),
            _ => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    // Writing to a string can't fail.
                    let _ = write!(quoted, "\\x{byte:02x}");
                }
            }
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_offset_and_fraction_and_printed_without() {
        let cases = [
            ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"),
            ("2026-01-02T03:04:05.999Z", "2026-01-02T03:04:05Z"),
            ("2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05Z"),
            ("2026-01-02T03:04:05.1234567891-00:30", "2026-01-02T03:34:05Z"),
        ];
        for (text, printed) in cases {
            assert_eq!(format_rfc3339(parse_rfc3339(text).unwrap()), printed, "{text}");
        }
    }

    #[test]
    fn errors_read_as_gos() {
        let layout = "\"2006-01-02T15:04:05Z07:00\"";
        let cases = [
            ("", format!("parsing time \"\" as {layout}: cannot parse \"\" as \"2006\"")),
            ("2026-1-2", format!("parsing time \"2026-1-2\" as {layout}: cannot parse \"1-2\" as \"01\"")),
            ("2026-13-02T03:04:05Z", "parsing time \"2026-13-02T03:04:05Z\": month out of range".to_owned()),
            ("2026-02-30T03:04:05Z", "parsing time \"2026-02-30T03:04:05Z\": day out of range".to_owned()),
            ("2026-02-03T03:04:05Zx", "parsing time \"2026-02-03T03:04:05Zx\": extra text: \"x\"".to_owned()),
            ("2026-02-03", format!("parsing time \"2026-02-03\" as {layout}: cannot parse \"\" as \"T\"")),
        ];
        for (text, message) in cases {
            assert_eq!(parse_rfc3339(text).unwrap_err().to_string(), message);
        }
    }
}
