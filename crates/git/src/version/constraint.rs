//! Ranges of versions: comparisons joined by blanks or commas (and), and by `||` (or).

use std::str::FromStr;

use super::Version;

/// The longest range.
const MAX_LEN: usize = 512;

/// The most alternatives.
const MAX_GROUPS: usize = 32;

/// A range of versions.
#[derive(Debug, Clone)]
pub struct Constraint {
    groups: Vec<Group>,
}

/// A text that is no range. The texts are the original's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConstraintError {
    /// It isn't a list of comparisons.
    #[error("improper constraint: {0:?}")]
    Improper(String),
    /// A version in it can't be read after all.
    #[error("constraint parser error")]
    Version,
    /// It is too long.
    #[error("constraint string is too long (max {MAX_LEN} bytes)")]
    TooLong,
    /// It has too many alternatives.
    #[error("too many constraint groups (max {MAX_GROUPS})")]
    TooManyGroups,
}

/// Comparisons that must all hold.
#[derive(Debug, Clone)]
struct Group {
    terms: Vec<Term>,
    /// One of them names a pre-release, so pre-releases are candidates.
    wants_prereleases: bool,
}

#[derive(Debug, Clone)]
struct Term {
    operator: Operator,
    version: Version,
    precision: Precision,
}

/// How much of a version was given; the rest is missing or a wildcard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Precision {
    Nothing,
    Major,
    Minor,
    Full,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Greater,
    Less,
    GreaterOrEqual,
    LessOrEqual,
    Tilde,
    Caret,
}

/// Operators, those first that others begin with.
const OPERATORS: [(&str, Operator); 11] = [
    ("!=", Operator::NotEqual),
    (">=", Operator::GreaterOrEqual),
    ("=>", Operator::GreaterOrEqual),
    ("<=", Operator::LessOrEqual),
    ("=<", Operator::LessOrEqual),
    ("~>", Operator::Tilde),
    ("=", Operator::Equal),
    (">", Operator::Greater),
    ("<", Operator::Less),
    ("~", Operator::Tilde),
    ("^", Operator::Caret),
];

impl Constraint {
    /// Says whether a version is in the range. Pre-releases are only where one is named.
    pub fn allows(&self, version: &Version) -> bool {
        self.groups.iter().any(|group| {
            (group.wants_prereleases || !version.is_prerelease())
                && group.terms.iter().all(|term| term.allows(version))
        })
    }
}

impl FromStr for Constraint {
    type Err = ConstraintError;

    fn from_str(text: &str) -> Result<Self, ConstraintError> {
        if text.len() > MAX_LEN {
            return Err(ConstraintError::TooLong);
        }
        let groups: Vec<&str> = text.split("||").collect();
        if groups.len() > MAX_GROUPS {
            return Err(ConstraintError::TooManyGroups);
        }
        let groups = groups.into_iter().map(|group| {
            let scanned = scan_group(group).ok_or_else(|| ConstraintError::Improper(group.to_owned()))?;
            let terms = scanned.iter().map(Scanned::term).collect::<Option<Vec<Term>>>();
            let terms = terms.ok_or(ConstraintError::Version)?;
            let wants_prereleases = terms.iter().any(|term| term.version.is_prerelease());
            Ok(Group { terms, wants_prereleases })
        });
        Ok(Self { groups: groups.collect::<Result<_, _>>()? })
    }
}

impl Term {
    fn allows(&self, version: &Version) -> bool {
        let bound = &self.version;
        match (self.operator, self.precision) {
            (Operator::Equal, Precision::Full) => version == bound,
            (Operator::Equal | Operator::Tilde, _) => self.allows_tilde(version),
            (Operator::NotEqual, _) => self.allows_not_equal(version),
            (Operator::Greater, Precision::Major) => version.major > bound.major,
            (Operator::Greater, Precision::Minor) => {
                (version.major, version.minor) > (bound.major, bound.minor)
            }
            (Operator::Greater, Precision::Nothing | Precision::Full) => version > bound,
            (Operator::Less, _) => version < bound,
            (Operator::GreaterOrEqual, _) => version >= bound,
            (Operator::LessOrEqual, Precision::Full) => version <= bound,
            (Operator::LessOrEqual, Precision::Major) => version.major <= bound.major,
            (Operator::LessOrEqual, Precision::Nothing | Precision::Minor) => {
                (version.major, version.minor) <= (bound.major, bound.minor)
            }
            (Operator::Caret, _) => self.allows_caret(version),
        }
    }

