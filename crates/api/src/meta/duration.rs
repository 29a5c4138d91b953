//! Durations in the notation of Go.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::time::quote;

/// A duration that is read and printed as Go does: `1h30m0s`, `1.5s`, `250ms`.
///
/// Holds nanoseconds, at most about 292 years either way. Negative values survive reading and printing, because
/// they do in the original; [`Self::as_std`] reads them as zero, so no timer ever sees one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GoDuration(i64);

/// The text is no Go duration; the message is Go's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseDurationError {
    /// The text as a whole makes no sense or is too large.
    #[error("time: invalid duration {}", quote(.0))]
    Invalid(String),
    /// A number isn't followed by a unit.
    #[error("time: missing unit in duration {}", quote(.0))]
    MissingUnit(String),
    /// The unit is none of `ns`, `us`, `µs`, `ms`, `s`, `m`, `h`.
    #[error("time: unknown unit {} in duration {}", quote(.unit), quote(.duration))]
    UnknownUnit {
        /// What stands where the unit should.
        unit: String,
        /// The whole text.
        duration: String,
    },
}

/// One more than the largest magnitude of a positive duration, as Go's parser counts.
const LIMIT: u64 = 1 << 63;

impl GoDuration {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// A duration of so many nanoseconds.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// A duration of so many seconds; saturates.
    pub const fn from_secs(secs: u32) -> Self {
        Self((secs as i64).saturating_mul(1_000_000_000))
    }

    /// The nanoseconds.
    pub const fn nanos(self) -> i64 {
        self.0
    }

    /// The duration for timers; a negative one is zero.
    pub fn as_std(self) -> Duration {
        Duration::from_nanos(u64::try_from(self.0).unwrap_or(0))
    }

    /// Whether it is exactly zero, which most fields treat like being absent.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

impl From<Duration> for GoDuration {
    /// Saturates at the largest duration Go can hold.
    fn from(duration: Duration) -> Self {
        Self(i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX))
    }
}

impl From<GoDuration> for Duration {
    fn from(duration: GoDuration) -> Self {
        duration.as_std()
    }
}

impl FromStr for GoDuration {
    type Err = ParseDurationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || ParseDurationError::Invalid(text.to_owned());
        let (negative, unsigned) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        if unsigned == "0" {
            return Ok(Self::ZERO);
        }
        if unsigned.is_empty() {
            return Err(invalid());
        }
        let mut rest = unsigned;
        let mut total: u64 = 0;
        while !rest.is_empty() {
            let (term, after) = parse_term(rest, text)?;
            total = total.checked_add(term).filter(|&sum| sum <= LIMIT).ok_or_else(invalid)?;
            rest = after;
        }
        if negative {
            return Ok(Self(0_i64.wrapping_sub_unsigned(total)));
        }
        i64::try_from(total).map(Self).map_err(|_| invalid())
    }
}

/// Reads one number with its unit and returns its nanoseconds and what follows.
fn parse_term<'a>(text: &'a str, whole: &str) -> Result<(u64, &'a str), ParseDurationError> {
    let invalid = || ParseDurationError::Invalid(whole.to_owned());
    let (digits, after) = split_digits(text);
    let (fraction, after) = match after.strip_prefix('.') {
        Some(after) => split_digits(after),
        None => ("", after),
    };
    if digits.is_empty() && fraction.is_empty() {
        return Err(invalid());
    }
    let count = parse_integer(digits).ok_or_else(invalid)?;

    let end = after.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after.len());
    let (unit, after) = after.split_at(end);
    if unit.is_empty() {
        return Err(ParseDurationError::MissingUnit(whole.to_owned()));
    }
    let nanos = unit_nanos(unit).ok_or_else(|| ParseDurationError::UnknownUnit {
        unit: unit.to_owned(),
        duration: whole.to_owned(),
    })?;

    let integral = count.checked_mul(nanos).filter(|&n| n <= LIMIT).ok_or_else(invalid)?;
    let sum =
        integral.checked_add(fraction_nanos(fraction, nanos)).filter(|&n| n <= LIMIT).ok_or_else(invalid)?;
    Ok((sum, after))
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

fn parse_integer(digits: &str) -> Option<u64> {
    if digits.is_empty() {
        return Some(0);
    }
    digits.parse().ok().filter(|&n| n <= LIMIT)
}

