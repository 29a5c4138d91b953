//! The texts that rows are made of.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::rc::Rc;

/// A text of the built-in tables, or one that rows share: a row costs no more where its texts are long.
#[derive(Clone, Debug)]
pub(crate) enum SharedText {
    Builtin(&'static str),
    Shared(Rc<str>),
}

impl Deref for SharedText {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Builtin(text) => text,
            Self::Shared(text) => text,
        }
    }
}

impl Default for SharedText {
    fn default() -> Self {
        Self::Builtin("")
    }
}

impl From<&'static str> for SharedText {
    fn from(text: &'static str) -> Self {
        Self::Builtin(text)
    }
}

impl From<String> for SharedText {
    fn from(text: String) -> Self {
        Self::Shared(text.into())
    }
}

impl From<Rc<str>> for SharedText {
    fn from(text: Rc<str>) -> Self {
        Self::Shared(text)
    }
}

impl PartialEq for SharedText {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for SharedText {}

impl PartialEq<&str> for SharedText {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl Hash for SharedText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Display for SharedText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self)
    }
}
