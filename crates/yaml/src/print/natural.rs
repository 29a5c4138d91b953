//! The order of keys: natural, so that `a2` stands before `a10`.

use std::cmp::Ordering;

use crate::Map;

/// Compares rune by rune at the first difference: letters by code point, others before letters, digits as numbers.
pub(crate) fn compare(left: &str, right: &str) -> Ordering {
    let common = left.bytes().zip(right.bytes()).take_while(|(left, right)| left == right).count();
    if common == left.len() || common == right.len() {
        return left.len().cmp(&right.len());
    }
    // Back to the start of the character that differs.
    let start = (0..=common).rev().find(|&at| left.is_char_boundary(at)).unwrap_or(0);
    differing(&left[..start], &left[start..], &right[start..])
}

/// Compares what follows the common part `before`; both rests start with different characters.
fn differing(before: &str, left: &str, right: &str) -> Ordering {
    let (Some(left_rune), Some(right_rune)) = (left.chars().next(), right.chars().next()) else {
        return left.len().cmp(&right.len());
    };
    match (is_letter(left_rune), is_letter(right_rune)) {
        (true, true) => return left_rune.cmp(&right_rune),
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    let zero_differs = left_rune == '0' || right_rune == '0';
    let digits_before = before.bytes().rev().take_while(u8::is_ascii_digit);
    let initial = i64::from(zero_differs && digits_before.into_iter().any(|digit| digit != b'0'));
    let (left_length, left_value) = digits(left, initial);
    let (right_length, right_value) = digits(right, initial);
    left_value.cmp(&right_value).then(left_length.cmp(&right_length)).then(left_rune.cmp(&right_rune))
}

/// The length and value of the digits at the start.
fn digits(text: &str, initial: i64) -> (usize, i64) {
    let digits = text.bytes().take_while(u8::is_ascii_digit);
    digits.fold((0, initial), |(length, value), digit| {
        (length + 1, value.wrapping_mul(10).wrapping_add(i64::from(digit - b'0')))
    })
}

fn is_letter(rune: char) -> bool {
    if rune.is_ascii() { rune.is_ascii_alphabetic() } else { rune.is_alphabetic() }
}

/// Whether the keys are in natural order already.
pub(crate) fn is_sorted(map: &Map) -> bool {
    map.entries().is_sorted_by(|(left, _), (right, _)| compare(left.text(), right.text()).is_le())
}

/// Brings the keys into natural order; says whether one stands twice.
pub(crate) fn sort_keys(map: &mut Map) -> bool {
    let is_done =
        map.entries().is_sorted_by(|(left, _), (right, _)| compare(left.text(), right.text()).is_lt());
    if !is_done {
        sort(map.entries_mut(), |(key, _)| key.text());
    }
    // Numbers may go round in a circle, so that equal keys are no neighbours.
    let has_digit = |key: &str| key.bytes().any(|byte| byte.is_ascii_digit());
    if is_done && !map.keys().any(has_digit) {
        return false;
    }
    let mut keys: Vec<&str> = map.keys().collect();
    keys.sort_unstable();
    keys.windows(2).any(|pair| pair[0] == pair[1])
}

/// Sorts by key. The order is no total one (`1.5` < `010` < `0o7` < `1.5`), and the standard library's sorts may
/// panic on such; this merge sort doesn't, and starting from bytewise order makes its result depend on the keys alone.
pub(super) fn sort<T>(items: &mut [T], key: impl Fn(&T) -> &str) {
    items.sort_by(|left, right| key(left).cmp(key(right)));
    let mut order: Vec<usize> = (0..items.len()).collect();
    let mut merged = Vec::with_capacity(order.len());
    let mut width = 1;
    while width < order.len() {
        for run in order.chunks(2 * width) {
            let (mut left, mut right) = run.split_at(width.min(run.len()));
            while let ([first, left_rest @ ..], [second, right_rest @ ..]) = (left, right) {
                if compare(key(&items[*first]), key(&items[*second])).is_le() {
                    merged.push(*first);
                    left = left_rest;
                } else {
                    merged.push(*second);
                    right = right_rest;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        std::mem::swap(&mut order, &mut merged);
        merged.clear();
        width *= 2;
    }
    for start in 0..order.len() {
        // Around the circle of places that `start` is in; one that is done points at itself.
        let mut at = start;
        while order[at] != start {
            let from = std::mem::replace(&mut order[at], at);
            items.swap(at, from);
            at = from;
        }
        order[at] = at;
    }
}

#[cfg(test)]
mod tests {
    use millrace_matrix::clock::processor_time;

    use super::*;

    #[test]
    fn keys_are_in_natural_order() {
        for ordered in [
            &["a2", "a10"][..],
            &["1", "01", "2", "10"],
            &["a-b", "a.b", "a/b", "a_b", "a1"],
            &["A", "B1", "a", "aB", "aa", "ab"],
            &["a", "ab", "b"],
            &["10", "100", "101"],
            &["-", "a", "é"],
        ] {
            for (position, left) in ordered.iter().enumerate() {
                for right in &ordered[position + 1..] {
                    assert_eq!(compare(left, right), Ordering::Less, "{left} {right}");
                    assert_eq!(compare(right, left), Ordering::Greater, "{right} {left}");
                }
            }
        }
    }

    #[test]
    fn a_rotation_of_many_keys_is_sorted_in_time_that_grows_with_them() {
        let alphabet = b"abcdefghijklmnopqrstuvwxyz";
        let time = |count: usize| {
            let letters = (0..count).map(|number| {
                let letter = |place: usize| char::from(alphabet[number / place % 26]);
                [letter(456_976), letter(17_576), letter(676), letter(26), letter(1)]
                    .iter()
                    .collect::<String>()
            });
            let sorted: Vec<String> = std::iter::once("~".to_owned()).chain(letters).collect();
            let mut keys = sorted.clone();
            keys.rotate_left(1);
            let start = processor_time();
            sort(&mut keys, String::as_str);
            let taken = processor_time().saturating_sub(start);
            assert_eq!(keys, sorted);
            taken
        };
        // With the square it would be sixteen times.
        let (few, many) = (time(50_000), time(200_000));
        assert!(many < few * 9, "{few:?} for 50,000 keys, {many:?} for 200,000");
    }

    #[test]
    fn a_key_that_stands_twice_is_seen_also_within_a_cycle() {
        let stands_twice = |keys: &[&str]| {
            let mut map = Map::default();
            for key in keys {
                map.push(crate::Scalar::string(*key), crate::Node::null());
            }
            sort_keys(&mut map)
        };
        for keys in [&["a", "a"][..], &["b", "a", "b"], &["1.5", "010", "0o7", "1.5"], &["x1", "x1"]] {
            assert!(stands_twice(keys), "{keys:?}");
        }
        for keys in [&[][..], &["a"], &["b", "a"], &["1.5", "010", "0o7"], &["a", "b", "c"]] {
            assert!(!stands_twice(keys), "{keys:?}");
        }
    }

    #[test]
    fn keys_that_form_a_cycle_are_sorted_somehow() {
        let mut keys: Vec<String> =
            (0..200).flat_map(|n| [format!("{n}.5"), format!("0{n}"), format!("0o{n}")]).collect();
        let mut reversed: Vec<_> = keys.iter().rev().cloned().collect();
        sort(&mut keys, |key| key);
        sort(&mut reversed, |key| key);
        assert_eq!(keys.len(), 600);
        assert_eq!(keys, reversed);
    }
}
