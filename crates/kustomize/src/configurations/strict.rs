//! Reading text in which a key may stand once only.

use millrace_yaml::read::RepeatedKey;
use millrace_yaml::{Node, Scalar, ScalarKind};

use crate::error::{BuildError, Result};
use crate::hints::{self, Draft};
use crate::text::Text;
use crate::{go, schema, syntax};

/// Reads a text, or fails with the words of the reference.
pub(super) fn read(text: &Text<'_>, file: &str) -> Result<Node> {
    let (node, repeated) = syntax::read_strict(text).map_err(|error| {
        let hint = hints::unreadable(file, text, &schema::placed(text, &error));
        BuildError::new(error.text).with_hint(hint)
    })?;
    match repeated.first() {
        Some(first) => Err(failure(&repeated).with_hint(stands_again(first, file))),
        None => Ok(node),
    }
}

fn failure(repeated: &[RepeatedKey]) -> BuildError {
    let line = |RepeatedKey { key, value_line, .. }: &RepeatedKey| {
        format!("\n  line {value_line}: key {} already set in map", shown(key))
    };
    let lines: String = repeated.iter().map(line).collect();
    BuildError::new(format!("error converting YAML to JSON: yaml: unmarshal errors:{lines}"))
}

/// A key as Go prints it.
fn shown(key: &Scalar) -> String {
    if key.kind() == ScalarKind::Null { "<nil>".to_owned() } else { go::dump(&Node::Scalar(key.clone())) }
}

fn stands_again(RepeatedKey { key, line, first_line, .. }: &RepeatedKey, file: &str) -> Draft {
    let key = hints::quoted(key.text());
    Draft::line(file, Some(*line))
        .and(format!(": the key {key} stands at line {first_line} already: put both values under one key"))
}