    fn allows_tilde(&self, version: &Version) -> bool {
        let bound = &self.version;
        if version < bound {
            return false;
        }
        // The original takes 0.0.0, written out or as a wildcard, for "anything".
        let is_origin = (bound.major, bound.minor, bound.patch) == (0, 0, 0);
        if is_origin && matches!(self.precision, Precision::Nothing | Precision::Full) {
            return true;
        }
        version.major == bound.major && (version.minor == bound.minor || self.precision == Precision::Major)
    }

    fn allows_not_equal(&self, version: &Version) -> bool {
        let bound = &self.version;
        match self.precision {
            Precision::Major => version.major != bound.major,
            Precision::Minor => {
                (version.major, version.minor) != (bound.major, bound.minor) || version.pre != bound.pre
            }
            Precision::Nothing | Precision::Full => version != bound,
        }
    }

    fn allows_caret(&self, version: &Version) -> bool {
        let bound = &self.version;
        if version < bound {
            return false;
        }
        if bound.major > 0 || self.precision == Precision::Major {
            return version.major == bound.major;
        }
        if version.major > 0 {
            return false;
        }
        if bound.minor > 0 || self.precision == Precision::Minor {
            return version.minor == bound.minor;
        }
        version.minor == 0 && version.patch == bound.patch
    }
}

/// A comparison as it is written.
struct Scanned<'a> {
    operator: Operator,
    numbers: [&'a str; 3],
    /// Without its `-`.
    pre: Option<&'a str>,
}

impl Scanned<'_> {
    /// Reads the version; `None` if a number or the pre-release isn't one.
    fn term(&self) -> Option<Term> {
        let is_wild = |text: &str| matches!(text, "" | "x" | "X" | "*");
        let given = self.numbers.iter().position(|number| is_wild(number)).unwrap_or(3);
        let mut text: Vec<&str> = self.numbers[..given].to_vec();
        text.resize(3, "0");
        let mut text = text.join(".");
        if let Some(pre) = self.pre {
            text = format!("{text}-{pre}");
        }
        let precision = match given {
            0 => Precision::Nothing,
            1 => Precision::Major,
            2 => Precision::Minor,
            _ => Precision::Full,
        };
        Some(Term { operator: self.operator, version: Version::parse_lenient(&text)?, precision })
    }
}

/// Splits a group into its comparisons; `None` if there is anything else.
fn scan_group(text: &str) -> Option<Vec<Scanned<'_>>> {
    let mut terms = Vec::new();
    let mut rest = skip_blanks(text);
    loop {
        let (term, tail) = scan_term(rest)?;
        // `1 - 2`, with blanks around the dash, is a range.
        let upper = range_end(tail).filter(|_| term.operator == Operator::Equal && !has_operator(rest));
        if let Some((upper, tail)) = upper {
            terms.push(Scanned { operator: Operator::GreaterOrEqual, ..term });
            terms.push(Scanned { operator: Operator::LessOrEqual, ..upper });
            rest = tail;
        } else {
            terms.push(term);
            rest = tail;
        }
        let after = skip_blanks(rest);
        if after.is_empty() {
            return Some(terms);
        }
        rest = match after.strip_prefix(',') {
            Some(tail) => skip_blanks(tail),
            None if after.len() < rest.len() => after,
            None => return None,
        };
    }
}

fn has_operator(text: &str) -> bool {
    OPERATORS.iter().any(|(operator, _)| text.starts_with(operator))
}

/// Reads what follows the lower end of a range.
fn range_end(text: &str) -> Option<(Scanned<'_>, &str)> {
    let dash = skip_blanks(text).strip_prefix('-')?;
    let upper = skip_blanks(dash);
    let has_blanks = text.starts_with(is_blank) && upper.len() < dash.len();
    if has_blanks && !has_operator(upper) { scan_term(upper) } else { None }
}

