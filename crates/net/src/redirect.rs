//! What happens to a request that is sent elsewhere.
//!
//! The client never lets the HTTP library follow redirects: every hop passes the egress policy again, and credentials
//! are dropped as soon as scheme, host or port change.

use http::{HeaderMap, Method, StatusCode, header};
use url::Url;

/// Says whether credentials for `a` may be sent to `b`.
pub fn same_origin(a: &Url, b: &Url) -> bool {
    a.scheme() == b.scheme()
        && a.host_str() == b.host_str()
        && a.port_or_known_default() == b.port_or_known_default()
}

/// Removes what authenticates a request: the well-known headers and every header marked as sensitive.
pub fn strip_credentials(headers: &mut HeaderMap) {
    for name in [header::AUTHORIZATION, header::COOKIE, header::PROXY_AUTHORIZATION] {
        headers.remove(name);
    }
    let sensitive: Vec<_> =
        headers.iter().filter(|(_, value)| value.is_sensitive()).map(|(name, _)| name.clone()).collect();
    for name in sensitive {
        headers.remove(name);
    }
}

/// Returns where an answer sends the request, if it is a redirect with a usable `Location`.
pub fn location(status: StatusCode, headers: &HeaderMap, from: &Url) -> Option<Url> {
    match status.as_u16() {
        301 | 302 | 303 | 307 | 308 => {}
        _ => return None,
    }
    let text = headers.get(header::LOCATION)?.to_str().ok()?;
    let target = from.join(text).ok()?;
    matches!(target.scheme(), "http" | "https").then_some(target)
}

/// Returns the method after a redirect, and whether the body goes along: 307 and 308 keep both, the others turn
/// everything but GET and HEAD into a GET without body.
pub fn method_after(status: StatusCode, method: &Method) -> (Method, bool) {
    match status.as_u16() {
        307 | 308 => (method.clone(), true),
        _ if *method == Method::GET || *method == Method::HEAD => (method.clone(), false),
        _ => (Method::GET, false),
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn url(text: &str) -> Url {
        text.parse().unwrap()
    }

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        let base = url("https://a.example/x");
        assert!(same_origin(&base, &url("https://a.example:443/y")));
        for other in
            ["http://a.example/x", "https://b.example/x", "https://a.example:8443/x", "http://a.example:443/"]
        {
            assert!(!same_origin(&base, &url(other)), "{other}");
        }
    }

    #[test]
    fn sensitive_headers_are_stripped() {
        let mut headers = HeaderMap::new();
        headers.insert(header::AUTHORIZATION, HeaderValue::from_static("Basic x"));
        headers.insert(header::ACCEPT, HeaderValue::from_static("*/*"));
        let mut token = HeaderValue::from_static("t");
        token.set_sensitive(true);
        headers.insert("x-token", token);
        strip_credentials(&mut headers);
        assert_eq!(headers.keys().collect::<Vec<_>>(), [header::ACCEPT]);
    }

    #[test]
    fn only_http_locations_are_followed() {
        let mut headers = HeaderMap::new();
        headers.insert(header::LOCATION, HeaderValue::from_static("../y"));
        let from = url("https://a.example/x/z");
        assert_eq!(location(StatusCode::FOUND, &headers, &from), Some(url("https://a.example/y")));
        assert_eq!(location(StatusCode::OK, &headers, &from), None);
        assert_eq!(location(StatusCode::NOT_MODIFIED, &headers, &from), None);
        headers.insert(header::LOCATION, HeaderValue::from_static("file:///etc/passwd"));
        assert_eq!(location(StatusCode::FOUND, &headers, &from), None);
    }

    #[test]
    fn a_post_becomes_a_get_unless_the_status_keeps_it() {
        assert_eq!(method_after(StatusCode::FOUND, &Method::POST), (Method::GET, false));
        assert_eq!(method_after(StatusCode::SEE_OTHER, &Method::HEAD), (Method::HEAD, false));
        assert_eq!(method_after(StatusCode::PERMANENT_REDIRECT, &Method::POST), (Method::POST, true));
    }
}
