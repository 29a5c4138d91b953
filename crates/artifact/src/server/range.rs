//! Which part of a file a request wants.

use http::{HeaderMap, header};

/// What to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    Bytes { start: u64, length: u64 },
    Unsatisfiable,
    Malformed,
}

/// Reads `Range` and `If-Range`. Several ranges at once are answered with the whole file, as the standard allows.
pub(super) fn requested(headers: &HeaderMap, size: u64, modified: Option<&str>) -> Part {
    let Some(range) = headers.get(header::RANGE) else { return Part::Whole };
    let outdated = headers
        .get(header::IF_RANGE)
        .is_some_and(|since| modified.is_none_or(|modified| since.as_bytes() != modified.as_bytes()));
    if outdated {
        return Part::Whole;
    }
    let Ok(range) = range.to_str() else { return Part::Malformed };
    parse(range, size)
}

fn parse(range: &str, size: u64) -> Part {
    let Some(ranges) = range.strip_prefix("bytes=") else { return Part::Malformed };
    if ranges.contains(',') {
        return Part::Whole;
    }
    let Some((start, end)) = ranges.trim().split_once('-') else { return Part::Malformed };
    let part = match (start.trim(), end.trim()) {
        ("", suffix) => match suffix.parse::<u64>() {
            Ok(length) => {
                let length = length.min(size);
                Part::Bytes { start: size - length, length }
            }
            Err(_) => Part::Malformed,
        },
        (start, end) => match (start.parse::<u64>(), end.is_empty(), end.parse::<u64>()) {
            (Ok(start), _, _) if start >= size => Part::Unsatisfiable,
            (Ok(start), true, _) => Part::Bytes { start, length: size - start },
            (Ok(start), _, Ok(end)) if end >= start => {
                Part::Bytes { start, length: end.min(size - 1) - start + 1 }
            }
            _ => Part::Malformed,
        },
    };
    match part {
        Part::Unsatisfiable | Part::Bytes { length: 0, .. } if size == 0 => Part::Whole,
        Part::Bytes { length: 0, .. } => Part::Unsatisfiable,
        part => part,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_the_standard_says() {
        let rows = [
            ("bytes=0-9", 100, Part::Bytes { start: 0, length: 10 }),
            ("bytes=90-", 100, Part::Bytes { start: 90, length: 10 }),
            ("bytes=90-200", 100, Part::Bytes { start: 90, length: 10 }),
            ("bytes=-10", 100, Part::Bytes { start: 90, length: 10 }),
            ("bytes=-200", 100, Part::Bytes { start: 0, length: 100 }),
            ("bytes=100-", 100, Part::Unsatisfiable),
            ("bytes=-0", 100, Part::Unsatisfiable),
            ("bytes=0-", 0, Part::Whole),
            ("bytes=0-1,5-6", 100, Part::Whole),
            ("bytes=5-4", 100, Part::Malformed),
            ("bytes=x", 100, Part::Malformed),
            ("lines=0-1", 100, Part::Malformed),
            ("bytes=18446744073709551616-", 100, Part::Malformed),
        ];
        for (range, size, part) in rows {
            assert_eq!(parse(range, size), part, "{range} of {size}");
        }
    }
}
