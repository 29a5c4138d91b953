//! One object of a build.

use std::rc::Rc;

use millrace_yaml::read::ReadError;
use millrace_yaml::{Map, Node};

use super::id::{Gvk, Id, IdKey, text_at};
use super::links::Links;
use super::names::{Name, Names};
use super::noted::{Note, Noted};
use super::repeated::Repeated;
use crate::annotations::NEEDS_HASH;
use crate::error::BuildError;

/// One object, what it was called before, and what the build must remember of it.
#[derive(Clone, Debug)]
pub(crate) struct Resource {
    pub(crate) node: Node,
    id: Id,
    previous: Vec<PreviousId>,
    /// Name prefixes and suffixes, in the order they were added.
    pub(super) prefixes: Vec<Name>,
    pub(super) suffixes: Vec<Name>,
    pub(super) noted: Noted,
    /// Whether the root appends a hash of the content to the name.
    pub(crate) needs_hash: bool,
    /// Whether a patch was allowed to change the name, and the kind.
    pub(crate) allowed: Allowed,
    /// What a generator asks for where the object exists already; `None` for objects that none made.
    pub(crate) behavior: Option<Behavior>,
    /// Whether a step took the object away.
    pub(crate) deleted: bool,
    /// Places that share a scalar.
    pub(crate) links: Links,
    /// The variables whose value this object holds.
    pub(crate) variables: Vec<Name>,
    /// The objects that were found to refer to this one.
    pub(crate) referrers: Vec<Id>,
    /// The file the object was read from.
    pub(crate) file: Name,
    /// That keys stood twice in what the object was made of; while they do, it has no output.
    pub(crate) repeated: Option<Repeated>,
    /// How many lines of comments stand before its first block text that begins with a tab.
    pub(crate) comment_lines: usize,
    /// What is wrong with a key that is a map or a list; the object has no output.
    pub(crate) complex_key: Option<Rc<ReadError>>,
    /// The record of where the object comes from, while that is tracked.
    pub(crate) origin: Option<Rc<str>>,
    /// The records of the steps the object went through.
    pub(crate) transformations: Vec<Rc<Node>>,
}

/// What an object was called before a step; group and version are always the current ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PreviousId {
    pub(crate) kind: Name,
    pub(crate) name: Name,
    /// The effective namespace.
    pub(crate) namespace: Name,
}

/// What a generator asks for where the object exists already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Behavior {
    /// Nothing, or an unknown word.
    #[default]
    Unspecified,
    /// The object must not exist.
    Create,
    /// Keep the data that the new object does not have.
    Merge,
    /// Take the place of the old object.
    Replace,
}

/// What patches were allowed to change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Allowed {
    pub(crate) name: bool,
    pub(crate) kind: bool,
}

impl Behavior {
    /// What a word asks for.
    pub(crate) fn of(word: &str) -> Self {
        [Self::Create, Self::Merge, Self::Replace]
            .into_iter()
            .find(|behavior| behavior.text() == word)
            .unwrap_or_default()
    }

    /// The word for it.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Unspecified => "unspecified",
            Self::Create => "create",
            Self::Merge => "merge",
            Self::Replace => "replace",
        }
    }
}

impl Resource {
    pub(crate) fn new(node: Node, file: Name, names: &Names) -> Self {
        let id = Id::of(&node, names);
        let needs_hash = text_at(&node, &["metadata", "annotations", NEEDS_HASH]) == "enabled";
        Self {
            node,
            id,
            previous: Vec::new(),
            prefixes: Vec::new(),
            suffixes: Vec::new(),
            noted: Noted::default(),
            needs_hash,
            allowed: Allowed::default(),
            behavior: None,
            deleted: false,
            links: Links::default(),
            variables: Vec::new(),
            referrers: Vec::new(),
            file,
            repeated: None,
            comment_lines: 0,
            complex_key: None,
            origin: None,
            transformations: Vec::new(),
        }
    }

    /// The current id.
    pub(crate) fn id(&self) -> Id {
        self.id
    }

    /// Reads the current id anew after the object changed.
    pub(crate) fn refresh_id(&mut self, names: &Names) {
        self.id = Id::of(&self.node, names);
    }

    /// Carries what was written to a value that several places share to all of them; `make` counts the bytes.
    pub(crate) fn settle(
        &mut self,
        names: &Names,
        make: impl Fn(usize) -> Result<(), String>,
    ) -> Result<(), BuildError> {
        if self.links.is_empty() {
            return Ok(());
        }
        self.links.settle_counted(&mut self.node, None, make).map_err(BuildError::limit)?;
        self.refresh_id(names);
        Ok(())
    }

    /// The first id.
    pub(crate) fn original_id(&self) -> Id {
        self.previous_ids().next().unwrap_or(self.id)
    }

