//! Memory over time, and whether it is flat.

use std::time::Duration;

/// The part of a run that counts as warm-up: one in so many.
const WARM_UP: usize = 4;
/// Fewest samples that say anything.
const FEWEST: usize = 24;
/// What may be between the beginning and the end: a tenth, and this many KiB for what comes and goes.
const SLACK_KIB: u64 = 2048;

/// Resident memory, sampled while one process lives.
#[derive(Debug, Default)]
pub(super) struct Memory {
    samples: Vec<(Duration, u64)>,
}

/// What the samples say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Flat,
    Grows,
    TooShort,
}

impl Memory {
    /// Adds a sample: time since the start, KiB.
    pub(super) fn add(&mut self, at: Duration, kib: u64) {
        self.samples.push((at, kib));
    }

    /// The median of every minute, KiB.
    pub(super) fn by_minute(&self) -> Vec<u64> {
        let minute = |sample: &(Duration, u64)| sample.0.as_secs() / 60;
        self.samples.chunk_by(|left, right| minute(left) == minute(right)).filter_map(median).collect()
    }

    /// Whether the last third after the warm-up needs about what the first third needed.
    pub(super) fn verdict(&self) -> Verdict {
        let warm = &self.samples[self.samples.len() / WARM_UP..];
        if self.samples.len() < FEWEST {
            return Verdict::TooShort;
        }
        let third = warm.len() / 3;
        let (Some(first), Some(last)) = (median(&warm[..third]), median(&warm[warm.len() - third..])) else {
            return Verdict::TooShort;
        };
        if last <= first + first / 10 + SLACK_KIB { Verdict::Flat } else { Verdict::Grows }
    }
}

fn median(samples: &[(Duration, u64)]) -> Option<u64> {
    let mut values: Vec<u64> = samples.iter().map(|(_, kib)| *kib).collect();
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(kib: impl Fn(u64) -> u64, count: u64) -> Memory {
        Memory { samples: (0..count).map(|index| (Duration::from_secs(index * 5), kib(index))).collect() }
    }

    #[test]
    fn growth_after_the_warm_up_is_told_from_noise() {
        for (what, memory, expected) in [
            ("constant", memory(|_| 30_000, 120), Verdict::Flat),
            ("warm-up", memory(|index| if index < 20 { 20_000 } else { 32_000 }, 120), Verdict::Flat),
            ("saw teeth", memory(|index| 30_000 + index % 7 * 1_000, 120), Verdict::Flat),
            ("a leak", memory(|index| 30_000 + index * 150, 120), Verdict::Grows),
            ("a few seconds", memory(|index| 30_000 + index * 150, 10), Verdict::TooShort),
            ("nothing", Memory::default(), Verdict::TooShort),
        ] {
            assert_eq!(memory.verdict(), expected, "{what}");
        }
    }

    #[test]
    fn minutes_are_told_by_their_median() {
        assert_eq!(memory(|index| 1_000 + index, 24).by_minute(), [1_006, 1_018]);
    }
}
