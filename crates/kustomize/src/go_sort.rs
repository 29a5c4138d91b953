//! Sorting as the reference's language does it.
//!
//! Its `sort.Sort` is not stable, but always leaves equal items in the same order; rows of one kind are gone through, and
//! complained about, in that order. So its steps are followed one by one: a pattern-defeating quicksort.

/// Slices up to this length are sorted by insertion.
const MAX_INSERTION: usize = 12;
/// From this length on nine items are looked at for a pivot, and single items that stand wrong are shifted.
const LONG: usize = 50;
/// So many of these are shifted.
const MAX_SHIFTED: usize = 5;
/// Swaps by which nine items in descending order are sorted.
const MAX_SWAPS: usize = 12;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Hint {
    Unknown,
    Increasing,
    Decreasing,
}

struct Sorter<'s, T, L> {
    items: &'s mut [T],
    less: L,
}

/// Sorts items by what says whether one comes before another. That need not be an order.
pub(crate) fn sort_by<T>(items: &mut [T], less: impl Fn(&T, &T) -> bool) {
    let count = items.len();
    Sorter { items, less }.sort(0, count, usize::BITS - count.leading_zeros());
}

/// Sorts items by a key.
pub(crate) fn sort_by_key<T, K: Ord>(items: &mut Vec<T>, key: impl Fn(&T) -> K) {
    let mut keyed: Vec<(K, T)> = items.drain(..).map(|item| (key(&item), item)).collect();
    sort_by(&mut keyed, |(left, _), (right, _)| left < right);
    items.extend(keyed.into_iter().map(|(_, item)| item));
}

