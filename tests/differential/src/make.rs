//! Makes a project: a base, maybe components and more bases, and an overlay or two.

use crate::chooser::Chooser;
use crate::doc::Doc;
use crate::fields;
use crate::objects::object;
use crate::project::Project;
use crate::wide;

/// What is known of a layer while its fields are made.
pub(crate) struct Layer<'p> {
    pub(crate) folder: &'p str,
    pub(crate) project: &'p mut Project,
    /// The objects that it sees, as their files have them.
    pub(crate) objects: Vec<Doc>,
    pub(crate) kustomization: Doc,
}

/// Every so many projects are of [`wide`].
const WIDE: u64 = 3;

/// The project of a seed.
pub(crate) fn project(seed: u64) -> Project {
    let choose = &mut Chooser::new(seed);
    if seed.is_multiple_of(WIDE) {
        return wide::project(choose);
    }
    let mut project = Project::default();
    let base = layer(choose, &mut project, "base", Around::default());
    let mut below = vec![("base".to_owned(), base)];
    if choose.chance(20) {
        let around = Around { beside: &below, ..Around::default() };
        let more = layer(choose, &mut project, "more", around);
        below.push(("more".to_owned(), more));
    }
    let mut components = Vec::new();
    if choose.chance(20) {
        let visible: Vec<Doc> = below.iter().flat_map(|(_, objects)| objects.clone()).collect();
        let parts: &[&str] = if choose.chance(25) { &["inner"] } else { &[] };
        for part in parts {
            component(choose, &mut project, part, visible.clone(), &[]);
        }
        component(choose, &mut project, "part", visible, parts);
        components.push("part");
    }
    let overlays: &[&str] = if choose.chance(35) { &["middle", "top"] } else { &["top"] };
    let flat = choose.chance(25) && components.is_empty();
    "base".clone_into(&mut project.root);
    if flat {
        return project;
    }
    for (index, &overlay) in overlays.iter().enumerate() {
        let parts: &[&str] = if index == 0 { &components } else { &[] };
        let around = Around { below: &below, components: parts, ..Around::default() };
        let objects = layer(choose, &mut project, overlay, around);
        below = vec![(overlay.to_owned(), objects)];
        overlay.clone_into(&mut project.root);
    }
    project
}

/// Folders with their objects.
type Folders = [(String, Vec<Doc>)];

/// The folders around a layer.
#[derive(Clone, Copy, Default)]
struct Around<'a> {
    below: &'a Folders,
    beside: &'a Folders,
    components: &'a [&'a str],
}

fn layer(choose: &mut Chooser, project: &mut Project, folder: &str, around: Around<'_>) -> Vec<Doc> {
    let Around { below, beside, components } = around;
    let mut bases: Vec<Doc> = below.iter().map(|(name, _)| Doc::scalar(format!("../{name}"))).collect();
    let mut resources = if choose.chance(8) { Vec::new() } else { std::mem::take(&mut bases) };
    let mut objects: Vec<Doc> = below.iter().flat_map(|(_, objects)| objects.clone()).collect();
    let (low, high) = if below.is_empty() { (1, 6) } else { (0, 2) };
    let mut own = choose.times(low, high, object);
    // Two objects of one name are an error that is always the same: rarely is enough.
    if choose.chance(97) {
        let others = beside.iter().flat_map(|(_, objects)| objects.clone());
        own = distinct(&objects.iter().cloned().chain(others).collect::<Vec<_>>(), own);
    }
    if !own.is_empty() {
        resources.push(Doc::scalar("objects.yaml"));
        project.yaml(format!("{folder}/objects.yaml"), own.clone());
    }
    objects.extend(own);
    let mut kustomization = Doc::map([("resources", Doc::List(resources))]);
    if !bases.is_empty() {
        kustomization.push("bases", Doc::List(bases));
    }
    add_components(&mut kustomization, components);
    finish(choose, Layer { folder, project, objects, kustomization })
}

fn add_components(kustomization: &mut Doc, components: &[&str]) {
    if !components.is_empty() {
        let list = components.iter().map(|name| Doc::scalar(format!("../{name}"))).collect();
        kustomization.push("components", Doc::List(list));
    }
}

fn component(
    choose: &mut Chooser,
    project: &mut Project,
    folder: &str,
    objects: Vec<Doc>,
    components: &[&str],
) {
    let mut kustomization = Doc::map([
        ("apiVersion", Doc::scalar("kustomize.config.k8s.io/v1alpha1")),
        ("kind", Doc::scalar("Component")),
    ]);
    add_components(&mut kustomization, components);
    finish(choose, Layer { folder, project, objects, kustomization });
}

/// Adds fields, writes the file, and returns the objects.
fn finish(choose: &mut Chooser, mut layer: Layer<'_>) -> Vec<Doc> {
    let mut makers = fields::ALL.to_vec();
    choose.shuffle(&mut makers);
    makers.truncate(1 + choose.below(4));
    for make in makers {
        make(choose, &mut layer);
    }
    let Layer { folder, project, objects, kustomization } = layer;
    project.yaml(format!("{folder}/kustomization.yaml"), vec![kustomization]);
    objects
}

/// Those of `own` that share kind and name with no other.
fn distinct(known: &[Doc], own: Vec<Doc>) -> Vec<Doc> {
    let mut taken: Vec<[Option<Doc>; 2]> = known.iter().map(identity).collect();
    own.into_iter()
        .filter(|object| {
            let identity = identity(object);
            let is_new = !taken.contains(&identity);
            taken.push(identity);
            is_new
        })
        .collect()
}

fn identity(object: &Doc) -> [Option<Doc>; 2] {
    [object.get("kind").cloned(), object.at(&["metadata", "name"]).cloned()]
}
