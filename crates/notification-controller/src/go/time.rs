//! HTTP dates and the waits servers ask for.

use std::time::Duration;

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

/// Writes `time` as an HTTP date.
pub fn format_http_date(time: Timestamp) -> String {
    time.to_zoned(TimeZone::UTC).strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

/// Reads a `Retry-After` value, seconds or an HTTP date, as the wait it asks for.
pub fn parse_retry_after(value: &str, now: Timestamp) -> Option<Duration> {
    if let Ok(seconds) = value.parse::<i64>() {
        return u64::try_from(seconds).ok().map(Duration::from_secs);
    }
    let at = DateTime::strptime("%a, %d %b %Y %H:%M:%S GMT", value).ok()?;
    let at = at.to_zoned(TimeZone::UTC).ok()?.timestamp();
    Some(Duration::try_from(at.duration_since(now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noon() -> Timestamp {
        "2026-01-02T03:04:05Z".parse().unwrap()
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        for (value, expected) in [
            ("3", Some(3)),
            ("-1", None),
            ("Fri, 02 Jan 2026 03:09:05 GMT", Some(300)),
            ("Fri, 02 Jan 2026 03:00:05 GMT", Some(0)),
            ("soon", None),
        ] {
            assert_eq!(parse_retry_after(value, noon()), expected.map(Duration::from_secs), "{value}");
        }
    }

    #[test]
    fn http_dates_say_gmt() {
        assert_eq!(format_http_date(noon()), "Fri, 02 Jan 2026 03:04:05 GMT");
    }
}
