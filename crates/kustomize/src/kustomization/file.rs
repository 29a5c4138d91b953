//! Finding and reading a kustomization file.
//!
//! Contract: kustomize-build §1.1, §1.3.

use millrace_yaml::Node;

use super::charts::{self, HelmGlobals};
use super::decode::{DecodeError, decode_strict};
use super::misfits;
use super::model::{GeneratorArgs, Kustomization};
use crate::error::{BuildError, Result};
use crate::hints::{self, Draft};
use crate::loader::Loader;
use crate::syntax;
use crate::text::Text;

/// The kind of files that are components.
pub(crate) const COMPONENT: &str = "Component";

pub(crate) const KUSTOMIZATION: &str = "Kustomization";
pub(crate) const VERSION: &str = "kustomize.config.k8s.io/v1beta1";
pub(crate) const COMPONENT_VERSION: &str = "kustomize.config.k8s.io/v1alpha1";
/// The names a kustomization file may have.
pub(crate) const FILE_NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// A kustomization file that was read, with its name and the warnings it causes.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) kustomization: Kustomization,
    pub(crate) file_name: &'static str,
}

/// Reads the kustomization file of a target.
pub(crate) fn load(loader: &Loader<'_>, warnings: &mut Vec<String>) -> Result<Loaded> {
    let (file_name, text) = find(loader)?;
    let file = loader.display(file_name);
    let node = syntax::read_config(&text).map_err(|error| {
        BuildError::new(format!("invalid Kustomization: {}", error.text))
            .with_hint(hints::unreadable(&file, &text, &error))
    })?;
    let mut kustomization: Kustomization =
        decode_strict(&node).map_err(|error| misfit(&file, &node, error))?;
    warn_of_deprecated_fields(&kustomization, warnings);
    normalize(&mut kustomization);
    if is_empty(&kustomization) {
        return Err(BuildError::new("kustomization.yaml is empty").with_hint(hints::empty(&file, &text)));
    }
    check_kind(&kustomization, loader).map_err(|error| error.with_hint(hints::of_no_kind(&file, &node)))?;
    Ok(Loaded { kustomization, file_name })
}

/// Reads the kustomization file of a target without the fields that do not fit, for what else is wrong with the target.
pub(crate) fn load_rest(loader: &Loader<'_>) -> Option<Loaded> {
    let (file_name, text) = find(loader).ok()?;
    let node = syntax::read_config(&text).ok()?;
    let mut kustomization = misfits::rest(&node)?;
    normalize(&mut kustomization);
    check_kind(&kustomization, loader).ok()?;
    Some(Loaded { kustomization, file_name })
}

/// A file that does not fit: the error that is met first, and all others.
fn misfit(file: &str, node: &Node, first: DecodeError) -> BuildError {
    let error = BuildError::new(format!("invalid Kustomization: {first}"));
    if let Some(hint) = hints::no_kustomization(file, node) {
        return error.with_hint(hint);
    }
    let misfits = misfits::all(node, first);
    let mut drafts = misfits.iter().map(|misfit| hints::undecodable(file, misfit, node));
    let hint = drafts.next().unwrap_or_default();
    drafts.fold(error.with_hint(hint), BuildError::with_other)
}

fn find<'l>(loader: &Loader<'l>) -> Result<(&'static str, Text<'l>)> {
    let mut found = None;
    for name in FILE_NAMES {
        match loader.load(name) {
            Ok(text) if found.is_none() => found = Some((name, text)),
            Ok(_) => {
                let folder = loader.root_display();
                let first = found.map(|(name, _)| name).unwrap_or_default();
                let failed = BuildError::new(format!("Found multiple kustomization files under: {folder}\n"));
                return Err(failed.with_hint(
                    Draft::line(&loader.display(first), None)
                        .and(format!(": '{name}' stands beside it: keep one of the two")),
                ));
            }
            Err(error) if error.is_input() => {}
            Err(error) => return Err(error),
        }
    }
    found.ok_or_else(|| {
        let [first, second, third] = FILE_NAMES;
        let folder = loader.root_display();
        BuildError::new(format!(
            "unable to find one of '{first}', '{second}' or '{third}' in directory '{folder}'"
        ))
    })
}

fn warn_of_deprecated_fields(kustomization: &Kustomization, warnings: &mut Vec<String>) {
    const FIX: &str = "Run 'kustomize edit fix' to update your Kustomization automatically.";
    let fields = [
        (kustomization.bases.is_some(), "bases", "resources", ""),
        (kustomization.common_labels.is_some(), "commonLabels", "labels", ""),
        (kustomization.image_tags.is_some(), "imageTags", "images", ""),
        (kustomization.patches_json6902.is_some(), "patchesJson6902", "patches", ""),
        (kustomization.patches_strategic_merge.is_some(), "patchesStrategicMerge", "patches", ""),
        (kustomization.vars.is_some(), "vars", "replacements", "[EXPERIMENTAL] "),
    ];
    warnings.extend(fields.into_iter().filter(|(present, ..)| *present).map(|(_, old, new, mark)| {
        format!("# Warning: '{old}' is deprecated. Please use '{new}' instead. {mark}{FIX}")
    }));
}

fn normalize(kustomization: &mut Kustomization) {
    if kustomization.kind.is_empty() {
        KUSTOMIZATION.clone_into(&mut kustomization.kind);
    }
    if kustomization.api_version.is_empty() {
        required_version(&kustomization.kind).clone_into(&mut kustomization.api_version);
    }
    append(&mut kustomization.resources, kustomization.bases.take());
    append(&mut kustomization.images, kustomization.image_tags.take());
    for GeneratorArgs { env, envs, .. } in kustomization.config_map_generator.iter_mut().flatten() {
        take_env(env, envs);
    }
    for args in kustomization.secret_generator.iter_mut().flatten() {
        take_env(&mut args.env, &mut args.envs);
    }
    let old = kustomization.helm_chart_inflation_generator.take().unwrap_or_default();
    let (charts, globals) = charts::renew(old);
    if globals != HelmGlobals::default() {
        kustomization.helm_globals.get_or_insert(globals);
    }
    append(&mut kustomization.helm_charts, Some(charts));
}

fn take_env(env: &mut String, envs: &mut Option<Vec<String>>) {
    if !env.is_empty() {
        envs.get_or_insert_default().push(std::mem::take(env));
    }
}

fn append<T>(list: &mut Option<Vec<T>>, more: Option<Vec<T>>) {
    let more = more.unwrap_or_default();
    if !more.is_empty() {
        list.get_or_insert_default().extend(more);
    }
}

fn is_empty(kustomization: &Kustomization) -> bool {
    let Kustomization { api_version, kind, .. } = kustomization;
    *kustomization
        == Kustomization { api_version: api_version.clone(), kind: kind.clone(), ..Kustomization::default() }
}

fn check_kind(kustomization: &Kustomization, loader: &Loader<'_>) -> Result<()> {
    let Kustomization { api_version, kind, .. } = kustomization;
    let mut problems = Vec::new();
    if kind != KUSTOMIZATION && kind != COMPONENT {
        problems.push(format!("kind should be {KUSTOMIZATION} or {COMPONENT}"));
    }
    let required = required_version(kind);
    if api_version != required {
        problems.push(format!("apiVersion for {kind} should be {required}"));
    }
    if problems.is_empty() {
        return Ok(());
    }
    let folder = loader.root_display();
    Err(BuildError::new(format!(
        "Failed to read kustomization file under {folder}:\n{}",
        problems.join("\n")
    )))
}

fn required_version(kind: &str) -> &'static str {
    if kind == COMPONENT { COMPONENT_VERSION } else { VERSION }
}
