//! Applying, against a scripted API server.

use millrace_ssa::apply::{self, Applied, ApplyError, ApplyOptions, Host, LedgerError};
use millrace_ssa::engine::Engine;
use millrace_ssa::inventory::Inventory;
use millrace_ssa::normalize::normalize;
use millrace_yaml::Node;

use crate::api::{Api, Refusal};
use crate::manifests::objects;

/// A host that remembers its ledger and at which request it was extended.
#[derive(Default)]
pub(crate) struct Recorder {
    pub(crate) ledger: Vec<Vec<String>>,
    pub(crate) fails: bool,
}

impl Host for Recorder {
    async fn extend_ledger(&mut self, planned: &Inventory) -> Result<(), LedgerError> {
        if self.fails {
            return Err(LedgerError("status is gone".into()));
        }
        self.ledger.push(planned.entries().iter().map(|entry| entry.id.to_string()).collect());
        Ok(())
    }
}

pub(crate) async fn apply(engine: &Engine, manifests: &str) -> Result<Applied, ApplyError> {
    apply_with(engine, manifests, &ApplyOptions::default(), &mut Recorder::default()).await
}

async fn apply_with(
    engine: &Engine,
    manifests: &str,
    options: &ApplyOptions,
    host: &mut Recorder,
) -> Result<Applied, ApplyError> {
    let mut manifests = objects(manifests);
    manifests.iter_mut().for_each(normalize);
    apply::all(engine, manifests, options, host).await
}

pub(crate) fn config_map(name: &str, value: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}, namespace: ns}}, data: {{k: {value}}}}}\n"
    )
}

const PATH: &str = "/api/v1/namespaces/ns/configmaps/a";

#[tokio::test]
async fn a_new_object_costs_two_requests_and_an_unchanged_one_a_single_dry_run() {
    let api = Api::new();
    let engine = api.engine();
    let first = apply(&engine, &config_map("a", "v")).await.expect("applies");
    assert_eq!(first.changes().to_string(), "ConfigMap/ns/a created");
    assert_eq!(api.take_requests(), [format!("dry-run apply {PATH}"), format!("apply {PATH}")]);

    let second = apply(&engine, &config_map("a", "v")).await.expect("applies");
    assert_eq!(second.changes().to_string(), "ConfigMap/ns/a unchanged");
    assert_eq!(api.take_requests(), [format!("dry-run apply {PATH}")]);
    assert_eq!(second.inventory().entries()[0].id.to_string(), "ns_a__ConfigMap");
}

// KC-061: a hand edit is put right.
#[tokio::test]
async fn a_live_object_that_someone_has_written_is_read_and_put_right() {
    let api = Api::new();
    let engine = api.engine();
    apply(&engine, &config_map("a", "v")).await.expect("applies");
    api.put(PATH, &config_map("a", "edited"));
    api.take_requests();
    let run = apply(&engine, &config_map("a", "v")).await.expect("applies");
    assert_eq!(run.changes().to_string(), "ConfigMap/ns/a configured");
    assert_eq!(
        api.take_requests(),
        [format!("dry-run apply {PATH}"), format!("get {PATH}"), format!("apply {PATH}")]
    );
}

// KC-109: a second pass over 1000 unchanged objects writes nothing and sends a dry run for each.
#[tokio::test]
async fn a_thousand_unchanged_objects_cost_a_thousand_dry_runs() {
    let api = Api::new();
    let engine = api.engine();
    let manifests: Vec<String> = (0..1000).map(|index| config_map(&format!("c{index}"), "v")).collect();
    let manifests = manifests.join("---\n");
    apply(&engine, &manifests).await.expect("applies");
    api.take_requests();
    apply(&engine, &manifests).await.expect("applies");
    let requests = api.take_requests();
    assert_eq!(requests.len(), 1000);
    assert!(requests.iter().all(|request| request.starts_with("dry-run apply ")));
}

