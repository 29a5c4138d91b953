//! Deleting, against a scripted API server.

use std::time::Duration;

use millrace_ssa::inventory::{Inventory, StaleObjects, stale_objects};
use millrace_ssa::policy::Owner;
use millrace_ssa::prune::{delete_all, prune, wait_for_termination};

use crate::api::{Api, Refusal};
use crate::apply::{apply, config_map};

fn owner() -> Owner {
    Owner {
        group: "kustomize.toolkit.fluxcd.io".to_owned(),
        name: "app".to_owned(),
        namespace: "ns".to_owned(),
    }
}

fn path(name: &str) -> String {
    format!("/api/v1/namespaces/ns/configmaps/{name}")
}

fn owned(name: &str, owner_name: &str, mark: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}, namespace: ns, annotations: {{{mark}}}, labels: \
         {{kustomize.toolkit.fluxcd.io/name: {owner_name}, kustomize.toolkit.fluxcd.io/namespace: ns}}}}}}"
    )
}

fn inventory(ids: &[&str]) -> Inventory {
    Inventory::parse(ids.iter().map(|id| (*id, "v1"))).expect("valid ids")
}

// KC-079, KC-080, KC-081, KC-089: what is deleted, and what is left alone.
#[tokio::test]
async fn only_objects_that_bear_the_owners_labels_and_no_mark_are_deleted() {
    let api = Api::new();
    let engine = api.engine();
    let rows = [
        ("deleted", "app", "", "deleted"),
        ("foreign", "other", "", "skipped"),
        ("kept", "app", "kustomize.toolkit.fluxcd.io/prune: Disabled", "skipped"),
        ("disabled", "app", "kustomize.toolkit.fluxcd.io/reconcile: disabled", "skipped"),
        ("ignored", "app", "kustomize.toolkit.fluxcd.io/ssa: Ignore", "skipped"),
    ];
    for (name, owner_name, mark, action) in rows {
        api.put(&path(name), &owned(name, owner_name, mark));
        let stale = stale_objects(&inventory(&[&format!("ns_{name}__ConfigMap")]), &Inventory::default());
        let applied = apply(&engine, &config_map("other", "v")).await.expect("applies");
        let changes = prune(&engine, &stale, &owner(), &applied).await.expect("prunes");
        assert_eq!(changes.to_string(), format!("ConfigMap/ns/{name} {action}"));
        assert_eq!(api.state().objects.contains_key(&path(name)), action == "skipped", "{name}");
    }
}

#[tokio::test]
async fn what_is_gone_counts_as_deleted_even_with_its_kind() {
    let api = Api::new();
    let stale = StaleObjects::all(&inventory(&["ns_gone__ConfigMap", "ns_x_example.com_Widget"]));
    let changes = delete_all(&api.engine(), &stale, &owner()).await.expect("prunes");
    assert_eq!(changes.to_string(), "Widget/ns/x deleted\nConfigMap/ns/gone deleted");
}

/// A version that was dropped while it was known must not be taken for the object's end.
#[tokio::test(start_paused = true)]
async fn an_object_whose_api_version_was_dropped_is_deleted_through_another_one() {
    let api = Api::new();
    api.state().widgets = vec!["v1", "v2"];
    let engine = api.engine();
    let stale = StaleObjects::all(&inventory(&["ns_w_example.com_Widget"]));
    let path = |version: &str| format!("/apis/example.com/{version}/namespaces/ns/widgets/w");
    // Both versions are known by now.
    delete_all(&engine, &stale, &owner()).await.expect("nothing is there yet");
    api.put(
        &path("v2"),
        &owned("w", "app", "")
            .replace("apiVersion: v1, kind: ConfigMap", "apiVersion: example.com/v2, kind: Widget"),
    );
    api.state().widgets = vec!["v2"];
    tokio::time::sleep(Duration::from_secs(1)).await;
    let changes = delete_all(&engine, &stale, &owner()).await.expect("prunes");
    assert_eq!(changes.to_string(), "Widget/ns/w deleted");
    assert!(api.state().objects.is_empty(), "it is still there: {:?}", api.state().requests);

    api.state().widgets.clear();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let changes = delete_all(&engine, &stale, &owner()).await.expect("the kind is gone");
    assert_eq!(changes.to_string(), "Widget/ns/w deleted");
}

/// Part of a group that does not answer says nothing about the objects in it.
#[tokio::test]
async fn an_object_is_kept_while_a_version_of_its_group_does_not_answer() {
    let api = Api::new();
    api.state().widgets = vec!["v2 stale"];
    let stale = StaleObjects::all(&inventory(&["ns_w_example.com_Widget"]));
    let error = delete_all(&api.engine(), &stale, &owner()).await.expect_err("nobody knows");
    assert_eq!(
        error.to_string(),
        "delete failed, errors: Widget/ns/w query failed: unable to retrieve the complete list of server APIs: \
         example.com/v2: stale GroupVersion discovery: example.com/v2;"
    );
}

// KC-083: a refused delete is told, the rest goes on, and the object stays owned.
#[tokio::test]
async fn a_refused_delete_is_told_and_kept_while_the_rest_is_deleted() {
    let api = Api::new();
    for name in ["a", "b", "c"] {
        api.put(&path(name), &owned(name, "app", ""));
    }
    let refusal =
        |message: &str| Refusal { code: 403, reason: "Forbidden".to_owned(), message: message.to_owned() };
    api.state().refusals.insert(("delete", path("a")), refusal("denied"));
    api.state().refusals.insert(("get", path("b")), refusal("hidden"));
    let stale = StaleObjects::all(&inventory(&["ns_a__ConfigMap", "ns_b__ConfigMap", "ns_c__ConfigMap"]));
    let error = delete_all(&api.engine(), &stale, &owner()).await.expect_err("two are refused");
    assert_eq!(
        error.to_string(),
        "delete failed, errors: ConfigMap/ns/b query failed: hidden;ConfigMap/ns/a delete failed: denied;"
    );
    let expected = "ConfigMap/ns/c deleted\nConfigMap/ns/b unknown\nConfigMap/ns/a unknown";
    assert_eq!(error.changes.to_string(), expected);
    assert_eq!(error.kept, inventory(&["ns_b__ConfigMap", "ns_a__ConfigMap"]));
}

// KC-086: what does not go in time is named.
#[tokio::test(start_paused = true)]
async fn waiting_for_termination_ends_when_all_are_gone_or_at_the_timeout() {
    let api = Api::new();
    let engine = api.engine();
    api.put(&path("a"), &owned("a", "app", ""));
    let stale = StaleObjects::all(&inventory(&["ns_a__ConfigMap"]));
    let deleted = delete_all(&engine, &stale, &owner()).await.expect("prunes");
    wait_for_termination(&engine, &deleted, Duration::from_secs(30)).await.expect("is gone");

    api.put(&path("a"), &owned("a", "app", ""));
    let error =
        wait_for_termination(&engine, &deleted, Duration::from_secs(30)).await.expect_err("is there again");
    assert_eq!(error.to_string(), "ConfigMap/ns/a termination timeout: context deadline exceeded");
}
