//! One build, from the root target to the result.
//!
//! Contract: kustomize-build §2.3.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;

use millrace_yaml::{Node, Scalar, print};

use crate::configurations;
use crate::error::{BuildError, Result};
use crate::fields::{MAX_DEPTH, TOO_DEEP};
use crate::fs::{FileSystem, Observed, Recorder};
use crate::generators::{self, Refusal};
use crate::hints;
use crate::loader::Loader;
use crate::options::Options;
use crate::origin::Tracking;
use crate::remote::{ObservedCheckout, Recorders};
use crate::resource::{Collection, Id, Names, Resource, check_metadata, with_history};
use crate::tables::{Row, Tables};
use crate::target::Target;
use crate::{annotations, order, output, references, transformers};

/// The reference release whose results are reproduced.
pub const REFERENCE_VERSION: &str = "v5.8.1";

/// What a target stands for.
#[derive(Clone, Debug)]
pub struct Output {
    /// The objects in their order, keys sorted, styles gone.
    pub resources: Vec<Node>,
    /// What each object is called; empty unless the options ask for objects in files of their own.
    pub written_ids: Vec<WrittenId>,
    /// Lines for a person, in the order they came up.
    pub warnings: Vec<String>,
    /// What the build looked at.
    pub observed: Observed,
    /// What it looked at in checkouts.
    pub checkouts: Vec<ObservedCheckout>,
}

/// What an object is called, as it is written: a name of `1.50` is no number here.
#[derive(Clone, Debug)]
pub struct WrittenId {
    /// The group of the API; empty for the core.
    pub group: String,
    /// The version of the API.
    pub version: String,
    /// The kind.
    pub kind: String,
    /// The name.
    pub name: String,
    /// The namespace; empty where none is stated.
    pub namespace: String,
    /// Whether objects of the kind stand in no namespace.
    pub is_cluster_scoped: bool,
}

impl WrittenId {
    fn of(id: Id, names: &Names) -> Self {
        let [group, version, kind, name, namespace] =
            [id.gvk.group, id.gvk.version, id.gvk.kind, id.name, id.namespace]
                .map(|part| names.text(part).to_string());
        Self { group, version, kind, name, namespace, is_cluster_scoped: id.cluster }
    }
}

/// What all parts of one build share.
pub(crate) struct Context<'b> {
    pub(crate) options: &'b Options,
    pub(crate) names: Names,
    pub(crate) builtin_tables: Rc<Tables>,
    pub(crate) warnings: RefCell<Vec<String>>,
    /// What the root's `buildMetadata` asks for.
    pub(crate) tracking: Cell<Tracking>,
    /// What the definitions of `crds` may still lead to.
    pub(crate) definitions: configurations::Room,
    resources: Cell<usize>,
    targets: Cell<usize>,
    made_bytes: Cell<usize>,
    /// Values that steps copied from one place to another.
    copied: Cell<usize>,
    /// The first object that was to have a hash and can have none.
    refusal: RefCell<Option<Refusal>>,
}

/// Values that the steps of one build may copy, so that copies of copies cannot fill the memory.
const MAX_COPIED: usize = 1_000_000;

/// Builds the target in `dir`, a folder of `files`.
///
/// # Errors
///
/// Fails where the reference fails, with its text; also where a limit of the options is exceeded, the cancellation flag is
/// raised, or the target uses something that is not supported yet.
pub fn build(
    files: &dyn FileSystem,
    dir: &str,
    options: &Options,
) -> std::result::Result<Output, BuildError> {
    let (recorder, checkouts) = (Recorder::new(files), Recorders::of(&options.remotes));
    let bytes = Cell::new(0);
    let context = Context::new(options);
    let loader = Loader::at_root(&recorder, options, &checkouts, &bytes, dir);
    let built = loader.and_then(|loader| context.run(loader));
    // A schema with which nothing can be done ends the reference where something asks for it, before all else.
    let built = built.map_err(|error| context.names.schema().check().err().unwrap_or(error));
    let built = match context.refusal.take() {
        Some(refusal) => refusal.settle(built),
        None => built,
    };
    let warnings = context.warnings.take();
    match built {
        Ok((resources, written_ids)) => {
            let (observed, checkouts) = (recorder.observed(), checkouts.observed());
            Ok(Output { resources, written_ids, warnings, observed, checkouts })
        }
        Err(mut error) => {
            error.warnings = warnings.into();
            hints::explain(&mut error, &context, files, dir);
            Err(error)
        }
    }
}

