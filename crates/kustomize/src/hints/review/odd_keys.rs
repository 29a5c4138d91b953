//! Labels and annotations of kustomization files whose keys are no text once an object has them.

use millrace_yaml::ScalarKind;

use super::{Review, way};
use crate::error::BuildError;
use crate::hints::{Draft, Key, Places, config, quoted, types};
use crate::kustomization::{GeneratorOptions, Kustomization, StringMap};
use crate::syntax;
use crate::target::Target;

/// Whether an error is about a key of an object that is no text, and the object's own file has none.
pub(super) fn is_it(error: &BuildError, places: &Places<'_>) -> bool {
    error.reference.contains("json: unsupported type: map[interface {}]interface {}")
        && !error
            .drafts()
            .iter()
            .any(|draft| draft.is_of_object(|file, kind, name| places.has_key_in(file, kind, name, is_odd)))
}

/// Whether a key without quotes is no text.
fn is_odd(key: &str) -> bool {
    syntax::kind_of(key) != ScalarKind::Str
}

impl<'r, 'b> Review<'r, 'b> {
    /// Looks for such a key in a kustomization file.
    pub(super) fn odd_keys(&mut self, target: &Target<'r, 'b>, file: &str) {
        if !self.seeks_odd_keys || self.reviewed.cause.is_some() {
            return;
        }
        let odd = maps(target.kustomization()).into_iter().find_map(|(way, map)| {
            let key = map.keys().find(|key| is_odd(key))?;
            Some((way, key.clone()))
        });
        let Some((way, key)) = odd else { return };
        let written = |is_it: &dyn Fn(&str) -> bool| self.places.written(file, &way, is_it);
        let written = written(&|name| name == key).or_else(|| written(&|name| becomes(name, &key)));
        let (line, written) = written.unzip();
        let field = config::shown(&way);
        let is = types::of_kind(syntax::kind_of(&key));
        let written = written.unwrap_or_else(|| key.clone());
        let quotes = if written == key { "" } else { ": put it in quotes" };
        let says =
            format!(": {field} has the key {}, which is read as {is}, not as text{quotes}", quoted(&written));
        self.reviewed.cause = Some(Draft::line(file, line).and(says).told(self.places));
    }
}

/// Whether a key becomes another where a kustomization file is read, which is YAML 1.1.
fn becomes(name: &str, key: &str) -> bool {
    let name = name.to_ascii_lowercase();
    match key {
        "true" => matches!(&*name, "y" | "yes" | "on" | "true"),
        "false" => matches!(&*name, "n" | "no" | "off" | "false"),
        _ => name.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '+' | '-' | '.')),
    }
}

/// The labels and annotations that a file gives to objects, and where they stand.
fn maps(content: &Kustomization) -> Vec<(Vec<Key>, &StringMap)> {
    let mut maps = vec![
        (way([Key::name("commonLabels")]), content.common_labels.as_ref()),
        (way([Key::name("commonAnnotations")]), content.common_annotations.as_ref()),
    ];
    let labels = content.labels.iter().flatten().enumerate();
    maps.extend(labels.map(|(index, label)| {
        (way([Key::name("labels"), Key::Item(index), Key::name("pairs")]), label.pairs.as_ref())
    }));
    let above = |field, index| way([Key::name(field), Key::Item(index), Key::name("options")]);
    let config_maps = content.config_map_generator.iter().flatten().map(|args| args.options.as_ref());
    let secrets = content.secret_generator.iter().flatten().map(|args| args.options.as_ref());
    let options = [(way([Key::name("generatorOptions")]), content.generator_options.as_ref())].into_iter();
    let options = options
        .chain(config_maps.enumerate().map(|(index, options)| (above("configMapGenerator", index), options)))
        .chain(secrets.enumerate().map(|(index, options)| (above("secretGenerator", index), options)));
    for (above, options) in options {
        let Some(GeneratorOptions { labels, annotations, .. }) = options else { continue };
        for (field, map) in [("labels", labels), ("annotations", annotations)] {
            maps.push(([&above[..], &[Key::name(field)]].concat(), map.as_ref()));
        }
    }
    maps.into_iter().filter_map(|(way, map)| Some((way, map?))).collect()
}
