//! The schema of one build: merge keys of lists and scope of kinds.
//!
//! An immutable value: the built-in tables, and what a kustomization file's `openapi` brings. Contract: kustomize-build
//! §2.5, §5.

mod builtin;
mod builtin_kinds;
mod builtin_types;
#[cfg(test)]
mod checks;
mod custom;
mod swagger;
mod text;

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use millrace_yaml::Node;

use crate::error::{BuildError, Result};
use crate::kustomization::StringMap;
use crate::loader::Loader;
use crate::options::Mode;
use builtin::BuiltinAt;
pub(crate) use builtin::Scope;
use custom::CustomSchema;
pub(crate) use swagger::check_schema;
pub(crate) use text::{placed, read};

/// The only built-in version.
const VERSION: &str = "v1.21.2";

/// The schema of one build.
#[derive(Clone, Debug, Default)]
pub(crate) struct Schema {
    custom: Option<Rc<CustomSchema>>,
    /// Whether the custom schema takes the place of the built-in types.
    replaces: bool,
    /// Whether a kustomization file has chosen a schema, so that those of bases are ignored.
    chosen: bool,
    /// Whether anything asked for the built-in types. Once they are there, no custom schema takes their place.
    builtin_wanted: Cell<bool>,
    /// What is wrong with the chosen schema, and whether anything asked for it.
    broken: Option<Rc<Broken>>,
    /// What was found wrong with the chosen schema where something asked for it.
    fault: RefCell<Option<Box<BuildError>>>,
}

/// A schema that does not read. The reference reads it when something asks for it, and no sooner.
#[derive(Debug)]
struct Broken {
    error: BuildError,
    is_used: Cell<bool>,
}

impl Schema {
    /// The schema after a target that states `openapi`; `None` where it stays as it is.
    ///
    /// What the root states wins; of the others the first one does.
    pub(crate) fn choose(
        &self,
        openapi: &StringMap,
        loader: &Loader<'_>,
        is_root: bool,
    ) -> Result<Option<Self>> {
        let path = openapi.get("path");
        let text = path.map(|path| loader.load(path)).transpose()?;
        if self.chosen && !is_root {
            return Ok(None);
        }
        let version = openapi.get("version");
        let Some(text) = text else {
            return match version.map(String::as_str) {
                None | Some("") => Ok(None),
                Some(VERSION) => Ok(Some(Self { chosen: true, ..Self::default() })),
                Some(_) => Err(BuildError::new("the specified OpenAPI version is not built in")
                    .with_hint(format!("the version that is built in is '{VERSION}', and needs no mention"))),
            };
        };
        if version.is_some() {
            return Err(BuildError::new("builtin version and custom schema provided, cannot use both")
                .with_hint("leave either version or path out"));
        }
        let replaces = loader.mode() == Mode::Cli && !self.builtin_wanted.get();
        let file = loader.display(path.map_or("", String::as_str));
        let (custom, broken) = match CustomSchema::parse(&text, &file) {
            Ok(custom) => (Some(Rc::new(custom)), None),
            Err(error) => (None, Some(Rc::new(Broken { error, is_used: Cell::new(false) }))),
        };
        Ok(Some(Self { custom, replaces, chosen: true, broken, ..Self::default() }))
    }

    /// Fails where something asked for a schema that does not read.
    pub(crate) fn check(&self) -> Result<()> {
        let broken = self.broken.as_ref().filter(|broken| broken.is_used.get());
        if let Some(broken) = broken {
            return Err(broken.error.clone());
        }
        self.fault.borrow().as_deref().cloned().map_or(Ok(()), Err)
    }

    /// Notes that something asked for a part of the custom schema with which nothing can be done.
    fn note_fault(&self, schema: &Node, fault: &custom::Fault) {
        let Some(custom) = &self.custom else { return };
        self.fault.borrow_mut().get_or_insert_with(|| Box::new(custom.failure(schema, fault)));
    }

