//! One target: what its kustomization file gathers, in order.
//!
//! Contract: kustomize-build §1.4, §1.5, §2.2.

use std::rc::Rc;

use crate::build::Context;
use crate::configurations;
use crate::error::{BuildError, ErrorKind, Result};
use crate::fields::wrong_kind;
use crate::generators;
use crate::go;
use crate::hints::{Draft, Key};
use crate::kustomization::{self, COMPONENT, Kustomization, Loaded};
use crate::loader::Loader;
use crate::origin::Origin;
use crate::plugins;
use crate::resource::{Collection, Resource, parse_any_resources};
use crate::tables::Tables;
use crate::transformers;
use crate::variables::Variables;

/// A folder with a kustomization file.
pub(crate) struct Target<'t, 'b> {
    pub(crate) context: &'t Context<'b>,
    pub(crate) loader: Loader<'t>,
    kustomization: Kustomization,
    pub(crate) file_name: &'static str,
    /// Where the target's content comes from; `None` at the root.
    origin: Origin,
    /// The namespace of the nearest target around this one that states any.
    outer_namespace: String,
}

/// What a target gathered.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    pub(crate) collection: Collection,
    /// `None` until the tables of a base or of the target itself are there.
    pub(crate) tables: Option<Rc<Tables>>,
    pub(crate) variables: Variables,
}

/// How a folder came to be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Base,
    Component,
}

impl<'t, 'b> Target<'t, 'b> {
    /// Reads the kustomization file of the folder at `loader`.
    pub(crate) fn load(context: &'t Context<'b>, loader: Loader<'t>, origin: Option<Origin>) -> Result<Self> {
        context.visit_target()?;
        let file = kustomization::load(&loader, &mut context.warnings.borrow_mut())?;
        Ok(Self::of(context, loader, file, origin.unwrap_or_default()))
    }

    /// Like [`Self::load`], without the fields that do not fit; nothing where these are not what is wrong with the file.
    pub(crate) fn load_rest(context: &'t Context<'b>, loader: Loader<'t>) -> Option<Self> {
        let file = kustomization::load_rest(&loader)?;
        Some(Self::of(context, loader, file, Origin::default()))
    }

    fn of(context: &'t Context<'b>, loader: Loader<'t>, file: Loaded, origin: Origin) -> Self {
        let Loaded { kustomization, file_name } = file;
        Self { context, loader, kustomization, file_name, origin, outer_namespace: String::new() }
    }

    pub(crate) fn kustomization(&self) -> &Kustomization {
        &self.kustomization
    }

    /// The kustomization file as messages show it.
    pub(crate) fn file(&self) -> String {
        self.loader.display(self.file_name)
    }

    /// The namespace that the target or one around it states.
    pub(crate) fn nearest_namespace(&self) -> &str {
        let own = &self.kustomization.namespace;
        if own.is_empty() { &self.outer_namespace } else { own }
    }

    pub(crate) fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Gathers the target's objects into a collection of its own.
    pub(crate) fn gather(&self) -> Result<Gathered> {
        self.gather_into(Gathered::default())
    }

    fn gather_into(&self, mut gathered: Gathered) -> Result<Gathered> {
        for entry in self.kustomization.resources.iter().flatten() {
            self.gather_resource(entry, &mut gathered)
                .map_err(|error| error.wrap("accumulating resources"))?;
        }
        configurations::merge(self, &mut gathered.tables)?;
        generators::run(self, &mut gathered.collection)?;
        for entry in self.kustomization.components.iter().flatten() {
            gathered = self
                .gather_component(entry, gathered)
                .map_err(|error| error.wrap("accumulating components"))?;
        }
        transformers::run(self, &mut gathered)?;
        plugins::run_validators(self, &mut gathered.collection)?;
        let vars = self.kustomization.vars.as_deref().unwrap_or_default();
        gathered.variables.declare(vars, &self.file(), &mut gathered.collection, &self.context.names)?;
        Ok(gathered)
    }

    /// An entry of `resources`: a file, or else a folder.
    pub(crate) fn gather_resource(&self, entry: &str, gathered: &mut Gathered) -> Result<()> {
        let Err(as_file) = self.gather_file(entry, &mut gathered.collection) else { return Ok(()) };
        if !as_file.is_input() || *as_file.kind() == ErrorKind::HttpStatus {
            return Err(as_file);
        }
        let loader = match self.loader.below(entry) {
            Ok(loader) => loader,
            // That there is a repository which didn't come in time is worth saying; what else is no folder is a broken file.
            Err(error)
                if error.is_input()
                    && *error.kind() != ErrorKind::Timeout
                    && *as_file.kind() == ErrorKind::MalformedYaml =>
            {
                return Err(as_file);
            }
            Err(error) => return Err(both(&as_file, error)),
        };
        self.gather_base(loader, entry, gathered).map_err(|error| both(&as_file, error))
    }

    fn gather_file(&self, entry: &str, collection: &mut Collection) -> Result<()> {
        let reading = |error: BuildError| error.wrap(format_args!("accumulating resources from '{entry}'"));
        let resources = self.read_resources(entry).map_err(reading)?;
        if self.context.tracking.get().enabled {
            resources.iter().try_for_each(|resource| self.check_annotations(resource, entry))?;
        }
        collection.reserve(resources.len());
        for resource in resources {
            let merging = |error: BuildError| error.wrap(format_args!("merging resources from '{entry}'"));
            collection.append(resource, &self.context.names).map_err(merging)?;
        }
        Ok(())
    }

