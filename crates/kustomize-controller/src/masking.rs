//! The secret values of one run, kept so that no text shows them.
//!
//! Servers quote what they refuse. What they say about a run's objects passes [`SecretValues::mask`] before it becomes part
//! of a condition, an event or a log line; so do our own errors that are made from text with values in it. How values are
//! recognized and hidden is said in [`millrace_net::mask`]; here is where they come from.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::stream::{self, StreamExt as _};
use kube::Client;
use millrace_net::Masker;
use millrace_net::mask::Style;
use millrace_reconcile::secrets::{self, SecretData};
use millrace_ssa::inventory::Entry;
use millrace_ssa::object::is_secret;
use millrace_yaml::Node;

/// Four bytes are hidden nowhere: values such as `true` are in Secrets, too.
const STYLE: Style = Style { hidden: "***", shortest: 5 };

/// What Secrets read from the cluster may hold in all: what is known of a value takes about ten times its size.
const MAX_STORED: usize = 4 << 20;
/// What stands for a text whose secrets are not all known.
const WITHHELD: &str = "the answer is not shown: there are more Secrets than can be looked for in it";

/// Secret values, and what they look like in texts.
#[derive(Clone)]
pub(crate) struct SecretValues {
    masker: Masker,
    /// Not all values are known: no text is shown.
    withholds: bool,
    /// How expressions with variables from Secrets begin.
    expressions: Vec<String>,
}

impl Default for SecretValues {
    fn default() -> Self {
        Self { masker: Masker::in_style(STYLE), withholds: false, expressions: Vec::new() }
    }
}

impl SecretValues {
    /// Adds a value.
    pub(crate) fn add(&mut self, value: &[u8]) {
        self.masker.add_bytes(value);
    }

    /// Adds a variable with its value.
    pub(crate) fn add_variable(&mut self, name: &str, value: &[u8]) {
        self.expressions.push(format!("${{{name}"));
        self.add(value);
    }

    /// Adds what the Secrets among `objects` hold.
    pub(crate) fn add_data(&mut self, objects: &[Node]) {
        for object in objects.iter().filter(|object| is_secret(object)) {
            for value in values_of(object, "data") {
                // Other text than base64 is refused by the API server, which may quote it.
                // Line feeds in it count for nothing, as for Go.
                let joined = value.replace(['\r', '\n'], "");
                let decoded = STANDARD.decode(joined).unwrap_or_else(|_| value.as_bytes().to_vec());
                self.add(&decoded);
            }
            for value in values_of(object, "stringData") {
                self.add(value.as_bytes());
            }
        }
    }

    /// Adds what Secrets of the cluster hold, given by namespace and name; what can't be read stays unknown. Of more than can
    /// be kept, none is: no text is shown then.
    pub(crate) async fn add_stored(
        &mut self,
        client: &Client,
        names: BTreeSet<(&str, &str)>,
        at_once: usize,
    ) {
        let reads: Vec<_> =
            names.into_iter().map(|(namespace, name)| secrets::fetch(client, namespace, name)).collect();
        let mut found = stream::iter(reads).buffer_unordered(at_once.max(1));
        let mut stored = 0_usize;
        while let Some(secret) = found.next().await {
            for (_, value) in secret.iter().flat_map(SecretData::iter) {
                self.add_one_of(value.expose(), &mut stored);
            }
            if self.withholds {
                return;
            }
        }
    }

    fn add_one_of(&mut self, value: &[u8], stored: &mut usize) {
        *stored = stored.saturating_add(value.len());
        if *stored > MAX_STORED {
            self.withholds = true;
        } else {
            self.add(value);
        }
    }

    /// The objects that use a variable from a Secret, with their positions: compared with what they become, they show what
    /// was made of it.
    pub(crate) fn users(&self, objects: &[Node]) -> Vec<(usize, Node)> {
        let users = objects.iter().enumerate().filter(|(_, object)| self.is_used_in(object));
        users.map(|(position, object)| (position, object.clone())).collect()
    }

    /// Adds the scalars of `after` in whose places `before` has a variable from a Secret: parts of a value, or what an
    /// operator has made of it.
    pub(crate) fn add_derived(&mut self, before: &Node, after: &Node) {
        match (before, after) {
            (Node::Map(before), Node::Map(after)) => {
                for (key, value) in before.iter() {
                    if let Some(after) = after.get(key) {
                        self.add_derived(value, after);
                    }
                }
            }
            (Node::List(before), Node::List(after)) => {
                before.iter().zip(after).for_each(|(before, after)| self.add_derived(before, after));
            }
            (Node::Scalar(_), after) if self.is_used_in(before) => self.add_scalars(after),
            _ => {}
        }
    }

    /// The text without secret values.
    pub(crate) fn mask(&self, text: &str) -> String {
        if self.withholds { WITHHELD.to_owned() } else { self.masker.mask(text) }
    }

