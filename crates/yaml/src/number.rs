//! Numbers as Go's `strconv`, `encoding/json` and go-yaml read and write them.

use crate::{Node, Scalar, ScalarKind, Style, print};

/// Reads a whole number: optional sign, then decimal, `0x`, `0o`, `0b` or leading-zero octal digits, `_` anywhere.
///
/// `None` for other text and for values outside 64 bits; beyond `i64` only unsigned text counts.
pub(crate) fn parse_whole(text: &str) -> Option<i128> {
    let stripped;
    let text = if text.contains('_') {
        stripped = text.replace('_', "");
        &stripped
    } else {
        text
    };
    let (negative, signed, digits) = match text.as_bytes().first()? {
        b'-' => (true, true, &text[1..]),
        b'+' => (false, true, &text[1..]),
        _ => (false, false, text),
    };
    let magnitude = i128::from(parse_magnitude(digits)?);
    let value = if negative { -magnitude } else { magnitude };
    let range = if signed { i128::from(i64::MIN)..=i128::from(i64::MAX) } else { 0..=i128::from(u64::MAX) };
    range.contains(&value).then_some(value)
}

fn parse_magnitude(digits: &str) -> Option<u64> {
    let bytes = digits.as_bytes();
    let (radix, digits) = match (bytes.first()?, bytes.get(1)) {
        (b'0', Some(b'x' | b'X')) => (16, &digits[2..]),
        (b'0', Some(b'o' | b'O')) => (8, &digits[2..]),
        (b'0', Some(b'b' | b'B')) => (2, &digits[2..]),
        (b'0', Some(_)) => (8, &digits[1..]),
        _ => (10, digits),
    };
    // `from_str_radix` would take a sign here.
    if !digits.as_bytes().first()?.is_ascii_alphanumeric() {
        return None;
    }
    u64::from_str_radix(digits, radix).ok()
}

/// Reads `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`; `None` for other text and for values out of range.
pub(crate) fn parse_decimal(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let digits_from = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let whole = digits_from(at);
    at += whole;
    if bytes.get(at) == Some(&b'.') {
        let fraction = digits_from(at + 1);
        if whole == 0 && fraction == 0 {
            return None;
        }
        at += 1 + fraction;
    } else if whole == 0 {
        return None;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits_from(at);
        if exponent == 0 {
            return None;
        }
        at += exponent;
    }
    let value: f64 = if at == bytes.len() { text.parse().ok()? } else { return None };
    value.is_finite().then_some(value)
}

/// The scalar that `value` becomes on its way through JSON: whole numbers of up to 64 bits turn into integers.
pub(crate) fn scalar_of(value: f64) -> Scalar {
    let text = if value.is_nan() {
        ".nan".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { ".inf" } else { "-.inf" }.to_owned()
    } else if value == 0.0 {
        "0".to_owned()
    } else {
        format_json(value)
    };
    let kind = if parse_whole(&text).is_some() { ScalarKind::Int } else { ScalarKind::Float };
    Scalar::new(text, kind, Style::Plain)
}

/// The value of a number; `None` for every other kind of scalar.
pub(crate) fn value_of(scalar: &Scalar) -> Option<f64> {
    match scalar.kind() {
        ScalarKind::Int | ScalarKind::Float => {
            let text = scalar.text();
            match text {
                ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Some(f64::INFINITY),
                "-.inf" | "-.Inf" | "-.INF" => Some(f64::NEG_INFINITY),
                ".nan" | ".NaN" | ".NAN" => Some(f64::NAN),
                #[expect(clippy::cast_precision_loss, reason = "the nearest float is what is asked for")]
                _ => parse_whole(text)
                    .map(|whole| whole as f64)
                    .or_else(|| parse_decimal(&text.replace('_', ""))),
            }
        }
        ScalarKind::Null | ScalarKind::Bool | ScalarKind::Str | ScalarKind::Timestamp => None,
    }
}

/// Decimal digits of a whole number, however it was written; other text comes back as it is.
pub(crate) fn decimal(text: &str) -> std::borrow::Cow<'_, str> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = match digits.as_bytes() {
        [b'0'] => digits.len() == text.len(),
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    match parse_whole(text) {
        Some(value) if !plain => value.to_string().into(),
        Some(_) | None => text.into(),
    }
}

/// Rounds every number to 64-bit floats and back, as objects that passed through Go's untyped JSON are.
pub fn round_to_f64(node: &mut Node) {
    match node {
        Node::Scalar(scalar) => {
            let exact = scalar.kind() == ScalarKind::Int && scalar.text().len() < 16;
            if let (false, Some(value)) = (exact, value_of(scalar)) {
                *scalar = scalar_of(value);
            }
        }
        Node::List(items) => items.iter_mut().for_each(round_to_f64),
        Node::Map(map) => map.iter_mut().for_each(|(_, value)| round_to_f64(value)),
    }
}

