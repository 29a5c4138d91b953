//! The answer to one request.

use std::{
    fs::{File, Metadata},
    io::{self, Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use axum::{body::Body, response::Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts};
use jiff::{Timestamp, fmt::rfc2822};
use tokio::io::AsyncReadExt as _;
use tokio_util::io::ReaderStream;

use super::{
    listing,
    range::{self, Part},
};

/// The size of the pieces in which files are read.
const CHUNK: usize = 64 * 1024;

pub(super) async fn answer(root: Arc<PathBuf>, head: Parts) -> Response {
    let path = percent_decode(head.uri.path());
    let clean = clean(&path);
    if clean != path {
        return redirect(StatusCode::TEMPORARY_REDIRECT, &listing::escape_path(&clean), &head);
    }
    if let Some(folder) = path.strip_suffix(b"/index.html") {
        debug_assert!(folder.is_empty() || folder.starts_with(b"/"));
        return redirect(StatusCode::MOVED_PERMANENTLY, "./", &head);
    }
    let is_head = head.method == Method::HEAD;
    // Opening and listing block; a request is one trip to the blocking pool, and one per piece of a file.
    let found = tokio::task::spawn_blocking(move || find(&root, &path)).await;
    let mut response = match found {
        Ok(Ok(found)) => present(found, &head),
        Ok(Err(err)) => failure(&err),
        Err(_) => failure(&io::Error::other("interrupted")),
    };
    if is_head {
        *response.body_mut() = Body::empty();
    }
    response
}

/// What is at a path.
enum Found {
    Redirect(String),
    File { file: File, metadata: Metadata, content_type: &'static str },
    Folder { metadata: Metadata, page: String },
}

fn find(root: &Path, path: &[u8]) -> io::Result<Found> {
    let text = std::str::from_utf8(path).map_err(|_| io::ErrorKind::NotFound)?;
    if text.contains('\0') {
        return Err(io::ErrorKind::NotFound.into());
    }
    let name = root.join(text.trim_matches('/'));
    // Links are followed, but not out of the store.
    let name = name.canonicalize()?;
    if !name.starts_with(root.canonicalize()?) {
        return Err(io::ErrorKind::NotFound.into());
    }
    let mut file = File::open(&name)?;
    let metadata = file.metadata()?;
    let last = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    if metadata.is_dir() {
        if !text.ends_with('/') {
            return Ok(Found::Redirect(format!("{}/", listing::escape_path(last.as_bytes()))));
        }
        return Ok(Found::Folder { metadata, page: listing::page(&name)? });
    }
    if !metadata.is_file() {
        return Err(io::ErrorKind::NotFound.into());
    }
    if text.ends_with('/') {
        return Ok(Found::Redirect(format!("../{}", listing::escape_path(last.as_bytes()))));
    }
    let content_type = content_type(&name, &mut file)?;
    Ok(Found::File { file, metadata, content_type })
}

fn present(found: Found, head: &Parts) -> Response {
    match found {
        Found::Redirect(location) => redirect(StatusCode::MOVED_PERMANENTLY, &location, head),
        Found::Folder { metadata, page } => {
            let modified = metadata.modified().ok();
            if not_modified(&head.headers, modified) {
                return unchanged(modified);
            }
            let mut response = text(StatusCode::OK, page);
            insert(&mut response, header::CONTENT_TYPE, "text/html; charset=utf-8");
            insert_time(&mut response, modified);
            response
        }
        Found::File { file, metadata, content_type } => {
            let modified = metadata.modified().ok();
            if not_modified(&head.headers, modified) {
                return unchanged(modified);
            }
            let size = metadata.len();
            let mut response = match range::requested(&head.headers, size, modified.map(http_time).as_deref())
            {
                Part::Whole => content(file, 0, size, StatusCode::OK),
                Part::Bytes { start, length } => {
                    let mut response = content(file, start, length, StatusCode::PARTIAL_CONTENT);
                    let range = format!("bytes {start}-{}/{size}", start + length - 1);
                    insert(&mut response, header::CONTENT_RANGE, &range);
                    response
                }
                Part::Unsatisfiable => {
                    let mut response =
                        error(StatusCode::RANGE_NOT_SATISFIABLE, "invalid range: failed to overlap");
                    insert(&mut response, header::CONTENT_RANGE, &format!("bytes */{size}"));
                    return response;
                }
                Part::Malformed => return error(StatusCode::RANGE_NOT_SATISFIABLE, "invalid range"),
            };
            insert(&mut response, header::CONTENT_TYPE, content_type);
            insert(&mut response, header::ACCEPT_RANGES, "bytes");
            insert_time(&mut response, modified);
            response
        }
    }
}

fn content(mut file: File, start: u64, length: u64, status: StatusCode) -> Response {
    // Seeking is a system call without disk access, so it may happen here.
    if let Err(err) = file.seek(SeekFrom::Start(start)) {
        return failure(&err);
    }
    let reader = tokio::fs::File::from_std(file).take(length);
    let mut response = Response::new(Body::from_stream(ReaderStream::with_capacity(reader, CHUNK)));
    *response.status_mut() = status;
    insert(&mut response, header::CONTENT_LENGTH, &length.to_string());
    response
}

fn failure(err: &io::Error) -> Response {
    match err.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename => {
            error(StatusCode::NOT_FOUND, "404 page not found")
        }
        io::ErrorKind::PermissionDenied => error(StatusCode::FORBIDDEN, "403 Forbidden"),
        _ => error(StatusCode::INTERNAL_SERVER_ERROR, "500 Internal Server Error"),
    }
}

fn error(status: StatusCode, message: &str) -> Response {
    let mut response = text(status, format!("{message}\n"));
    insert(&mut response, header::CONTENT_TYPE, "text/plain; charset=utf-8");
    insert(&mut response, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    response
}

fn text(status: StatusCode, body: String) -> Response {
    let length = body.len();
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    insert(&mut response, header::CONTENT_LENGTH, &length.to_string());
    response
}

fn redirect(status: StatusCode, location: &str, head: &Parts) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    match head.uri.query() {
        Some(query) => insert(&mut response, header::LOCATION, &format!("{location}?{query}")),
        None => insert(&mut response, header::LOCATION, location),
    }
    response
}

fn unchanged(modified: Option<SystemTime>) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    insert_time(&mut response, modified);
    response
}

fn insert(response: &mut Response, name: header::HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

fn insert_time(response: &mut Response, modified: Option<SystemTime>) {
    if let Some(modified) = modified {
        insert(response, header::LAST_MODIFIED, &http_time(modified));
    }
}

/// Says whether the client's copy is as new, in whole seconds as the header has them.
fn not_modified(headers: &HeaderMap, modified: Option<SystemTime>) -> bool {
    let since = headers.get(header::IF_MODIFIED_SINCE).and_then(|value| value.to_str().ok());
    let Some((since, modified)) = since.and_then(parse_http_time).zip(modified) else { return false };
    let seconds = |time: SystemTime| time.duration_since(UNIX_EPOCH).map_or(0, |age| age.as_secs());
    seconds(modified) <= u64::try_from(since.as_second()).unwrap_or(0)
}

fn http_time(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |age| age.as_secs());
    let time = i64::try_from(seconds).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    let printed = rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&time.unwrap_or_default());
    printed.unwrap_or_default()
}

