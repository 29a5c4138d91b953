//! Variable substitution: what text comes out of an expression, and what happens to a whole resource.

use std::collections::BTreeMap;

use millrace_envsubst::{
    Mode, Options, Outcome, Strategy, Variables, is_disabled, substitute_node, substitute_text,
};
use millrace_yaml::read::{self, Limits, Resolver};
use millrace_yaml::{Node, canonicalize, from_node};
use serde::Deserialize;

use crate::cases::{Case, File, documents};
use crate::compare::{same, same_text};

type Values = BTreeMap<String, String>;

pub(super) fn check(file: &File, case: &Case) -> Result<(), String> {
    if case.text("resource").is_some() { resource(&case.decode()?) } else { text(file, &case.decode()?) }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Text {
    input: String,
    #[serde(default)]
    vars: Values,
    var_set: Option<String>,
    lax: TextResult,
    strict: Option<TextResult>,
}

#[derive(Deserialize)]
struct TextResult {
    expect: Option<String>,
    error: Option<String>,
    /// The original crashes: any error will do.
    panic: Option<Node>,
}

fn text(file: &File, case: &Text) -> Result<(), String> {
    let mut variables = Variables::default();
    let set: Values = match &case.var_set {
        Some(name) => {
            let set = file
                .head
                .at(&["variableSets", name])
                .ok_or_else(|| format!("there is no variable set {name:?}"))?;
            from_node(set).map_err(|error| error.to_string())?
        }
        None => Values::new(),
    };
    for (name, value) in set.iter().chain(&case.vars) {
        variables.set_verbatim(name, value);
    }
    same_result("lax", substitute_text(&case.input, &variables, Mode::Lax), &case.lax)?;
    same_result(
        "strict",
        substitute_text(&case.input, &variables, Mode::Strict),
        case.strict.as_ref().unwrap_or(&case.lax),
    )
}

fn same_result<E: ToString>(
    what: &str,
    found: Result<String, E>,
    expected: &TextResult,
) -> Result<(), String> {
    match (found.map_err(|error| error.to_string()), expected) {
        (Ok(text), TextResult { expect: Some(expected), .. }) => same_text(what, &text, expected),
        (Ok(text), _) => Err(format!("{what}: {text:?} instead of an error")),
        (Err(_), TextResult { panic: Some(_), .. }) => Ok(()),
        (Err(error), TextResult { error: Some(expected), .. }) => same_text(what, &error, expected),
        (Err(error), _) => Err(format!("{what}: unexpected error: {error}")),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Resource {
    resource: String,
    post_build: Option<PostBuild>,
    #[serde(default)]
    config_maps: BTreeMap<String, Values>,
    #[serde(default)]
    secrets: BTreeMap<String, Values>,
    #[serde(default = "yes")]
    strict_mode: bool,
    strategy: Option<String>,
    #[serde(default)]
    dry_run: bool,
    expect: Option<ResourceResult>,
    error: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PostBuild {
    #[serde(default)]
    substitute: Values,
    #[serde(default)]
    substitute_from: Vec<Reference>,
}

#[derive(Deserialize)]
struct Reference {
    kind: String,
    name: String,
    #[serde(default)]
    optional: bool,
}

#[derive(Deserialize)]
struct ResourceResult {
    yaml: Option<String>,
    #[serde(default)]
    skipped: bool,
}

fn yes() -> bool {
    true
}

fn resource(case: &Resource) -> Result<(), String> {
    match (substituted(case), &case.expect, &case.error) {
        (Err(error), _, Some(expected)) => same_text("error", &error, expected),
        (Err(error), _, None) => Err(format!("unexpected error: {error}")),
        (Ok(None), Some(ResourceResult { skipped: true, .. }), _) => Ok(()),
        (Ok(Some(found)), Some(ResourceResult { yaml: Some(expected), .. }), _) => {
            let expected = documents(expected)?;
            same("resource", &found, expected.first().ok_or("an empty expectation")?)
        }
        (Ok(found), ..) => Err(format!("left alone or not, other than the original: {found:?}")),
    }
}

/// What a resource becomes; `None` where it is left alone.
fn substituted(case: &Resource) -> Result<Option<Node>, String> {
    // As the build hands it over.
    let document = read::one(&case.resource, Resolver::Kustomize, &Limits::default())
        .map_err(|error| error.to_string())?;
    let mut original = document.node;
    canonicalize(&mut original).map_err(|error| error.to_string())?;
    let Some(post_build) = &case.post_build else { return Ok(Some(original)) };
    if is_disabled(&original) {
        return Ok(None);
    }
    let mode = if case.strict_mode { Mode::Strict } else { Mode::Lax };
    let strategy =
        if case.strategy.as_deref() == Some("Always") { Strategy::Always } else { Strategy::WithVariables };
    let options = Options { mode, strategy, ..Options::default() };
    let variables = variables(case, post_build)?;
    match substitute_node(&original, &variables, &options).map_err(|error| error.to_string())? {
        Outcome::Skipped => Ok(None),
        Outcome::Unchanged => Ok(Some(original)),
        Outcome::Substituted(node) => Ok(Some(node)),
    }
}

/// The variables as the controller collects them.
fn variables(case: &Resource, post_build: &PostBuild) -> Result<Variables, String> {
    let mut variables = Variables::default();
    for Reference { kind, name, optional } in post_build.substitute_from.iter().filter(|_| !case.dry_run) {
        let (objects, plural) = match kind.as_str() {
            "ConfigMap" => (&case.config_maps, "configmaps"),
            "Secret" => (&case.secrets, "secrets"),
            _ => continue,
        };
        match objects.get(name) {
            Some(data) => variables.extend(data),
            None if *optional => {}
            None => {
                return Err(format!("substitute from '{kind}/{name}' error: {plural} \"{name}\" not found"));
            }
        }
    }
    variables.extend(&post_build.substitute);
    Ok(variables)
}
