//! From events to the tree: scalars resolved, aliases expanded within bounds, maps merged.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use base64::Engine as _;

use super::budget::Budget;
use super::event::{Event, EventKind, Tag, Tags};
use super::merge;
use super::parse::parse;
use super::{Document, DuplicateKey, ReadError, RepeatedKey, Resolver};
use crate::canonical::finite;
use crate::resolve::{self, Resolved};
use crate::{List, MapBuilder, Node, Scalar, ScalarKind, Style, number};

/// go-yaml's rule: up to so many values, nearly all may come from aliases; from the second number on, a tenth.
const ALIAS_RATIO_RANGE: (usize, usize) = (400_000, 4_000_000);

/// Reads the first document of a text; `None` where there is none.
pub(super) fn document(
    text: &str,
    resolver: Resolver,
    budget: &mut Budget,
) -> Result<Option<Document>, ReadError> {
    let Some(mut loader) = Loader::new(text, resolver, budget)? else { return Ok(None) };
    let node = loader.node(OUTERMOST, 0).map_err(ReadError::found_late)?;
    let Loader { mut duplicates, complex_key, .. } = loader;
    if complex_key.as_ref().is_some_and(|key| key.is_final) {
        // What else is wrong is never told.
        duplicates.clear();
    }
    let complex_key = complex_key.map(|key| Rc::unwrap_or_clone(key.error));
    Ok(Some(Document { node, first_line: 1, duplicates, complex_key, tab_line: None }))
}

/// Reads the first document of a text as Kubernetes does, and lists the keys that stand again in a map.
pub(super) fn strict(text: &str, budget: &mut Budget) -> Result<Option<(Node, Vec<RepeatedKey>)>, ReadError> {
    let Some(mut loader) = Loader::new(text, Resolver::Kubernetes, budget)? else { return Ok(None) };
    loader.repeated = Some(Vec::new());
    let node = loader.node(0, 0)?;
    match (loader.repeated.unwrap_or_default(), loader.unfit_key) {
        (repeated, Some(error)) if repeated.is_empty() => Err(error),
        (repeated, _) => Ok(Some((node, repeated))),
    }
}

pub(super) struct Loader<'a, 'b> {
    pub(super) events: Vec<Event<'a>>,
    tags: Tags,
    pub(super) resolver: Resolver,
    depth: usize,
    budget: &'b mut Budget,
    decoded: usize,
    aliased: usize,
    /// The aliases that are being expanded.
    active: Vec<usize>,
    duplicates: Vec<DuplicateKey>,
    complex_key: Option<ComplexKey>,
    /// Keys that stand again in a map of Kubernetes, where these are asked for.
    repeated: Option<Vec<RepeatedKey>>,
    /// What JSON has against a key, where keys that stand again are asked for: those are found first.
    unfit_key: Option<ReadError>,
}

/// What is wrong with keys that are maps or lists.
#[derive(Clone)]
struct ComplexKey {
    error: Rc<ReadError>,
    /// Whether go-yaml gives up there: it does below the outermost map, and nothing else counts.
    is_final: bool,
}

/// A map as Kubernetes reads it, with what is merged into it.
pub(super) struct KubernetesMap {
    entries: MapBuilder,
    /// Where each key stands first, as far as that is asked for: to go-yaml, `1` and `"1"` are two keys.
    seen: HashMap<(ScalarKind, Box<str>), usize>,
}

/// The index of the first event of the outermost node.
const OUTERMOST: usize = 0;
/// Later duplicates than these are not listed.
const MAX_DUPLICATES: usize = 100;
/// Nor are later keys that stand again.
const MAX_REPEATED: usize = 2000;

impl<'a, 'b> Loader<'a, 'b> {
    fn new(text: &'a str, resolver: Resolver, budget: &'b mut Budget) -> Result<Option<Self>, ReadError> {
        let Some((events, tags)) = parse(text, resolver, budget.limits())? else { return Ok(None) };
        Ok(Some(Self {
            events,
            tags,
            resolver,
            depth: budget.limits().depth,
            budget,
            decoded: 0,
            aliased: 0,
            active: Vec::new(),
            duplicates: Vec::new(),
            complex_key: None,
            repeated: None,
            unfit_key: None,
        }))
    }
}

