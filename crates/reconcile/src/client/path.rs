//! Paths that lead elsewhere than their place: names from specs are parts of paths, and whoever writes a spec may write
//! anything into them.

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{Response, StatusCode, Uri};
use http_body_util::{BodyExt as _, Full};

use super::transport::AnyBody;

/// Whether a path is another one for a server or proxy that normalises it: a segment is `.` or `..`, or holds a slash.
///
/// No name of Kubernetes needs that.
pub(super) fn is_devious(uri: &Uri) -> bool {
    uri.path().split('/').any(|segment| {
        let segment = segment.to_ascii_lowercase();
        let plain = segment.replace("%2e", ".");
        plain == "." || plain == ".." || segment.contains("%2f") || segment.contains("%5c")
    })
}

/// The answer to such a request, which is not sent: no object has a name like that.
pub(super) fn nothing_there() -> Response<AnyBody> {
    const STATUS: &str = r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the server could not find the requested resource","reason":"NotFound","code":404}"#;
    let body =
        Full::new(Bytes::from_static(STATUS.as_bytes())).map_err(|never| match never {}).boxed_unsync();
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::NOT_FOUND;
    response.headers_mut().insert(CONTENT_TYPE, http::HeaderValue::from_static("application/json"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_that_climb_or_hold_a_slash_are_devious() {
        for path in [
            "/api/v1/namespaces/a/configmaps/../../b",
            "/a/./b",
            "/a/%2E%2e/b",
            "/a/.%2e",
            "/a/b%2Fc",
            "/a/%5C",
        ] {
            assert!(is_devious(&Uri::from_static(path)), "{path}");
        }
        for path in
            ["/", "/livez/ping", "/api/v1/namespaces/a/secrets/x..y", "/apis/g/v1/r/system%3Ax?a=../b"]
        {
            assert!(!is_devious(&Uri::from_static(path)), "{path}");
        }
    }
}
