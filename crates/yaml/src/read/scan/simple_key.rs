//! Keys without `?`: only the `:` after them tells that they were keys.

use std::collections::VecDeque;

use super::{Fault, Mark};

/// How many characters may lie between a key's start and its `:`.
const MAX_LENGTH: usize = 1024;

/// For each flow level, the token that may turn out to be a key.
#[derive(Debug)]
pub(super) struct SimpleKeys {
    levels: Vec<SimpleKey>,
    /// Token number and level of keys that are to be decided before their token is shown, by number. Separate from the
    /// levels because go-yaml forgets a collection's own entry when an empty one closes.
    undecided: VecDeque<(usize, usize)>,
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
        Self { levels: vec![none], undecided: VecDeque::new(), allowed: true }
    }

    /// Whether the token of that number, the next to be shown, may still become a key.
    pub(super) fn is_possible(&mut self, number: usize, here: Mark) -> Result<bool, Fault> {
        while self.undecided.front().is_some_and(|(undecided, _)| *undecided < number) {
            self.undecided.pop_front();
        }
        match self.undecided.front() {
            Some(&(undecided, level)) if undecided == number => match self.levels.get_mut(level) {
                Some(key) => key.is_valid(here),
                None => Ok(false),
            },
            Some(_) | None => Ok(false),
        }
    }

    pub(super) fn save(&mut self, required: bool, number: usize, mark: Mark) -> Result<(), Fault> {
        if self.allowed {
            self.remove(mark)?;
            *self.top() = SimpleKey { possible: true, required, number, mark };
            self.undecided.push_back((number, self.levels.len() - 1));
        }
        Ok(())
    }

    pub(super) fn remove(&mut self, here: Mark) -> Result<(), Fault> {
        let key = self.top();
        if key.possible && key.required {
            return Err(key.missing(here));
        }
        if std::mem::take(&mut key.possible) {
            let number = key.number;
            self.forget(number);
        }
        Ok(())
    }

    /// The key that a `:` here belongs to.
    pub(super) fn claim(&mut self, here: Mark) -> Result<Option<(usize, Mark)>, Fault> {
        let key = self.top();
        if !key.is_valid(here)? {
            return Ok(None);
        }
        key.possible = false;
        let (number, mark) = (key.number, key.mark);
        self.forget(number);
        Ok(Some((number, mark)))
    }

    pub(super) fn open(&mut self, number: usize, mark: Mark) {
        self.levels.push(SimpleKey { possible: false, required: false, number, mark });
    }

    pub(super) fn close(&mut self) {
        if let Some(key) = self.levels.pop() {
            self.forget(key.number);
        }
    }

    fn forget(&mut self, number: usize) {
        if let Some(position) = self.undecided.iter().rposition(|(undecided, _)| *undecided == number) {
            self.undecided.remove(position);
        }
    }

    fn top(&mut self) -> &mut SimpleKey {
        self.levels.last_mut().expect("the lowest level is never closed")
    }
}
