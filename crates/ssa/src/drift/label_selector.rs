//! The label selector syntax of the Kubernetes API.

/// Requirements that all must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LabelSelector(Vec<Requirement>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    operator: Operator,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Operator {
    Exists,
    DoesNotExist,
    In(Vec<String>),
    NotIn(Vec<String>),
    GreaterThan(i64),
    LessThan(i64),
}

/// Text that is no selector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unable to parse requirement: {0}")]
pub(super) struct SelectorError(String);

impl LabelSelector {
    /// Reads a selector; commas separate requirements.
    pub(super) fn parse(text: &str) -> Result<Self, SelectorError> {
        split_requirements(text).into_iter().map(Requirement::parse).collect::<Result<_, _>>().map(Self)
    }

    /// Whether all requirements hold; `value_of` tells the value of a key.
    pub(super) fn matches<'a>(&self, value_of: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.0.iter().all(|requirement| requirement.matches(value_of(&requirement.key)))
    }
}

impl Requirement {
    fn parse(text: &str) -> Result<Self, SelectorError> {
        let text = text.trim();
        if let Some(key) = text.strip_prefix('!') {
            return Self::new(key, Operator::DoesNotExist);
        }
        if let Some((key, values)) = text.split_once('(') {
            return Self::parse_set(key, values);
        }
        // The longer operators first: each holds a shorter one.
        if let Some((key, value)) = text.split_once("!=") {
            return Self::new(key, Operator::NotIn(vec![value.trim().to_owned()]));
        }
        if let Some((key, value)) = text.split_once("==").or_else(|| text.split_once('=')) {
            return Self::new(key, Operator::In(vec![value.trim().to_owned()]));
        }
        if let Some((key, value)) = text.split_once('>') {
            return Self::new(key, Operator::GreaterThan(number(value)?));
        }
        if let Some((key, value)) = text.split_once('<') {
            return Self::new(key, Operator::LessThan(number(value)?));
        }
        Self::new(text, Operator::Exists)
    }

    fn parse_set(head: &str, values: &str) -> Result<Self, SelectorError> {
        let values = values
            .strip_suffix(')')
            .ok_or_else(|| SelectorError(format!("found '{values}', expected: ')'")))?;
        let values = values.split(',').map(|value| value.trim().to_owned()).collect();
        match head.trim().rsplit_once(char::is_whitespace) {
            Some((key, "in")) => Self::new(key, Operator::In(values)),
            Some((key, "notin")) => Self::new(key, Operator::NotIn(values)),
            _ => Err(SelectorError(format!("found '{head}', expected: in, notin"))),
        }
    }

    fn new(key: &str, operator: Operator) -> Result<Self, SelectorError> {
        let key = key.trim();
        let valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
        if key.is_empty() || !key.chars().all(valid) {
            return Err(SelectorError(format!("found '{key}', expected: identifier")));
        }
        Ok(Self { key: key.to_owned(), operator })
    }

    fn matches(&self, value: Option<&str>) -> bool {
        let is_one_of =
            |values: &[String]| value.is_some_and(|value| values.iter().any(|other| other == value));
        let number = value.and_then(|value| value.parse::<i64>().ok());
        match &self.operator {
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
            Operator::In(values) => is_one_of(values),
            Operator::NotIn(values) => !is_one_of(values),
            Operator::GreaterThan(bound) => number.is_some_and(|number| number > *bound),
            Operator::LessThan(bound) => number.is_some_and(|number| number < *bound),
        }
    }
}

fn number(text: &str) -> Result<i64, SelectorError> {
    text.trim().parse().map_err(|_| SelectorError(format!("found '{}', expected: integer", text.trim())))
}

/// Splits at commas outside parentheses; nothing between them is no requirement.
fn split_requirements(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let separator = |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    text.split(separator).filter(|part| !part.trim().is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_select_as_the_api_does() {
        let labels = |key: &str| match key {
            "app" => Some("web"),
            "tier" => Some("3"),
            _ => None,
        };
        let rows = [
            ("", true),
            ("app=web", true),
            ("app==web", true),
            ("app=db", false),
            ("app!=db", true),
            ("other!=db", true),
            ("app in (db, web)", true),
            ("app notin (db,web)", false),
            ("app", true),
            ("!app", false),
            ("!other,app=web", true),
            ("tier>2", true),
            ("tier<2", false),
        ];
        for (text, expected) in rows {
            assert_eq!(LabelSelector::parse(text).expect(text).matches(labels), expected, "{text}");
        }
        for text in ["a b", "=x", "a in (b", "a>b"] {
            assert!(LabelSelector::parse(text).is_err(), "{text}");
        }
    }
}
