//! Names that may have been meant, and names as hints show them.

/// Letters of a name that a hint shows.
const SHOWN: usize = 120;
/// Letters of a name that is compared: nothing bounds theirs, and comparing takes the product.
const LONGEST: usize = 64;
/// Names that are compared with one that is wrong.
const COMPARED: usize = 1000;
/// Names that a hint lists.
const LISTED: usize = 5;

/// The name that was probably meant: the same in other letters, one with few letters changed, or one of several of it.
pub(crate) fn nearest<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let wanted = letters(wanted)?;
    let most = wanted.len() / 3;
    let near = names.into_iter().take(COMPARED).filter_map(|name| {
        let letters = letters(name)?;
        if is_plural(&wanted, &letters) || is_plural(&letters, &wanted) {
            return Some((1, name));
        }
        let distance = (letters.len().abs_diff(wanted.len()) <= most).then(|| distance(&wanted, &letters))?;
        (distance <= most).then_some((distance, name))
    });
    near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// Whether a name is that of several of what another names.
fn is_plural(one: &[char], several: &[char]) -> bool {
    matches!(several.strip_prefix(one), Some(['s'] | ['e', 's'])) && one.len() > 1
}

/// A name in lower case, unless it is too long to compare.
fn letters(name: &str) -> Option<Vec<char>> {
    let is_short = name.len() <= 4 * LONGEST && name.chars().count() <= LONGEST;
    is_short.then(|| name.to_lowercase().chars().collect())
}

/// How many letters have to be put in, left out, changed, or swapped with the next.
fn distance(from: &[char], to: &[char]) -> usize {
    let mut older: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=to.len()).collect();
    for (line, letter) in from.iter().enumerate() {
        let mut row = vec![line + 1];
        for (column, other) in to.iter().enumerate() {
            let changed = above[column] + usize::from(letter != other);
            let mut fewest = changed.min(above[column + 1] + 1).min(row[column] + 1);
            let swapped = line > 0 && column > 0 && *letter == to[column - 1] && from[line - 1] == *other;
            if swapped {
                fewest = fewest.min(older[column - 1] + 1);
            }
            row.push(fewest);
        }
        older = std::mem::replace(&mut above, row);
    }
    above[to.len()]
}

/// A name as it is shown: nothing of it acts on a terminal, and it has an end.
pub(crate) fn shown(name: &str) -> String {
    match name.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", name[..end].escape_debug()),
        None => name.escape_debug().to_string(),
    }
}

/// A name in quotes.
pub(crate) fn quoted(name: &str) -> String {
    let name = shown(name).replace("\\'", "'").replace("\\\"", "\"").replace("\\\\", "\\");
    format!("'{name}'")
}

/// The first names of many in quotes, and how many more there are.
pub(crate) fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let mut names = names.into_iter();
    let first: Vec<String> = names.by_ref().take(LISTED).map(quoted).collect();
    match names.count() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_few_letters_changed_is_near() {
        let names = ["web", "database", "namePrefix", "patches"];
        for (wanted, near) in [
            ("wbe", Some("web")),
            ("Web", Some("web")),
            ("namePrefx", Some("namePrefix")),
            ("databse", Some("database")),
            ("patch", Some("patches")),
            ("webs", Some("web")),
            ("cache", None),
            ("w", None),
            ("", None),
        ] {
            assert_eq!(nearest(wanted, names), near, "{wanted}");
        }
    }

    /// To compare a hundred thousand letters with as many would keep a thread for minutes.
    #[test]
    fn names_without_end_are_neither_compared_nor_shown_in_full() {
        let long = "a".repeat(100_000);
        assert_eq!(nearest(&long, [&*format!("{long}b")]), None);
        assert_eq!(nearest(&long[..LONGEST], [&long[..LONGEST - 1]]), Some(&long[..LONGEST - 1]));
        assert_eq!(quoted(&long).chars().count(), SHOWN + 3);
    }

    #[test]
    fn lists_end_after_a_few_names() {
        assert_eq!(listed(["a", "b"]), "'a', 'b'");
        assert_eq!(listed(["a", "b", "c", "d", "e", "f", "g"]), "'a', 'b', 'c', 'd', 'e' and 2 more");
        assert_eq!(quoted("a\u{1b}[31m\n"), "'a\\u{1b}[31m\\n'");
    }
}