    fn add_scalars(&mut self, node: &Node) {
        match node {
            // Of a long text the values in it are hidden, not every line.
            Node::Scalar(scalar) if scalar.text().contains('\n') => {}
            Node::Scalar(scalar) => self.add(scalar.text().as_bytes()),
            Node::List(items) => items.iter().for_each(|item| self.add_scalars(item)),
            Node::Map(map) => map.iter().for_each(|(_, value)| self.add_scalars(value)),
        }
    }

    fn is_used_in(&self, node: &Node) -> bool {
        match node {
            Node::Scalar(scalar) => {
                self.expressions.iter().any(|expression| begins_in(scalar.text(), expression))
            }
            Node::List(items) => items.iter().any(|item| self.is_used_in(item)),
            Node::Map(map) => map.iter().any(|(_, value)| self.is_used_in(value)),
        }
    }
}

/// Whether an expression that begins like this stands in the text; a longer name is another variable.
fn begins_in(text: &str, expression: &str) -> bool {
    text.match_indices(expression).any(|(at, _)| {
        let next = text[at + expression.len()..].chars().next();
        !next.is_some_and(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    })
}

/// The Secrets among the objects of an inventory, by namespace and name.
pub(crate) fn secrets_among(entries: &[Entry]) -> impl Iterator<Item = (&str, &str)> {
    let secrets = entries.iter().map(|entry| &entry.id);
    let secrets = secrets.filter(|id| id.group.is_empty() && id.kind == "Secret");
    secrets.map(|id| (id.namespace.as_str(), id.name.as_str()))
}

/// All texts in a field, also those in the place of texts: what is of the wrong type is refused, and may be quoted then.
fn values_of<'n>(object: &'n Node, field: &str) -> Vec<&'n str> {
    let mut values = Vec::new();
    object.get(field).into_iter().for_each(|node| collect(node, &mut values));
    values
}

fn collect<'n>(node: &'n Node, values: &mut Vec<&'n str>) {
    match node {
        Node::Scalar(scalar) => values.push(scalar.text()),
        Node::List(items) => items.iter().for_each(|item| collect(item, values)),
        Node::Map(map) => map.iter().for_each(|(_, value)| collect(value, values)),
    }
}

#[cfg(test)]
mod tests {
    use millrace_yaml::read::{self, Limits, Resolver};

    use super::*;

    fn node(text: &str) -> Node {
        read::one(text, Resolver::Kubernetes, &Limits::default()).expect("valid YAML").node
    }

    #[test]
    fn where_there_are_more_secrets_than_can_be_kept_no_text_is_shown() {
        let mut secrets = SecretValues::default();
        let mut stored = 0;
        secrets.add_one_of("a".repeat(MAX_STORED - 5).as_bytes(), &mut stored);
        secrets.add_one_of(b"five!", &mut stored);
        assert_eq!(secrets.mask("it has five!"), "it has ***", "at the limit");
        secrets.add_one_of(b"s", &mut stored);
        assert_eq!(secrets.mask("no secret at all"), WITHHELD);
    }

    #[test]
    fn ordinary_words_are_no_secrets() {
        let mut secrets = SecretValues::default();
        secrets.add(b"true");
        secrets.add(b"false");
        assert_eq!(secrets.mask("must be true or false"), "must be true or ***");
    }

    #[test]
    fn what_secrets_among_the_objects_hold_is_hidden() {
        let mut secrets = SecretValues::default();
        secrets.add_data(&[
            node("{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {k: aHVudGVyMg==}, stringData: {l: swordfish}}"),
            node("{apiVersion: v1, kind: Secret, metadata: {name: t}, data: {k: \"d3JhcHBlZC\\n12YWx1ZQ==\\n\"}}"),
            node("{apiVersion: v1, kind: Secret, metadata: {name: u}, data: [listed-value], stringData: {k: {l: mapped-value}}}"),
            node("{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {k: ordinary}}"),
        ]);
        let text =
            "hunter2 aHVudGVyMg== swordfish c3dvcmRmaXNo wrapped-value listed-value mapped-value ordinary";
        assert_eq!(secrets.mask(text), "*** *** *** *** *** *** *** ordinary");
    }

    #[test]
    fn what_is_made_of_a_variable_is_hidden_and_what_other_variables_become_is_not() {
        let mut secrets = SecretValues::default();
        secrets.add_variable("password", b"correct-horse");
        let before =
            node("{a: '${password:0:7}', b: ['x ${password^^}'], c: '${region}', d: '${password_hint}'}");
        let after = node("{a: correct, b: [x CORRECT-HORSE], c: europe-west, d: a-stable}");
        assert_eq!(secrets.users(&[node("{a: b}"), before.clone()]), [(1, before.clone())]);
        secrets.add_derived(&before, &after);
        let text = "correct, x CORRECT-HORSE, europe-west, a-stable";
        assert_eq!(secrets.mask(text), "***, ***, europe-west, a-stable");
    }
}
