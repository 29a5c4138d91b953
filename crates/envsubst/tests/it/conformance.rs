//! Results that the original gave: `shared/conformance/envsubst`.

use std::collections::BTreeMap;
use std::path::Path;

use millrace_envsubst::{Mode, Options, Outcome, Strategy, Variables, substitute_node, substitute_text};
use millrace_yaml::read::{Limits, Resolver, one};
use millrace_yaml::{Node, canonicalize, from_node, print};
use serde::Deserialize;

type Values = BTreeMap<String, String>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cases {
    variable_sets: BTreeMap<String, Values>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Case {
    id: String,
    input: Option<String>,
    vars: Option<Values>,
    var_set: Option<String>,
    lax: Option<TextResult>,
    strict: Option<TextResult>,
    resource: Option<String>,
    post_build: Option<PostBuild>,
    #[serde(default)]
    config_maps: BTreeMap<String, Values>,
    #[serde(default)]
    secrets: BTreeMap<String, Values>,
    strict_mode: Option<bool>,
    strategy: Option<String>,
    #[serde(default)]
    dry_run: bool,
    expect: Option<ResourceResult>,
    error: Option<String>,
}

#[derive(Deserialize)]
struct TextResult {
    expect: Option<String>,
    error: Option<String>,
    panic: Option<Node>,
}

#[derive(Default, Deserialize)]
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

fn node(text: &str) -> Node {
    one(text, Resolver::Kubernetes, &Limits::default()).unwrap().node
}

/// What a text becomes.
fn check_text(input: &str, variables: &Variables, mode: Mode, expected: &TextResult) -> Result<(), String> {
    let actual = substitute_text(input, variables, mode);
    let right = match (&actual, expected) {
        (Ok(text), TextResult { expect: Some(expect), .. }) => text == expect,
        (Err(err), TextResult { error: Some(error), .. }) => err.to_string() == *error,
        (Err(_), TextResult { panic: Some(_), .. }) => true,
        _ => false,
    };
    let expected = (&expected.expect, &expected.error, expected.panic.is_some());
    if right { Ok(()) } else { Err(format!("{mode:?}: expected {expected:?}, got {actual:?}")) }
}

/// The variables as the controller collects them.
fn variables(case: &Case, post_build: &PostBuild) -> Result<Variables, String> {
    let mut variables = Variables::default();
    for reference in post_build.substitute_from.iter().filter(|_| !case.dry_run) {
        let (objects, plural) = match reference.kind.as_str() {
            "ConfigMap" => (&case.config_maps, "configmaps"),
            "Secret" => (&case.secrets, "secrets"),
            _ => continue,
        };
        let Reference { kind, name, .. } = reference;
        match objects.get(name) {
            Some(data) => variables.extend(data),
            None if reference.optional => {}
            None => {
                return Err(format!("substitute from '{kind}/{name}' error: {plural} \"{name}\" not found"));
            }
        }
    }
    variables.extend(&post_build.substitute);
    Ok(variables)
}

/// What a resource becomes: YAML, `None` where it is left alone, or an error.
fn run_resource(case: &Case, resource: &str) -> Result<Option<Node>, String> {
    let mut original = one(resource, Resolver::Kustomize, &Limits::default()).unwrap().node;
    canonicalize(&mut original).unwrap();
    let Some(post_build) = &case.post_build else { return Ok(Some(original)) };
    let options = Options {
        mode: if case.strict_mode.unwrap_or(true) { Mode::Strict } else { Mode::Lax },
        strategy: if case.strategy.as_deref() == Some("Always") {
            Strategy::Always
        } else {
            Strategy::WithVariables
        },
        ..Options::default()
    };
    if millrace_envsubst::is_disabled(&original) {
        return Ok(None);
    }
    match substitute_node(&original, &variables(case, post_build)?, &options)
        .map_err(|err| err.to_string())?
    {
        Outcome::Skipped => Ok(None),
        Outcome::Unchanged => Ok(Some(original)),
        Outcome::Substituted(node) => Ok(Some(node)),
    }
}

fn check_resource(case: &Case, resource: &str) -> Result<(), String> {
    let actual = run_resource(case, resource);
    let right = match (&actual, &case.expect, &case.error) {
        (Ok(None), Some(expect), _) => expect.skipped,
        (Ok(Some(actual)), Some(ResourceResult { yaml: Some(expected), .. }), _) => {
            print::to_yaml(actual) == print::to_yaml(&node(expected))
        }
        (Err(actual), _, Some(error)) => actual == error,
        _ => false,
    };
    let printed = actual.map(|node| node.map(|node| print::to_yaml(&node)));
    let expected = case.expect.as_ref().and_then(|expect| expect.yaml.as_deref()).or(case.error.as_deref());
    if right { Ok(()) } else { Err(format!("expected {expected:?}, got {printed:?}")) }
}

fn check(case: &Case, sets: &BTreeMap<String, Values>) -> Result<(), String> {
    if let Some(resource) = &case.resource {
        return check_resource(case, resource);
    }
    let input = case.input.as_deref().unwrap();
    let mut variables = Variables::default();
    let set = case.var_set.as_ref().map(|name| &sets[name]);
    for (name, value) in set.into_iter().chain(&case.vars).flatten() {
        variables.set_verbatim(name, value);
    }
    let lax = case.lax.as_ref().unwrap();
    check_text(input, &variables, Mode::Lax, lax)?;
    check_text(input, &variables, Mode::Strict, case.strict.as_ref().unwrap_or(lax))
}

#[test]
fn every_recorded_case_gives_the_recorded_result() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance/envsubst/cases.yaml");
    if !path.exists() {
        eprintln!("skipped: {} is absent", path.display());
        return;
    }
    let cases: Cases = from_node(&node(&std::fs::read_to_string(path).unwrap())).unwrap();
    let failures: Vec<_> = cases
        .cases
        .iter()
        .filter_map(|case| {
            check(case, &cases.variable_sets).err().map(|failure| format!("{}: {failure}", case.id))
        })
        .collect();
    eprintln!("{} passed, {} failed", cases.cases.len() - failures.len(), failures.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(!cases.cases.is_empty());
}
