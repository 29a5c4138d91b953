//! The canonical text of a resource quantity.

/// A quantity in billionths, and the family of suffixes it was written with.
struct Quantity {
    nanos: i128,
    family: Family,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Decimal,
    Binary,
    Exponent,
}

const NANOS_PER_UNIT: i128 = 1_000_000_000;
/// What larger amounts are cut to.
const LARGEST: i128 = i64::MAX as i128 * NANOS_PER_UNIT;

/// The canonical form of `text`; `None` if it is no quantity.
///
/// An amount beyond what a checked 128-bit count of billionths holds stays as it was written: the API server cuts it.
pub(super) fn canonical(text: &str) -> Option<String> {
    let (negative, unsigned) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let digits_end = unsigned.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(unsigned.len());
    let (number, suffix) = unsigned.split_at(digits_end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.len() + fraction.len() == 0 || fraction.contains('.') {
        return None;
    }
    let (factor, exponent, family) = parse_suffix(suffix)?;
    let exponent = exponent - i32::try_from(fraction.len()).ok()?;
    Some(match scale(&[whole, fraction].concat(), factor, exponent) {
        Some(nanos) => {
            let nanos = nanos.min(LARGEST);
            print(&Quantity { nanos: if negative { -nanos } else { nanos }, family })
        }
        None => text.to_owned(),
    })
}

/// The suffix as a factor, a power of ten, and the family it belongs to.
fn parse_suffix(suffix: &str) -> Option<(i128, i32, Family)> {
    const DECIMAL: &[(&str, i32)] = &[
        ("n", -9),
        ("u", -6),
        ("m", -3),
        ("", 0),
        ("k", 3),
        ("M", 6),
        ("G", 9),
        ("T", 12),
        ("P", 15),
        ("E", 18),
    ];
    const BINARY: &[&str] = &["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    if let Some((_, exponent)) = DECIMAL.iter().find(|(name, _)| *name == suffix) {
        return Some((1, *exponent, Family::Decimal));
    }
    if let Some(power) = BINARY.iter().position(|name| *name == suffix) {
        return Some((1 << (10 * (power + 1)), 0, Family::Binary));
    }
    let exponent = suffix.strip_prefix(['e', 'E'])?.parse::<i8>().ok()?;
    Some((1, i32::from(exponent), Family::Exponent))
}

/// `digits × factor × 10^exponent` in billionths, a rest rounded up; `None` if it can't be counted.
fn scale(digits: &str, factor: i128, exponent: i32) -> Option<i128> {
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Some(0);
    }
    let value = digits.parse::<i128>().ok()?.checked_mul(factor)?;
    let shift = exponent + 9;
    let power = 10_i128.checked_pow(shift.unsigned_abs());
    if shift >= 0 {
        value.checked_mul(power?)
    } else {
        // Less than the smallest power that can't be counted is less than one billionth, and rounds up to it.
        Some(power.map_or(1, |power| value / power + i128::from(value % power != 0)))
    }
}

fn print(quantity: &Quantity) -> String {
    let Quantity { nanos, family } = *quantity;
    if nanos == 0 {
        return "0".to_owned();
    }
    let whole = nanos % NANOS_PER_UNIT == 0;
    if family == Family::Binary && whole && nanos.abs() >= 1024 * NANOS_PER_UNIT {
        return print_binary(nanos / NANOS_PER_UNIT);
    }
    print_decimal(nanos, family == Family::Exponent)
}

fn print_binary(mut units: i128) -> String {
    const SUFFIXES: &[&str] = &["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    let mut power = 0;
    while units % 1024 == 0 && power + 1 < SUFFIXES.len() {
        units /= 1024;
        power += 1;
    }
    format!("{units}{}", SUFFIXES[power])
}

fn print_decimal(nanos: i128, as_exponent: bool) -> String {
    const SUFFIXES: &[&str] = &["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
    let mut mantissa = nanos;
    let mut index = 0;
    while mantissa % 1000 == 0 && index + 1 < SUFFIXES.len() {
        mantissa /= 1000;
        index += 1;
    }
    match SUFFIXES[index] {
        "" => mantissa.to_string(),
        _ if as_exponent => format!("{mantissa}e{}", 3 * i64::try_from(index).unwrap_or_default() - 9),
        suffix => format!("{mantissa}{suffix}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_print_in_their_canonical_form() {
        let rows = [
            ("0", "0"),
            ("0Gi", "0"),
            ("1", "1"),
            ("1.0", "1"),
            ("0.5", "500m"),
            (".5", "500m"),
            ("1000m", "1"),
            ("1500m", "1500m"),
            ("100000k", "100M"),
            ("1500", "1500"),
            ("1024", "1024"),
            ("1024Mi", "1Gi"),
            ("1500Ki", "1500Ki"),
            ("0.5Gi", "512Mi"),
            ("0.1Gi", "107374182400m"),
            ("512", "512"),
            ("0.5Ki", "512"),
            ("1e3", "1e3"),
            ("12E2", "1200"),
            ("1e-3", "1e-3"),
            ("1E", "1E"),
            ("-5", "-5"),
            ("+5", "5"),
            ("0.0001", "100u"),
            ("1n", "1n"),
            ("0.0000000001", "1n"),
            ("9223372036854775808", "9223372036854775807"),
        ];
        for (text, expected) in rows {
            assert_eq!(canonical(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_text_is_no_quantity() {
        for text in ["", "-", "abc", "1.2.3", "1KiB", "1 ", "1e", "Ki"] {
            assert_eq!(canonical(text), None, "{text}");
        }
    }
}
