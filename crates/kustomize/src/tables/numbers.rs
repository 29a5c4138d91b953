//! Numbers for the texts of rows, so that rows compare and hash as numbers.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::Selector;
use crate::{go_sort, order};

/// Numbers for texts; that of the empty one is zero.
#[derive(Default)]
pub(crate) struct Numbers<'t> {
    /// A text that many rows share is looked at once.
    by_place: HashMap<*const str, usize>,
    by_text: HashMap<&'t str, usize>,
}

impl<'t> Numbers<'t> {
    pub(super) fn text(&mut self, text: &'t str) -> usize {
        if text.is_empty() {
            return 0;
        }
        let next = self.by_text.len() + 1;
        let by_text = &mut self.by_text;
        *self.by_place.entry(std::ptr::from_ref(text)).or_insert_with(|| *by_text.entry(text).or_insert(next))
    }

    pub(crate) fn selector(&mut self, selector: &'t Selector) -> [usize; 3] {
        [self.text(&selector.group), self.text(&selector.version), self.text(&selector.kind)]
    }
}

/// Puts items in the order of what they are for.
pub(crate) fn sort<T>(items: &mut Vec<T>, of: impl Fn(&T) -> &Selector) {
    let ranks = ranks(items.iter().map(of));
    let mut ranked: Vec<(usize, T)> = ranks.into_iter().zip(items.drain(..)).collect();
    go_sort::sort_by_key(&mut ranked, |(rank, _)| *rank);
    items.extend(ranked.into_iter().map(|(_, item)| item));
}

/// Where each selector stands in their order; those that compare as equal have one rank.
fn ranks<'s>(selectors: impl Iterator<Item = &'s Selector>) -> Vec<usize> {
    let (mut numbers, mut places) = (Numbers::default(), HashMap::new());
    let mut distinct: Vec<(i64, &Selector)> = Vec::new();
    let places: Vec<usize> = selectors
        .map(|selector| {
            *places.entry(numbers.selector(selector)).or_insert_with(|| {
                distinct.push((order::kind_rank(&selector.kind), selector));
                distinct.len() - 1
            })
        })
        .collect();
    let mut in_order: Vec<usize> = (0..distinct.len()).collect();
    in_order.sort_by(|left, right| compare(distinct[*left], distinct[*right]));
    let mut ranks = vec![0; distinct.len()];
    for (before, place) in in_order.iter().zip(in_order.iter().skip(1)) {
        let is_greater = compare(distinct[*before], distinct[*place]).is_lt();
        ranks[*place] = ranks[*before] + usize::from(is_greater);
    }
    places.into_iter().map(|place| ranks[place]).collect()
}

/// By rank, and then as the text `group_version_kind`, which is not made: its parts may be long, and shared.
fn compare((left_rank, left): (i64, &Selector), (right_rank, right): (i64, &Selector)) -> Ordering {
    left_rank.cmp(&right_rank).then_with(|| compare_joined(pieces(left), pieces(right)))
}

fn pieces(selector: &Selector) -> [&str; 5] {
    fn or<'t>(text: &'t str, absent: &'t str) -> &'t str {
        if text.is_empty() { absent } else { text }
    }
    [or(&selector.group, "~G"), "_", or(&selector.version, "~V"), "_", or(&selector.kind, "~K")]
}

/// Compares two texts that stand in pieces, none of which is empty.
fn compare_joined(left: [&str; 5], right: [&str; 5]) -> Ordering {
    let (mut left, mut right) = (left.into_iter(), right.into_iter());
    let (mut mine, mut other): (&[u8], &[u8]) = (&[], &[]);
    loop {
        if mine.is_empty() {
            mine = left.next().unwrap_or("").as_bytes();
        }
        if other.is_empty() {
            other = right.next().unwrap_or("").as_bytes();
        }
        let shared = mine.len().min(other.len());
        if shared == 0 {
            return mine.len().cmp(&other.len());
        }
        let ((mine_now, mine_then), (other_now, other_then)) =
            (mine.split_at(shared), other.split_at(shared));
        let is_same = std::ptr::eq(mine_now, other_now);
        let compared = if is_same { Ordering::Equal } else { mine_now.cmp(other_now) };
        if compared.is_ne() {
            return compared;
        }
        (mine, other) = (mine_then, other_then);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_compare_as_the_texts_that_their_parts_make() {
        let parts = ["", "_", "a", "a_b", "b", "~", "~G"];
        let selectors: Vec<Selector> = parts
            .iter()
            .flat_map(|group| parts.iter().map(move |version| (*group, *version)))
            .flat_map(|(group, version)| parts.iter().map(move |kind| (group, version, *kind)))
            .map(|(group, version, kind)| Selector {
                group: group.into(),
                version: version.into(),
                kind: kind.into(),
            })
            .collect();
        for left in &selectors {
            for right in &selectors {
                let texts = pieces(left).concat().cmp(&pieces(right).concat());
                assert_eq!(compare((0, left), (0, right)), texts, "{left:?} and {right:?}");
            }
        }
    }

    #[test]
    fn selectors_whose_texts_are_the_same_have_one_rank() {
        let selector = |group: &'static str, version: &'static str, kind: &'static str| Selector {
            group: group.into(),
            version: version.into(),
            kind: kind.into(),
        };
        let selectors = [
            selector("b", "v1", "K"),
            selector("a_b", "c", "K"),
            selector("", "", "Deployment"),
            selector("a", "b_c", "K"),
            selector("b", "v1", "K"),
        ];
        assert_eq!(ranks(selectors.iter()), [2, 1, 0, 1, 2]);
    }
}
