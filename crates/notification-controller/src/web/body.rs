//! Request bodies, read within limits.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::StatusCode;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};

/// The longest body that is accepted.
const MAX_BODY_BYTES: usize = 3 * 1024 * 1024;

/// How long a sender may take for its body.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// Reads a whole body.
///
/// # Errors
///
/// The status to answer with, after the cause has been logged for `logger`.
pub(crate) async fn read_body(body: Body, logger: &'static str) -> Result<Bytes, StatusCode> {
    let read = tokio::time::timeout(READ_TIMEOUT, Limited::new(body, MAX_BODY_BYTES).collect()).await;
    let (status, error) = match read {
        Ok(Ok(body)) => return Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => (
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("request body exceeds the maximum size of {MAX_BODY_BYTES} bytes"),
        ),
        Ok(Err(error)) => (StatusCode::BAD_REQUEST, error.to_string()),
        Err(elapsed) => (StatusCode::BAD_REQUEST, elapsed.to_string()),
    };
    tracing::error!(logger, error, "reading the request body failed");
    Err(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NC-010
    #[tokio::test]
    async fn the_longest_body_has_three_mebibytes() {
        let longest = read_body(Body::from(vec![b' '; MAX_BODY_BYTES]), "test").await;
        assert_eq!(longest.unwrap().len(), 3_145_728);
        let longer = read_body(Body::from(vec![b' '; MAX_BODY_BYTES + 1]), "test").await;
        assert_eq!(longer.unwrap_err(), StatusCode::PAYLOAD_TOO_LARGE);
    }
}
