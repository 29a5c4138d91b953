//! What a build is expected to come to.

use millrace_yaml::Node;

use super::Built;
use super::case::{placed, texts};
use crate::cases::documents;
use crate::diff;

/// What a build is expected to give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    Output(String),
    Error(String),
    /// Parts of the message, whose rest varies from run to run.
    ErrorContains(Vec<String>),
}

impl Expected {
    /// The result that a case, or its field for the controllers, states; `None` where none was recorded.
    pub(super) fn read(node: &Node) -> Result<Option<Self>, String> {
        let text = |key: &str| match node.get(key) {
            None => Ok(None),
            Some(Node::Scalar(scalar)) => Ok(Some(placed(scalar.text()))),
            Some(Node::List(_) | Node::Map(_)) => Err(format!("{key:?} is no text")),
        };
        if let Some(output) = text("output")? {
            return Ok(Some(Self::Output(output)));
        }
        if let Some(error) = text("error")? {
            return Ok(Some(Self::Error(error)));
        }
        Ok(node.get("errorContains").map(|parts| Self::ErrorContains(texts(Some(parts)))))
    }

    /// Says how a result differs.
    pub(super) fn difference(&self, result: &Built) -> Option<String> {
        match (self, result) {
            (Self::Output(wanted), Ok(output)) => {
                let found = output.to_yaml();
                (*wanted != found).then(|| output_difference(wanted, &found))
            }
            (Self::Error(wanted), Err(error)) => {
                let (wanted, found) = (wanted.trim_end_matches('\n'), error.reference.trim_end_matches('\n'));
                (wanted != found).then(|| format!("the error differs\n{}", diff::lines(wanted, found)))
            }
            (Self::ErrorContains(parts), Err(error)) => {
                let missing = parts.iter().find(|part| !error.reference.contains(part.as_str()))?;
                Some(format!("the error lacks {missing:?}: {}", error.reference))
            }
            (Self::Output(wanted), Err(error)) => {
                Some(format!("failed: {error}\ninstead of giving\n{wanted}"))
            }
            (Self::Error(wanted), Ok(output)) => {
                Some(format!("gave\n{}instead of failing: {wanted}", output.to_yaml()))
            }
            (Self::ErrorContains(_), Ok(output)) => {
                Some(format!("gave\n{}instead of failing", output.to_yaml()))
            }
        }
    }
}

/// Outputs are compared as texts; the difference says whether it is one of the objects, too.
fn output_difference(wanted: &str, found: &str) -> String {
    let what = match (documents(wanted), documents(found)) {
        (Ok(wanted), Ok(found)) if wanted.len() != found.len() => {
            format!("{} objects instead of {}", found.len(), wanted.len())
        }
        (Ok(wanted), Ok(found)) => {
            let same = |(wanted, found): &(&Node, &Node)| found.same_value(wanted);
            match wanted.iter().zip(&found).position(|pair| !same(&pair)) {
                Some(index) => format!("object {} differs", index + 1),
                None => "the objects are the same, their text differs".to_owned(),
            }
        }
        (Err(error), _) => format!("the recorded output is no YAML ({error})"),
        (_, Err(error)) => format!("the output is no YAML ({error})"),
    };
    format!("{what}\n{}", diff::lines(wanted, found))
}
