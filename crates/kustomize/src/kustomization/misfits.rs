//! What a kustomization file states that does not fit, and the rest of it.

use std::collections::HashSet;

use millrace_yaml::Node;

use super::decode::{DecodeError, Problem, decode_strict};
use super::model::Kustomization;
use crate::hints::{self, Key};

/// How many are looked for: each costs a decoding.
const MOST: usize = 20;

/// All that does not fit, `first` at first: each is taken out in turn, and what is left decoded again.
pub(super) fn all(node: &Node, first: DecodeError) -> Vec<DecodeError> {
    let mut rest = node.clone();
    let mut misfits = vec![first];
    while misfits.len() < MOST
        && misfits.last().is_some_and(|last| take_out(&mut rest, last))
        && let Err(next) = decode_strict::<Kustomization>(&rest)
    {
        misfits.push(next);
    }
    // One wrong indent makes many fields of an entry unknown, and one wrong file many fields of Flux.
    let (mut entries, mut is_of_flux) = (HashSet::new(), false);
    misfits.retain(|misfit| match &misfit.problem {
        Problem::UnknownField { name, .. } if misfit.way.len() == 1 => {
            !hints::is_of_flux(name, node) || !std::mem::replace(&mut is_of_flux, true)
        }
        Problem::UnknownField { .. } | Problem::WrongType { .. } => {
            misfit.way.len() == 1 || entries.insert(entry_of(misfit))
        }
    });
    misfits
}

/// The file without the fields that hold what does not fit.
pub(super) fn rest(node: &Node) -> Option<Kustomization> {
    let mut rest = node.clone();
    for _ in 0..MOST {
        match decode_strict(&rest) {
            Ok(kustomization) => return Some(kustomization),
            Err(misfit) => {
                let Key::Name(field) = &misfit.way.last()?.key else { return None };
                rest.as_map_mut()?.remove(field)?;
            }
        }
    }
    None
}

/// Whether there was something to take out.
fn take_out(rest: &mut Node, misfit: &DecodeError) -> bool {
    let Some((last, above)) = misfit.way.split_first() else { return false };
    let holder = above.iter().rev().try_fold(rest, |at, step| match &step.key {
        Key::Name(name) => at.get_mut(name),
        Key::Item(index) => at.as_list_mut()?.get_mut(*index),
    });
    match (&last.key, holder) {
        (Key::Name(name), Some(Node::Map(holder))) => holder.remove(name).is_some(),
        // The items behind it keep their places.
        (Key::Item(index), Some(Node::List(holder))) => {
            holder.get_mut(*index).is_some_and(|item| !std::mem::replace(item, Node::null()).is_null())
        }
        (Key::Name(_) | Key::Item(_), _) => false,
    }
}

/// The way to what holds the value, from the inside out.
fn entry_of(misfit: &DecodeError) -> Vec<Key> {
    misfit.way.iter().skip(1).map(|step| step.key.clone()).collect()
}
