//! Server-side apply: normalization, order, change sets and texts.

use millrace_ssa::changes::{Action, Change, ChangeSet};
use millrace_ssa::client::{ApiError, Refusal};
use millrace_ssa::drift;
use millrace_ssa::drift::managers::{Cleanup, migration_patch};
use millrace_ssa::failure::{DryRunError, is_immutable};
use millrace_ssa::id::ObjectId;
use millrace_ssa::normalize::{normalize, normalize_answer};
use millrace_ssa::object::{self, Object as _};
use millrace_ssa::policy::Selector;
use millrace_ssa::read::read_objects;
use millrace_ssa::stages;
use millrace_yaml::read::Limits;
use millrace_yaml::{Map, Node};

use super::ssa_apply;
use crate::cases::{Case, File};
use crate::compare::{map, same, same_text, strings};

pub(super) fn check(_: &File, case: &Case) -> Result<(), String> {
    match case.area() {
        "normalize" => normalized(case),
        "normalize-dry-run" => answer(case),
        "order" => order(case),
        "upstream-files" if case.text("object").is_some() => normalized(case),
        "upstream-files" if case.text("objects").is_some() => order(case),
        "read" => read(case),
        "changeset" => change_set(case),
        "stage-predicates" => predicates(case),
        "metadata-match" => metadata_match(case),
        "dry-run-error" => dry_run_error(case),
        "immutable" => immutable(case),
        "field-managers" => field_managers(case),
        "migrate-version" => migrate_version(case),
        "mask" => masked(case),
        "drift" | "skip" | "force" | "ignore" => {
            ssa_apply::check(case)?;
            masked_in_a_diff(case)
        }
        area => Err(format!("no check for area {area:?} yet")),
    }
}

fn masked(case: &Case) -> Result<(), String> {
    let (mut before, mut after) = (case.object("before")?, case.object("after")?);
    drift::mask_secret(&mut before, &mut after);
    let data = |object: &Node| object.get("data").cloned().unwrap_or_else(Node::null);
    same("before", &data(&before), expected(case, "before")?)?;
    same("after", &data(&after), expected(case, "after")?)
}

/// What a diff of a Secret shows, where the case tells.
fn masked_in_a_diff(case: &Case) -> Result<(), String> {
    let Some(live) = case.expect("maskedLive") else { return Ok(()) };
    let (mut before, mut after) = (case.object("live")?, case.object("dryRunResult")?);
    drift::mask_secret(&mut before, &mut after);
    let data = |object: &Node| object.get("data").cloned().unwrap_or_else(Node::null);
    same("maskedLive", &data(&before), live)?;
    same("maskedMerged", &data(&after), expected(case, "maskedMerged")?)
}

fn expected<'a>(case: &'a Case, field: &str) -> Result<&'a Node, String> {
    case.expect(field).ok_or_else(|| format!("the case expects no {field:?}"))
}

fn normalized(case: &Case) -> Result<(), String> {
    let mut found = read_objects(case.require("object")?, &Limits::default()).objects;
    found.iter_mut().for_each(normalize);
    same("objects", &Node::list(found), expected(case, "objects")?)
}

fn answer(case: &Case) -> Result<(), String> {
    let mut object = case.object("object")?;
    normalize_answer(&mut object);
    same("objects", &Node::list(vec![object]), expected(case, "objects")?)
}

fn order(case: &Case) -> Result<(), String> {
    let mut found = read_objects(case.require("objects")?, &Limits::default()).objects;
    stages::sort(&mut found);
    same("order", &strings(found.iter().map(object::Object::subject)), expected(case, "order")?)
}

fn read(case: &Case) -> Result<(), String> {
    let found = read_objects(case.require("text")?, &Limits::default());
    let names = found.objects.iter().map(|object| {
        format!("{} {}", object.api_version(), object::subject(object.kind(), "", object.name()))
    });
    let none = Node::list(Vec::new());
    same(
        "objects",
        &strings(names),
        case.expect("objects").filter(|objects| !objects.is_null()).unwrap_or(&none),
    )?;
    let error = case.expect("readError").and_then(Node::as_str).unwrap_or_default();
    same_text("readError", &found.error.unwrap_or_default(), error)
}