/// Looks over the target in `dir` without building it: one line for each entry of its kustomization files and of those below
/// that is wrong by itself, with file and line.
///
/// A target that builds has none. One that has none may still not build: what objects do to one another only a build knows.
#[doc(hidden)] // For the tests alone, which compare it with builds: callers are told what a build that fails says.
pub fn survey(files: &dyn FileSystem, dir: &str, options: &Options) -> Vec<String> {
    hints::survey(&Context::new(options), files, dir)
}

impl Output {
    /// The objects as the reference prints them.
    pub fn to_yaml(&self) -> String {
        print::documents(&self.resources)
    }
}

impl<'b> Context<'b> {
    pub(crate) fn new(options: &'b Options) -> Self {
        Self {
            options,
            names: Names::new(),
            builtin_tables: Rc::new(Tables::builtin()),
            warnings: RefCell::default(),
            tracking: Cell::default(),
            definitions: configurations::Room::default(),
            resources: Cell::new(0),
            targets: Cell::new(0),
            made_bytes: Cell::new(0),
            copied: Cell::new(0),
            refusal: RefCell::default(),
        }
    }

    /// The objects, and what they are called where that is asked for.
    fn run(&self, loader: Loader<'_>) -> Result<(Vec<Node>, Vec<WrittenId>)> {
        let root = Target::load(self, loader, None)?;
        root.choose_schema(true)?;
        self.tracking.set(Tracking::of(root.kustomization()));
        let (sort_options, file) = (root.kustomization().sort_options.clone(), root.file());
        let mut gathered = root.gather()?;
        let collection = &mut gathered.collection;
        let tables = gathered.tables.take().unwrap_or_else(|| Rc::clone(&self.builtin_tables));
        generators::append_hashes(collection, self)?;
        self.within_limits(references::update_names(collection, &tables.name_reference, self))?;
        self.within_limits(gathered.variables.resolve(collection, &tables.var_reference, self))?;
        drop_local(collection, &self.names)?;
        self.names.schema().check()?;
        order::sort(collection, sort_options.as_ref(), &file, self)?;
        if self.options.managed_by_label || self.tracking.get().managed_by {
            let label = ("app.kubernetes.io/managed-by".to_owned(), format!("kustomize-{REFERENCE_VERSION}"));
            let rows = [Row::everywhere("metadata/labels")];
            transformers::set_entries([label].into(), &rows).run(collection, self)?;
        }
        let own_files = self.options.own_files.then_some(&gathered.collection);
        let id = |resource: &Resource| WrittenId::of(resource.id(), &self.names);
        let written_ids = own_files.into_iter().flat_map(Collection::iter).map(id).collect();
        Ok((output::finish(gathered.collection, self)?, written_ids))
    }

    /// Fails once the build is cancelled or its steps have made too much.
    pub(crate) fn check(&self) -> Result<()> {
        if self.options.cancel.is_cancelled() {
            return Err(BuildError::cancelled());
        }
        self.make(0).map_err(BuildError::limit)
    }

    /// Remembers what fails the build once nothing else does.
    pub(crate) fn refuse(&self, refusal: impl FnOnce() -> Refusal) {
        self.refusal.borrow_mut().get_or_insert_with(refusal);
    }

    /// What a step came to; where it broke off because it made too much, that is the error.
    pub(crate) fn within_limits<T>(&self, outcome: Result<T>) -> Result<T> {
        self.check()?;
        outcome
    }

    /// Counts bytes that a step puts into objects, before it does. The text of the error may be lost on its way out of a
    /// step: [`Self::within_limits`] brings it back.
    pub(crate) fn make(&self, bytes: usize) -> std::result::Result<(), String> {
        let total = self.made_bytes.get().saturating_add(bytes);
        self.made_bytes.set(total);
        let limit = self.options.limits.made_bytes;
        if total > limit {
            return Err(format!("the steps of the build make more than the limit of {limit} bytes"));
        }
        Ok(())
    }

