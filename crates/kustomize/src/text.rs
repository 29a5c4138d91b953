//! The text of a file, and what is wrong with its bytes.

use std::borrow::Cow;
use std::ops::Deref;

use millrace_yaml::read::{self, ReadError};

/// What a file says. Bytes that are no text are replaced in it: JSON is read so, while YAML is refused.
#[derive(Clone, Debug)]
pub(crate) struct Text<'l> {
    text: Cow<'l, str>,
    fault: Option<ReadError>,
}

/// What YAML is read from.
pub(crate) trait Source {
    /// The text, unless its bytes were none.
    fn yaml(&self) -> Result<&str, ReadError>;
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl Source for Text<'_> {
    fn yaml(&self) -> Result<&str, ReadError> {
        self.fault.clone().map_or(Ok(&*self.text), Err)
    }
}

impl Source for str {
    fn yaml(&self) -> Result<&str, ReadError> {
        Ok(self)
    }
}

impl Source for String {
    fn yaml(&self) -> Result<&str, ReadError> {
        Ok(self)
    }
}

impl Source for Cow<'_, str> {
    fn yaml(&self) -> Result<&str, ReadError> {
        Ok(self)
    }
}

impl<'l> From<&'l str> for Text<'l> {
    fn from(text: &'l str) -> Self {
        Self { text: text.into(), fault: None }
    }
}

impl<'l> From<Cow<'l, [u8]>> for Text<'l> {
    fn from(bytes: Cow<'l, [u8]>) -> Self {
        match bytes {
            Cow::Borrowed(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => text.into(),
                Err(_) => Self::of_other_bytes(bytes),
            },
            Cow::Owned(bytes) => match String::from_utf8(bytes) {
                Ok(text) => Self { text: text.into(), fault: None },
                Err(error) => Self::of_other_bytes(error.as_bytes()),
            },
        }
    }
}

impl Text<'_> {
    /// The text of bytes that are no UTF-8.
    #[cold]
    fn of_other_bytes(bytes: &[u8]) -> Self {
        match read::decode(bytes) {
            Ok(text) => Self { text: text.into_owned().into(), fault: None },
            Err(fault) => {
                Self { text: String::from_utf8_lossy(bytes).into_owned().into(), fault: Some(fault) }
            }
        }
    }
}
