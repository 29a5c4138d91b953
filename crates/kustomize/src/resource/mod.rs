//! Objects of a build, their ids and the collections they stand in.

mod collection;
mod history;
mod id;
mod links;
mod names;
mod parse;
mod resource;

pub(crate) use collection::Collection;
pub(crate) use history::with_history;
pub(crate) use id::{Gvk, Id, IdKey, split_api_version, text_at};
pub(crate) use links::{Links, Place, Step};
pub(crate) use names::{Name, Names};
pub(crate) use parse::{ParseError, check_metadata, parse_resources};
pub(crate) use resource::{Behavior, PreviousId, Resource};