impl Loader<'_, '_> {
    /// The index of the event after the node at `at`.
    pub(super) fn after(&self, at: usize) -> usize {
        match self.events[at].kind {
            EventKind::List { end, .. } | EventKind::Map { end, .. } => end,
            EventKind::Scalar { .. } | EventKind::Alias { .. } => at + 1,
        }
    }

    pub(super) fn line(&self, at: usize) -> usize {
        self.events[at].line + 1
    }

    pub(super) fn fail(&self, at: usize, problem: &str) -> ReadError {
        ReadError::value(self.line(at), problem)
    }

    /// The node whose first event is at `at`, under `depth` collections.
    ///
    /// Collections are read in functions of their own, so that a level of nesting costs little stack.
    pub(super) fn node(&mut self, at: usize, depth: usize) -> Result<Node, ReadError> {
        self.count(at, depth)?;
        match self.events[at].kind {
            EventKind::Scalar { .. } => self.scalar(at).map(Node::Scalar),
            EventKind::Alias { target, .. } => self.expand(at, |loader| loader.node(target, depth)),
            EventKind::List { end, flow } => self.list(at, end, depth, flow),
            EventKind::Map { flow, .. } => self.map(at, depth, flow),
        }
    }

    #[inline(never)]
    fn list(&mut self, at: usize, end: usize, depth: usize, flow: bool) -> Result<Node, ReadError> {
        let depth = self.deeper(at, depth)?;
        let mut items = List::default();
        items.set_flow(flow);
        let mut item = at + 1;
        while item < end {
            items.push(self.node(item, depth)?);
            item = self.after(item);
        }
        Ok(Node::List(items))
    }

    #[inline(never)]
    fn map(&mut self, at: usize, depth: usize, flow: bool) -> Result<Node, ReadError> {
        let depth = self.deeper(at, depth)?;
        let mut entries = MapBuilder::in_flow(flow);
        let entries = match self.resolver {
            Resolver::Kubernetes => {
                let mut map = KubernetesMap { entries, seen: HashMap::new() };
                self.kubernetes_map(at, depth, &mut map)?;
                map.entries
            }
            Resolver::Kustomize => {
                self.kustomize_map(at, depth, &mut entries)?;
                entries
            }
        };
        Ok(Node::Map(entries.finish()))
    }

    /// Counts a value as go-yaml does and stops where too many come from aliases.
    pub(super) fn count(&mut self, at: usize, depth: usize) -> Result<(), ReadError> {
        self.decoded += 1;
        self.aliased += usize::from(!self.active.is_empty());
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
        let excessive = self.aliased > 100
            && self.decoded > 1000
            && self.aliased as f64 / self.decoded as f64 > allowed_alias_ratio(self.decoded);
        if excessive {
            return Err(self.fail(at, "document contains excessive aliasing"));
        }
        self.budget.value(depth).map_err(|problem| ReadError::limit(Some(self.events[at].line + 1), &problem))
    }

    /// Runs `read` as the expansion of the alias at `at`.
    pub(super) fn expand<T>(
        &mut self,
        at: usize,
        read: impl FnOnce(&mut Self) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        if let (true, EventKind::Alias { name, .. }) = (self.active.contains(&at), &self.events[at].kind) {
            return Err(self.fail(at, &format!("anchor '{name}' value contains itself")));
        }
        if self.active.len() >= self.depth {
            return Err(self.too_deep(at));
        }
        self.active.push(at);
        let value = read(self);
        self.active.pop();
        value
    }

    fn deeper(&self, at: usize, depth: usize) -> Result<usize, ReadError> {
        if depth >= self.depth {
            return Err(self.too_deep(at));
        }
        Ok(depth + 1)
    }

    #[cold]
    fn too_deep(&self, at: usize) -> ReadError {
        ReadError::limit(Some(self.line(at)), &format!("exceeded max depth of {}", self.depth))
    }