    /// Where an object comes from is to be noted in its annotations, which have to be a map for that.
    fn check_annotations(&self, resource: &Resource, entry: &str) -> Result<()> {
        let names = &self.context.names;
        let annotations = resource.node.at(&["metadata", "annotations"]);
        let Some(wrong) = annotations.filter(|found| !found.is_null() && found.as_map().is_none()) else {
            return Ok(());
        };
        let (id, problem) = (resource.id().text(names), wrong_kind("MappingNode", wrong).text);
        Err(BuildError::new(format!(
            "cannot add path annotation for '{entry}': considering field 'metadata/annotations' of object {id}: {problem}"
        ))
        .with_hint(Draft::default().and_object(resource, names).and(": metadata.annotations is to be a map")))
    }

    /// The objects in a file; each id stands once.
    fn read_resources(&self, entry: &str) -> Result<Vec<Resource>> {
        let names = &self.context.names;
        let text = self.loader.load(entry)?;
        let file = names.intern(&self.loader.display(entry));
        let parsed = parse_any_resources(&text, file, names);
        let mut resources = parsed.map_err(|error| error.in_file(entry))?;
        self.context.admit(resources.len())?;
        if self.context.tracking.get().enabled {
            let origin = self.origin.append(entry).file_text();
            for resource in &mut resources {
                resource.origin = Some(origin.as_str().into());
            }
        }
        let mut own = Collection::default();
        own.reserve(resources.len());
        for resource in resources {
            own.append(resource, names)?;
        }
        Ok(own.into_resources())
    }

    fn gather_base(&self, loader: Loader<'t>, entry: &str, gathered: &mut Gathered) -> Result<()> {
        let base = self.load_below(loader, entry, Use::Base)?;
        let folder = base.loader.root_display();
        let own = base
            .gather()
            .map_err(|error| error.wrap(format_args!("recursed accumulation of path '{folder}'")))?;
        self.take_in(own, &folder, gathered)
    }

    /// Adds what a folder gathered.
    fn take_in(&self, own: Gathered, folder: &str, gathered: &mut Gathered) -> Result<()> {
        let merging = |error: BuildError| error.wrap(format_args!("recursed merging from path '{folder}'"));
        gathered.collection.append_all(own.collection, &self.context.names).map_err(merging)?;
        if let Some(tables) = own.tables {
            configurations::merge_shared(&mut gathered.tables, &tables, self.context).map_err(merging)?;
        }
        gathered.variables.merge(own.variables, &self.context.names).map_err(merging)
    }

    /// A component works on what its parent gathered.
    fn gather_component(&self, entry: &str, gathered: Gathered) -> Result<Gathered> {
        let loader = self.loader.below(entry).map_err(|error| quoted("loader.New", error))?;
        let component = self.load_below(loader, entry, Use::Component);
        component
            .and_then(|component| {
                let folder = component.loader.root_display();
                let own = component
                    .gather_into(gathered)
                    .map_err(|error| error.wrap(format_args!("recursed accumulation of path '{folder}'")))?;
                let mut merged = Gathered::default();
                self.take_in(own, &folder, &mut merged)?;
                Ok(merged)
            })
            .map_err(|error| quoted("accumulateDirectory:", error))
    }

    fn load_below(&self, loader: Loader<'t>, entry: &str, used: Use) -> Result<Self> {
        let folder = loader.root_display();
        let mut target = Self::load(self.context, loader, Some(self.origin.append(entry)))
            .map_err(|error| error.wrap(format_args!("couldn't make target for path '{folder}'")))?;
        self.nearest_namespace().clone_into(&mut target.outer_namespace);
        target.choose_schema(false)?;
        let kind = &target.kustomization.kind;
        match used {
            Use::Base if kind == COMPONENT => {
                Err(BuildError::new(format!("expected kind != '{COMPONENT}' for path '{folder}'")))
            }
            Use::Component if kind != COMPONENT => Err(BuildError::new(format!(
                "expected kind '{COMPONENT}' for path '{folder}' but got '{kind}'"
            ))),
            Use::Base | Use::Component => Ok(target),
        }
    }

    /// Puts the schema in force that the target states.
    pub(crate) fn choose_schema(&self, is_root: bool) -> Result<()> {
        let Some(openapi) = &self.kustomization.openapi else { return Ok(()) };
        let names = &self.context.names;
        let place = || Draft::field(&self.file(), vec![Key::name("openapi"), Key::name("version")], None);
        let chosen = names.schema().choose(openapi, &self.loader, is_root);
        let chosen = chosen.map_err(|error| error.with_hints_by(|draft| draft.placed(&place())))?;
        if let Some(schema) = chosen {
            names.set_schema(schema);
        }
        Ok(())
    }
}

/// The message where an entry is neither a good file nor a good folder.
fn both(as_file: &BuildError, as_folder: BuildError) -> BuildError {
    let mut error = as_folder.map_text(|text| format!("accumulation err='{}': {text}", as_file.reference));
    for draft in as_file.drafts() {
        if !error.drafts().contains(draft) && error.is_input() {
            error = error.with_hint(draft.clone());
        }
    }
    error
}

fn quoted(context: &str, error: BuildError) -> BuildError {
    error.map_text(|text| format!("{context} {}", go::quote(text)))
}
