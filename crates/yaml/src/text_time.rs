//! Timestamps as go-yaml knows them.

/// A moment as it was written: no conversion between zones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timestamp {
    date: (u32, u32, u32),
    time: (u32, u32, u32),
    nanoseconds: u32,
    offset_minutes: i32,
}

/// Reads `2006-1-2`, `2006-1-2 15:4:5[.9]` and `2006-1-2T15:4:5[.9]Z07:00` (or `t`), the forms go-yaml knows.
pub(crate) fn parse(text: &str) -> Option<Timestamp> {
    let bytes = text.as_bytes();
    if bytes.len() < 8 || bytes[4] != b'-' || !bytes[..4].iter().all(u8::is_ascii_digit) {
        return None;
    }
    let year = text[..4].parse().ok()?;
    let mut rest = Digits(&bytes[5..]);
    let month = rest.number()?;
    rest.literal(b'-')?;
    let day = rest.number()?;
    if !(1..=12).contains(&month) || day < 1 || day > days_in(year, month) {
        return None;
    }
    let mut timestamp =
        Timestamp { date: (year, month, day), time: (0, 0, 0), nanoseconds: 0, offset_minutes: 0 };
    let zoned = match rest.0 {
        [] => return Some(timestamp),
        [b'T' | b't', ..] => true,
        [b' ', ..] => false,
        _ => return None,
    };
    rest.0 = &rest.0[1..];
    while let (false, [b' ', tail @ ..]) = (zoned, rest.0) {
        rest.0 = tail;
    }
    timestamp.time.0 = rest.number()?;
    rest.literal(b':')?;
    timestamp.time.1 = rest.number()?;
    rest.literal(b':')?;
    timestamp.time.2 = rest.number()?;
    timestamp.nanoseconds = rest.fraction();
    if zoned {
        timestamp.offset_minutes = rest.zone()?;
    }
    let (hour, minute, second) = timestamp.time;
    (rest.0.is_empty() && hour < 24 && minute < 60 && second < 60).then_some(timestamp)
}

impl Timestamp {
    /// RFC 3339 with as many fractional digits as needed.
    pub(crate) fn rfc3339(self) -> String {
        let ((year, month, day), (hour, minute, second)) = (self.date, self.time);
        let mut text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
        if self.nanoseconds > 0 {
            let digits = format!(".{:09}", self.nanoseconds);
            text.push_str(digits.trim_end_matches('0'));
        }
        if self.offset_minutes == 0 {
            text.push('Z');
        } else {
            let sign = if self.offset_minutes < 0 { '-' } else { '+' };
            let minutes = self.offset_minutes.unsigned_abs();
            let offset = format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60);
            text.push_str(&offset);
        }
        text
    }
}

fn days_in(year: u32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 31,
    }
}

/// What is left to read.
struct Digits<'a>(&'a [u8]);

impl Digits<'_> {
    /// One or two digits.
    fn number(&mut self) -> Option<u32> {
        let length = self.0.iter().take(2).take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.0.split_at(length);
        self.0 = rest;
        (length > 0).then(|| digits.iter().fold(0, |value, byte| value * 10 + u32::from(byte - b'0')))
    }

    fn literal(&mut self, expected: u8) -> Option<()> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        (*first == expected).then_some(())
    }

    /// A point or comma and digits, of which nine count.
    fn fraction(&mut self) -> u32 {
        let [b'.' | b',', digits @ ..] = self.0 else { return 0 };
        let length = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if length == 0 {
            return 0;
        }
        self.0 = &digits[length..];
        let counted = digits[..length].iter().chain(std::iter::repeat(&b'0')).take(9);
        counted.fold(0, |value, byte| value * 10 + u32::from(byte - b'0'))
    }

    /// `Z` or `±hh:mm`, in minutes.
    fn zone(&mut self) -> Option<i32> {
        let (first, rest) = self.0.split_first()?;
        if *first == b'Z' {
            self.0 = rest;
            return Some(0);
        }
        let sign = match first {
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        let [h1, h0, b':', m1, m0, tail @ ..] = rest else { return None };
        if ![h1, h0, m1, m0].iter().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        self.0 = tail;
        let two = |tens: &u8, ones: &u8| i32::from(tens - b'0') * 10 + i32::from(ones - b'0');
        let (hours, minutes) = (two(h1, h0), two(m1, m0));
        (hours <= 24 && minutes <= 60).then_some(sign * (hours * 60 + minutes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_become_rfc3339() {
        for (text, expected) in [
            ("2020-01-01", Some("2020-01-01T00:00:00Z")),
            ("2020-1-1", Some("2020-01-01T00:00:00Z")),
            ("2020-02-29", Some("2020-02-29T00:00:00Z")),
            ("2021-02-29", None),
            ("2020-13-01", None),
            ("2020-01-01T10:20:30Z", Some("2020-01-01T10:20:30Z")),
            ("2020-01-01t1:2:3.450+02:30", Some("2020-01-01T01:02:03.45+02:30")),
            ("2020-01-01 10:20:30.5", Some("2020-01-01T10:20:30.5Z")),
            ("2020-01-01 10:20:30 Z", None),
            ("2020-01-01T10:20:30", None),
            ("2020-01-01T24:00:00Z", None),
            ("20200101", None),
            ("2020-01-", None),
        ] {
            assert_eq!(parse(text).map(Timestamp::rfc3339).as_deref(), expected, "{text}");
        }
    }
}
