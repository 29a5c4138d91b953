//! Choices by a seed: the same seed makes the same project.

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use crate::doc::Doc;

pub(crate) struct Chooser(StdRng);

/// Scalars as people write them, and as they should not.
const SCALARS: &[&str] = &[
    "plain",
    "two words",
    "\"quoted\"",
    "'single'",
    "1",
    "\"1\"",
    "'1'",
    "0",
    "-7",
    "1.5",
    "1e3",
    "0777",
    "0o14",
    "0x1F",
    "1_000",
    "true",
    "\"true\"",
    "yes",
    "\"no\"",
    "on",
    "off",
    "y",
    "null",
    "~",
    "\"\"",
    "''",
    "\"null\"",
    "2024-01-02",
    "\"2024-01-02\"",
    "12:30:45",
    "1.0",
    "1.10",
    "100m",
    "64Mi",
    "a:b",
    "a#b",
    "\"a # b\"",
    "\"a: b\"",
    "\"- a\"",
    "\"tab\\there\"",
    "\"line\\nbreak\"",
    "\"trailing \"",
    "' leading'",
    "größe",
    "\"\\u263a\"",
    "日本",
    "\"*.example.com\"",
    "\"*\"",
    "\"&a\"",
    "\"!x\"",
    "\"%p\"",
    "\"@x\"",
    "\"`x`\"",
    "\"{a}\"",
    "\"[a]\"",
    "$(VAR)",
    "${VAR}",
    "12345678901234567890",
    "9007199254740993",
    "=",
    "<<",
    "\"\\\\\"",
    "a long line of plain text that goes on and on until it is longer than the eighty columns at which printers begin to fold",
    "|\nfirst\nsecond",
    "|-\nfirst\nsecond",
    "|+\nfirst\n",
    ">-\nfolded\nlines",
    ">\nfolded\n\nwith a gap",
    "|-\nkey: value\nlist:\n- a",
    "|-\n# comment\nx=1",
    "{\"json\": [1, \"a\"]}",
    "'{\"json\": [1, \"a\"]}'",
];

impl Chooser {
    pub(crate) fn new(seed: u64) -> Self {
        Self(StdRng::seed_from_u64(seed))
    }

    /// A number below `end`; 0 where there is none.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { self.0.random_range(0..end) }
    }

    /// Whether something happens that happens so many times in a hundred.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// One of them, if there is any.
    pub(crate) fn any<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len()))
    }

    /// Puts a list into another order.
    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1));
        }
    }

    /// Something of `low..=high` times.
    pub(crate) fn times<T>(
        &mut self,
        low: usize,
        high: usize,
        mut make: impl FnMut(&mut Self) -> T,
    ) -> Vec<T> {
        let count = low + self.below(high - low + 1);
        (0..count).map(|_| make(self)).collect()
    }

    /// A scalar of any type.
    pub(crate) fn scalar(&mut self) -> Doc {
        Doc::scalar(self.one(SCALARS))
    }

    /// A word, most of the time in no need of quotes.
    pub(crate) fn word(&mut self) -> Doc {
        if self.chance(15) {
            self.scalar()
        } else {
            Doc::scalar(self.one(&["red", "blue", "green", "\"7\"", "v1", "x-y"]))
        }
    }
}
