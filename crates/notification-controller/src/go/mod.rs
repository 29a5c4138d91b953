//! The corners of Go's standard library that users can see: JSON bytes, regular expressions, URLs, times, quoting.
//!
//! Signatures are computed over the JSON bytes and alerts are filtered by patterns written for Go, so these have
//! to agree with the original to the byte. Everything here is pure.

pub mod json;
pub mod mime;
pub mod quote;
pub mod regex;
pub mod time;
pub mod url;