#[tokio::test]
async fn the_ledger_is_extended_before_the_first_write_and_only_for_writes() {
    let api = Api::new();
    let engine = api.engine();
    let mut host = Recorder { fails: true, ..Recorder::default() };
    let failed = apply_with(&engine, &config_map("a", "v"), &ApplyOptions::default(), &mut host).await;
    let error = failed.expect_err("the ledger fails").to_string();
    assert_eq!(error, "failed to record the inventory: status is gone\n");
    assert_eq!(api.take_requests(), [format!("dry-run apply {PATH}")], "nothing is written");

    let mut host = Recorder::default();
    for _ in 0..2 {
        apply_with(&engine, &config_map("a", "v"), &ApplyOptions::default(), &mut host)
            .await
            .expect("applies");
    }
    assert_eq!(host.ledger, [["ns_a__ConfigMap"]], "an unchanged object needs no record");
}

// KC-059: one invalid object keeps the whole stage from being written.
#[tokio::test]
async fn nothing_of_a_stage_is_written_if_one_object_is_invalid_and_all_errors_are_told() {
    let api = Api::new();
    for name in ["b", "c"] {
        let path = format!("/api/v1/namespaces/ns/configmaps/{name}");
        let message = format!("ConfigMap {name:?} is invalid: data: nope");
        let refusal = Refusal { code: 422, reason: "Invalid".to_owned(), message };
        api.state().refusals.insert(("dry-run apply", path), refusal);
    }
    let manifests = ["a", "b", "c"].map(|name| config_map(name, "v")).join("---\n");
    let error = apply(&api.engine(), &manifests).await.expect_err("b and c are invalid");
    assert_eq!(
        error.to_string(),
        "ConfigMap/ns/b dry-run failed (Invalid): ConfigMap \"b\" is invalid: data: nope\n\
         ConfigMap/ns/c dry-run failed (Invalid): ConfigMap \"c\" is invalid: data: nope\n"
    );
    assert!(api.state().applied.is_empty());
}

#[tokio::test]
async fn an_error_names_a_bounded_number_of_objects_and_counts_the_rest() {
    let manifests: Vec<String> = (0..23)
        .map(|index| format!("{{apiVersion: a.b/v1, kind: K, metadata: {{name: n{index:02}}}}}"))
        .collect();
    let error =
        apply(&Api::new().engine(), &manifests.join("\n---\n")).await.expect_err("unknown kinds").to_string();
    assert_eq!(error.lines().count(), 21);
    assert!(
        error.starts_with("K/n00 dry-run failed: no matches for kind") && error.ends_with("\nand 3 more\n")
    );
}

// KC-060: what earlier stages have written is told behind the error.
#[tokio::test]
async fn an_error_is_followed_by_what_earlier_stages_have_written() {
    let api = Api::new();
    let refusal = Refusal {
        code: 404,
        reason: "NotFound".to_owned(),
        message: "namespaces \"ns\" not found".to_owned(),
    };
    api.state().refusals.insert(("dry-run apply", PATH.to_owned()), refusal);
    let manifests =
        format!("{{apiVersion: v1, kind: Namespace, metadata: {{name: x}}}}\n---\n{}", config_map("a", "v"));
    let error = apply(&api.engine(), &manifests).await.expect_err("a can't be applied");
    assert_eq!(
        error.to_string(),
        "ConfigMap/ns/a not found: namespaces \"ns\" not found\nNamespace/x created\n"
    );
}

// KC-074, KC-075: objects that have no place in the API.
#[tokio::test]
async fn an_object_without_namespace_or_of_an_unknown_kind_is_rejected_without_a_request_for_it() {
    let api = Api::new();
    let rows = [
        (
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}",
            "ConfigMap/a namespace not specified: the server could not find the requested resource\n",
        ),
        (
            "{apiVersion: example.com/v1, kind: Foo, metadata: {name: a, namespace: ns}}",
            "Foo/ns/a dry-run failed: no matches for kind \"Foo\" in version \"example.com/v1\"\n",
        ),
    ];
    for (manifest, expected) in rows {
        let error = apply(&api.engine(), manifest).await.expect_err("no place in the API");
        assert_eq!(error.to_string(), expected);
    }
    assert!(api.take_requests().is_empty());
}