/// The nanoseconds of a decimal fraction of a unit, in the floating-point steps of Go: the last digit depends on them.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "Go's steps"
)]
fn fraction_nanos(digits: &str, unit: u64) -> u64 {
    let mut value: u64 = 0;
    let mut scale: f64 = 1.0;
    for digit in digits.bytes().map(|b| u64::from(b - b'0')) {
        if value > (LIMIT - 1) / 10 {
            break;
        }
        let next = value * 10 + digit;
        if next > LIMIT {
            break;
        }
        value = next;
        scale *= 10.0;
    }
    (value as f64 * (unit as f64 / scale)) as u64
}

fn unit_nanos(unit: &str) -> Option<u64> {
    Some(match unit {
        "ns" => 1,
        // The micro sign and the Greek letter mu.
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    })
}

impl fmt::Display for GoDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0.unsigned_abs();
        if nanos == 0 {
            return f.write_str("0s");
        }
        if self.0 < 0 {
            f.write_str("-")?;
        }
        match nanos {
            ..1_000 => write!(f, "{nanos}ns"),
            1_000..1_000_000 => write_decimal(f, nanos, 3, "µs"),
            1_000_000..1_000_000_000 => write_decimal(f, nanos, 6, "ms"),
            _ => {
                let minutes = nanos / 60_000_000_000;
                if minutes >= 60 {
                    write!(f, "{}h", minutes / 60)?;
                }
                if minutes > 0 {
                    write!(f, "{}m", minutes % 60)?;
                }
                write_decimal(f, nanos % 60_000_000_000, 9, "s")
            }
        }
    }
}

/// Writes `value / 10^decimals` without trailing zeros.
fn write_decimal(f: &mut fmt::Formatter<'_>, value: u64, decimals: u32, unit: &str) -> fmt::Result {
    let scale = 10_u64.pow(decimals);
    write!(f, "{}", value / scale)?;
    let fraction = value % scale;
    if fraction > 0 {
        let digits = format!("{fraction:0width$}", width = decimals as usize);
        write!(f, ".{}", digits.trim_end_matches('0'))?;
    }
    f.write_str(unit)
}

impl Serialize for GoDuration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for GoDuration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DurationVisitor)
    }
}

struct DurationVisitor;

impl Visitor<'_> for DurationVisitor {
    type Value = GoDuration;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a duration such as 10m or 1h30m")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<GoDuration, E> {
        text.parse().map_err(E::custom)
    }

    // The original decodes null into the empty text and then fails to parse that.
    fn visit_unit<E: Error>(self) -> Result<GoDuration, E> {
        self.visit_str("")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<GoDuration, E> {
        Err(E::invalid_type(Unexpected::Signed(number), &self))
    }
}

impl schemars::JsonSchema for GoDuration {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "GoDuration".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_print_in_gos_shortest_units() {
        let cases = [
            (0, "0s"),
            (1, "1ns"),
            (1_100, "1.1µs"),
            (2_200_000, "2.2ms"),
            (3_300_000_000, "3.3s"),
            (245_000_000_000, "4m5s"),
            (245_001_000_000, "4m5.001s"),
            (18_367_001_000_000, "5h6m7.001s"),
            (-90_000_000_000, "-1m30s"),
            (i64::MAX, "2562047h47m16.854775807s"),
            (i64::MIN, "-2562047h47m16.854775808s"),
        ];
        for (nanos, text) in cases {
            assert_eq!(GoDuration::from_nanos(nanos).to_string(), text);
            assert_eq!(text.parse(), Ok(GoDuration::from_nanos(nanos)), "{text}");
        }
    }

    #[test]
    fn no_timer_sees_a_negative_duration() {
        let negative: GoDuration = "-1h".parse().unwrap();
        assert_eq!(negative.as_std(), Duration::ZERO);
        assert_eq!(negative.to_string(), "-1h0m0s");
    }

    #[test]
    fn overflow_and_nonsense_are_refused() {
        for text in ["", "-", "s", ".s", "9223372036854775808ns", "2562048h", "1h1", "99999999999999999999s"]
        {
            assert!(text.parse::<GoDuration>().is_err(), "{text}");
        }
        assert_eq!("-9223372036854775808ns".parse(), Ok(GoDuration::from_nanos(i64::MIN)));
    }
}
