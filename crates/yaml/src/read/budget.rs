//! What one text may cost, all of its documents together.
//!
//! Text of a given size can stand for very much more than itself: values behind aliases, text behind aliases, and indentation
//! once it is printed in block style. Each is counted here before anything is made of it.

use super::Limits;

/// What is spent so far.
#[derive(Debug)]
pub(crate) struct Budget {
    limits: Limits,
    values: usize,
    /// The depths of all values: what printing them takes in indentation, halved.
    depths: usize,
    /// Bytes of text that aliases repeat.
    repeated: usize,
}

impl Budget {
    pub(crate) fn new(limits: &Limits) -> Self {
        let limits = Limits { depth: limits.depth.min(Limits::MAX_DEPTH), ..*limits };
        Self { limits, values: 0, depths: 0, repeated: 0 }
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Counts a value under so many collections; fails with what is exceeded.
    pub(crate) fn value(&mut self, depth: usize) -> Result<(), String> {
        self.values += 1;
        if self.values > self.limits.values {
            return Err(format!("text has more than {} values", self.limits.values));
        }
        self.depths += depth;
        if self.depths > self.limits.text_bytes {
            let limit = self.limits.text_bytes;
            return Err(format!(
                "values nest so deep that their indentation exceeds the limit of {limit} bytes"
            ));
        }
        Ok(())
    }

    /// Counts text that an alias repeats.
    pub(super) fn repeat(&mut self, bytes: usize) -> Result<(), String> {
        self.repeated += bytes;
        if self.repeated > self.limits.text_bytes {
            let limit = self.limits.text_bytes;
            return Err(format!("aliases repeat more text than the limit of {limit} bytes"));
        }
        Ok(())
    }
}
