//! How the reference's language prints values in messages, and reads truth values.

use std::cmp::Ordering;
use std::fmt::Write as _;
use std::time::Duration;

pub use millrace_yaml::quote;
use millrace_yaml::{Map, Node, Scalar, ScalarKind, Style};

/// `%#v` of the plain data of a tree.
pub(crate) fn dump(node: &Node) -> String {
    let mut out = String::new();
    write_dump(node, &mut out);
    out
}

fn write_dump(node: &Node, out: &mut String) {
    match node {
        Node::Map(map) => {
            let entries = in_order(map);
            let others = entries.iter().any(|(key, _)| !key.is_name());
            out.push_str(if others { "map[interface {}]interface {}{" } else { "map[string]interface {}{" });
            for (index, (key, value)) in entries.into_iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                write_scalar(key, out);
                out.push(':');
                write_dump(value, out);
            }
            out.push('}');
        }
        Node::List(items) => {
            out.push_str("[]interface {}{");
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                write_dump(item, out);
            }
            out.push('}');
        }
        Node::Scalar(scalar) => write_scalar(scalar, out),
    }
}

/// A key by what it stands for; types come in the order that they have in the reference program.
#[derive(Debug, PartialEq, PartialOrd)]
enum Key<'k> {
    Null,
    Text(&'k str),
    Unsigned(u64),
    Whole(i64),
    Float(f64),
    Bool(bool),
    Time(&'k str),
}

impl<'k> Key<'k> {
    fn of(scalar: &'k Scalar) -> Self {
        let text = scalar.text();
        let plain = || canonical_of(scalar).unwrap_or_else(|| scalar.clone());
        match scalar.kind() {
            ScalarKind::Null => Self::Null,
            ScalarKind::Str => Self::Text(text),
            ScalarKind::Bool => Self::Bool(plain().text() == "true"),
            ScalarKind::Timestamp => Self::Time(text),
            ScalarKind::Int if let Ok(whole) = plain().text().parse() => Self::Whole(whole),
            ScalarKind::Int if let Ok(unsigned) = plain().text().parse() => Self::Unsigned(unsigned),
            ScalarKind::Int | ScalarKind::Float => {
                let mut shown = String::new();
                write_scalar(scalar, &mut shown);
                Self::Float(shown.parse().unwrap_or(f64::NAN))
            }
        }
    }

    fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Float(left), Self::Float(right)) if left.is_nan() || right.is_nan() => {
                right.is_nan().cmp(&left.is_nan())
            }
            (left, right) => left.partial_cmp(right).unwrap_or(Ordering::Equal),
        }
    }
}

/// The entries of a map as the reference's language sorts them.
fn in_order(map: &Map) -> Vec<&(Scalar, Node)> {
    let mut entries: Vec<(Key<'_>, &(Scalar, Node))> =
        map.entries().iter().map(|entry| (Key::of(&entry.0), entry)).collect();
    entries.sort_by(|(left, _), (right, _)| left.compare(right));
    entries.into_iter().map(|(_, entry)| entry).collect()
}

/// The canonical form of what is no string; none where it has none.
fn canonical_of(scalar: &Scalar) -> Option<Scalar> {
    let plain = Scalar::new(scalar.text(), scalar.kind(), Style::Plain);
    match millrace_yaml::canonical(&Node::Scalar(plain)) {
        Ok(Node::Scalar(value)) => Some(value),
        Ok(Node::List(_) | Node::Map(_)) | Err(_) => None,
    }
}

/// A scalar of a tree that is or is not in its canonical form. Its type counts, also in quotes.
fn write_scalar(scalar: &Scalar, out: &mut String) {
    if scalar.kind() == ScalarKind::Str {
        return write_canonical(scalar, out);
    }
    let Some(value) = canonical_of(scalar) else { return write_canonical(scalar, out) };
    match (scalar.kind(), parse_float(value.text())) {
        (ScalarKind::Float, Some(number)) => out.push_str(&float(number)),
        (ScalarKind::Int, _)
            if let Ok(unsigned) = value.text().parse::<u64>()
                && i64::try_from(unsigned).is_err() =>
        {
            let _ = write!(out, "{unsigned:#x}");
        }
        (ScalarKind::Timestamp, _) if let Some(time) = time(value.text(), scalar.text()) => {
            out.push_str(&time);
        }
        _ => write_canonical(&value, out),
    }
}

/// `%#v` of a point in time, from its text as in `2024-01-02T03:04:05.5+02:00`, and how that was written.
fn time(text: &str, written: &str) -> Option<String> {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let (date, rest) = text.split_once('T')?;
    let zone_at = rest.find(['Z', '+', '-'])?;
    let (clock, zone) = rest.split_at(zone_at);
    let whole = |text: &str| text.parse::<u32>().ok();
    let [year, month, day] = date.splitn(3, '-').map(whole).collect::<Option<Vec<_>>>()?.try_into().ok()?;
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let [hour, minute, second] =
        clock.splitn(3, ':').map(whole).collect::<Option<Vec<_>>>()?.try_into().ok()?;
    let nanoseconds = whole(&format!("{fraction:0<9}"))?;
    let month = MONTHS.get(usize::try_from(month.checked_sub(1)?).ok()?)?;
    let states_zone = written.get(date.len()..).is_some_and(|clock| clock.contains(['+', '-']));
    let zone = match zone {
        "Z" if !states_zone => "time.UTC",
        "Z" => "time.Local",
        _ => "time.Location(\"\")",
    };
    Some(format!("time.Date({year}, time.{month}, {day}, {hour}, {minute}, {second}, {nanoseconds}, {zone})"))
}

fn write_canonical(scalar: &Scalar, out: &mut String) {
    match scalar.kind() {
        ScalarKind::Null => out.push_str("interface {}(nil)"),
        ScalarKind::Bool | ScalarKind::Int => out.push_str(scalar.text()),
        ScalarKind::Float => out.push_str(match scalar.text().trim_start_matches('+') {
            ".inf" | ".Inf" | ".INF" => "+Inf",
            "-.inf" | "-.Inf" | "-.INF" => "-Inf",
            ".nan" | ".NaN" | ".NAN" => "NaN",
            text => text,
        }),
        ScalarKind::Str | ScalarKind::Timestamp => out.push_str(&quote(scalar.text())),
    }
}

/// `%v` of the plain data of a tree.
pub(crate) fn plain(node: &Node) -> String {
    let joined = |items: Vec<String>| items.join(" ");
    match node {
        Node::Map(map) => {
            let entry = |(key, value): &(Scalar, Node)| format!("{}:{}", key.text(), plain(value));
            format!("map[{}]", joined(in_order(map).into_iter().map(entry).collect()))
        }
        Node::List(items) => format!("[{}]", joined(items.iter().map(plain).collect())),
        Node::Scalar(scalar) if scalar.kind() == ScalarKind::Null => "<nil>".to_owned(),
        Node::Scalar(scalar) => {
            let is_time = scalar.kind() == ScalarKind::Timestamp;
            let Ok(Node::Scalar(value)) = millrace_yaml::canonical(node) else {
                // An infinite number.
                let mut out = String::new();
                write_scalar(scalar, &mut out);
                return out;
            };
            match (value.kind(), parse_float(value.text())) {
                (ScalarKind::Float, Some(number)) => float(number),
                (ScalarKind::Int, Some(number)) if scalar.kind() == ScalarKind::Float => float(number),
                _ if is_time => value.text().replace('T', " ").replace('Z', " +0000 UTC"),
                (
                    ScalarKind::Null
                    | ScalarKind::Bool
                    | ScalarKind::Int
                    | ScalarKind::Float
                    | ScalarKind::Str
                    | ScalarKind::Timestamp,
                    _,
                ) => value.text().to_owned(),
            }
        }
    }
}

/// A length of time of whole milliseconds, as in `1m30.5s`.
pub(crate) fn duration(length: Duration) -> String {
    let seconds = length.as_secs();
    let rest = match length.subsec_millis() {
        0 => String::new(),
        milliseconds if seconds == 0 => return format!("{milliseconds}ms"),
        milliseconds => format!(".{milliseconds:03}").trim_end_matches('0').to_owned(),
    };
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds}{rest}s"),
        (0, minutes, seconds) => format!("{minutes}m{seconds}{rest}s"),
        (hours, minutes, seconds) => format!("{hours}h{minutes}m{seconds}{rest}s"),
    }
}

