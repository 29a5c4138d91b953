//! Line by line differences of two texts.

use std::fmt::Write as _;

/// Lines shown around a difference.
const CONTEXT: usize = 3;
/// Beyond this many pairs of lines the differing middle is shown whole, without looking for lines in common.
const MAX_PAIRS: usize = 4_000_000;

/// A line of either text, or of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line<'t> {
    Both(&'t str),
    Wanted(&'t str),
    Found(&'t str),
}

/// What differs: `-` stands before lines that are missing, `+` before those that are too many.
pub(crate) fn lines(wanted: &str, found: &str) -> String {
    let all = align(&split(wanted), &split(found));
    let changed: Vec<usize> = (0..all.len()).filter(|index| !matches!(all[*index], Line::Both(_))).collect();
    let near = |index: usize| {
        let after = changed.partition_point(|change| *change < index.saturating_sub(CONTEXT));
        changed.get(after).is_some_and(|change| *change <= index + CONTEXT)
    };
    let (mut text, mut skipped) = (String::new(), false);
    for (index, line) in all.iter().enumerate() {
        if !near(index) {
            skipped = true;
            continue;
        }
        if std::mem::take(&mut skipped) {
            text.push_str("  …\n");
        }
        // Writing to a string can't fail.
        let _ = match line {
            Line::Both(line) => writeln!(text, "  {line}"),
            Line::Wanted(line) => writeln!(text, "- {line}"),
            Line::Found(line) => writeln!(text, "+ {line}"),
        };
    }
    text
}

/// The lines of a text; where its end is no end of a line, the last one says so.
fn split(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    match lines.last() {
        Some(&"") => drop(lines.pop()),
        _ => lines.push("(no end of line)"),
    }
    lines
}

fn align<'t>(wanted: &[&'t str], found: &[&'t str]) -> Vec<Line<'t>> {
    let common = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(a, b)| a == b).count();
    let start = common(&mut wanted.iter().zip(found));
    let end = common(&mut wanted[start..].iter().rev().zip(found[start..].iter().rev()));
    let (left, right) = (&wanted[start..wanted.len() - end], &found[start..found.len() - end]);
    let mut lines: Vec<Line<'t>> = wanted[..start].iter().map(|line| Line::Both(line)).collect();
    if left.len().saturating_mul(right.len()) > MAX_PAIRS {
        lines.extend(left.iter().map(|line| Line::Wanted(line)));
        lines.extend(right.iter().map(|line| Line::Found(line)));
    } else {
        longest_common(left, right, &mut lines);
    }
    lines.extend(wanted[wanted.len() - end..].iter().map(|line| Line::Both(line)));
    lines
}

/// Keeps the longest sequence of lines that both have.
fn longest_common<'t>(wanted: &[&'t str], found: &[&'t str], lines: &mut Vec<Line<'t>>) {
    let width = found.len() + 1;
    let mut lengths = vec![0_u32; (wanted.len() + 1) * width];
    for left in (0..wanted.len()).rev() {
        for right in (0..found.len()).rev() {
            lengths[left * width + right] = if wanted[left] == found[right] {
                lengths[(left + 1) * width + right + 1] + 1
            } else {
                lengths[(left + 1) * width + right].max(lengths[left * width + right + 1])
            };
        }
    }
    let (mut left, mut right) = (0, 0);
    while left < wanted.len() || right < found.len() {
        let both = left < wanted.len() && right < found.len();
        if both && wanted[left] == found[right] {
            lines.push(Line::Both(wanted[left]));
            (left, right) = (left + 1, right + 1);
        } else if left < wanted.len()
            && (!both || lengths[(left + 1) * width + right] >= lengths[left * width + right + 1])
        {
            lines.push(Line::Wanted(wanted[left]));
            left += 1;
        } else {
            lines.push(Line::Found(found[right]));
            right += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_differ_are_shown_with_what_stands_around_them() {
        let wanted = "a\nb\nc\nd\ne\nf\ng\nh\n";
        let found = "a\nb\nc\nd\ne\nx\ng\nh\ni\n";
        assert_eq!(lines(wanted, found), "  …\n  c\n  d\n  e\n- f\n+ x\n  g\n  h\n+ i\n");
        assert_eq!(lines("a\n", "a"), "  a\n+ (no end of line)\n");
        assert_eq!(lines("", "a\n"), "+ a\n");
        assert_eq!(lines("a\nb\nc\n", "b\nc\n"), "- a\n  b\n  c\n");
    }
}
