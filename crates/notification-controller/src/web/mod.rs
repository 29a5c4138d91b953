//! What both HTTP servers have in common: limits, clean paths, metrics.
//!
//! Contract: notification-controller §2.1, §4.1.

mod accept;
mod body;
mod meter;
mod pace;
mod path;
mod server;
mod stream;
#[cfg(test)]
mod tests;

use axum::response::{IntoResponse as _, Response};
use http::{HeaderName, StatusCode, header};

pub(crate) use self::server::serve;
pub(crate) use self::{
    body::{Bodies, Held, Refused},
    meter::Meter,
    path::{clean_paths, redirect},
};

/// An answer without a body.
pub(crate) fn empty(status: StatusCode) -> Response {
    status.into_response()
}

/// An answer that is one line of plain text, as Go's helpers write it.
pub(crate) fn line(status: StatusCode, text: &'static str) -> Response {
    const PLAIN: [(HeaderName, &str); 2] =
        [(header::CONTENT_TYPE, "text/plain; charset=utf-8"), (header::X_CONTENT_TYPE_OPTIONS, "nosniff")];
    (status, PLAIN, text).into_response()
}
