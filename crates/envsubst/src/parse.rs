//! The grammar: one pass from left to right.
//!
//! Contract: kustomize-controller §3.5.3.

use crate::TextError;
use crate::scanner::{Escapes, Scanner};

/// How deep expressions may nest.
const MAX_DEPTH: usize = 100;

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part<'t> {
    Text(String),
    Expression(Expression<'t>),
}

/// `${name operator arguments}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expression<'t> {
    pub(crate) name: &'t str,
    pub(crate) operator: Operator,
    pub(crate) arguments: Vec<Part<'t>>,
}

/// What an expression does with its variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    /// Nothing, or casing operators that contradict each other.
    Value,
    Length,
    /// `=`, `:=`, `:-`, `:?` and `:+`, which all mean the same.
    Default,
    LowerFirst,
    Lower,
    UpperFirst,
    Upper,
    Substring,
    ReplaceFirst,
    ReplaceAll,
    ReplacePrefix,
    ReplaceSuffix,
    TrimShortestPrefix,
    TrimLongestPrefix,
    TrimShortestSuffix,
    TrimLongestSuffix,
}

/// Parses a whole text.
pub(crate) fn parse(text: &str) -> Result<Vec<Part<'_>>, TextError> {
    let mut scanner = Scanner::new(text);
    let mut parts = Vec::new();
    while scanner.peek().is_some() {
        if scanner.accept("${") {
            parts.push(Part::Expression(expression(&mut scanner, 1)?));
        } else {
            let text = scanner.take_text(Escapes::Dollar, |_| true).ok_or(TextError::BadSubstitution)?;
            parts.push(Part::Text(text));
        }
    }
    Ok(parts)
}

fn is_name(character: char) -> bool {
    // Go's letters and digits.
    character == '_' || character.is_alphanumeric()
}

/// What follows `${`.
fn expression<'t>(scanner: &mut Scanner<'t>, depth: usize) -> Result<Expression<'t>, TextError> {
    if depth > MAX_DEPTH {
        return Err(TextError::TooDeep { limit: MAX_DEPTH });
    }
    if scanner.accept("#") {
        return length(scanner);
    }
    let name = scanner.take_while(usize::MAX, is_name);
    if name.is_empty() {
        return Err(TextError::VariableName);
    }
    let (operator, arguments) = match scanner.peek() {
        Some(':') => match scanner.peek_second() {
            Some('=' | '-' | '?' | '+') => default(scanner, 2, depth)?,
            // The original steps back by the width of the character after the colon and so loses the colon.
            Some(wide) if wide.len_utf8() > 1 => return Err(TextError::BadSubstitution),
            Some(_) => substring(scanner, depth)?,
            None => return Err(TextError::BadSubstitution),
        },
        Some('=') => default(scanner, 1, depth)?,
        Some(',' | '^') => casing(scanner)?,
        Some('/') => replace(scanner, depth)?,
        Some('#' | '%') => trim(scanner, depth)?,
        Some(_) | None if scanner.accept("}") => (Operator::Value, Vec::new()),
        Some(_) | None => return Err(TextError::MissingClosingBrace),
    };
    Ok(Expression { name, operator, arguments })
}

type Operation<'t> = (Operator, Vec<Part<'t>>);

/// `${#name}`.
fn length<'t>(scanner: &mut Scanner<'t>) -> Result<Expression<'t>, TextError> {
    let name = scanner.take_while(usize::MAX, is_name);
    if name.is_empty() {
        return Err(TextError::BadSubstitution);
    }
    close(scanner)?;
    Ok(Expression { name, operator: Operator::Length, arguments: Vec::new() })
}

fn close(scanner: &mut Scanner<'_>) -> Result<(), TextError> {
    if scanner.accept("}") { Ok(()) } else { Err(TextError::BadSubstitution) }
}

/// One argument: either an expression or text, never both.
fn argument<'t>(
    scanner: &mut Scanner<'t>,
    escapes: Escapes,
    wanted: impl Fn(char) -> bool,
    depth: usize,
) -> Result<Part<'t>, TextError> {
    if scanner.accept("${") {
        return expression(scanner, depth + 1).map(Part::Expression);
    }
    scanner.take_text(escapes, wanted).map(Part::Text).ok_or(TextError::FunctionArgument)
}

/// `${name:=default}` and its kin: any number of texts and expressions.
fn default<'t>(
    scanner: &mut Scanner<'t>,
    operator_length: usize,
    depth: usize,
) -> Result<Operation<'t>, TextError> {
    scanner.take_while(operator_length, |_| true);
    let mut arguments = Vec::new();
    while !scanner.accept("}") {
        arguments.push(argument(scanner, Escapes::None, |character| character != '}', depth)?);
    }
    Ok((Operator::Default, arguments))
}

/// `${name:offset}` and `${name:offset:length}`.
fn substring<'t>(scanner: &mut Scanner<'t>, depth: usize) -> Result<Operation<'t>, TextError> {
    scanner.accept(":");
    let offset = argument(scanner, Escapes::None, |character| !matches!(character, ':' | '}'), depth)?;
    if scanner.accept("}") {
        return Ok((Operator::Substring, vec![offset]));
    }
    if scanner.take_while(usize::MAX, |character| character == ':').is_empty() {
        return Err(TextError::BadSubstitution);
    }
    let length = argument(scanner, Escapes::None, |character| character != '}', depth)?;
    close(scanner)?;
    Ok((Operator::Substring, vec![offset, length]))
}

/// `${name,}`, `${name,,}`, `${name^}` and `${name^^}`.
fn casing<'t>(scanner: &mut Scanner<'t>) -> Result<Operation<'t>, TextError> {
    let operator = match scanner.take_while(2, |character| matches!(character, ',' | '^')) {
        "," => Operator::LowerFirst,
        ",," => Operator::Lower,
        "^" => Operator::UpperFirst,
        "^^" => Operator::Upper,
        _ => Operator::Value,
    };
    close(scanner)?;
    Ok((operator, Vec::new()))
}

/// `${name/old/new}` and its kin.
fn replace<'t>(scanner: &mut Scanner<'t>, depth: usize) -> Result<Operation<'t>, TextError> {
    scanner.accept("/");
    let operator = match scanner.take_while(1, |character| matches!(character, '/' | '#' | '%')) {
        "/" => Operator::ReplaceAll,
        "#" => Operator::ReplacePrefix,
        "%" => Operator::ReplaceSuffix,
        _ => Operator::ReplaceFirst,
    };
    let mut arguments = vec![argument(scanner, Escapes::All, |character| character != '/', depth)?];
    if scanner.take_while(usize::MAX, |character| character == '/').is_empty() {
        return Err(TextError::BadSubstitution);
    }
    if scanner.peek() != Some('}') {
        arguments.push(argument(scanner, Escapes::All, |character| character != '}', depth)?);
    }
    close(scanner)?;
    Ok((operator, arguments))
}

/// `${name#pattern}`, `${name%pattern}` and their doubled forms.
fn trim<'t>(scanner: &mut Scanner<'t>, depth: usize) -> Result<Operation<'t>, TextError> {
    let indicator = if scanner.peek() == Some('#') { '#' } else { '%' };
    let operator = match scanner.take_while(2, |character| character == indicator) {
        "#" => Operator::TrimShortestPrefix,
        "##" => Operator::TrimLongestPrefix,
        "%" => Operator::TrimShortestSuffix,
        _ => Operator::TrimLongestSuffix,
    };
    let pattern = argument(scanner, Escapes::None, |character| character != '}', depth)?;
    close(scanner)?;
    Ok((operator, vec![pattern]))
}
