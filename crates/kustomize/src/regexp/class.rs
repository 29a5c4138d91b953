//! Classes in brackets.

use super::{Checks, Problem, Rest, escape};

const NAMES: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "word", "xdigit",
];

/// Writes the class that a text begins with; what follows it is returned.
pub(super) fn translate<'p>(start: &'p str, out: &mut String, checks: &mut Checks) -> Rest<'p> {
    let mut rest = &start[1..];
    out.push('[');
    if let Some(after) = rest.strip_prefix('^') {
        out.push('^');
        rest = after;
    }
    let mut is_first = true;
    while is_first || !rest.starts_with(']') {
        is_first = false;
        rest = match item(rest, out, checks)? {
            Some(rest) => rest,
            None => range(rest, start, out)?,
        };
    }
    out.push(']');
    Ok(&rest[1..])
}

/// A class in the class.
fn item<'p>(start: &'p str, out: &mut String, checks: &mut Checks) -> Result<Option<&'p str>, Problem> {
    let may_be_named = start.starts_with("[:") && !checks.no_name_ends;
    if may_be_named {
        checks.no_name_ends = !start[2..].contains(":]");
    }
    if may_be_named && let Some(end) = start[2..].find(":]") {
        let (class, rest) = start.split_at(end + 4);
        let name = &class[2..class.len() - 2];
        if !NAMES.contains(&name.strip_prefix('^').unwrap_or(name)) {
            return Err(Problem::new("invalid character class range", class));
        }
        out.push_str(class);
        return Ok(Some(rest));
    }
    let Some(letter) = start.strip_prefix('\\').and_then(|after| after.chars().next()) else {
        return Ok(None);
    };
    if matches!(letter, 'p' | 'P') {
        let (class, rest) = escape::unicode_class(start, checks)?;
        out.push_str(&class);
        return Ok(Some(rest));
    }
    let Some(class) = escape::perl_class(letter) else { return Ok(None) };
    out.push_str(class);
    Ok(Some(&start[2..]))
}

/// A character, or all from one to another.
fn range<'p>(start: &'p str, whole: &'p str, out: &mut String) -> Rest<'p> {
    let (low, rest) = character(start, whole)?;
    // In `[a-]` the last one is itself.
    let Some(after) = rest.strip_prefix('-').filter(|after| !after.is_empty() && !after.starts_with(']'))
    else {
        out.push_str(&escape::code(low));
        return Ok(rest);
    };
    let (high, rest) = character(after, whole)?;
    if high < low {
        return Err(Problem::between("invalid character class range", start, rest));
    }
    out.push_str(&escape::code_range(low, high));
    Ok(rest)
}

fn character<'p>(start: &'p str, whole: &'p str) -> Result<(u32, &'p str), Problem> {
    match start.chars().next() {
        None => Err(Problem::new("missing closing ]", whole)),
        Some('\\') => escape::character(start),
        Some(letter) => Ok((u32::from(letter), &start[letter.len_utf8()..])),
    }
}
