//! Reads selectors as the reference's copy of the Kubernetes libraries does.

use std::collections::BTreeSet;

use super::validate::{check_key, check_value};
use super::{Operator, Requirement};

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

    fn found(&self, expected: &str) -> String {
        format!("found '{}', expected: {expected}", self.text())
    }
}

const SIGNS: [&str; 9] = ["==", "!=", "=", "!", "(", ")", ",", ">", "<"];
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut text = text.split('\0').next().unwrap_or_default();
    loop {
        text = text.trim_start_matches(BLANKS);
        if text.is_empty() {
            tokens.push(Token::End);
            return tokens;
        }
        if let Some(sign) = SIGNS.iter().find(|sign| text.starts_with(**sign)) {
            tokens.push(Token::Sign(sign));
            text = &text[sign.len()..];
            continue;
        }
        let ends = |letter: char| BLANKS.contains(&letter) || "=!(),><".contains(letter);
        let (word, rest) = text.split_at(text.find(ends).unwrap_or(text.len()));
        tokens.push(Token::Word(word.to_owned()));
        text = rest;
    }
}

/// The requirements of a selector.
pub(super) fn parse(text: &str) -> Result<Vec<Requirement>, String> {
    let mut parser = Parser { tokens: tokens(text), at: 0 };
    let mut requirements = Vec::new();
    loop {
        match parser.peek() {
            Token::Word(_) | Token::Sign("!") => {}
            Token::End => return Ok(requirements),
            other @ Token::Sign(_) => return Err(other.found("!, identifier, or 'end of string'")),
        }
        let requirement =
            parser.requirement().map_err(|problem| format!("unable to parse requirement: {problem}"));
        requirements.push(requirement?);
        match parser.next() {
            Token::End => return Ok(requirements),
            Token::Sign(",") => match parser.peek() {
                Token::Word(_) | Token::Sign("!") => {}
                other => return Err(other.found("identifier after ','")),
            },
            other => return Err(other.found("',' or 'end of string'")),
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

    fn requirement(&mut self) -> Result<Requirement, String> {
        let is_absent = *self.peek() == Token::Sign("!");
        if is_absent {
            self.at += 1;
        }
        let key = match self.next() {
            Token::Word(word) => word,
            other => return Err(other.found("identifier")),
        };
        check_key(&key)?;
        let operator = match self.peek() {
            _ if is_absent => Operator::Absent,
            Token::End | Token::Sign(",") => Operator::Exists,
            Token::Word(_) | Token::Sign(_) => self.operator(&key)?,
        };
        Ok(Requirement { key, operator })
    }

    fn operator(&mut self, key: &str) -> Result<Operator, String> {
        let token = self.next();
        Ok(match token.text() {
            "=" | "==" => Operator::In(self.one(key)?),
            "!=" => Operator::NotIn(self.one(key)?),
            ">" => Operator::Greater(self.number(key)?),
            "<" => Operator::Less(self.number(key)?),
            "in" => Operator::In(self.values(key)?),
            "notin" => Operator::NotIn(self.values(key)?),
            _ => return Err(token.found("'=', '!=', '==', 'in', notin'")),
        })
    }

    fn one(&mut self, key: &str) -> Result<BTreeSet<String>, String> {
        let value = self.value()?;
        check_value(key, &value)?;
        Ok(BTreeSet::from([value]))
    }

    fn value(&mut self) -> Result<String, String> {
        if matches!(self.peek(), Token::End | Token::Sign(",")) {
            return Ok(String::new());
        }
        match self.next() {
            Token::Word(word) => Ok(word),
            other => Err(other.found("identifier")),
        }
    }

    fn number(&mut self, key: &str) -> Result<i64, String> {
        let value = self.value()?;
        let number = value.parse::<i64>();
        let number =
            number.map_err(|_| "for 'Gt', 'Lt' operators, the value must be an integer".to_owned())?;
        // A sign is no part of a label's value.
        check_value(key, &value)?;
        Ok(number)
    }

    /// A list in parentheses.
    fn values(&mut self, key: &str) -> Result<BTreeSet<String>, String> {
        match self.next() {
            Token::Sign("(") => {}
            other => return Err(format!("found '{}' expected: '('", other.text())),
        }
        let values = match self.peek() {
            Token::Word(_) | Token::Sign(",") => self.list()?,
            Token::Sign(")") => BTreeSet::from([String::new()]),
            other => return Err(other.found("',', ')' or identifier")),
        };
        self.at += 1;
        values.iter().try_for_each(|value| check_value(key, value))?;
        Ok(values)
    }

    /// Values before a closing parenthesis, which stays.
    fn list(&mut self) -> Result<BTreeSet<String>, String> {
        let mut values = BTreeSet::new();
        loop {
            match self.next() {
                Token::Word(word) => {
                    values.insert(word);
                    match self.peek() {
                        Token::Sign(",") => {}
                        Token::Sign(")") => return Ok(values),
                        other => return Err(other.found("',' or ')'")),
                    }
                }
                Token::Sign(",") => {
                    if values.is_empty() {
                        values.insert(String::new());
                    }
                    match self.peek() {
                        Token::Sign(")") => {
                            values.insert(String::new());
                            return Ok(values);
                        }
                        Token::Sign(",") => {
                            self.at += 1;
                            values.insert(String::new());
                        }
                        Token::Word(_) | Token::Sign(_) | Token::End => {}
                    }
                }
                other => return Err(other.found("',', or identifier")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_selector_is_refused_in_the_words_of_the_reference() {
        let of_value = |value: &str| {
            format!(
                "unable to parse requirement: invalid label value: \"{value}\": at key: \"k\": a valid label must be an \
                 empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                 alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is \
                 '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
            )
        };
        for (selector, problem) in [
            ("k in v", "unable to parse requirement: found 'v' expected: '('"),
            ("k>x", "unable to parse requirement: for 'Gt', 'Lt' operators, the value must be an integer"),
            ("k>-1", &of_value("-1")),
            ("k<+5", &of_value("+5")),
            ("k=a b", "found 'b', expected: ',' or 'end of string'"),
            ("k v", "unable to parse requirement: found 'v', expected: '=', '!=', '==', 'in', notin'"),
            ("k,", "found '', expected: identifier after ','"),
            ("=", "found '=', expected: !, identifier, or 'end of string'"),
            ("!k=v", "found '=', expected: ',' or 'end of string'"),
            ("!", "unable to parse requirement: found '', expected: identifier"),
            ("k=!v", "unable to parse requirement: found '!', expected: identifier"),
            ("k in (a b)", "unable to parse requirement: found 'b', expected: ',' or ')'"),
            ("k in (a,", "unable to parse requirement: found '', expected: ',', or identifier"),
            ("k in", "unable to parse requirement: found '' expected: '('"),
            ("k in (=", "unable to parse requirement: found '=', expected: ',', ')' or identifier"),
        ] {
            assert_eq!(parse(selector).expect_err(selector), problem, "{selector}");
        }
    }
}