// KC-063: created once, then left alone, and owned all the same.
#[tokio::test]
async fn an_object_to_create_only_is_not_applied_again() {
    let api = Api::new();
    let engine = api.engine();
    let manifest = |value: &str| {
        format!(
            "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: a, namespace: ns, annotations: \
             {{kustomize.toolkit.fluxcd.io/ssa: IfNotPresent}}}}, data: {{k: {value}}}}}"
        )
    };
    let first = apply(&engine, &manifest("v")).await.expect("applies");
    assert_eq!(first.changes().to_string(), "ConfigMap/ns/a created");
    let second = apply(&engine, &manifest("w")).await.expect("applies");
    assert_eq!(second.changes().to_string(), "ConfigMap/ns/a skipped");
    assert_eq!(second.inventory().len(), 1);
    assert!(second.watched().is_empty());
    assert_eq!(api.state().applied.len(), 1);
}

// KC-064, KC-065: marks on the live object.
#[tokio::test]
async fn a_mark_on_the_live_object_keeps_it_from_being_updated_even_if_its_dry_run_fails() {
    let live = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: ns, labels: \
                {kustomize.toolkit.fluxcd.io/reconcile: Disabled}}, data: {k: live}}";
    for is_refused in [false, true] {
        let api = Api::new();
        api.put(PATH, live);
        if is_refused {
            let refusal = Refusal { code: 403, reason: "Forbidden".to_owned(), message: "no".to_owned() };
            api.state().refusals.insert(("dry-run apply", PATH.to_owned()), refusal);
        }
        let run = apply(&api.engine(), &config_map("a", "v")).await.expect("skips");
        assert_eq!(run.changes().to_string(), "ConfigMap/ns/a skipped");
        assert!(api.state().applied.is_empty());
    }
}

fn kubectl_made(annotation: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: a, namespace: ns, annotations: {{{annotation}}}, \
         managedFields: [{{manager: kubectl-client-side-apply, operation: Update, apiVersion: v1, \
         fieldsType: FieldsV1, fieldsV1: {{'f:data': {{'f:k': {{}}}}}}}}]}}, data: {{k: v}}}}"
    )
}

// KC-066: what kubectl has made is taken over before it is applied.
#[tokio::test]
async fn metadata_is_cleaned_up_before_the_apply_and_counts_as_a_change() {
    let api = Api::new();
    api.put(PATH, &kubectl_made("kubectl.kubernetes.io/last-applied-configuration: '{}'"));
    let run = apply(&api.engine(), &config_map("a", "v")).await.expect("applies");
    assert_eq!(run.changes().to_string(), "ConfigMap/ns/a configured");
    let requests = api.take_requests();
    assert_eq!(
        requests,
        [
            format!("dry-run apply {PATH}"),
            format!("get {PATH}"),
            format!("patch {PATH}"),
            format!("apply {PATH}")
        ]
    );
    assert_eq!(api.state().patched[0].as_list().map(<[Node]>::len), Some(2));
}

// KC-062: Merge keeps what others have set.
#[tokio::test]
async fn nothing_is_cleaned_up_where_the_policy_is_to_merge() {
    let api = Api::new();
    api.put(PATH, &kubectl_made("kustomize.toolkit.fluxcd.io/ssa: merge"));
    let run = apply(&api.engine(), &config_map("a", "v")).await.expect("applies");
    assert_eq!(run.changes().to_string(), "ConfigMap/ns/a unchanged");
    assert!(api.state().patched.is_empty());
}

