//! What a scalar's text means.

use crate::read::Resolver;
use crate::{ScalarKind, number, text_time};

/// The meaning of text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Resolved {
    Null,
    Bool(bool),
    Int(i128),
    Float(f64),
    Timestamp(text_time::Timestamp),
    Str,
}

impl Resolved {
    pub(crate) fn kind(self) -> ScalarKind {
        match self {
            Self::Null => ScalarKind::Null,
            Self::Bool(_) => ScalarKind::Bool,
            Self::Int(_) => ScalarKind::Int,
            Self::Float(_) => ScalarKind::Float,
            Self::Timestamp(_) => ScalarKind::Timestamp,
            Self::Str => ScalarKind::Str,
        }
    }
}

/// Resolves text that stands without quotes and without a tag.
pub(crate) fn plain(text: &str, resolver: Resolver) -> Resolved {
    match text.as_bytes().first() {
        None => Resolved::Null,
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~') => {
            word(text, resolver)
        }
        Some(b'.') => point(text),
        Some(b'0'..=b'9' | b'+' | b'-') => digits(text),
        Some(_) => Resolved::Str,
    }
}

fn word(text: &str, resolver: Resolver) -> Resolved {
    match (text, resolver) {
        ("~" | "null" | "Null" | "NULL", _) => Resolved::Null,
        ("true" | "True" | "TRUE", _) => Resolved::Bool(true),
        ("false" | "False" | "FALSE", _) => Resolved::Bool(false),
        ("y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON", Resolver::Kubernetes) => {
            Resolved::Bool(true)
        }
        ("n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF", Resolver::Kubernetes) => {
            Resolved::Bool(false)
        }
        _ => Resolved::Str,
    }
}

fn point(text: &str) -> Resolved {
    match text {
        ".inf" | ".Inf" | ".INF" => Resolved::Float(f64::INFINITY),
        ".nan" | ".NaN" | ".NAN" => Resolved::Float(f64::NAN),
        // Here `_` must stand between digits.
        _ if text.split('_').any(|part| part.is_empty() || part.starts_with('.') && part.len() == 1) => {
            Resolved::Str
        }
        _ => number::parse_decimal(&text.replace('_', "")).map_or(Resolved::Str, Resolved::Float),
    }
}

fn digits(text: &str) -> Resolved {
    match text {
        "+.inf" | "+.Inf" | "+.INF" => return Resolved::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Resolved::Float(f64::NEG_INFINITY),
        _ => {}
    }
    if let Some(timestamp) = text_time::parse(text) {
        return Resolved::Timestamp(timestamp);
    }
    if let Some(whole) = number::parse_whole(text) {
        return Resolved::Int(whole);
    }
    number::parse_decimal(&text.replace('_', "")).map_or(Resolved::Str, Resolved::Float)
}

/// Whether text reads as a base-60 number under YAML 1.1's own rules, which go-yaml quotes though it doesn't read them.
pub(crate) fn is_base_60(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !unsigned.starts_with(|first: char| first.is_ascii_digit()) {
        return false;
    }
    let (groups, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let mut groups = groups.split(':');
    let digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let sixty = |group: &str| match group.as_bytes() {
        [ones] => ones.is_ascii_digit(),
        [tens, ones] => (b'0'..=b'5').contains(tens) && ones.is_ascii_digit(),
        _ => false,
    };
    let first = groups.next().is_some_and(digits);
    let mut rest = groups.peekable();
    first && rest.peek().is_some() && rest.all(sixty) && digits(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_booleans_for_kubernetes_only() {
        for text in ["y", "Yes", "on", "N", "off"] {
            assert!(matches!(plain(text, Resolver::Kubernetes), Resolved::Bool(_)), "{text}");
            assert_eq!(plain(text, Resolver::Kustomize), Resolved::Str, "{text}");
        }
        for text in [
            "yEs",
            "nan",
            "=",
            "<<",
            "Infinity",
            "1e",
            "0x",
            "1.2.3",
            "2020-13-01",
            "1:30",
            "-",
            "+",
            "1e400",
        ] {
            assert_eq!(plain(text, Resolver::Kubernetes), Resolved::Str, "{text}");
        }
    }

    #[test]
    fn numbers_and_dates_are_told_apart() {
        for (text, kind) in [
            ("0777", ScalarKind::Int),
            ("08", ScalarKind::Float),
            ("1e3", ScalarKind::Float),
            ("-.inf", ScalarKind::Float),
            (".5", ScalarKind::Float),
            ("1_000", ScalarKind::Int),
            ("2020-01-01", ScalarKind::Timestamp),
            ("", ScalarKind::Null),
            ("~", ScalarKind::Null),
        ] {
            assert_eq!(plain(text, Resolver::Kustomize).kind(), kind, "{text}");
        }
    }

    #[test]
    fn base_60_is_recognised() {
        for text in ["1:30", "190:20:30", "12:30:45.5", "-1:2", "1_0:00"] {
            assert!(is_base_60(text), "{text}");
        }
        for text in ["1", "1:60", "a:1", ":30", "1:", "1:300", "1.5:20"] {
            assert!(!is_base_60(text), "{text}");
        }
    }
}
