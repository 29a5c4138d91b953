//! Objects of a build, their ids and the collections they stand in.

mod collection;
mod history;
mod id;
pub(crate) mod links;
mod names;
mod noted;
mod object;
mod parse;
mod repeated;

pub(crate) use collection::Collection;
pub(crate) use history::{
    as_remembered, expose, history_texts, internal_annotations, take_back, with_history,
};
pub(crate) use id::{Gvk, Id, IdKey, text_at};
pub(crate) use links::{Place, Step};
pub(crate) use names::{Name, Names};
pub(crate) use object::{Behavior, Resource};
pub(crate) use parse::{ParseError, check_metadata, parse_any_resources, parse_resources};
pub(crate) use repeated::Repeated;