    /// Entries in order, merges where they stand: what comes later wins.
    pub(super) fn kubernetes_map(
        &mut self,
        at: usize,
        depth: usize,
        map: &mut KubernetesMap,
    ) -> Result<(), ReadError> {
        let end = self.after(at);
        let mut key = at + 1;
        while key < end {
            let value = self.after(key);
            if self.events[key].is_merge_key() {
                merge::kubernetes(self, value, depth, map)?;
            } else {
                let name = match self.float_key(key) {
                    Some(name) => Node::string(name),
                    None => self.node(key, depth)?,
                };
                let node = self.node(value, depth)?;
                if self.repeated.is_some() {
                    self.note_key(&name, key, map);
                }
                match merge::kubernetes_key(name, &node) {
                    Ok(name) => {
                        map.entries.insert(name, node);
                    }
                    Err(problem @ merge::BadKey::Json(_)) if self.repeated.is_some() => {
                        let error = self.bad_key(key, problem);
                        self.unfit_key.get_or_insert(error);
                    }
                    Err(problem) => return Err(self.bad_key(key, problem)),
                }
            }
            key = self.after(value);
        }
        Ok(())
    }

    /// Remembers a key of a map, or lists it if it stands there already.
    fn note_key(&mut self, name: &Node, key: usize, map: &mut KubernetesMap) {
        let Node::Scalar(name) = name else { return };
        let kind = match name.kind() {
            _ if self.float_key(key).is_some() => ScalarKind::Float,
            ScalarKind::Timestamp => ScalarKind::Str,
            kind => kind,
        };
        let line = self.line(key);
        match map.seen.entry((kind, name.text().into())) {
            Entry::Vacant(place) => {
                place.insert(line);
            }
            Entry::Occupied(first) => {
                let key_line = (line, *first.get());
                let value_line = self.line(self.after(key));
                if let Some(repeated) = self.repeated.as_mut().filter(|list| list.len() < MAX_REPEATED) {
                    let key = Scalar::new(name.text(), kind, Style::Plain);
                    let (line, first_line) = key_line;
                    repeated.push(RepeatedKey { key, line, first_line, value_line });
                }
            }
        }
    }

    /// The name that a float becomes as a key.
    fn float_key(&self, at: usize) -> Option<String> {
        let EventKind::Scalar { text, .. } = &self.events[at].kind else { return None };
        match resolve::plain(text, Resolver::Kubernetes) {
            Resolved::Float(value) if self.events[at].is_implicit() => Some(number::format_key(value)),
            _ => None,
        }
    }

    #[cold]
    fn bad_key(&self, at: usize, problem: merge::BadKey) -> ReadError {
        match problem {
            merge::BadKey::Yaml(problem) => self.fail(at, &problem),
            merge::BadKey::Json(problem) => ReadError::json(self.line(at), &problem),
        }
    }

    /// Own entries in order, also those of equal keys; then what is merged.
    fn kustomize_map(&mut self, at: usize, depth: usize, map: &mut MapBuilder) -> Result<(), ReadError> {
        let end = self.after(at);
        let (listed, complex_before) = (self.duplicates.len(), self.complex_key.clone());
        let mut merged = None;
        let mut sign_seen = false;
        // The events of the keys in `map`, and of those that stood there already when they came.
        let (mut keys, mut again) = (Vec::new(), Vec::new());
        // The events of keys that are maps, and of those that are lists.
        let mut complex = [Vec::new(), Vec::new()];
        let mut key = at + 1;
        while key < end {
            let value = self.after(key);
            let first_sign =
                self.events[key].has_text_of_merge_key() && !std::mem::replace(&mut sign_seen, true);
            if self.events[key].is_merge_key() {
                if merged.replace(value).is_some() {
                    return Err(ReadError::json(self.line(key), "duplicate merge key"));
                }
            } else if !first_sign {
                // The first `<<` goes, also where it is no more than text.
                let may_be_unfit =
                    at == OUTERMOST && !matches!(self.events[key].kind, EventKind::Scalar { .. });
                let complex_so_far = may_be_unfit.then(|| self.complex_key.clone());
                let name = self.node(key, depth)?;
                let node = self.node(value, depth)?;
                if let (Node::List(_) | Node::Map(_), Some(so_far)) = (&name, complex_so_far) {
                    // Where a key is no name, neither it nor its value is looked into.
                    self.complex_key = so_far;
                }
                match name {
                    Node::Scalar(name) => {
                        keys.push(key);
                        if let Some(position) = map.position(name.text()) {
                            again.push((position, key));
                        }
                        map.push_again(name, node);
                    }
                    found @ (Node::List(_) | Node::Map(_)) => {
                        complex[usize::from(found.as_list().is_some())].push(key);
                        self.note_complex(at, key, &found);
                    }
                }
            }
            key = self.after(value);
        }
        // Of keys that are no scalars go-yaml compares no more than what they are.
        let is_complex = complex.iter().any(|alike| alike.len() > 1);
        if !again.is_empty() || is_complex {
            // It doesn't look into a map that has equal ones.
            self.duplicates.truncate(listed);
            self.complex_key = complex_before;
            let found = self.list_duplicates(&keys, &again, &complex, map);
            if is_complex {
                self.list_complex(ReadError::duplicates(&found));
            } else {
                self.duplicates.extend(found);
            }
        }
        merged.map_or(Ok(()), |value| merge::kustomize(self, value, depth, map))
    }