    /// The ids before the current one, but for those without a name.
    pub(crate) fn previous_ids(&self) -> impl Iterator<Item = Id> {
        let named = self.previous.iter().filter(|previous| !previous.name.is_empty());
        named.map(|previous| self.as_id(*previous))
    }

    /// Fails where what the object was called does not add up: it has had a name, and none, in the course of the build, or one
    /// with a comma, which is what stands between names where the reference remembers them.
    pub(crate) fn check_ids(&self, names: &Names) -> Result<(), &'static str> {
        let parts = |of: fn(&PreviousId) -> Name| -> usize {
            let stated = self.previous.iter().map(of).filter(|name| !name.is_empty());
            stated.map(|name| names.text(name).split(',').count()).sum()
        };
        let count = parts(|id| id.name);
        if count == 0 || (count == parts(|id| id.kind) && count == parts(|id| id.namespace)) {
            return Ok(());
        }
        Err("number of previous names, number of previous namespaces, number of previous kinds not equal")
    }

    /// Previous ids and the current one.
    pub(crate) fn any_ids(&self) -> impl Iterator<Item = Id> {
        self.previous_ids().chain([self.id])
    }

    /// The keys under which the object is found.
    pub(crate) fn any_keys(&self) -> impl Iterator<Item = IdKey> {
        self.any_ids().map(Id::key)
    }

    pub(crate) fn previous(&self) -> &[PreviousId] {
        &self.previous
    }

    /// Whether the build has recorded anything about the object that the reference keeps in annotations.
    pub(crate) fn has_history(&self) -> bool {
        !self.previous.is_empty()
            || self.behavior.is_some()
            || self.needs_hash
            || !self.prefixes.is_empty()
            || !self.suffixes.is_empty()
            || self.origin.is_some()
    }

    /// Name prefixes, in the order they were added.
    pub(crate) fn prefixes(&self) -> &[Name] {
        &self.prefixes
    }

    /// Name suffixes, in the order they were added.
    pub(crate) fn suffixes(&self) -> &[Name] {
        &self.suffixes
    }

    /// Remembers a prefix, and the current id, before the name gets it.
    pub(crate) fn record_prefix(&mut self, prefix: Name) {
        self.note(Note::Prefixes);
        self.prefixes.push(prefix);
        self.record_id();
    }

    /// Remembers a suffix, and the current id, before the name gets it.
    pub(crate) fn record_suffix(&mut self, suffix: Name) {
        self.note(Note::Suffixes);
        self.suffixes.push(suffix);
        self.record_id();
    }

    fn note(&mut self, note: Note) {
        let annotations = self.node.at(&["metadata", "annotations"]).and_then(Node::as_map);
        self.noted.add(note, annotations.map_or(0, Map::len));
    }

    /// Remembers the current id, before a change.
    pub(crate) fn record_id(&mut self) {
        self.note(Note::Ids);
        let Id { gvk, name, .. } = self.id;
        // The reference remembers it in annotations, which are there from now on. Empty ones are no part of the result.
        if let Node::Map(root) = &mut self.node {
            if root.get("metadata").is_none_or(Node::is_null) {
                root.insert("metadata", Node::map());
            }
            if let Some(Node::Map(metadata)) = root.get_mut("metadata")
                && metadata.get("annotations").is_none_or(|annotations| annotations.as_scalar().is_some())
            {
                metadata.insert("annotations", Node::map());
            }
        }
        self.previous.push(PreviousId { kind: gvk.kind, name, namespace: self.id.effective_namespace() });
    }

    /// Puts back what the object was called.
    pub(super) fn restore_previous(&mut self, previous: Vec<PreviousId>) {
        self.previous = previous;
    }

    /// Takes over what another object was called.
    pub(crate) fn take_history(&mut self, other: &Self) {
        self.previous.clone_from(&other.previous);
        self.prefixes.clone_from(&other.prefixes);
        self.suffixes.clone_from(&other.suffixes);
        // Merged annotations are sorted, with what the reference notes among them.
        self.noted = Noted::default();
        self.variables.clone_from(&other.variables);
    }

    /// Forgets all that the reference keeps in annotations.
    pub(crate) fn forget_history(&mut self) {
        self.previous.clear();
        self.prefixes.clear();
        self.suffixes.clear();
        self.needs_hash = false;
        self.behavior = None;
        self.allowed = Allowed::default();
        self.origin = None;
        self.transformations.clear();
        self.noted = Noted::default();
    }

    fn as_id(&self, previous: PreviousId) -> Id {
        let gvk = Gvk { kind: previous.kind, ..self.id.gvk };
        Id { gvk, name: previous.name, namespace: previous.namespace, cluster: false }
    }
}
