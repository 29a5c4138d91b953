//! Values that must not be seen.

use zeroize::Zeroize;

/// A value that has neither `Debug` nor `Display` and is overwritten when dropped.
///
/// Passwords, tokens, private keys, decrypted files and Secret data live in it from where they are read to where they
/// are used. A struct that holds one can't derive `Debug` by accident.
pub struct Secret<T: Zeroize>(T);

impl<T: Zeroize> Secret<T> {
    /// Takes `value` in.
    pub fn new(value: T) -> Self {
        Self(value)
    }

    /// Returns the value, for the one place that sends or compares it.
    pub fn expose(&self) -> &T {
        &self.0
    }
}

impl<T: Zeroize + Clone> Clone for Secret<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: Zeroize + PartialEq> PartialEq for Secret<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T: Zeroize + Eq> Eq for Secret<T> {}

impl<T: Zeroize> Drop for Secret<T> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<T: Zeroize> From<T> for Secret<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}