fn parse_http_time(text: &str) -> Option<Timestamp> {
    rfc2822::DateTimeParser::new().parse_timestamp(text).ok()
}

/// The media type by extension, else by looking: artifacts are archives, indexes are text.
fn content_type(name: &Path, file: &mut File) -> io::Result<&'static str> {
    match name.extension().and_then(|extension| extension.to_str()) {
        Some("gz" | "tgz") => return Ok("application/gzip"),
        Some("html") => return Ok("text/html; charset=utf-8"),
        Some("json") => return Ok("application/json"),
        _ => {}
    }
    let mut start = [0; 512];
    let count = file.read(&mut start)?;
    let binary = |byte: &u8| matches!(byte, 0x00..=0x08 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    let is_text = !start[..count].iter().any(binary);
    Ok(if is_text { "text/plain; charset=utf-8" } else { "application/octet-stream" })
}

/// Resolves `.`, `..` and doubled slashes; keeps a trailing slash.
fn clean(path: &[u8]) -> Vec<u8> {
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let mut clean = b"/".to_vec();
    clean.extend_from_slice(&parts.join(&b'/'));
    if path.ends_with(b"/") && !parts.is_empty() {
        clean.push(b'/');
    }
    clean
}

fn percent_decode(path: &str) -> Vec<u8> {
    let bytes = path.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let pair = path.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (bytes[at], pair) {
            (b'%', Some(byte)) => {
                decoded.push(byte);
                at += 3;
            }
            (byte, _) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cleaned_within_the_root() {
        let rows = [
            ("/", "/"),
            ("//", "/"),
            ("//a/", "/a/"),
            ("/a/../../b", "/b"),
            ("/./a", "/a"),
            ("/..", "/"),
            ("/a/..", "/"),
            ("/a/b/", "/a/b/"),
        ];
        for (path, cleaned) in rows {
            assert_eq!(clean(path.as_bytes()), cleaned.as_bytes(), "{path}");
        }
    }

    #[test]
    fn percent_signs_are_decoded_once() {
        assert_eq!(percent_decode("/a%3Ab%252f%zz%"), b"/a:b%2f%zz%");
    }
}
