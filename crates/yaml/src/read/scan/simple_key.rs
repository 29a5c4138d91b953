//! Keys without `?`: only the `:` after them tells that they were keys.

use super::{Fault, Mark};

/// How many characters may lie between a key's start and its `:`.
const MAX_LENGTH: usize = 1024;

/// For each flow level, the token that may turn out to be a key.
#[derive(Debug)]
pub(super) struct SimpleKeys {
    levels: Vec<SimpleKey>,
    /// Whether a key may start here.
    pub(super) allowed: bool,
}

#[derive(Clone, Copy, Debug)]
struct SimpleKey {
    possible: bool,
    /// Whether it must be a key: it stands at the column of the enclosing map's keys.
    required: bool,
    number: usize,
    mark: Mark,
}

impl SimpleKey {
    fn is_valid(&mut self, here: Mark) -> Result<bool, Fault> {
        if !self.possible {
            return Ok(false);
        }
        if self.mark.line < here.line || self.mark.index + MAX_LENGTH < here.index {
            if self.required {
                return Err(self.missing(here));
            }
            self.possible = false;
        }
        Ok(self.possible)
    }

    fn missing(&self, here: Mark) -> Fault {
        Fault::scanner(self.mark, here, "could not find expected ':'")
    }
}

impl SimpleKeys {
    pub(super) fn new() -> Self {
        let none = SimpleKey { possible: false, required: false, number: 0, mark: Mark::default() };
        Self { levels: vec![none], allowed: true }
    }

    /// Whether the token of that number may still become a key.
    pub(super) fn is_possible(&mut self, number: usize, here: Mark) -> Result<bool, Fault> {
        // Numbers grow with the level.
        let from = self.levels.partition_point(|key| key.number < number);
        for key in self.levels[from..].iter_mut().take_while(|key| key.number == number) {
            if key.is_valid(here)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(super) fn save(&mut self, required: bool, number: usize, mark: Mark) -> Result<(), Fault> {
        if self.allowed {
            self.remove(mark)?;
            *self.top() = SimpleKey { possible: true, required, number, mark };
        }
        Ok(())
    }

    pub(super) fn remove(&mut self, here: Mark) -> Result<(), Fault> {
        let key = self.top();
        if key.possible && key.required {
            return Err(key.missing(here));
        }
        key.possible = false;
        Ok(())
    }

    /// The key that a `:` here belongs to.
    pub(super) fn claim(&mut self, here: Mark) -> Result<Option<(usize, Mark)>, Fault> {
        let key = self.top();
        let valid = key.is_valid(here)?;
        key.possible = false;
        Ok(valid.then_some((key.number, key.mark)))
    }

    pub(super) fn open(&mut self, number: usize, mark: Mark) {
        self.levels.push(SimpleKey { possible: false, required: false, number, mark });
    }

    pub(super) fn close(&mut self) {
        self.levels.pop();
    }

    fn top(&mut self) -> &mut SimpleKey {
        self.levels.last_mut().expect("the lowest level is never closed")
    }
}
