//! Values of expressions.

use crate::parse::{Expression, Operator, Part};
use crate::{Mode, TextError, Variables, functions};

/// Appends what the parts stand for.
pub(crate) fn evaluate(
    parts: &[Part<'_>],
    variables: &Variables,
    mode: Mode,
    out: &mut Vec<u8>,
) -> Result<(), TextError> {
    for part in parts {
        match part {
            Part::Text(text) => out.extend_from_slice(text.as_bytes()),
            Part::Expression(expression) => out.extend(value(expression, variables, mode)?),
        }
        functions::within_limit(out.len())?;
    }
    Ok(())
}

/// Arguments are evaluated even where they aren't needed, and before the variable is looked for.
fn value(expression: &Expression<'_>, variables: &Variables, mode: Mode) -> Result<Vec<u8>, TextError> {
    let mut arguments = Vec::with_capacity(expression.arguments.len());
    for argument in &expression.arguments {
        let mut bytes = Vec::new();
        evaluate(std::slice::from_ref(argument), variables, mode, &mut bytes)?;
        arguments.push(bytes);
    }
    let value = match (variables.expose(expression.name), mode, expression.operator) {
        (Some(value), _, _) => value.as_bytes(),
        (None, Mode::Strict, operator) if operator != Operator::Default => {
            return Err(TextError::NotSet { name: expression.name.to_owned() });
        }
        (None, Mode::Strict | Mode::Lax, _) => b"",
    };
    apply(expression, value, &arguments)
}

fn apply(expression: &Expression<'_>, value: &[u8], arguments: &[Vec<u8>]) -> Result<Vec<u8>, TextError> {
    let argument = |index: usize| arguments.get(index).map_or(&b""[..], Vec::as_slice);
    Ok(match expression.operator {
        Operator::Default if value.is_empty() => arguments.concat(),
        Operator::Default | Operator::Value => value.to_vec(),
        Operator::Length => value.len().to_string().into_bytes(),
        Operator::LowerFirst => functions::map_first(value, functions::lower),
        Operator::Lower => functions::map_all(value, functions::lower),
        Operator::UpperFirst => functions::map_first(value, functions::upper),
        Operator::Upper => functions::map_all(value, functions::upper),
        Operator::Substring => functions::substring(value, argument(0), arguments.get(1).map(Vec::as_slice))
            .map_err(|length| TextError::NegativeLength { name: expression.name.to_owned(), length })?,
        Operator::ReplaceFirst => functions::replace(value, argument(0), argument(1), 1)?,
        Operator::ReplaceAll => functions::replace(value, argument(0), argument(1), usize::MAX)?,
        // Without a replacement these two do nothing.
        Operator::ReplacePrefix | Operator::ReplaceSuffix if arguments.len() < 2 => value.to_vec(),
        Operator::ReplacePrefix => functions::replace_prefix(value, argument(0), argument(1)),
        Operator::ReplaceSuffix => functions::replace_suffix(value, argument(0), argument(1)),
        Operator::TrimShortestPrefix => {
            functions::trim_prefix(value, argument(0), functions::Match::Shortest)
        }
        Operator::TrimLongestPrefix => functions::trim_prefix(value, argument(0), functions::Match::Longest),
        Operator::TrimShortestSuffix => {
            functions::trim_suffix(value, argument(0), functions::Match::Shortest)
        }
        Operator::TrimLongestSuffix => functions::trim_suffix(value, argument(0), functions::Match::Longest),
    })
}