    /// Remembers the first key that is a map or a list: it is refused once the tree is to become JSON.
    ///
    /// Those of the outermost map do not fit its names, and all of them are told.
    #[cold]
    fn note_complex(&mut self, map: usize, at: usize, key: &Node) {
        let is_outermost = map == OUTERMOST;
        if is_outermost {
            let line = self.line(at);
            let tag = if key.as_list().is_some() { "!!seq" } else { "!!map" };
            self.list_complex(ReadError::unfit_key(line, tag));
        } else if self.complex_key.as_ref().is_none_or(|known| !known.is_final) {
            let error = self.bad_key(at, merge::BadKey::complex(key, "string"));
            let in_braces = |at: usize| matches!(self.events[at].kind, EventKind::Map { flow: true, .. });
            let is_bare = key
                .as_map()
                .is_some_and(|key| key.len() == 1 && key.iter().all(|(_, value)| value.is_null()));
            let is_template = at == map + 1 && in_braces(map) && in_braces(at) && is_bare;
            let error = if is_template { error.of_template() } else { error };
            self.complex_key = Some(ComplexKey { error: error.into(), is_final: true });
        }
    }

    /// Adds to what is listed, unless go-yaml gives up before it tells that.
    fn list_complex(&mut self, error: ReadError) {
        match &mut self.complex_key {
            Some(known) if !known.is_final => Rc::make_mut(&mut known.error).add(&error),
            Some(_) => {}
            None => self.complex_key = Some(ComplexKey { error: error.into(), is_final: false }),
        }
    }

    /// Lists every pair of equal keys, as go-yaml does, up to a sensible number.
    #[cold]
    fn list_duplicates(
        &self,
        keys: &[usize],
        again: &[(usize, usize)],
        complex: &[Vec<usize>; 2],
        map: &MapBuilder,
    ) -> Vec<DuplicateKey> {
        let is_complex = complex.iter().any(|alike| alike.len() > 1);
        let listed = if is_complex { 0 } else { self.duplicates.len() };
        let room = MAX_DUPLICATES.saturating_sub(listed);
        let mut pairs = Vec::new();
        for (index, &(position, later)) in again.iter().enumerate().take(room) {
            let others =
                again[..index].iter().filter(|(other, _)| *other == position).map(|(_, event)| *event);
            pairs.extend(
                std::iter::once(keys[position]).chain(others).map(|earlier| (earlier, later, Some(position))),
            );
        }
        for alike in complex {
            let after =
                |index: usize| alike[index + 1..].iter().map(move |later| (alike[index], *later, None));
            pairs.extend((0..alike.len()).flat_map(after).take(room));
        }
        pairs.sort_unstable();
        let pair = |(earlier, later, position): (usize, usize, Option<usize>)| {
            let key = position.map_or("", |position| map.key_at(position)).to_owned();
            DuplicateKey { key, line: self.line(later), first_line: self.line(earlier) }
        };
        pairs.into_iter().take(room).map(pair).collect()
    }

    #[inline(never)]
    fn scalar(&mut self, at: usize) -> Result<Scalar, ReadError> {
        let EventKind::Scalar { text, .. } = &self.events[at].kind else { return Ok(Scalar::string("")) };
        if !self.active.is_empty() {
            let tag_length = self.events[at].tag.and_then(|_| self.tags.of(at)).map_or(0, str::len);
            self.budget
                .repeat(text.len() + tag_length)
                .map_err(|problem| ReadError::limit(Some(self.line(at)), &problem))?;
        }
        self.resolved(at)
    }

