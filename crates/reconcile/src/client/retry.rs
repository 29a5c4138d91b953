//! Which requests are repeated, as client-go decides it: an overloaded server says when to come back, and reads survive a
//! connection that breaks.

use std::time::Duration;

use http::header::RETRY_AFTER;
use http::{Method, Response, StatusCode};

/// How often one request is repeated.
const MAX_RETRIES: u32 = 10;

/// The pause before a read whose connection broke is repeated.
const BROKEN_CONNECTION_PAUSE: Duration = Duration::from_secs(1);

/// The longest pause that a server may ask for. client-go has no such bound, but sleeps for whatever the header says; an
/// answer that names an hour, from a proxy in between, must not hold a run for that long.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// How a request failed without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loss {
    /// No connection came about.
    Connect,
    /// The connection broke.
    Broken,
    /// The server did not begin to answer in time.
    Timeout,
}

/// How long to wait before the request is sent again; `None` means that its outcome stands.
pub(super) fn pause_before_retry<B>(
    method: &Method,
    outcome: Result<&Response<B>, Loss>,
    retries: u32,
) -> Option<Duration> {
    if retries >= MAX_RETRIES {
        return None;
    }
    match outcome {
        Ok(response) => {
            let status = response.status();
            let asked = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
            let seconds =
                response.headers().get(RETRY_AFTER).filter(|_| asked)?.to_str().ok()?.parse().ok()?;
            Some(Duration::from_secs(seconds).min(LONGEST_PAUSE))
        }
        // A write may have been done all the same, and a server that can't be reached is the caller's to retry.
        Err(Loss::Broken) => (method == Method::GET).then_some(BROKEN_CONNECTION_PAUSE),
        Err(Loss::Connect | Loss::Timeout) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, retry_after: Option<&str>) -> Response<()> {
        let mut response = Response::builder().status(status);
        if let Some(seconds) = retry_after {
            response = response.header(RETRY_AFTER, seconds);
        }
        response.body(()).expect("response")
    }

    #[test]
    fn an_overloaded_server_decides_when_any_request_is_repeated() {
        for (status, header, expected) in [
            (429, Some("3"), Some(3)),
            (503, Some("1"), Some(1)),
            (500, Some("0"), Some(0)),
            (429, Some("30"), Some(30)),
            (429, Some("3600"), Some(30)),
            (429, None, None),
            (503, Some("soon"), None),
            (409, Some("1"), None),
            (200, Some("1"), None),
        ] {
            let pause = pause_before_retry(&Method::PATCH, Ok(&answer(status, header)), 0);
            assert_eq!(pause.map(|pause| pause.as_secs()), expected, "{status} {header:?}");
        }
    }

    #[test]
    fn only_reads_survive_a_broken_connection_and_not_for_ever() {
        let lost = |method, loss, retries| pause_before_retry::<()>(method, Err(loss), retries);
        assert_eq!(lost(&Method::GET, Loss::Broken, 0), Some(Duration::from_secs(1)));
        assert_eq!(lost(&Method::GET, Loss::Broken, 10), None);
        assert_eq!(lost(&Method::GET, Loss::Connect, 0), None);
        assert_eq!(lost(&Method::PATCH, Loss::Broken, 0), None);
    }
}
