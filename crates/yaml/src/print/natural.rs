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

/// Brings the keys into natural order.
pub(crate) fn sort_keys(map: &mut Map) {
    if !is_sorted(map) {
        map.entries_mut().sort_by(|(left, _), (right, _)| compare(left.text(), right.text()));
    }
}

#[cfg(test)]
mod tests {
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
}