    fn resolved(&self, at: usize) -> Result<Scalar, ReadError> {
        let event = &self.events[at];
        let EventKind::Scalar { text, style } = &event.kind else { return Ok(Scalar::string("")) };
        let kind = match event.tag {
            Some(Tag::Absent) if self.resolver == Resolver::Kustomize => {
                return Ok(Scalar::new("", ScalarKind::Null, Style::Plain));
            }
            None | Some(Tag::Absent) => None,
            Some(Tag::Binary) => return self.binary(at, text),
            Some(Tag::Kind(kind)) => Some(kind),
            Some(Tag::NonSpecific | Tag::Merge | Tag::Other) => Some(ScalarKind::Str),
        };
        match self.resolver {
            Resolver::Kubernetes if kind.is_none() && *style != Style::Plain => {
                Ok(Scalar::string(text.as_ref()))
            }
            Resolver::Kubernetes => self.kubernetes_scalar(at, text, kind),
            Resolver::Kustomize => {
                let implicit = event.is_implicit() && *style == Style::Plain;
                let kind = match kind {
                    Some(kind) if event.tag != Some(Tag::NonSpecific) => kind,
                    _ if implicit => resolve::plain(text, Resolver::Kustomize).kind(),
                    _ => ScalarKind::Str,
                };
                // What a tag makes of a quoted scalar reads like a plain one.
                let style = if kind == ScalarKind::Str { *style } else { Style::Plain };
                if event.is_merge_key() {
                    return Ok(Scalar::merge_sign());
                }
                let scalar = Scalar::new(text.as_ref(), kind, style);
                Ok(match (event.tag, self.tags.of(at)) {
                    (Some(Tag::Kind(_)), _) => scalar.with_tag_of_kind(),
                    (Some(Tag::Other), Some(tag)) => scalar.with_tag(tag),
                    (_, _) => scalar,
                })
            }
        }
    }

    /// The scalar in canonical form; a tag must agree with the text.
    fn kubernetes_scalar(
        &self,
        at: usize,
        text: &str,
        wanted: Option<ScalarKind>,
    ) -> Result<Scalar, ReadError> {
        if wanted == Some(ScalarKind::Str) {
            return Ok(Scalar::string(text));
        }
        let resolved = resolve::plain(text, Resolver::Kubernetes);
        let found = resolved.kind();
        let agrees = wanted.is_none_or(|wanted| {
            wanted == found || (wanted == ScalarKind::Float && found == ScalarKind::Int)
        });
        if !agrees {
            let wanted = wanted.map_or("str", ScalarKind::tag);
            return Err(self.fail(at, &format!("cannot decode !!{} `{text}` as a !!{wanted}", found.tag())));
        }
        match resolved {
            Resolved::Null => Ok(Scalar::new("null", ScalarKind::Null, Style::Plain)),
            Resolved::Bool(value) => {
                Ok(Scalar::new(if value { "true" } else { "false" }, ScalarKind::Bool, Style::Plain))
            }
            Resolved::Int(value) => Ok(Scalar::new(value.to_string(), ScalarKind::Int, Style::Plain)),
            Resolved::Float(value) => {
                finite(value).map_err(|err| ReadError::json(self.line(at), &err.to_string()))
            }
            Resolved::Timestamp(_) | Resolved::Str => Ok(Scalar::string(text)),
        }
    }

    fn binary(&self, at: usize, text: &str) -> Result<Scalar, ReadError> {
        let digits: String = text.chars().filter(|digit| !matches!(digit, '\n' | '\r')).collect();
        let bytes = base64::engine::general_purpose::STANDARD.decode(digits);
        let bytes = bytes.map_err(|_| self.fail(at, "!!binary value contains invalid base64 data"))?;
        // Go's JSON encoder replaces what is no UTF-8.
        Ok(Scalar::string(String::from_utf8_lossy(&bytes).into_owned()))
    }
}

fn allowed_alias_ratio(decoded: usize) -> f64 {
    let (low, high) = ALIAS_RATIO_RANGE;
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    match decoded {
        _ if decoded <= low => 0.99,
        _ if decoded >= high => 0.10,
        _ => 0.99 - 0.89 * ((decoded - low) as f64 / (high - low) as f64),
    }
}
