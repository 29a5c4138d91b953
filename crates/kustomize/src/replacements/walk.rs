//! The walk along a path to what a replacement writes into.

use millrace_yaml::styled;
use regex::Regex;

use super::path::{index_of, is_bracketed, split_bracketed};
use super::tree::{self, Tree};
use crate::regexp;

/// What is made where a path leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Make {
    Scalar,
    List,
    Map,
}

/// The way from the root to where the walk is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way<'w, S> {
    pub(super) steps: &'w [S],
    /// How many of them are those of the way that the walk came to an end on before.
    pub(super) kept: usize,
}

/// What a path leads to.
pub(super) enum End<'e, T: Tree> {
    /// A value of the tree.
    There { value: &'e mut T, way: Way<'e, T::Step> },
    /// A value of a copy, of which nothing is printed.
    Lost { is_scalar: bool },
}

/// What happens at each end of a path.
pub(super) type Act<'a, T> = &'a mut dyn FnMut(End<'_, T>) -> Result<(), String>;

/// Visits every value a path leads to, making what is missing where `make` says so; says how many there were.
pub(super) fn visit<T: Tree>(
    node: &mut T,
    parts: &[String],
    make: Option<Make>,
    act: Act<'_, T>,
) -> Result<usize, String> {
    Walk { make, act, steps: Vec::new(), kept: 0, is_lost: false }.visit(node, parts)
}

struct Walk<'a, T: Tree> {
    make: Option<Make>,
    act: Act<'a, T>,
    steps: Vec<T::Step>,
    kept: usize,
    /// Whether it is in a copy.
    is_lost: bool,
}

impl<T: Tree> Walk<'_, T> {
    fn visit(&mut self, node: &mut T, parts: &[String]) -> Result<usize, String> {
        let Some((part, rest)) = parts.split_first() else { return self.end(node) };
        if node.is_null() && !part.is_empty() {
            // The reference adds to the null, where nothing of it is ever printed.
            return self.visit_copy(&mut T::made(container_for(part)), parts);
        }
        match index_of(part).filter(|index| *index >= 0) {
            Some(index) => self.visit_index(node, usize::try_from(index).unwrap_or(usize::MAX), rest),
            None if is_bracketed(part) => self.visit_matching(node, part, rest),
            None if part == "*" => {
                let mut items = items_mut(node)?.iter_mut().enumerate();
                items.try_fold(0, |count, (index, item)| {
                    Ok(count + self.visit_child(T::item_step(index), item, rest)?)
                })
            }
            None => self.visit_field(node, part, rest),
        }
    }

    fn end(&mut self, node: &mut T) -> Result<usize, String> {
        if self.is_lost {
            (self.act)(End::Lost { is_scalar: node.as_text().is_some() })?;
        } else {
            let way = Way { steps: &self.steps, kept: self.kept };
            (self.act)(End::There { value: node, way })?;
            self.kept = self.steps.len();
        }
        Ok(1)
    }

    fn visit_child(&mut self, step: T::Step, child: &mut T, parts: &[String]) -> Result<usize, String> {
        self.steps.push(step);
        let visited = self.visit(child, parts);
        self.steps.pop();
        self.kept = self.kept.min(self.steps.len());
        visited
    }

    fn visit_copy(&mut self, copy: &mut T, parts: &[String]) -> Result<usize, String> {
        let was_lost = std::mem::replace(&mut self.is_lost, true);
        let visited = self.visit(copy, parts);
        self.is_lost = was_lost;
        visited
    }

    fn visit_field(&mut self, node: &mut T, part: &str, rest: &[String]) -> Result<usize, String> {
        if part.is_empty() {
            return self.visit_itself(node, rest);
        }
        if node.kind() != "MappingNode" {
            return Err(node.wrong_kind("MappingNode"));
        }
        if node.field(part).is_none() {
            let Some(make) = self.make else { return Ok(0) };
            node.push_field(part, made(rest.first(), make));
        }
        let Some((step, field)) = node.field_mut(part) else { return Ok(0) };
        match field.as_text() {
            Some(text) if !rest.is_empty() => self.visit_text(text, rest),
            Some(_) | None => self.visit_child(step, field, rest),
        }
    }

    /// Visits what a part without text leads to: a scalar itself, if it has no text either.
    fn visit_itself(&mut self, node: &mut T, rest: &[String]) -> Result<usize, String> {
        if !node.is_null() {
            let Some(text) = node.as_text() else { return Err(node.wrong_kind("ScalarNode")) };
            if text.is_empty() {
                return if rest.is_empty() { self.visit(node, rest) } else { self.visit_text("", rest) };
            }
        }
        let Some(kind) = self.make else { return Ok(0) };
        // What is missing takes the place of the scalar; what is written goes into a copy of it, which nothing is printed
        // of.
        *node = made(rest.first(), kind);
        let mut copy: T = made(rest.first(), kind);
        match copy.as_text() {
            Some(text) if !rest.is_empty() => self.visit_text(text, rest),
            Some(_) | None => self.visit_copy(&mut copy, rest),
        }
    }

    /// Visits the rest of a path on a copy of the structured text in a scalar: what is written there is lost.
    fn visit_text(&mut self, text: &str, rest: &[String]) -> Result<usize, String> {
        let is_list = rest.first().is_some_and(|part| container_for(part) == Make::List);
        let Some(mut document) = tree::parse(text)? else {
            let expected = match rest.first().map(String::as_str) {
                Some("") => "ScalarNode",
                Some(_) | None if is_list => "SequenceNode",
                Some(_) | None => "MappingNode",
            };
            return Err(tree::wrong_kind(expected, "", "null\n"));
        };
        let root = document.root();
        if is_list && !Tree::is_null(root) && Tree::kind(root) != "SequenceNode" {
            // Here the reference looks at the document, not at its root, and shows it whole.
            return Err(tree::wrong_kind("SequenceNode", Tree::kind(root), &tree::print(&document)));
        }
        let mut lose = |end: End<'_, styled::Node>| {
            (self.act)(End::Lost {
                is_scalar: match end {
                    End::There { value, .. } => value.as_text().is_some(),
                    End::Lost { is_scalar } => is_scalar,
                },
            })
        };
        visit(document.root_mut(), rest, self.make, &mut lose)
    }

    fn visit_index(&mut self, node: &mut T, index: usize, rest: &[String]) -> Result<usize, String> {
        let count = items_mut(node)?.len();
        if let Some(make) = self.make.filter(|_| count == index) {
            node.push_item(made(rest.first(), make));
        }
        let items = items_mut(node)?;
        let count = items.len();
        match items.get_mut(index) {
            Some(item) => self.visit_child(T::item_step(index), item, rest),
            None => Err(format!("index {index} specified but only {count} elements found")),
        }
    }

    fn visit_matching(&mut self, node: &mut T, part: &str, rest: &[String]) -> Result<usize, String> {
        let (field, text) = split_bracketed(part)?;
        let mut pattern = Pattern { field, text, regex: None };
        let mut count = 0;
        for (index, item) in items_mut(node)?.iter_mut().enumerate() {
            count += self.visit_item(index, item, &mut pattern, rest)?;
        }
        if count > 0 || self.make.is_none() {
            return Ok(count);
        }
        let mut item = T::plain(text);
        if !field.is_empty() {
            let value = std::mem::replace(&mut item, T::made(Make::Map));
            item.push_field(field, value);
        }
        node.push_item(item);
        match items_mut(node)?.iter_mut().enumerate().next_back() {
            Some((index, item)) => self.visit_item(index, item, &mut pattern, rest),
            None => Ok(0),
        }
    }

    /// Visits an item if it matches; where items are matched themselves, the path ends with them.
    fn visit_item(
        &mut self,
        index: usize,
        item: &mut T,
        pattern: &mut Pattern<'_>,
        rest: &[String],
    ) -> Result<usize, String> {
        let rest = if pattern.field.is_empty() { &[] } else { rest };
        if pattern.matches(item)? { self.visit_child(T::item_step(index), item, rest) } else { Ok(0) }
    }
}