impl<T, L: Fn(&T, &T) -> bool> Sorter<'_, T, L> {
    fn less(&self, left: usize, right: usize) -> bool {
        (self.less)(&self.items[left], &self.items[right])
    }

    fn sort(&mut self, mut start: usize, mut end: usize, mut limit: u32) {
        let (mut was_balanced, mut was_partitioned) = (true, true);
        while end - start > MAX_INSERTION {
            if limit == 0 {
                return self.heap_sort(start, end);
            }
            if !was_balanced {
                self.break_patterns(start, end);
                limit -= 1;
            }
            let (mut pivot, mut hint) = self.choose_pivot(start, end);
            if hint == Hint::Decreasing {
                self.items[start..end].reverse();
                pivot = (end - 1) - (pivot - start);
                hint = Hint::Increasing;
            }
            let seems_sorted = was_balanced && was_partitioned && hint == Hint::Increasing;
            if seems_sorted && self.shift_few(start, end) {
                return;
            }
            if start > 0 && !self.less(start - 1, pivot) {
                start = self.partition_equal(start, end, pivot);
                continue;
            }
            let (middle, already) = self.partition(start, end, pivot);
            was_partitioned = already;
            let (left, right) = (middle - start, end - middle);
            let threshold = (end - start) / 8;
            if left < right {
                was_balanced = left >= threshold;
                self.sort(start, middle, limit);
                start = middle + 1;
            } else {
                was_balanced = right >= threshold;
                self.sort(middle + 1, end, limit);
                end = middle;
            }
        }
        self.insertion_sort(start, end);
    }

    fn insertion_sort(&mut self, start: usize, end: usize) {
        for index in start + 1..end {
            self.sink(index, start);
        }
    }

    /// Moves an item to the left, over all that are greater, down to `lowest`.
    fn sink(&mut self, mut index: usize, lowest: usize) {
        while index > lowest && self.less(index, index - 1) {
            self.items.swap(index, index - 1);
            index -= 1;
        }
    }

    fn heap_sort(&mut self, start: usize, end: usize) {
        let count = end - start;
        for root in (0..=(count - 1) / 2).rev() {
            self.sift_down(root, count, start);
        }
        for last in (0..count).rev() {
            self.items.swap(start, start + last);
            self.sift_down(0, last, start);
        }
    }

    fn sift_down(&mut self, mut root: usize, end: usize, first: usize) {
        loop {
            let mut child = 2 * root + 1;
            if child >= end {
                return;
            }
            if child + 1 < end && self.less(first + child, first + child + 1) {
                child += 1;
            }
            if !self.less(first + root, first + child) {
                return;
            }
            self.items.swap(first + root, first + child);
            root = child;
        }
    }

    /// The new place of the pivot, and whether all stood on their sides of it.
    fn partition(&mut self, start: usize, end: usize, pivot: usize) -> (usize, bool) {
        self.items.swap(start, pivot);
        let (mut left, mut right) = (start + 1, end - 1);
        let mut already = true;
        loop {
            while left <= right && self.less(left, start) {
                left += 1;
            }
            while left <= right && !self.less(right, start) {
                right -= 1;
            }
            if left > right {
                self.items.swap(right, start);
                return (right, already);
            }
            self.items.swap(left, right);
            already = false;
            left += 1;
            right -= 1;
        }
    }

    /// Where the items begin that are greater than the pivot; none is smaller.
    fn partition_equal(&mut self, start: usize, end: usize, pivot: usize) -> usize {
        self.items.swap(start, pivot);
        let (mut left, mut right) = (start + 1, end - 1);
        loop {
            while left <= right && !self.less(start, left) {
                left += 1;
            }
            while left <= right && self.less(start, right) {
                right -= 1;
            }
            if left > right {
                return left;
            }
            self.items.swap(left, right);
            left += 1;
            right -= 1;
        }
    }

    /// Shifts a few items that stand wrong; says whether all is sorted then.
    fn shift_few(&mut self, start: usize, end: usize) -> bool {
        let mut index = start + 1;
        for _ in 0..MAX_SHIFTED {
            while index < end && !self.less(index, index - 1) {
                index += 1;
            }
            if index == end {
                return true;
            }
            if end - start < LONG {
                return false;
            }
            self.items.swap(index, index - 1);
            if index - start >= 2 {
                self.sink(index - 1, 0);
            }
            if end - index >= 2 {
                let mut right = index + 1;
                while right < end && self.less(right, right - 1) {
                    self.items.swap(right, right - 1);
                    right += 1;
                }
            }
        }
        false
    }

    fn break_patterns(&mut self, start: usize, end: usize) {
        let length = end - start;
        let mut random = length as u64;
        let mask = (1_u64 << (usize::BITS - length.leading_zeros())) - 1;
        let middle = start + (length / 4) * 2;
        for index in middle - 1..=middle + 1 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let other = usize::try_from(random & mask).unwrap_or(0);
            let other = if other >= length { other - length } else { other };
            self.items.swap(index, start + other);
        }
    }

    fn choose_pivot(&self, start: usize, end: usize) -> (usize, Hint) {
        let quarter = (end - start) / 4;
        let mut swaps = 0;
        let mut places = [start + quarter, start + quarter * 2, start + quarter * 3];
        if end - start >= LONG {
            places = places.map(|place| self.median([place - 1, place, place + 1], &mut swaps));
        }
        let pivot = self.median(places, &mut swaps);
        let hint = match swaps {
            0 => Hint::Increasing,
            MAX_SWAPS => Hint::Decreasing,
            _ => Hint::Unknown,
        };
        (pivot, hint)
    }

    fn median(&self, [mut low, mut middle, mut high]: [usize; 3], swaps: &mut usize) -> usize {
        let mut order = |low: &mut usize, high: &mut usize| {
            if self.less(*high, *low) {
                *swaps += 1;
                std::mem::swap(low, high);
            }
        };
        order(&mut low, &mut middle);
        order(&mut middle, &mut high);
        order(&mut low, &mut middle);
        middle
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers from `count` items in a made-up order, of `kinds` keys, sorted by Go 1.26: a digest of the order.
    const SORTED: &[(u32, u32, u32)] = &[
        (13, 2, 368_273_750),
        (13, 30, 524_019_968),
        (40, 2, 457_896_966),
        (40, 23, 1_569_060_616),
        (60, 9, 3_189_670_894),
        (60, 37, 2_004_879_048),
        (200, 2, 2_991_718_464),
        (200, 16, 1_759_007_126),
        (3000, 2, 1_864_485_734),
        (3000, 16, 1_610_883_342),
        (3000, 37, 2_932_289_604),
    ];

    #[test]
    fn equal_items_end_in_the_order_that_gos_sort_gives_them() {
        for (count, kinds, digest) in SORTED {
            let mut state = count * 31 + kinds;
            let mut items: Vec<(u32, u32)> = (0..*count)
                .map(|index| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    ((state >> 16) % kinds, index)
                })
                .collect();
            sort_by_key(&mut items, |(key, _)| *key);
            let found =
                items.iter().fold(0_u32, |digest, (_, index)| digest.wrapping_mul(31).wrapping_add(*index));
            assert_eq!(found, *digest, "{count} items of {kinds} kinds");
        }
    }

    #[test]
    fn what_is_sorted_stays_as_it_is() {
        let mut items: Vec<(u32, u32)> = (0..100).map(|index| (index / 7, index)).collect();
        let before = items.clone();
        sort_by_key(&mut items, |(key, _)| *key);
        assert_eq!(items, before);
    }
}