// KC-068: an immutable field is changed by recreating the object, and only if asked for.
#[tokio::test(start_paused = true)]
async fn an_immutable_object_is_deleted_and_created_back_to_back_once_the_stage_is_valid() {
    let api = Api::new();
    api.put(PATH, &config_map("a", "old"));
    let immutable = Refusal {
        code: 422,
        reason: "Invalid".to_owned(),
        message: "data: Forbidden: field is immutable".to_owned(),
    };
    api.state().refusals.insert(("dry-run apply", PATH.to_owned()), immutable.clone());
    let engine = api.engine();
    let error = apply(&engine, &config_map("a", "new")).await.expect_err("immutable").to_string();
    assert_eq!(error, "ConfigMap/ns/a dry-run failed (Invalid): data: Forbidden: field is immutable\n");

    let force = ApplyOptions { force: true, ..ApplyOptions::default() };
    let other = "/api/v1/namespaces/ns/configmaps/b".to_owned();
    api.state().refusals.insert(("dry-run apply", other.clone()), immutable);
    let both = [config_map("a", "new"), config_map("b", "v")].join("---\n");
    apply_with(&engine, &both, &force, &mut Recorder::default())
        .await
        .expect_err("b does not exist and is invalid");
    assert!(api.state().objects.contains_key(PATH), "nothing is deleted while another object is invalid");

    api.state().refusals.remove(&("dry-run apply", other));
    api.take_requests();
    let run = apply_with(&engine, &config_map("a", "new"), &force, &mut Recorder::default())
        .await
        .expect("applies");
    assert_eq!(run.changes().to_string(), "ConfigMap/ns/a created");
    let requests = api.take_requests();
    let kinds: Vec<&str> = requests.iter().filter_map(|request| request.strip_suffix(PATH)).collect();
    assert_eq!(kinds, ["dry-run apply ", "get ", "delete ", "get ", "dry-run apply ", "apply "]);
}

#[tokio::test]
async fn an_object_that_is_invalid_in_itself_is_not_deleted_for_it() {
    let api = Api::new();
    api.put(PATH, &config_map("a", "old"));
    let invalid =
        |message: &str| Refusal { code: 422, reason: "Invalid".to_owned(), message: message.to_owned() };
    let probe = "/api/v1/namespaces/ns/configmaps/probe".to_owned();
    api.state().refusals.insert(("dry-run apply", PATH.to_owned()), invalid("spec.ports: Required value"));
    api.state().refusals.insert(("dry-run apply", probe.clone()), invalid("spec.ports: Required value"));
    let engine = api.engine();
    let force = ApplyOptions { force: true, ..ApplyOptions::default() };
    let failed = apply_with(&engine, &config_map("a", "new"), &force, &mut Recorder::default()).await;
    let error = failed.expect_err("is invalid").to_string();
    assert_eq!(error, "ConfigMap/ns/a dry-run failed (Invalid): spec.ports: Required value\n");
    assert!(api.state().objects.contains_key(PATH));

    api.state().refusals.remove(&("dry-run apply", probe));
    apply_with(&engine, &config_map("a", "new"), &force, &mut Recorder::default())
        .await
        .expect("is recreated");
}

#[tokio::test]
async fn an_identity_that_may_not_read_applies_once_and_then_knows_the_object() {
    let api = Api::new();
    api.put(PATH, &config_map("a", "v"));
    let forbidden = Refusal { code: 403, reason: "Forbidden".to_owned(), message: "no".to_owned() };
    api.state().refusals.insert(("get", PATH.to_owned()), forbidden);
    let engine = api.engine();
    let first = apply(&engine, &config_map("a", "v")).await.expect("applies");
    assert_eq!(first.changes().to_string(), "ConfigMap/ns/a configured");
    let second = apply(&engine, &config_map("a", "v")).await.expect("applies");
    assert_eq!(second.changes().to_string(), "ConfigMap/ns/a unchanged");
}
