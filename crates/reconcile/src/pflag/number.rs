//! Numbers as Go reads and refuses them: `strconv.ParseInt` with any base, `strconv.ParseUint`, `strconv.ParseFloat`.

use std::any::TypeId;

use clap::Arg;

/// What a flag takes, as the original declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    /// Go's `int` and `int64`; below zero it means nothing to most of our flags.
    Int { max: u64, negative: bool },
    /// Go's `uint8`.
    Uint8,
    /// Go's `float32`.
    Float,
}

impl Number {
    fn of(flag: &Arg) -> Option<Self> {
        let id = flag.get_value_parser().type_id();
        if id == TypeId::of::<u8>() {
            Some(Self::Uint8)
        } else if id == TypeId::of::<u32>() {
            Some(Self::Int { max: u32::MAX.into(), negative: false })
        } else if id == TypeId::of::<u64>() || id == TypeId::of::<usize>() || id == TypeId::of::<i64>() {
            let negative = id == TypeId::of::<i64>();
            Some(Self::Int { max: i64::MAX.unsigned_abs(), negative })
        } else if id == TypeId::of::<f64>() {
            Some(Self::Float)
        } else {
            None
        }
    }

    fn function(self) -> &'static str {
        match self {
            Self::Int { .. } => "ParseInt",
            Self::Uint8 => "ParseUint",
            Self::Float => "ParseFloat",
        }
    }
}

/// Why a text is no such number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    Syntax,
    Range,
}

/// The value of a flag in decimal notation; texts of flags that take no number stay as they are.
///
/// # Errors
/// The text is no number, in Go's words.
pub(super) fn normalized(flag: &Arg, text: &str) -> Result<String, String> {
    let Some(number) = Number::of(flag) else { return Ok(text.to_owned()) };
    let read = match number {
        Number::Int { max, negative } => signed(text, max, negative),
        Number::Uint8 => unsigned(text, u8::MAX.into()),
        Number::Float => text.parse::<f64>().map(|_| text.to_owned()).map_err(|_| Wrong::Syntax),
    };
    read.map_err(|wrong| {
        let reason = match wrong {
            Wrong::Syntax => "invalid syntax",
            Wrong::Range => "value out of range",
        };
        format!("strconv.{}: parsing {text:?}: {reason}", number.function())
    })
}

/// Reads an integer with an optional sign.
fn signed(text: &str, max: u64, negative: bool) -> Result<String, Wrong> {
    let (sign, digits) = match text.as_bytes().first() {
        Some(b'-') => ("-", &text[1..]),
        Some(b'+') => ("", &text[1..]),
        _ => ("", text),
    };
    let value = unsigned(digits, max)?;
    match (sign, value.as_str()) {
        ("-", "0") | ("", _) => Ok(value),
        _ if negative => Ok(format!("-{value}")),
        _ => Err(Wrong::Range),
    }
}

fn unsigned(text: &str, max: u64) -> Result<String, Wrong> {
    let value = magnitude(text)?;
    if value <= max { Ok(value.to_string()) } else { Err(Wrong::Range) }
}

/// Reads digits with an optional base prefix, after which underscores may stand between digits.
fn magnitude(text: &str) -> Result<u64, Wrong> {
    let lower = text.to_ascii_lowercase();
    let (radix, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'o', ..] => (8, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', _, ..] => (8, &lower[1..]),
        _ => (10, &*lower),
    };
    let separated = radix != 10 && !digits.ends_with('_') && !digits.contains("__");
    let digits = if separated { digits.replace('_', "") } else { digits.to_owned() };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err(Wrong::Syntax);
    }
    u64::from_str_radix(&digits, radix).map_err(|_| Wrong::Range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_with_every_base_that_go_knows() {
        for (text, expected) in [
            ("7", Ok("7")),
            ("+7", Ok("7")),
            ("0", Ok("0")),
            ("-0", Ok("0")),
            ("0x1F", Ok("31")),
            ("0b101", Ok("5")),
            ("0o17", Ok("15")),
            ("017", Ok("15")),
            ("0x_ff_00", Ok("65280")),
            ("", Err(Wrong::Syntax)),
            ("x", Err(Wrong::Syntax)),
            ("1.5", Err(Wrong::Syntax)),
            ("1_000", Err(Wrong::Syntax)),
            ("0x", Err(Wrong::Syntax)),
            ("0xf__f", Err(Wrong::Syntax)),
            ("08", Err(Wrong::Syntax)),
            (" 7", Err(Wrong::Syntax)),
            ("+-7", Err(Wrong::Syntax)),
            ("-1", Err(Wrong::Range)),
            ("4294967296", Err(Wrong::Range)),
            ("18446744073709551616", Err(Wrong::Range)),
        ] {
            let read = signed(text, u32::MAX.into(), false);
            assert_eq!(read, expected.map(str::to_owned), "{text:?}");
        }
        assert_eq!(signed("-0x10", 100, true), Ok("-16".to_owned()));
        assert_eq!(unsigned("256", 255), Err(Wrong::Range));
        assert_eq!(unsigned("-1", 255), Err(Wrong::Syntax));
    }
}
