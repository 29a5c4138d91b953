//! Which objects a patch applies to.
//!
//! Contract: kustomize-build §3.10.

use millrace_yaml::Node;
use regex::Regex;

use crate::error::{BuildError, Result};
use crate::kustomization::Selector;
use crate::resource::{Id, Name, Names, Resource};

/// A selector, ready for many objects.
#[derive(Debug)]
pub(crate) struct ObjectSelector {
    group: Pattern,
    version: Pattern,
    kind: Pattern,
    name: Pattern,
    namespace: Pattern,
    labels: Requirements,
    annotations: Requirements,
}

/// An anchored expression; `None` fits everything.
#[derive(Debug)]
struct Pattern(Option<Regex>);

/// The requirements of a label selector, all of which must hold.
#[derive(Debug)]
struct Requirements(std::result::Result<Vec<Requirement>, String>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    operator: Operator,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Operator {
    Exists,
    Absent,
    In(Vec<String>),
    NotIn(Vec<String>),
    Greater(i64),
    Less(i64),
}

impl ObjectSelector {
    pub(crate) fn new(selector: &Selector) -> Result<Self> {
        Ok(Self {
            group: Pattern::new(&selector.group)?,
            version: Pattern::new(&selector.version)?,
            kind: Pattern::new(&selector.kind)?,
            name: Pattern::new(&selector.name)?,
            namespace: Pattern::new(&selector.namespace)?,
            labels: Requirements(parse(&selector.label_selector)),
            annotations: Requirements(parse(&selector.annotation_selector)),
        })
    }

    /// Whether an object's labels and annotations fit.
    pub(crate) fn fits_metadata(&self, resource: &Resource) -> Result<bool> {
        Ok(self.annotations.hold(&resource.node, "annotations")?
            && self.labels.hold(&resource.node, "labels")?)
    }

    /// Whether one id of an object fits, its namespace as it is written.
    pub(crate) fn fits_id(&self, id: Id, names: &Names) -> bool {
        self.group.fits(id.gvk.group, names)
            && self.version.fits(id.gvk.version, names)
            && self.kind.fits(id.gvk.kind, names)
            && self.name.fits(id.name, names)
            && self.namespace.fits(id.namespace, names)
    }

    /// Whether the selector asks for labels or annotations.
    pub(crate) fn has_metadata(&self) -> bool {
        let asks = |requirements: &Requirements| !requirements.0.as_ref().is_ok_and(Vec::is_empty);
        asks(&self.labels) || asks(&self.annotations)
    }

    /// Whether the selector asks for parts of an id.
    pub(crate) fn has_id(&self) -> bool {
        [&self.group, &self.version, &self.kind, &self.name, &self.namespace]
            .iter()
            .any(|pattern| pattern.0.is_some())
    }

    /// Whether an object fits. Selectors of labels are only read once something else fits.
    pub(crate) fn selects(&self, resource: &Resource, names: &Names) -> Result<bool> {
        let (original, current) = (resource.original_id(), resource.id());
        let either = |pattern: &Pattern, first: Name, second: Name| {
            pattern.0.is_none() || pattern.fits(first, names) || pattern.fits(second, names)
        };
        if !either(&self.namespace, original.effective_namespace(), current.effective_namespace())
            || !either(&self.name, original.name, current.name)
        {
            return Ok(false);
        }
        let gvk = current.gvk;
        if !(self.group.fits(gvk.group, names)
            && self.version.fits(gvk.version, names)
            && self.kind.fits(gvk.kind, names))
        {
            return Ok(false);
        }
        Ok(self.labels.hold(&resource.node, "labels")?
            && self.annotations.hold(&resource.node, "annotations")?)
    }
}

impl Pattern {
    fn new(pattern: &str) -> Result<Self> {
        if pattern.is_empty() {
            return Ok(Self(None));
        }
        let compiled = Regex::new(&format!("^(?:{pattern})$"));
        compiled.map(|regex| Self(Some(regex))).map_err(|error| {
            let problem = error.to_string();
            let problem = problem.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            BuildError::new(format!("error parsing regexp: {problem}: `{pattern}`"))
        })
    }

    fn fits(&self, name: Name, names: &Names) -> bool {
        self.0.as_ref().is_none_or(|regex| regex.is_match(&names.text(name)))
    }
}

impl Requirements {
    fn hold(&self, node: &Node, field: &str) -> Result<bool> {
        let requirements = self.0.as_ref().map_err(|text| BuildError::new(text.clone()))?;
        let map = node.at(&["metadata", field]).and_then(Node::as_map);
        let value_of = |key: &str| Some(map?.get(key)?.as_scalar().map_or("", |value| value.text()));
        Ok(requirements.iter().all(|requirement| requirement.holds(value_of(&requirement.key))))
    }
}

impl Requirement {
    fn holds(&self, value: Option<&str>) -> bool {
        let number = || value.and_then(|value| value.parse::<i64>().ok());
        match &self.operator {
            Operator::Exists => value.is_some(),
            Operator::Absent => value.is_none(),
            Operator::In(values) => value.is_some_and(|value| values.iter().any(|wanted| wanted == value)),
            Operator::NotIn(values) => value.is_none_or(|value| values.iter().all(|wanted| wanted != value)),
            Operator::Greater(bound) => number().is_some_and(|number| number > *bound),
            Operator::Less(bound) => number().is_some_and(|number| number < *bound),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Sign(&'static str),
    End,
}

impl Token {
    fn text(&self) -> &str {
        match self {
            Self::Word(word) => word,
            Self::Sign(sign) => sign,
            Self::End => "",
        }
    }
}

const SIGNS: [&str; 9] = ["==", "!=", "=", "!", "(", ")", ",", ">", "<"];

fn tokens(mut text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    loop {
        text = text.trim_start();
        if text.is_empty() {
            tokens.push(Token::End);
            return tokens;
        }
        if let Some(sign) = SIGNS.iter().find(|sign| text.starts_with(**sign)) {
            tokens.push(Token::Sign(sign));
            text = &text[sign.len()..];
            continue;
        }
        let end = text
            .find(|letter: char| letter.is_whitespace() || "=!(),><".contains(letter))
            .unwrap_or(text.len());
        tokens.push(Token::Word(text[..end].to_owned()));
        text = &text[end..];
    }
}

/// Reads a selector as the Kubernetes libraries do.
fn parse(text: &str) -> std::result::Result<Vec<Requirement>, String> {
    let mut parser = Parser { tokens: tokens(text), at: 0 };
    let mut requirements = Vec::new();
    if *parser.peek() == Token::End {
        return Ok(requirements);
    }
    loop {
        let requirement =
            parser.requirement().map_err(|problem| format!("unable to parse requirement: {problem}"))?;
        requirements.push(requirement);
        match parser.next() {
            Token::End => return Ok(requirements),
            Token::Sign(",") => match parser.peek() {
                Token::Word(_) | Token::Sign("!") => {}
                other => return Err(format!("found '{}', expected: identifier after ','", other.text())),
            },
            other => return Err(format!("found '{}', expected: ',' or 'end of string'", other.text())),
        }
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

impl Parser {
    fn peek(&self) -> &Token {
        self.tokens.get(self.at).unwrap_or(&Token::End)
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    fn requirement(&mut self) -> std::result::Result<Requirement, String> {
        let absent = *self.peek() == Token::Sign("!");
        if absent {
            self.at += 1;
        }
        let key = match self.next() {
            Token::Word(word) => word,
            other => return Err(format!("found '{}', expected: identifier", other.text())),
        };
        check_key(&key)?;
        if absent {
            return Ok(Requirement { key, operator: Operator::Absent });
        }
        let operator = match self.peek().clone() {
            Token::End | Token::Sign(",") => Operator::Exists,
            _ => self.operator()?,
        };
        Ok(Requirement { key, operator })
    }

    fn operator(&mut self) -> std::result::Result<Operator, String> {
        const EXPECTED: &str = "in, notin, =, ==, !=, gt, lt";
        match self.next() {
            Token::Sign("=" | "==") => Ok(Operator::In(vec![self.value()?])),
            Token::Sign("!=") => Ok(Operator::NotIn(vec![self.value()?])),
            Token::Sign(">") => Ok(Operator::Greater(self.number()?)),
            Token::Sign("<") => Ok(Operator::Less(self.number()?)),
            Token::Word(word) if word == "in" => Ok(Operator::In(self.values()?)),
            Token::Word(word) if word == "notin" => Ok(Operator::NotIn(self.values()?)),
            other => Err(format!("found '{}', expected: {EXPECTED}", other.text())),
        }
    }

    fn value(&mut self) -> std::result::Result<String, String> {
        match self.peek().clone() {
            Token::End | Token::Sign(",") => Ok(String::new()),
            Token::Word(word) => {
                self.at += 1;
                check_value(&word)?;
                Ok(word)
            }
            Token::Sign(sign) => Err(format!("found '{sign}', expected: identifier")),
        }
    }

    fn number(&mut self) -> std::result::Result<i64, String> {
        let problem = "for 'Gt', 'Lt' operators, the value must be an integer";
        self.value()?.parse().map_err(|_| problem.to_owned())
    }

    fn values(&mut self) -> std::result::Result<Vec<String>, String> {
        match self.next() {
            Token::Sign("(") => {}
            other => return Err(format!("found '{}' expected: '('", other.text())),
        }
        let mut values = Vec::new();
        loop {
            match self.next() {
                Token::Word(word) => {
                    check_value(&word)?;
                    values.push(word);
                    match self.next() {
                        Token::Sign(",") => {}
                        Token::Sign(")") => return Ok(values),
                        other => return Err(format!("found '{}', expected: ',' or ')'", other.text())),
                    }
                }
                Token::Sign(")") => {
                    values.push(String::new());
                    return Ok(values);
                }
                Token::Sign(",") => values.push(String::new()),
                other => return Err(format!("found '{}', expected: ',', ')' or identifier", other.text())),
            }
        }
    }
}

const NAME_PROBLEM: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
     alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
     '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE_PROBLEM: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and \
     must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for \
     validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

fn check_key(key: &str) -> std::result::Result<(), String> {
    let name = key.split_once('/').map_or(key, |(_, name)| name);
    let problem = if name.len() > 63 { Some("name part must be no more than 63 characters") } else { None };
    let problem = problem.or_else(|| (!is_name(name)).then_some(NAME_PROBLEM));
    match problem {
        Some(problem) => Err(format!("key: Invalid value: {}: {problem}", crate::go::quote(key))),
        None => Ok(()),
    }
}

fn check_value(value: &str) -> std::result::Result<(), String> {
    let problem = if value.len() > 63 { Some("must be no more than 63 characters") } else { None };
    let problem = problem.or_else(|| (!value.is_empty() && !is_name(value)).then_some(VALUE_PROBLEM));
    match problem {
        Some(problem) => Err(format!("values[0][]: Invalid value: {}: {problem}", crate::go::quote(value))),
        None => Ok(()),
    }
}

fn is_name(text: &str) -> bool {
    let edge = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_alphanumeric());
    let inner = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    edge(text.chars().next()) && edge(text.chars().last()) && text.chars().all(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_follow_the_kubernetes_grammar() {
        for (selector, value, holds) in [
            ("k=v", Some("v"), true),
            ("k==v", Some("w"), false),
            ("k=", Some(""), true),
            ("k!=v", None, true),
            ("k in (v,w)", Some("w"), true),
            ("k in ()", Some(""), true),
            ("k notin (v, w)", Some("x"), true),
            ("k", Some("v"), true),
            ("!k", Some("v"), false),
            ("k>5", Some("6"), true),
            ("k<5", Some("x"), false),
            ("k,k!=v", Some("v"), false),
            ("", None, true),
        ] {
            let requirements = parse(selector).unwrap();
            assert_eq!(requirements.iter().all(|requirement| requirement.holds(value)), holds, "{selector}");
        }
        assert_eq!(parse("k in v"), Err("unable to parse requirement: found 'v' expected: '('".to_owned()));
        assert_eq!(
            parse("k>x"),
            Err("unable to parse requirement: for 'Gt', 'Lt' operators, the value must be an integer"
                .to_owned())
        );
        assert_eq!(parse("k=a b"), Err("found 'b', expected: ',' or 'end of string'".to_owned()));
    }
}
