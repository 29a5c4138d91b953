//! Drift, order, normalization and texts, told as the original tells them.

use millrace_ssa::changes::{Action, Change, ChangeSet};
use millrace_ssa::client::{ApiError, Refusal};
use millrace_ssa::drift::managers::{Cleanup, migration_patch};
use millrace_ssa::failure::{DryRunError, is_immutable};
use millrace_ssa::id::ObjectId;
use millrace_ssa::normalize::{normalize, normalize_answer};
use millrace_ssa::object::{self, Object as _};
use millrace_ssa::policy::Selector;
use millrace_ssa::read::read_objects;
use millrace_ssa::stages;
use millrace_yaml::read::Limits;
use millrace_yaml::{Map, Node, Scalar};

use crate::cases::{Case, check, objects, same, same_text};

fn list(items: impl IntoIterator<Item = Node>) -> Node {
    Node::List(items.into_iter().collect())
}

fn strings(items: impl IntoIterator<Item = String>) -> Node {
    list(items.into_iter().map(Node::string))
}

fn expected<'a>(case: &'a Case, field: &str) -> &'a Node {
    case.expect(field).unwrap_or_else(|| panic!("{} expects no {field}", case.id()))
}

fn same_objects(case: &Case, found: Vec<Node>) -> Result<(), String> {
    same("objects", &Node::List(found), expected(case, "objects"))
}

#[test]
fn objects_are_normalized_as_recorded() {
    check("ssa-diff", &["normalize", "upstream-files"], |case| {
        let Some(text) = case.text("object") else { return Ok(()) };
        let mut found = read_objects(text, &Limits::default()).objects;
        found.iter_mut().for_each(normalize);
        same_objects(case, found)
    });
}

#[test]
fn answers_are_evened_out_as_recorded() {
    check("ssa-diff", &["normalize-dry-run"], |case| {
        let mut object = case.object("object").expect("a case has an object");
        normalize_answer(&mut object);
        same_objects(case, vec![object])
    });
}

// KC-058: the order in which objects are applied and told.
#[test]
fn objects_are_ordered_as_recorded() {
    check("ssa-diff", &["order", "upstream-files"], |case| {
        let Some(text) = case.text("objects") else { return Ok(()) };
        let mut found = read_objects(text, &Limits::default()).objects;
        stages::sort(&mut found);
        same("order", &strings(found.iter().map(object::Object::subject)), expected(case, "order"))
    });
}

#[test]
fn texts_are_read_as_recorded() {
    check("ssa-diff", &["read"], |case| {
        let found = read_objects(case.text("text").expect("a case has text"), &Limits::default());
        let names = found.objects.iter().map(|object| {
            format!("{} {}", object.api_version(), object::subject(object.kind(), "", object.name()))
        });
        let expected_objects = case.expect("objects").filter(|objects| !objects.is_null());
        same("objects", &strings(names), expected_objects.unwrap_or(&list([])))?;
        let error = case.expect("readError").and_then(Node::as_str).unwrap_or_default();
        same_text("readError", &found.error.unwrap_or_default(), error)
    });
}

#[test]
fn change_sets_print_as_recorded() {
    check("ssa-diff", &["changeset"], |case| {
        let entries = case.0.get("entries").and_then(Node::as_list).unwrap_or_default();
        let changes: ChangeSet = entries.iter().map(change).collect();
        let map = |pairs: Vec<(String, Node)>| {
            Node::Map(pairs.into_iter().map(|(key, value)| (Scalar::string(key), value)).collect::<Map>())
        };
        same_text("text", &changes.to_string(), expected(case, "text").as_str().unwrap_or_default())?;
        let by_subject =
            changes.by_subject().map(|(subject, action)| (subject, Node::string(action.as_str())));
        same("map", &map(by_subject.collect()), expected(case, "map"))?;
        let grouped =
            changes.by_action().into_iter().map(|(action, subjects)| (action.to_string(), strings(subjects)));
        same("grouped", &map(grouped.collect()), expected(case, "grouped"))
    });
}

