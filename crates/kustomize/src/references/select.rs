//! Choosing the object a name refers to.
//!
//! Contract: kustomize-build §4.4.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::rc::Rc;

use millrace_yaml::{CanonicalError, Node, Scalar, ScalarKind, canonical};

use super::candidates::Candidates;
use super::trie::{Cause, Rule};
use crate::error::{BuildError, Result};
use crate::resource::{Collection, Id, Name, Names, Resource, text_at, with_history};
use crate::syntax;
use crate::tables::Selector;

/// An object that refers to others.
#[derive(Debug)]
pub(super) struct Referrer {
    id: Id,
    prefixes: Vec<Name>,
    suffixes: Vec<Name>,
    /// The namespaces of the accounts a binding names.
    subjects: HashSet<Name>,
    /// Group and kind that a role reference names.
    role: Option<Selector>,
}

/// What a name refers to, as it is called now.
#[derive(Debug)]
pub(super) struct Referral {
    pub(super) name: Rc<str>,
    pub(super) namespace: Rc<str>,
}

impl Referrer {
    /// An object whose tree is `node` at the moment.
    pub(super) fn of(resource: &Resource, node: &Node, names: &Names) -> Result<Self> {
        let id = resource.id();
        Ok(Self {
            id,
            prefixes: resource.prefixes().to_vec(),
            suffixes: resource.suffixes().to_vec(),
            subjects: if names.is(id.gvk.kind, "RoleBinding") && !id.cluster {
                subjects(node, id, names)?
            } else {
                HashSet::new()
            },
            role: role(node),
        })
    }

    /// Whether an object is among those that this one may refer to.
    fn may_refer_to(&self, other: Id) -> bool {
        self.id.cluster
            || other.cluster
            || other.effective_namespace() == self.id.effective_namespace()
            || self.subjects.contains(&other.namespace)
    }

    /// Whether any object that this one may refer to came from a namespace.
    fn sees_origin(&self, original: Name, candidates: &Candidates) -> bool {
        if self.id.cluster {
            return candidates.any_came_from(original);
        }
        candidates.came_from(self.id.effective_namespace(), original)
            || candidates.came_from(Name::NO_NAMESPACE, original)
            || self.subjects.iter().any(|namespace| candidates.stating_came_from(*namespace, original))
    }
}

/// Where referents are looked for.
#[derive(Clone, Copy)]
pub(super) struct Lookup<'l> {
    pub(super) candidates: &'l Candidates,
    pub(super) collection: &'l Collection,
    pub(super) names: &'l Names,
}

/// A name that refers to another object.
#[derive(Clone, Copy)]
pub(super) enum Reference<'r> {
    /// A name alone.
    Name(&'r str),
    /// A name in a map, and the namespace that stands beside it.
    Map(&'r str, Option<&'r str>),
}

/// The object that a name refers to, if there is exactly one.
pub(super) fn select(
    rule: &Rule,
    referrer: &Referrer,
    reference: Reference<'_>,
    lookup: Lookup<'_>,
) -> std::result::Result<Option<Referral>, Cause> {
    let Lookup { candidates, collection, names } = lookup;
    let (old, namespace, in_map) = match reference {
        Reference::Name(name) => (name, None, false),
        Reference::Map(name, namespace) => (name, namespace, true),
    };
    let Some(name) = names.find(old) else { return Ok(None) };
    let called = candidates.called(name);
    if called.is_empty() {
        return Ok(None);
    }
    let in_namespace = namespace_filter(namespace, referrer, candidates, names);
    let fits = |index: &usize| {
        let resource = collection.get(*index);
        let id = resource.id();
        referrer.may_refer_to(id)
            && in_namespace.fits(resource)
            && selected(resource, &rule.referent, names)
            && (!rule.role || referrer.role.as_ref().is_none_or(|role| selected(resource, role, names)))
            && (referrer.id.cluster
                || id.cluster
                || names.is(id.gvk.kind, "ServiceAccount")
                || id.effective_namespace() == referrer.id.effective_namespace())
    };
    let mut found: Vec<usize> = called.iter().copied().filter(|index| fits(index)).collect();
    if found.len() != 1 {
        let affixes_fit = |index: &usize, or_empty| same_affixes(collection.get(*index), referrer, or_empty);
        found.retain(|index| affixes_fit(index, true));
        if found.len() > 1 {
            found.retain(|index| affixes_fit(index, false));
        }
    }
    let Some((first_index, first)) = found.first().map(|index| (*index, collection.get(*index).id())) else {
        return Ok(None);
    };
    let same = |index: &usize| {
        let id = collection.get(*index).id();
        id.name == first.name && (!in_map || id.namespace == first.namespace)
    };
    if !found.iter().all(same) {
        return Err(Cause::Ambiguous(found));
    }
    candidates.note(first_index, referrer.id);
    Ok(Some(Referral { name: names.text(first.name), namespace: names.text(first.namespace) }))
}

