//! Projects of one area each: everything that one part of the engine takes, the odd and the wrong included.
//!
//! The other projects look like what people keep; these are for what they rarely write, and for words of errors, which show
//! nodes in the style in which they were read.

mod brackets;
mod generating;
mod json_patches;
mod loading;
mod ordering;
mod patching;
mod plugins;
mod references;
mod replacing;
mod samples;
mod scalars;
mod schemas;
mod selecting;
mod tables;

use crate::chooser::Chooser;
use crate::project::Project;

type Area = fn(&mut Chooser) -> Project;

const AREAS: &[Area] = &[
    brackets::made,
    generating::merged,
    generating::sources,
    generating::annotated,
    json_patches::spelled,
    json_patches::texts,
    loading::entries,
    loading::kinds,
    loading::types,
    ordering::sorted,
    patching::directives,
    patching::values,
    patching::documents,
    plugins::transformers,
    plugins::generators,
    plugins::misplaced,
    references::names,
    references::bindings,
    replacing::replacements,
    replacing::vars,
    scalars::objects,
    scalars::in_brackets,
    scalars::documents,
    scalars::lists,
    schemas::schemas,
    selecting::targets,
    selecting::operations,
    tables::configurations,
    tables::images,
];

/// A project of one of the areas.
pub(crate) fn project(choose: &mut Chooser) -> Project {
    let area = choose.one(AREAS);
    area(choose)
}

/// Adds a file.
fn file(project: &mut Project, path: &str, text: &str) {
    project.lines(path, text.trim_end_matches('\n').split('\n').map(str::to_owned).collect());
}

/// A folder of a kustomization and the sample objects.
fn with_samples(kustomization: &str) -> Project {
    with_objects(kustomization, samples::OBJECTS)
}

/// A folder of a kustomization and a file of objects.
fn with_objects(kustomization: &str, objects: &str) -> Project {
    let mut project = Project::default();
    file(&mut project, "kustomization.yaml", &format!("resources:\n- objects.yaml\n{kustomization}"));
    file(&mut project, "objects.yaml", objects);
    project
}

/// Text with so many more blanks before each of its lines.
fn indented(text: &str, by: usize) -> String {
    let margin = " ".repeat(by);
    text.lines()
        .map(|line| if line.is_empty() { "\n".to_owned() } else { format!("{margin}{line}\n") })
        .collect()
}

/// Items of a list, each of one or more lines.
fn items<T: AsRef<str>>(items: &[T], indent: usize) -> String {
    let margin = " ".repeat(indent);
    let item = |item: &T| format!("{margin}- {}\n", indented(item.as_ref(), indent + 2).trim());
    items.iter().map(item).collect::<Vec<_>>().concat()
}