fn change(entry: &Node) -> Change {
    let subject: Vec<&str> = entry.str_at(&["subject"]).expect("a subject").split('/').collect();
    let (kind, namespace, name) = match subject[..] {
        [kind, name] => (kind, "", name),
        [kind, namespace, name] => (kind, namespace, name),
        _ => panic!("no subject: {subject:?}"),
    };
    let id = ObjectId {
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        group: String::new(),
        kind: kind.to_owned(),
    };
    let action = Action::parse(entry.str_at(&["action"]).expect("an action")).expect("a known action");
    Change { id, version: "v1".to_owned(), action }
}

#[test]
fn stages_know_their_kinds_as_recorded() {
    check("ssa-diff", &["stage-predicates"], |case| {
        let object = case.object("object").expect("a case has an object");
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
        let found: Map =
            found.map(|(key, holds)| (Scalar::string(key), Node::bool(holds))).into_iter().collect();
        same("predicates", &Node::Map(found), case.0.get("expect").expect("an expectation"))
    });
}

#[test]
fn selectors_match_metadata_as_recorded() {
    check("ssa-diff", &["metadata-match"], |case| {
        let object = case.object("object").expect("a case has an object");
        let found = selector(case.0.get("selector")).matches(&object);
        same("match", &Node::bool(found), expected(case, "match"))
    });
}

fn selector(node: Option<&Node>) -> Selector {
    let pairs = node.and_then(Node::as_map).into_iter().flat_map(Map::iter);
    Selector::new(pairs.map(|(key, value)| (key, value.as_str().expect("a string"))))
}

fn api_error(text: &str, reason: &str) -> ApiError {
    ApiError::Refused(Box::new(Refusal {
        code: if reason == "NotFound" { 404 } else { 422 },
        reason: reason.to_owned(),
        message: text.to_owned(),
        is_manager_conflict: false,
    }))
}

#[test]
fn failed_dry_runs_read_as_recorded() {
    check("ssa-diff", &["dry-run-error"], |case| {
        let object = case.object("object").expect("a case has an object");
        let text = case.text("text").expect("a text");
        let source = api_error(text, case.text("reason").unwrap_or_default());
        let found = DryRunError { id: Box::new(ObjectId::of(&object)), source }.to_string();
        same_text("text", &found, expected(case, "text").as_str().unwrap_or_default())
    });
}

#[test]
fn immutable_fields_are_recognized_as_recorded() {
    check("ssa-diff", &["immutable"], |case| {
        let error = api_error(case.text("text").expect("a text"), case.text("reason").unwrap_or_default());
        same("immutable", &Node::bool(is_immutable(&error)), expected(case, "immutable"))
    });
}

// KC-066, KC-067: what is sent to take over kubectl's and other managers' fields.
#[test]
fn field_managers_are_cleaned_up_as_recorded() {
    check("ssa-diff", &["field-managers"], |case| {
        let overrides = case.0.get("overrideManagers").and_then(Node::as_list).unwrap_or_default();
        let overrides: Vec<String> = overrides.iter().filter_map(Node::as_str).map(str::to_owned).collect();
        let cleanup = Cleanup::for_kustomize_controller(&overrides);
        let object = case.object("object").expect("a case has an object");
        same("patch", &list(cleanup.patch(&object, "kustomize-controller")), expected(case, "patch"))
    });
}

#[test]
fn managed_fields_move_to_another_version_as_recorded() {
    check("ssa-diff", &["migrate-version"], |case| {
        let object = case.object("object").expect("a case has an object");
        let version = case.text("apiVersion").expect("a version");
        same("patch", &list(migration_patch(&object, version)), expected(case, "patch"))
    });
}

#[test]
fn stages_hold_what_belongs_together_and_come_in_order() {
    let manifests = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: ns}}\n---\n\
        {apiVersion: v1, kind: Namespace, metadata: {name: ns}}\n---\n\
        {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: s}}\n---\n\
        {apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: r, namespace: ns}}\n";
    let custom =
        [stages::GroupKind { group: "rbac.authorization.k8s.io".to_owned(), kind: "Role".to_owned() }];
    let stages = stages::plan(objects(manifests), &custom);
    let subjects: Vec<Vec<String>> =
        stages.iter().map(|stage| stage.objects().iter().map(object::Object::subject).collect()).collect();
    assert_eq!(subjects, [["Namespace/ns"], ["StorageClass/s"], ["Role/ns/r"], ["ConfigMap/ns/a"]]);
    assert_eq!(stages.iter().map(stages::Stage::is_awaited).collect::<Vec<_>>(), [true, true, false, false]);
}