    fn note_use(&self) {
        self.builtin_wanted.set(true);
        if let Some(broken) = &self.broken {
            broken.is_used.set(true);
        }
    }

    /// Where objects of a kind live; the scope of built-in kinds cannot be changed.
    pub(crate) fn scope(&self, api_version: &str, kind: &str) -> Scope {
        match (builtin::scope(api_version, kind), &self.custom) {
            (Scope::Unknown, Some(custom)) => custom.scope(api_version, kind),
            (Scope::Unknown, None) => {
                self.note_use();
                Scope::Unknown
            }
            (scope, _) => scope,
        }
    }

    /// The schema of a kind's objects.
    pub(crate) fn of_kind(&self, api_version: &str, kind: &str) -> Option<SchemaAt<'_>> {
        self.note_use();
        let custom = self.custom.as_ref().and_then(|custom| custom.of_kind(api_version, kind));
        if let Some(schema) = custom {
            return self.resolve(schema);
        }
        if self.replaces { None } else { self.named_or(BuiltinAt::of_kind(api_version, kind)?) }
    }

    /// A custom schema, references followed.
    fn resolve<'s>(&'s self, schema: &'s Node) -> Option<SchemaAt<'s>> {
        let mut schema = schema;
        // A reference to a reference is as far as real schemas go; more would only be a loop.
        for _ in 0..8 {
            let Some(name) = custom::reference(schema) else {
                return Some(SchemaAt { schema: self, point: Point::Custom(schema) });
            };
            match self.custom.as_ref().and_then(|custom| custom.definition(name)) {
                Some(definition) => schema = definition,
                None if self.replaces => return None,
                None => {
                    return BuiltinAt::named(name)
                        .map(|at| SchemaAt { schema: self, point: Point::Builtin(at) });
                }
            }
        }
        None
    }

    /// A point of the built-in schema, unless a custom type has the name of the one that stands there.
    fn named_or(&self, at: BuiltinAt) -> Option<SchemaAt<'_>> {
        let builtin = SchemaAt { schema: self, point: Point::Builtin(at) };
        let (Some(custom), Some(name), None) = (&self.custom, at.type_name(), at.merge) else {
            return Some(builtin);
        };
        match custom.definition(name) {
            Some(definition) => self.resolve(definition),
            None => Some(builtin),
        }
    }
}

/// The schema at one point of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SchemaAt<'s> {
    schema: &'s Schema,
    point: Point<'s>,
}

#[derive(Clone, Copy, Debug)]
enum Point<'s> {
    Builtin(BuiltinAt),
    Custom(&'s Node),
}

impl<'s> SchemaAt<'s> {
    /// The schema of a field.
    pub(crate) fn field(self, name: &str) -> Option<Self> {
        match self.point {
            Point::Builtin(at) => self.schema.named_or(at.field(name)?),
            Point::Custom(schema) => self.schema.resolve(custom::field(schema, name)?),
        }
    }

    /// The schema of the items of a list.
    pub(crate) fn item(self) -> Option<Self> {
        match self.point {
            Point::Builtin(at) => self.schema.named_or(at.item()),
            Point::Custom(schema) => match custom::items(schema) {
                Ok(items) => self.schema.resolve(items?),
                Err(fault) => {
                    self.schema.note_fault(schema, &fault);
                    None
                }
            },
        }
    }

    /// The keys by which items of a list are matched; none for a set of scalars, `None` where a patch replaces the list.
    pub(crate) fn merge_keys(self) -> Option<Cow<'s, [&'s str]>> {
        match self.point {
            Point::Builtin(at) => at.merge.map(Cow::Borrowed),
            Point::Custom(schema) => match custom::merge_keys(schema) {
                Ok(keys) => keys.map(Cow::Owned),
                Err(fault) => {
                    self.schema.note_fault(schema, &fault);
                    None
                }
            },
        }
    }
}