fn change_set(case: &Case) -> Result<(), String> {
    let entries = case.get("entries").and_then(Node::as_list).unwrap_or_default();
    let changes: ChangeSet =
        entries.iter().map(change).collect::<Result<Vec<_>, String>>()?.into_iter().collect();
    same_text("text", &changes.to_string(), expected(case, "text")?.as_str().unwrap_or_default())?;
    let by_subject = changes.by_subject().map(|(subject, action)| (subject, Node::string(action.as_str())));
    same("map", &map(by_subject), expected(case, "map")?)?;
    let grouped =
        changes.by_action().into_iter().map(|(action, subjects)| (action.to_string(), strings(subjects)));
    same("grouped", &map(grouped), expected(case, "grouped")?)
}

fn change(entry: &Node) -> Result<Change, String> {
    let subject = entry.str_at(&["subject"]).ok_or("an entry without a subject")?;
    let (kind, namespace, name) = match subject.split('/').collect::<Vec<_>>()[..] {
        [kind, name] => (kind, "", name),
        [kind, namespace, name] => (kind, namespace, name),
        _ => return Err(format!("no subject: {subject:?}")),
    };
    let id = ObjectId {
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        group: String::new(),
        kind: kind.to_owned(),
    };
    let action =
        entry.str_at(&["action"]).and_then(Action::parse).ok_or("an entry without a known action")?;
    Ok(Change { id, version: "v1".to_owned(), action })
}

fn predicates(case: &Case) -> Result<(), String> {
    let object = case.object("object")?;
    let found = [
        ("class", stages::is_class(&object)),
        ("clusterDefinition", stages::is_cluster_definition(&object)),
        ("clusterRole", stages::is_cluster_role(&object)),
        ("crd", stages::is_crd(&object)),
        ("kubernetesObject", object::is_object(&object)),
        ("kustomization", object::is_kustomize_config(&object)),
        ("namespace", stages::is_namespace(&object)),
        ("secret", object::is_secret(&object)),
    ];
    let found = map(found.map(|(key, holds)| (key, Node::bool(holds))));
    same("predicates", &found, case.get("expect").ok_or("the case expects nothing")?)
}

fn metadata_match(case: &Case) -> Result<(), String> {
    let pairs = case.get("selector").and_then(Node::as_map).into_iter().flat_map(Map::iter);
    let selector = Selector::new(pairs.map(|(key, value)| (key, value.as_str().unwrap_or_default())));
    same("match", &Node::bool(selector.matches(&case.object("object")?)), expected(case, "match")?)
}

fn refused(case: &Case) -> Result<ApiError, String> {
    let reason = case.text("reason").unwrap_or_default().to_owned();
    let code = if reason == "NotFound" { 404 } else { 422 };
    let message = case.require("text")?.to_owned();
    Ok(ApiError::Refused(Box::new(Refusal { code, reason, message, is_manager_conflict: false })))
}

fn dry_run_error(case: &Case) -> Result<(), String> {
    let found = DryRunError { id: Box::new(ObjectId::of(&case.object("object")?)), source: refused(case)? };
    same_text("text", &found.to_string(), expected(case, "text")?.as_str().unwrap_or_default())
}

fn immutable(case: &Case) -> Result<(), String> {
    same("immutable", &Node::bool(is_immutable(&refused(case)?)), expected(case, "immutable")?)
}

fn field_managers(case: &Case) -> Result<(), String> {
    let overrides = case.get("overrideManagers").and_then(Node::as_list).unwrap_or_default();
    let overrides: Vec<String> = overrides.iter().filter_map(Node::as_str).map(str::to_owned).collect();
    let cleanup = Cleanup::for_kustomize_controller(&overrides);
    let patch = cleanup.patch(&case.object("object")?, "kustomize-controller").into_iter().collect();
    same("patch", &Node::list(patch), expected(case, "patch")?)
}

fn migrate_version(case: &Case) -> Result<(), String> {
    let patch = migration_patch(&case.object("object")?, case.require("apiVersion")?).into_iter().collect();
    same("patch", &Node::list(patch), expected(case, "patch")?)
}
