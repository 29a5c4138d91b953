//! How long to wait before the next request.

use std::time::Duration;

use http::{HeaderMap, StatusCode, header};
use jiff::fmt::rfc2822::DateTimeParser;

/// The longest wait that a server may ask for.
const MAX_SERVER_WAIT: Duration = Duration::from_mins(5);

/// The wait after the attempt with this number, counted from 0: doubling from `min`, at most `max`.
pub(super) fn wait(attempt: u32, min: Duration, max: Duration) -> Duration {
    min.saturating_mul(2_u32.saturating_pow(attempt)).min(max)
}

/// The wait that the server asks for, if it does: seconds, or a date read against the server's own clock.
pub(super) fn server_wait(status: StatusCode, headers: &HeaderMap) -> Option<Duration> {
    if !matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
        return None;
    }
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let after = text(header::RETRY_AFTER)?;
    let wait = if let Ok(seconds) = after.trim().parse() {
        Duration::from_secs(seconds)
    } else {
        let parser = DateTimeParser::new();
        let until = parser.parse_timestamp(after).ok()?;
        let now = parser.parse_timestamp(text(header::DATE)?).ok()?;
        Duration::try_from(until.duration_since(now)).ok()?
    };
    Some(wait.min(MAX_SERVER_WAIT))
}

/// Says whether a request may be answered differently later.
pub(super) fn is_retryable(status: StatusCode) -> bool {
    status == StatusCode::TOO_MANY_REQUESTS
        || (status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_limit() {
        let (min, max) = (Duration::from_secs(5), Duration::from_secs(30));
        let waits: Vec<u64> = (0..5).map(|attempt| wait(attempt, min, max).as_secs()).collect();
        assert_eq!(waits, [5, 10, 20, 30, 30]);
        assert_eq!(wait(u32::MAX, min, max), max);
    }

    #[test]
    fn a_server_may_name_the_wait() {
        let rows = [
            (503, "7", None, Some(7)),
            (429, "9999", None, Some(300)),
            (500, "7", None, None),
            (503, "Wed, 21 Oct 2015 07:28:09 GMT", Some("Wed, 21 Oct 2015 07:28:00 GMT"), Some(9)),
            (503, "Wed, 21 Oct 2015 07:28:00 GMT", Some("Wed, 21 Oct 2015 07:28:09 GMT"), None),
            (503, "soon", None, None),
        ];
        for (status, after, date, seconds) in rows {
            let mut headers = HeaderMap::new();
            headers.insert(header::RETRY_AFTER, after.parse().unwrap());
            if let Some(date) = date {
                headers.insert(header::DATE, date.parse().unwrap());
            }
            let wait = server_wait(StatusCode::from_u16(status).unwrap(), &headers);
            assert_eq!(wait, seconds.map(Duration::from_secs), "{status} {after}");
        }
    }

    #[test]
    fn server_errors_and_rate_limits_are_retried() {
        for (status, retried) in
            [(429, true), (500, true), (503, true), (501, false), (404, false), (403, false)]
        {
            assert_eq!(is_retryable(StatusCode::from_u16(status).unwrap()), retried, "{status}");
        }
    }
}
