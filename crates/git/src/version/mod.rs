//! Versions and ranges of versions, as lenient as the original reads them.
//!
//! Contract: source-controller §3.3.1.

mod constraint;

use std::{cmp::Ordering, str::FromStr};

pub use constraint::{Constraint, ConstraintError};

/// The longest text that is read as a version.
const MAX_LEN: usize = 256;

/// A version. Two that differ in build metadata alone are equal.
#[derive(Debug, Clone)]
pub struct Version {
    major: u64,
    minor: u64,
    patch: u64,
    /// Empty for a release.
    pre: Box<str>,
}

/// A text that is no version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid semantic version")]
pub struct VersionError;

impl Version {
    /// Says whether this is a pre-release.
    pub fn is_prerelease(&self) -> bool {
        !self.pre.is_empty()
    }

    /// Reads `v1.2.3-pre+meta`, where everything but the first number may be missing.
    fn parse_lenient(text: &str) -> Option<Self> {
        if text.len() > MAX_LEN {
            return None;
        }
        let (rest, metadata) = split_at(text.strip_prefix('v').unwrap_or(text), '+');
        let (numbers, pre) = split_at(rest, '-');
        if !metadata.is_none_or(|text| text.split('.').all(is_identifier))
            || !pre.is_none_or(|text| text.split('.').all(is_pre_part))
        {
            return None;
        }
        let mut numbers = numbers.split('.').map(parse_number);
        let version = Self {
            major: numbers.next()??,
            minor: numbers.next().unwrap_or(Some(0))?,
            patch: numbers.next().unwrap_or(Some(0))?,
            pre: pre.unwrap_or_default().into(),
        };
        numbers.next().is_none().then_some(version)
    }
}

/// Reads a tag: at least two dots, a leading `v` and leading zeros allowed.
impl FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, VersionError> {
        if text.matches('.').count() < 2 {
            return Err(VersionError);
        }
        Self::parse_lenient(text).ok_or(VersionError)
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        let numbers = |version: &Self| (version.major, version.minor, version.patch);
        numbers(self).cmp(&numbers(other)).then_with(|| match (&*self.pre, &*other.pre) {
            ("", "") => Ordering::Equal,
            ("", _) => Ordering::Greater,
            (_, "") => Ordering::Less,
            (a, b) => compare_pre(a, b),
        })
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Version {}

fn split_at(text: &str, separator: char) -> (&str, Option<&str>) {
    text.split_once(separator).map_or((text, None), |(head, tail)| (head, Some(tail)))
}

fn parse_number(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Numbers of a pre-release have no leading zeros.
fn is_pre_part(text: &str) -> bool {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    is_identifier(text) && !(is_number && text.len() > 1 && text.starts_with('0'))
}

fn compare_pre(a: &str, b: &str) -> Ordering {
    let mut b_parts = b.split('.');
    for a in a.split('.') {
        let Some(b) = b_parts.next() else { return Ordering::Greater };
        let order = match (a.parse::<u64>(), b.parse::<u64>()) {
            (Ok(a), Ok(b)) => a.cmp(&b),
            (Ok(_), Err(_)) => Ordering::Less,
            (Err(_), Ok(_)) => Ordering::Greater,
            (Err(_), Err(_)) => a.cmp(b),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    if b_parts.next().is_some() { Ordering::Less } else { Ordering::Equal }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_by_numbers_and_then_by_pre_release() {
        let ordered = [
            "0.9.9",
            "1.0.0-1",
            "1.0.0-2",
            "1.0.0-10",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.b",
            "1.0.0-beta",
            "v1.0.0",
            "1.0.1",
            "01.02.3",
            "1.10.0",
            "2025.02.03-rc.1",
            "2025.02.03",
        ];
        let versions = ordered.map(|text| text.parse::<Version>().unwrap());
        assert!(versions.is_sorted_by(|a, b| a < b), "{versions:?}");
        assert_eq!("1.2.3+a".parse::<Version>(), "v1.2.3+b".parse::<Version>());
    }

    #[test]
    fn what_has_not_two_dots_or_other_characters_is_no_version() {
        let rows = [
            "",
            "1",
            "1.2",
            "latest",
            "1.2.3.4",
            "V1.2.3",
            "1.2.x",
            "1.2.3-",
            "1.2.3-01",
            "1.2.3+",
            "1.2.3-a..b",
            " 1.2.3",
            "1.2.99999999999999999999",
            "-1.2.3",
            "1.-2.3",
        ];
        for text in rows {
            assert_eq!(text.parse::<Version>(), Err(VersionError), "{text}");
        }
        assert!("1-a.b.c".parse::<Version>().unwrap().is_prerelease());
    }
}
