//! Variable substitution: sections `variables` (lines `NAME=VALUE`), `text` and `objects` (YAML).

use millrace_envsubst::{Mode, Options, Strategy, Variables, substitute_nodes, substitute_text};
use millrace_yaml::Node;
use millrace_yaml::read::{self, Limits, Resolver};

use crate::sections::{sections, text_of};
use crate::trees;

const LIMITS: Limits = Limits { depth: 50, text_bytes: 1 << 20, values: 20_000 };

pub(crate) fn run(data: &[u8]) {
    let sections = sections(data);
    let mut variables = Variables::default();
    for line in text_of(&sections, "variables").lines() {
        if let Some((name, value)) = line.split_once('=') {
            variables.set(name, value);
        }
    }
    check_text(&text_of(&sections, "text"), &variables);
    let objects = text_of(&sections, "objects");
    if let Ok(documents) = read::documents(&objects, Resolver::Kubernetes, &LIMITS) {
        let nodes: Vec<Node> = documents.into_iter().map(|document| document.node).collect();
        check_nodes(&nodes, &variables);
    }
}

fn check_text(text: &str, variables: &Variables) {
    let strict = substitute_text(text, variables, Mode::Strict);
    let lax = substitute_text(text, variables, Mode::Lax);
    if !text.contains('$') {
        assert_eq!(strict.as_deref(), Ok(text));
    }
    if strict.is_ok() {
        assert_eq!(lax, strict, "strictness changes a text that has all its variables");
    }
}

fn check_nodes(nodes: &[Node], variables: &Variables) {
    for mode in [Mode::Strict, Mode::Lax] {
        let mut substituted = nodes.to_vec();
        let options = Options { mode, strategy: Strategy::Always, limits: LIMITS };
        if substitute_nodes(&mut substituted, variables, &options).is_err() {
            continue;
        }
        assert_eq!(substituted.len(), nodes.len());
        for (before, after) in nodes.iter().zip(&substituted) {
            assert!(before == after || trees::depth(after) <= LIMITS.depth);
        }
    }
}
