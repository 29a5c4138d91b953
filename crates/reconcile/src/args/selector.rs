//! Label selectors, checked before they go to the API server.

use std::fmt;
use std::str::FromStr;

/// A label selector in kubectl's notation: `a=b,c!=d,e in (f,g),!h`. The empty one selects everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector(String);

/// The text is no label selector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectorError {
    /// A requirement has none of the known forms.
    #[error("unable to parse requirement {0:?}")]
    Requirement(String),
    /// A key is no label key.
    #[error("invalid label key {0:?}")]
    Key(String),
    /// A value is no label value.
    #[error("invalid label value {0:?}")]
    Value(String),
}

impl Selector {
    /// The text as the API server takes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it selects everything.
    pub fn selects_all(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Selector {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if !text.is_empty() {
            split(text).into_iter().try_for_each(check)?;
        }
        Ok(Self(text.to_owned()))
    }
}

/// Splits at commas outside of parentheses.
fn split(text: &str) -> Vec<&str> {
    let mut inside = false;
    text.split(|letter| {
        match letter {
            '(' => inside = true,
            ')' => inside = false,
            _ => {}
        }
        letter == ',' && !inside
    })
    .collect()
}

fn check(requirement: &str) -> Result<(), SelectorError> {
    let requirement = requirement.trim();
    let malformed = || SelectorError::Requirement(requirement.to_owned());
    if let Some(key) = requirement.strip_prefix('!') {
        return check_key(key.trim());
    }
    let end = requirement.find(|letter: char| letter.is_whitespace() || "=!<>(".contains(letter));
    let (key, rest) = requirement.split_at(end.unwrap_or(requirement.len()));
    check_key(key)?;
    let rest = rest.trim();
    if rest.is_empty() {
        return Ok(());
    }
    if let Some(value) = ["==", "=", "!="].iter().find_map(|operator| rest.strip_prefix(operator)) {
        return check_value(value.trim());
    }
    if let Some(number) = rest.strip_prefix(['<', '>']) {
        return number.trim().parse::<i64>().map(|_| ()).map_err(|_| malformed());
    }
    let list =
        ["notin", "in"].iter().find_map(|operator| rest.strip_prefix(operator)).ok_or_else(malformed)?;
    let list = list.trim().strip_prefix('(').and_then(|list| list.strip_suffix(')')).ok_or_else(malformed)?;
    list.split(',').try_for_each(|value| check_value(value.trim()))
}

/// An optional DNS name and a slash, then a name.
fn check_key(key: &str) -> Result<(), SelectorError> {
    let (prefix, name) = key.split_once('/').map_or((None, key), |(prefix, name)| (Some(prefix), name));
    let dns = |part: &str| {
        part.len() <= 253
            && part.split('.').all(|label| {
                is_word(label) && label.bytes().all(|byte| !byte.is_ascii_uppercase() && byte != b'_')
            })
    };
    let valid = is_word(name) && name.len() <= 63 && prefix.is_none_or(dns);
    if valid { Ok(()) } else { Err(SelectorError::Key(key.to_owned())) }
}

fn check_value(value: &str) -> Result<(), SelectorError> {
    let valid = value.is_empty() || (is_word(value) && value.len() <= 63);
    if valid { Ok(()) } else { Err(SelectorError::Value(value.to_owned())) }
}

/// Letters and digits, with `-`, `_` and `.` between them.
fn is_word(text: &str) -> bool {
    let ends = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    ends(bytes.first())
        && ends(bytes.last())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_api_server_takes_is_taken() {
        for text in [
            "",
            "sharding.fluxcd.io/key=shard1",
            "!sharding.fluxcd.io/key",
            "a == b, c!=d",
            "key in (a, b,c),other notin (d)",
            "exists",
            "reconcile.fluxcd.io/watch=Enabled",
            "empty=",
            "n>3,m < -1",
        ] {
            assert_eq!(text.parse::<Selector>().expect(text).as_str(), text);
        }
    }

    #[test]
    fn what_it_refuses_is_refused() {
        for text in
            ["a in b", "a in (b", "=b", "a=b=c", "a b", "-a", "a/b/c", "A.b/c=d", "a=ü", "a,,b", "n>x"]
        {
            assert!(text.parse::<Selector>().is_err(), "{text}");
        }
    }
}