/// A truth value in any of its spellings.
pub fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

/// A whole number in decimal digits, without anything else that YAML has.
pub(crate) fn parse_int(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// A number without the words of YAML; `_` stands between digits.
pub(crate) fn parse_float(text: &str) -> Option<f64> {
    let separates = |pieces: &[&str]| {
        let is_digit = |letter: u8| letter.is_ascii_digit();
        pieces.windows(2).all(|pair| {
            pair[0].bytes().next_back().is_some_and(is_digit) && pair[1].bytes().next().is_some_and(is_digit)
        })
    };
    let pieces: Vec<&str> = text.split('_').collect();
    let value: f64 = separates(&pieces).then(|| pieces.concat())?.parse().ok()?;
    value.is_finite().then_some(value)
}

/// `%v` of a number: very large and very small ones have an exponent.
pub(crate) fn float(value: f64) -> String {
    let scientific = format!("{value:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    match exponent.parse::<i32>() {
        Ok(-4..6) => value.to_string(),
        Ok(exponent) => format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs()),
        Err(_) => scientific,
    }
}

/// `%v` of a list of strings.
pub(crate) fn list<T: AsRef<str>>(items: &[T]) -> String {
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    format!("[{}]", items.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_quoted_like_literals() {
        assert_eq!(quote("a\"b\\c\n\u{1}é"), r#""a\"b\\c\n\x01é""#);
        assert_eq!(
            quote("\u{a0}\u{301}\u{200b}\u{fffe}\u{e000}\u{1f600}\u{10ffff}"),
            "\"\\u00a0\u{301}\\u200b\\ufffe\\ue000\u{1f600}\\U0010ffff\""
        );
    }

    #[test]
    fn numbers_are_printed_as_the_reference_prints_them() {
        for (value, text) in [
            (1.1, "1.1"),
            (1000.0, "1000"),
            (1e6, "1e+06"),
            (1_234_567.5, "1.2345675e+06"),
            (100_000.5, "100000.5"),
            (1e-5, "1e-05"),
            (0.0001, "0.0001"),
            (1e21, "1e+21"),
            (-0.0, "-0"),
        ] {
            assert_eq!(float(value), text);
        }
        for (text, value) in
            [("1_0.5", Some(10.5)), ("1._5", None), (".inf", None), ("5.", Some(5.0)), ("_1", None)]
        {
            assert_eq!(parse_float(text), value, "{text}");
        }
    }

    #[test]
    fn lengths_of_time_are_printed_as_the_reference_prints_them() {
        for (milliseconds, text) in
            [(27_000, "27s"), (61_500, "1m1.5s"), (3_600_000, "1h0m0s"), (500, "500ms"), (1_020, "1.02s")]
        {
            assert_eq!(duration(Duration::from_millis(milliseconds)), text);
        }
    }
}