/// Reads an operator, if there is one, and a version.
fn scan_term(text: &str) -> Option<(Scanned<'_>, &str)> {
    let operator = OPERATORS.iter().find_map(|(name, operator)| Some((*operator, text.strip_prefix(name)?)));
    let (operator, rest) = operator.unwrap_or((Operator::Equal, text));
    let rest = skip_blanks(rest);
    let rest = rest.strip_prefix('v').unwrap_or(rest);
    // The original's expression has a bar among the digits; what contains one fails later, with other words.
    let (major, mut rest) = take(rest, |c| c.is_ascii_digit() || matches!(c, 'x' | 'X' | '*' | '|'))?;
    let mut numbers = [major, "", ""];
    for number in &mut numbers[1..] {
        let next = rest.strip_prefix('.');
        let next =
            next.and_then(|tail| take(tail, |c| c.is_ascii_digit() || matches!(c, 'x' | 'X' | '*' | '|')));
        let Some((text, tail)) = next else { break };
        (*number, rest) = (text, tail);
    }
    let (pre, rest) = take_identifiers(rest, '-');
    let (_, rest) = take_identifiers(rest, '+');
    Some((Scanned { operator, numbers, pre }, rest))
}

/// Reads `<mark>a.b.c`, if it is there.
fn take_identifiers(text: &str, mark: char) -> (Option<&str>, &str) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let Some(start) = text.strip_prefix(mark) else { return (None, text) };
    let Some((_, mut rest)) = take(start, is_part) else { return (None, text) };
    while let Some((_, tail)) = rest.strip_prefix('.').and_then(|tail| take(tail, is_part)) {
        rest = tail;
    }
    (Some(&start[..start.len() - rest.len()]), rest)
}

/// Splits off a non-empty start whose characters all fit.
fn take(text: &str, fits: impl Fn(char) -> bool) -> Option<(&str, &str)> {
    let end = text.find(|c| !fits(c)).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

fn skip_blanks(text: &str) -> &str {
    text.trim_start_matches(is_blank)
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\x0c' | '\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    const CANDIDATES: [&str; 14] = [
        "1.0.0-0",
        "0.1.0",
        "1.0.0",
        "v1.2.3",
        "01.02.03",
        "1.2.3+b1",
        "1.2.4-rc.1",
        "1.2.4",
        "1.10.0",
        "2.0.0-alpha",
        "2.0.0",
        "3.0.0",
        "1.2",
        "latest",
    ];

    fn matching(constraint: &str) -> Vec<&'static str> {
        let constraint: Constraint = constraint.parse().unwrap();
        let allowed = |text: &&str| text.parse().is_ok_and(|version| constraint.allows(&version));
        CANDIDATES.into_iter().filter(allowed).collect()
    }

    #[test]
    fn the_table_of_the_contract_holds() {
        let patches = ["v1.2.3", "01.02.03", "1.2.3+b1"];
        let rows: &[(&str, &[&str])] = &[
            ("*", &["0.1.0", "1.0.0", "v1.2.3", "01.02.03", "1.2.3+b1", "1.2.4", "1.10.0", "2.0.0", "3.0.0"]),
            (">=1.0.0", &["1.0.0", "v1.2.3", "01.02.03", "1.2.3+b1", "1.2.4", "1.10.0", "2.0.0", "3.0.0"]),
            ("^1.2", &["v1.2.3", "01.02.03", "1.2.3+b1", "1.2.4", "1.10.0"]),
            ("1.x", &["1.0.0", "v1.2.3", "01.02.03", "1.2.3+b1", "1.2.4", "1.10.0"]),
            ("~1.2.3", &["v1.2.3", "01.02.03", "1.2.3+b1", "1.2.4"]),
            ("1.2.3", &patches),
            ("v1.2.3", &patches),
            ("1.2 - 1.4", &["v1.2.3", "01.02.03", "1.2.3+b1", "1.2.4"]),
        ];
        for (constraint, expected) in rows {
            assert_eq!(matching(constraint), *expected, "{constraint}");
        }
        assert_eq!(matching(">=1.0.0-0").len(), matching(">=1.0.0").len() + 3);
    }

    #[test]
    fn what_is_no_range_is_refused_in_the_original_s_words() {
        for text in ["", "abc", ">>1", "1.2.3.4", "^", "1 -2 x y", "1,,2", "1 ||"] {
            let segment = text.split("||").last().unwrap_or_default();
            let expected = format!("improper constraint: {segment:?}");
            assert_eq!(text.parse::<Constraint>().unwrap_err().to_string(), expected, "{text}");
        }
        for text in ["1x", "1|2", "99999999999999999999", "1.2.3-01"] {
            assert_eq!(text.parse::<Constraint>().unwrap_err(), ConstraintError::Version, "{text}");
        }
        assert_eq!("1".repeat(513).parse::<Constraint>().unwrap_err(), ConstraintError::TooLong);
        assert_eq!("1||".repeat(32).parse::<Constraint>().unwrap_err(), ConstraintError::TooManyGroups);
    }
}