/// Rounds every number to 64-bit floats, writes it as Go's YAML does, from a million on with an exponent, and sorts keys: how
/// objects that passed through Go's untyped JSON stand in its trees, where brackets are around empty lists and maps alone.
pub fn as_from_untyped_json(node: &mut Node) {
    match node {
        Node::Scalar(scalar) => {
            let exact = scalar.kind() == ScalarKind::Int && scalar.text().len() < 7;
            if let (false, Some(value)) = (exact, value_of(scalar)) {
                let text = format_yaml(value);
                let kind = if parse_whole(&text).is_some() { ScalarKind::Int } else { ScalarKind::Float };
                *scalar = Scalar::new(text, kind, Style::Plain);
            }
        }
        Node::List(items) => {
            items.set_flow(items.is_empty());
            items.iter_mut().for_each(as_from_untyped_json);
        }
        Node::Map(map) => {
            map.set_flow(map.is_empty());
            map.iter_mut().for_each(|(_, value)| as_from_untyped_json(value));
            print::sort_keys(map);
        }
    }
}

/// Sign, shortest digits and the decimal exponent of the first one, from text like `-1.25e-7`.
fn shortest(text: &str) -> (bool, String, i32) {
    let (mantissa, exponent) = text.split_once('e').expect("`{:e}` always prints an exponent");
    let unsigned = mantissa.strip_prefix('-');
    let digits = unsigned.unwrap_or(mantissa).replace('.', "");
    (unsigned.is_some(), digits, exponent.parse().expect("an exponent is a small integer"))
}

fn scientific(negative: bool, digits: &str, exponent: i32) -> String {
    let sign = if negative { "-" } else { "" };
    let (first, rest) = digits.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    let exponent_sign = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{first}{point}{rest}e{exponent_sign}{:02}", exponent.abs())
}

/// As Go's `FormatFloat(value, 'g', -1, 64)`, with YAML's names for the values that are no numbers.
pub(crate) fn format_yaml(value: f64) -> String {
    special(value).unwrap_or_else(|| general(&format!("{value:e}"), &value.to_string()))
}

/// As [`format_yaml`], but with the digits that single precision needs: how keys are printed.
#[expect(clippy::cast_possible_truncation, reason = "single precision is what is asked for")]
pub(crate) fn format_key(value: f64) -> String {
    let value = value as f32;
    special(value.into()).unwrap_or_else(|| general(&format!("{value:e}"), &value.to_string()))
}

fn special(value: f64) -> Option<String> {
    let text = match value {
        _ if value.is_nan() => ".nan",
        f64::INFINITY => ".inf",
        f64::NEG_INFINITY => "-.inf",
        _ => return None,
    };
    Some(text.to_owned())
}

/// Go's choice between the two notations.
fn general(exponential: &str, positional: &str) -> String {
    let (negative, digits, exponent) = shortest(exponential);
    if (-4..6).contains(&exponent) { positional.to_owned() } else { scientific(negative, &digits, exponent) }
}

/// As Go's `encoding/json` prints a float.
pub(crate) fn format_json(value: f64) -> String {
    let magnitude = value.abs();
    if value == 0.0 || (1e-6..1e21).contains(&magnitude) {
        return value.to_string();
    }
    let (negative, digits, exponent) = shortest(&format!("{value:e}"));
    let text = scientific(negative, &digits, exponent);
    if (-9..0).contains(&exponent) { text.replace("e-0", "e-") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_read_as_go_reads_them() {
        for (text, expected) in [
            ("0", Some(0)),
            ("-0", Some(0)),
            ("+12", Some(12)),
            ("010", Some(8)),
            ("0o17", Some(15)),
            ("0x1F", Some(31)),
            ("0b101", Some(5)),
            ("1_000", Some(1000)),
            ("18446744073709551615", Some(18_446_744_073_709_551_615)),
            ("+18446744073709551615", None),
            ("18446744073709551616", None),
            ("08", None),
            ("0x", None),
            ("", None),
            ("-", None),
            ("--1", None),
            ("0x-1", None),
        ] {
            assert_eq!(parse_whole(text), expected, "{text}");
        }
    }

    #[test]
    fn decimals_read_as_go_yaml_reads_them() {
        for (text, expected) in [
            ("1.", Some(1.0)),
            (".5", Some(0.5)),
            ("1e3", Some(1000.0)),
            ("08", Some(8.0)),
            ("-1.5E-2", Some(-0.015)),
            ("1e400", None),
            (".", None),
            ("e5", None),
            ("1e", None),
            ("1e+", None),
            ("inf", None),
        ] {
            assert_eq!(parse_decimal(text), expected, "{text}");
        }
    }

    #[test]
    fn floats_print_as_go_prints_them() {
        for (value, yaml, json) in [
            (123_456.5, "123456.5", "123456.5"),
            (1_234_567.5, "1.2345675e+06", "1234567.5"),
            (0.000_01, "1e-05", "0.00001"),
            (0.000_000_1, "1e-07", "1e-7"),
            (1e20, "1e+20", "100000000000000000000"),
            (1e21, "1e+21", "1e+21"),
            (-0.5, "-0.5", "-0.5"),
            (0.0001, "0.0001", "0.0001"),
        ] {
            assert_eq!(format_yaml(value), yaml);
            assert_eq!(format_json(value), json);
        }
    }
}