    /// How many bytes steps may still make.
    pub(crate) fn room(&self) -> usize {
        self.options.limits.made_bytes.saturating_sub(self.made_bytes.get())
    }

    /// Counts a target that is loaded.
    pub(crate) fn visit_target(&self) -> Result<()> {
        self.check()?;
        let total = self.targets.get() + 1;
        self.targets.set(total);
        let limit = self.options.limits.targets;
        if total > limit {
            return Err(BuildError::limit(format!("the build loads more targets than the limit of {limit}")));
        }
        Ok(())
    }

    /// Counts a value that a step puts `depth` levels deep into an object.
    pub(crate) fn copy(&self, value: &Node, depth: usize) -> Result<()> {
        let (count, levels) = measure(value);
        self.make(text_bytes(value)).map_err(BuildError::limit)?;
        let total = self.copied.get().saturating_add(count);
        self.copied.set(total);
        if total > MAX_COPIED {
            return Err(BuildError::limit(format!(
                "the steps of the build copy more than {MAX_COPIED} values"
            )));
        }
        if depth + levels > MAX_DEPTH { Err(BuildError::limit(TOO_DEEP)) } else { Ok(()) }
    }

    /// Counts objects that came in.
    pub(crate) fn admit(&self, count: usize) -> Result<()> {
        self.check()?;
        let total = self.resources.get() + count;
        self.resources.set(total);
        let limit = self.options.limits.resources;
        if total > limit {
            Err(BuildError::limit(format!("the build has more objects than the limit of {limit}")))
        } else {
            Ok(())
        }
    }
}

/// How many values a tree has, and how many levels.
fn measure(node: &Node) -> (usize, usize) {
    let below = |children: &mut dyn Iterator<Item = &Node>| {
        children
            .map(measure)
            .fold((1, 0), |(count, levels), (more, deeper)| (count + more, levels.max(deeper)))
    };
    let (count, levels) = match node {
        Node::Map(map) => below(&mut map.iter().map(|(_, value)| value)),
        Node::List(items) => below(&mut items.iter()),
        Node::Scalar(_) => (1, 0),
    };
    (count, levels + 1)
}

/// The bytes of all texts and keys of a tree, with their tags.
pub(crate) fn text_bytes(node: &Node) -> usize {
    let of = |scalar: &Scalar| scalar.text().len() + scalar.tag().map_or(0, str::len);
    match node {
        Node::Scalar(scalar) => of(scalar),
        Node::List(items) => items.iter().map(text_bytes).sum(),
        Node::Map(map) => map.entries().iter().map(|(key, value)| of(key) + text_bytes(value)).sum(),
    }
}

/// Removes the objects that only the build itself is to see.
fn drop_local(collection: &mut Collection, names: &Names) -> Result<()> {
    for resource in collection.iter() {
        if check_metadata(&resource.node).is_err() {
            // The reference shows the object with what it keeps in annotations.
            check_metadata(&with_history(resource, names))
                .map_err(|error| error.into_build_error(names, resource))?;
        }
    }
    let is_local = |resource: &Resource| {
        let local = resource.node.at(&["metadata", "annotations", annotations::LOCAL_CONFIG]);
        local.is_some_and(|value| value.as_scalar().is_none_or(|value| value.text() != "false"))
    };
    if !collection.iter().any(is_local) {
        return Ok(());
    }
    // The reference goes by ids: what shares its id with an object that stays does so as well.
    let kept: HashSet<Id> =
        collection.iter().filter(|resource| !is_local(resource)).map(Resource::id).collect();
    let mut dropped = HashSet::new();
    for id in collection.iter().map(Resource::id).filter(|id| !kept.contains(id)) {
        if !dropped.insert(id) {
            return Err(BuildError::new(format!("id {} not found in removal", id.text(names))));
        }
    }
    collection.retain(|resource| kept.contains(&resource.id()));
    Ok(())
}
