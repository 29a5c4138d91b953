//! Variables and their values.

use std::collections::BTreeMap;
use std::fmt;

use zeroize::Zeroizing;

use crate::SubstitutionError;

/// Variables by name. Values may be secret: they are never printed, only text that is substituted shows them, and their
/// memory is overwritten when they go.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Variables(BTreeMap<String, Value>);

/// A value: no `Debug`, no `Display`.
#[derive(Clone, PartialEq, Eq)]
struct Value(Zeroizing<String>);

impl Variables {
    /// Sets a variable; whatever was set before is overridden. Line feeds are deleted from the value.
    pub fn set(&mut self, name: impl Into<String>, value: &str) {
        self.set_verbatim(name, value.replace('\n', ""));
    }

    /// Sets a variable to exactly this value: for text that never was an object's.
    pub fn set_verbatim(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.0.insert(name.into(), Value(Zeroizing::new(value.into())));
    }

    /// The value of a variable, for the text that it goes into.
    pub(crate) fn expose(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|value| value.0.as_str())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Names in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Checks every name, used or not.
    pub(crate) fn check_names(&self) -> Result<(), SubstitutionError> {
        match self.names().find(|name| !is_valid(name)) {
            Some(name) => Err(SubstitutionError::InvalidName { name: name.to_owned() }),
            None => Ok(()),
        }
    }
}

fn is_valid(name: &str) -> bool {
    name.starts_with(|first: char| first == '_' || first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}

impl<N: Into<String>, V: AsRef<str>> FromIterator<(N, V)> for Variables {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(entries: I) -> Self {
        let mut variables = Self::default();
        variables.extend(entries);
        variables
    }
}

impl<N: Into<String>, V: AsRef<str>> Extend<(N, V)> for Variables {
    fn extend<I: IntoIterator<Item = (N, V)>>(&mut self, entries: I) {
        for (name, value) in entries {
            self.set(name, value.as_ref());
        }
    }
}

impl fmt::Debug for Variables {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.names()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked_and_values_stay_hidden() {
        for (name, valid) in [
            ("a", true),
            ("_1", true),
            ("A_b9", true),
            ("1a", false),
            ("a-b", false),
            ("", false),
            ("é", false),
            ("a\n", false),
        ] {
            let variables = Variables::from_iter([(name, "secret")]);
            assert_eq!(variables.check_names().is_ok(), valid, "{name:?}");
            assert!(!format!("{variables:?}").contains("secret"));
        }
    }

    #[test]
    fn line_feeds_are_deleted_from_values() {
        assert_eq!(Variables::from_iter([("a", "x\ny\n")]).expose("a"), Some("xy"));
    }
}