/// Which objects the namespace beside a name allows.
enum NamespaceFilter {
    Any,
    Original(Name),
    Current(Name),
    Nothing,
}

fn namespace_filter(
    namespace: Option<&str>,
    referrer: &Referrer,
    candidates: &Candidates,
    names: &Names,
) -> NamespaceFilter {
    let Some(text) = namespace else { return NamespaceFilter::Any };
    match names.find(text) {
        None | Some(Name::NO_NAMESPACE) => NamespaceFilter::Nothing,
        Some(name) if referrer.sees_origin(name, candidates) => NamespaceFilter::Original(name),
        Some(name) => NamespaceFilter::Current(name),
    }
}

impl NamespaceFilter {
    fn fits(&self, resource: &Resource) -> bool {
        match self {
            Self::Any => true,
            Self::Original(namespace) => resource.original_id().effective_namespace() == *namespace,
            Self::Current(namespace) => resource.id().effective_namespace() == *namespace,
            Self::Nothing => false,
        }
    }
}

fn selected(resource: &Resource, selector: &Selector, names: &Names) -> bool {
    resource.previous_ids().any(|id| selector.selects(id.gvk, names))
}

fn same_affixes(resource: &Resource, referrer: &Referrer, or_empty: bool) -> bool {
    let same = |left: &[Name], right: &[Name]| {
        let both_empty = left.is_empty() && right.is_empty();
        let one_empty = left.is_empty() || right.is_empty();
        both_empty || if one_empty { or_empty } else { left.ends_with(right) || right.ends_with(left) }
    };
    same(resource.prefixes(), &referrer.prefixes) && same(resource.suffixes(), &referrer.suffixes)
}

fn subjects(node: &Node, id: Id, names: &Names) -> Result<HashSet<Name>> {
    let mut namespaces = HashSet::new();
    let Some(subjects) = node.get("subjects") else { return Ok(namespaces) };
    // The reference decodes them, and counts those as none with which that fails.
    if let Err(CanonicalError::Typed { .. } | CanonicalError::Repeated) = canonical(subjects) {
        return Ok(namespaces);
    }
    for subject in subjects.as_list().unwrap_or_default() {
        let Some(namespace) = subject.get("namespace") else { continue };
        if text_at(subject, &["kind"]) != "ServiceAccount" {
            continue;
        }
        // To the reference a time is no string.
        let string = namespace.as_scalar().filter(|scalar| scalar.kind() == ScalarKind::Str);
        let Some(string) = string else {
            let id = crate::go::quote(&id.text(names));
            return Err(BuildError::new(format!("Invalid Input: namespace is blank for resource {id}\n")));
        };
        namespaces.insert(names.intern(string.text()));
    }
    Ok(namespaces)
}

/// Which roles a binding may mean; any where it says nothing of that. What is no text is empty, and that is said as well.
fn role(node: &Node) -> Option<Selector> {
    let reference = node.get("roleRef")?;
    let text = |value: &Node| value.as_scalar().map_or("", Scalar::text).to_owned();
    let part = |key| reference.get(key).map(text);
    Some(Selector { group: part("apiGroup")?.into(), version: "".into(), kind: part("kind")?.into() })
}

/// The message where a name may refer to several objects.
pub(super) fn ambiguous(
    found: &[usize],
    referrer: usize,
    candidates: &Candidates,
    collection: &Collection,
    names: &Names,
) -> String {
    let show = |index: usize| show(collection.get(index), &candidates.referrers_of(index), names);
    let ids: Vec<String> = found.iter().map(|index| collection.get(*index).id().text(names)).collect();
    let mut text = format!(
        "found multiple possible referrals: {}\n\n**** Too many possible referral targets to referrer:\n{}\n",
        ids.join(", "),
        show(referrer)
    );
    for (position, index) in found.iter().enumerate() {
        let _ = writeln!(text, "--- possible referral {position}:\n{}", show(*index));
    }
    text
}

fn show(resource: &Resource, referrers: &[Id], names: &Names) -> String {
    let mut node = with_history(resource, names);
    let referrers: Vec<String> = referrers.iter().map(|id| id.text(names)).collect();
    if !referrers.is_empty()
        && let Some(annotations) = node.map_at_mut(&["metadata", "annotations"])
    {
        annotations.insert("internal.config.kubernetes.io/refBy", Node::string(referrers.join(",")));
    }
    syntax::print_sorted(&canonical(&node).unwrap_or(node))
}
