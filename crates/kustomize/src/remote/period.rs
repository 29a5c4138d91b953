//! Lengths of time in addresses.

use std::time::Duration;

const UNITS: [(&str, f64); 8] = [
    ("ns", 1e-9),
    ("us", 1e-6),
    ("µs", 1e-6),
    ("μs", 1e-6),
    ("ms", 1e-3),
    ("s", 1.0),
    ("m", 60.0),
    ("h", 3600.0),
];

/// Whole seconds, or numbers with units as in `1m30s`; `None` for anything else, and for what is not above zero.
pub(super) fn parse(text: &str) -> Option<Duration> {
    let positive = |period: Duration| (!period.is_zero()).then_some(period);
    if let Ok(seconds) = text.strip_prefix('+').unwrap_or(text).parse::<u32>() {
        return positive(Duration::from_secs(seconds.into()));
    }
    let mut rest = text.strip_prefix('+').unwrap_or(text);
    let mut total = Duration::ZERO;
    while !rest.is_empty() {
        let number = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
        let value: f64 = rest[..number].parse().ok()?;
        let unit = rest[number..].find(|letter: char| letter.is_ascii_digit() || letter == '.');
        let end = unit.map_or(rest.len(), |unit| number + unit);
        let (_, seconds) = UNITS.iter().find(|(name, _)| *name == &rest[number..end])?;
        total = total.checked_add(Duration::try_from_secs_f64(value * seconds).ok()?)?;
        rest = &rest[end..];
    }
    positive(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_units_are_read() {
        for (text, milliseconds) in [
            ("5", Some(5000)),
            ("1m1.5s", Some(61_500)),
            ("300ms", Some(300)),
            ("0", None),
            ("", None),
            ("5x", None),
            ("-5s", None),
        ] {
            assert_eq!(parse(text).map(|period| period.as_millis()), milliseconds, "{text}");
        }
    }
}
