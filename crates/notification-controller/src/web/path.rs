//! Paths as Go's request multiplexer wants them.

use axum::{
    extract::Request,
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use http::{Method, StatusCode, header};

/// Redirects requests whose path has empty or dotted segments to the clean path; the query is kept.
pub(crate) async fn clean_paths(request: Request, next: Next) -> Response {
    let path = request.uri().path();
    match clean(path) {
        Some(target) if request.method() != Method::CONNECT => {
            redirect(request.method(), &target, request.uri().query())
        }
        _ => next.run(request).await,
    }
}

/// Sends the caller elsewhere for good measure; only browsers get a body.
pub(crate) fn redirect(method: &Method, path: &str, query: Option<&str>) -> Response {
    let target = query.map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"));
    let status = StatusCode::TEMPORARY_REDIRECT;
    if *method == Method::GET || *method == Method::HEAD {
        let escaped =
            target.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&#34;");
        let page = format!("<a href=\"{escaped}\">Temporary Redirect</a>.\n\n");
        let headers =
            [(header::LOCATION, target), (header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned())];
        return (status, headers, page).into_response();
    }
    (status, [(header::LOCATION, target)]).into_response()
}

/// The clean form of a path that is not clean.
fn clean(path: &str) -> Option<String> {
    let mut kept = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                kept.pop();
            }
            segment => kept.push(segment),
        }
    }
    let mut cleaned = format!("/{}", kept.join("/"));
    if path.ends_with('/') && cleaned.len() > 1 {
        cleaned.push('/');
    }
    (cleaned != path && path != "*").then_some(cleaned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_and_dotted_segments_are_removed() {
        for (path, expected) in [
            ("/", None),
            ("/hook/x", None),
            ("/hook/", None),
            ("//hook/x", Some("/hook/x")),
            ("/a/../b", Some("/b")),
            ("/a/./b//", Some("/a/b/")),
            ("/..", Some("/")),
            ("/a/..", Some("/")),
            ("//", Some("/")),
            ("*", None),
        ] {
            assert_eq!(clean(path).as_deref(), expected, "{path}");
        }
    }
}