/// What a part such as `[name=web]` stands for.
struct Pattern<'p> {
    field: &'p str,
    text: &'p str,
    /// Compiled for the first item.
    regex: Option<Regex>,
}

impl Pattern<'_> {
    fn matches<T: Tree>(&mut self, item: &T) -> Result<bool, String> {
        let found = if self.field.is_empty() { Some(item) } else { item.field(self.field) };
        // Nearly all are words, which stand for themselves: compiling one for each list of each object takes longer.
        if regexp::is_plain(self.text) && !self.text.contains('.') {
            return Ok(found.is_some_and(|found| found.print().trim().contains(self.text)));
        }
        let regex = match &mut self.regex {
            Some(regex) => regex,
            empty @ None => {
                let regex = regexp::compile(self.text)?;
                empty.insert(regex)
            }
        };
        Ok(found.is_some_and(|found| regex.is_match(found.print().trim())))
    }
}

fn items_mut<T: Tree>(node: &mut T) -> Result<&mut [T], String> {
    if node.kind() != "SequenceNode" {
        return Err(node.wrong_kind("SequenceNode"));
    }
    Ok(node.items_mut().expect("a list, by the check above"))
}

/// What a part leads through.
fn container_for(part: &str) -> Make {
    let is_item = part == "*" || is_bracketed(part) || index_of(part).is_some_and(|index| index >= 0);
    if is_item { Make::List } else { Make::Map }
}

/// What is made for a part that is missing: what the next part, or at the end the value, needs.
fn made<T: Tree>(next: Option<&String>, make: Make) -> T {
    T::made(match next {
        // A `*` goes through the items of a map that is made, and so nowhere.
        Some(next) if next == "*" => Make::Map,
        Some(next) if !next.is_empty() => container_for(next),
        Some(_) | None => make,
    })
}
