//! What the API server takes, lists and leaves alone. Contract: source-controller §1, §8.1.

use kube::Api;
use kube::api::{ApiResource, DynamicObject, PostParams};
use kube::core::GroupVersionKind;
use millrace_harness::tools;
use serde_json::{Value, json};

use crate::bench::{Bench, on_bench};

/// Plural, kind, a short name (none: the plural), a minimal spec, and the columns of a listing.
type Kind = (&'static str, &'static str, &'static str, &'static str, &'static str);

const KINDS: [Kind; 6] = [
    (
        "gitrepositories",
        "GitRepository",
        "gitrepo",
        r#"{"url":"https://h/r","interval":"1m"}"#,
        "NAME URL AGE READY STATUS",
    ),
    (
        "ocirepositories",
        "OCIRepository",
        "ocirepo",
        r#"{"url":"oci://h/r","interval":"1m"}"#,
        "NAME URL READY STATUS AGE",
    ),
    (
        "buckets",
        "Bucket",
        "buckets",
        r#"{"bucketName":"b","endpoint":"h","interval":"1m"}"#,
        "NAME ENDPOINT AGE READY STATUS",
    ),
    (
        "helmrepositories",
        "HelmRepository",
        "helmrepo",
        r#"{"url":"https://h/r"}"#,
        "NAME URL AGE READY STATUS",
    ),
    (
        "helmcharts",
        "HelmChart",
        "hc",
        r#"{"chart":"c","interval":"1m","sourceRef":{"kind":"HelmRepository","name":"r"}}"#,
        "NAME CHART VERSION SOURCE KIND SOURCE NAME AGE READY STATUS",
    ),
    (
        "externalartifacts",
        "ExternalArtifact",
        "ea",
        r#"{"sourceRef":{"kind":"Foo","name":"f"}}"#,
        "NAME AGE READY STATUS SOURCE",
    ),
];

fn api(bench: &Bench, kind: &str) -> Api<DynamicObject> {
    let plural = KINDS.iter().find(|known| known.1 == kind).unwrap().0;
    let gvk = GroupVersionKind::gvk("source.toolkit.fluxcd.io", "v1", kind);
    let resource = ApiResource::from_gvk_with_plural(&gvk, plural);
    Api::namespaced_with(bench.client(), &bench.namespace, &resource)
}

/// Creates an object of a kind: the minimal spec, with `changes` over it.
async fn create(bench: &Bench, kind: &str, name: &str, changes: Value) -> kube::Result<DynamicObject> {
    let minimal = KINDS.iter().find(|known| known.1 == kind).unwrap().3;
    let mut spec: Value = serde_json::from_str(minimal).unwrap();
    for (field, value) in changes.as_object().unwrap() {
        spec[field] = value.clone();
    }
    let object = json!({
        "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": kind, "metadata": { "name": name }, "spec": spec,
    });
    api(bench, kind).create(&PostParams::default(), &serde_json::from_value(object).unwrap()).await
}

// SC-002, SC-003, SC-004 and SC-005.
#[test]
fn what_cannot_work_is_refused_by_the_schema() {
    let account = "serviceAccountName can only be set when provider is 'azure' or 'aws'";
    let aws = json!({ "provider": "aws", "endpoint": "https://sts.amazonaws.com" });
    let ldap = json!({ "provider": "ldap", "endpoint": "https://h" });
    let with = |mut base: Value, field: &str| {
        base[field] = json!({ "name": "s" });
        base
    };
    let rows = [
        ("GitRepository", json!({ "url": "git@host:a/b" }), "spec.url"),
        ("GitRepository", json!({ "interval": "1d" }), "spec.interval"),
        ("GitRepository", json!({ "timeout": "1h" }), "spec.timeout"),
        ("GitRepository", json!({ "provider": "gcp" }), "spec.provider"),
        ("GitRepository", json!({ "serviceAccountName": "x" }), account),
        ("GitRepository", json!({ "serviceAccountName": "x", "provider": "github" }), account),
        (
            "Bucket",
            json!({ "provider": "gcp", "sts": aws }),
            "STS configuration is only supported for the 'aws' and 'generic' Bucket providers",
        ),
        (
            "Bucket",
            json!({ "provider": "aws", "sts": ldap }),
            "'aws' is the only supported STS provider for the 'aws' Bucket provider",
        ),
        (
            "Bucket",
            json!({ "provider": "generic", "sts": aws }),
            "'ldap' is the only supported STS provider for the 'generic' Bucket provider",
        ),
        (
            "Bucket",
            json!({ "provider": "aws", "sts": with(aws.clone(), "secretRef") }),
            "spec.sts.secretRef is not required for the 'aws' STS provider",
        ),
        (
            "Bucket",
            json!({ "provider": "aws", "sts": with(aws.clone(), "certSecretRef") }),
            "spec.sts.certSecretRef is not required for the 'aws' STS provider",
        ),
        (
            "Bucket",
            json!({ "provider": "generic", "serviceAccountName": "x" }),
            "ServiceAccountName is not supported for the 'generic' Bucket provider",
        ),
        (
            "Bucket",
            json!({ "provider": "aws", "serviceAccountName": "x", "secretRef": { "name": "s" } }),
            "cannot set both .spec.secretRef and .spec.serviceAccountName",
        ),
        (
            "HelmChart",
            json!({ "sourceRef": { "kind": "GitRepository", "name": "r" }, "verify": { "provider": "cosign" } }),
            "spec.verify is only supported when spec.sourceRef.kind is 'HelmRepository'",
        ),
    ];
    on_bench(async |bench| {
        for (kind, changes, text) in rows {
            match create(&bench, kind, "refused", changes.clone()).await {
                Err(kube::Error::Api(status)) => {
                    assert_eq!(status.code, 422, "{kind} {changes}: {}", status.message);
                    assert!(status.message.contains(text), "{kind} {changes}: {}", status.message);
                }
                other => panic!("{kind} {changes} is not refused: {other:?}"),
            }
        }
    });
}

// SC-006 and SC-007.
#[test]
fn every_kind_is_listed_and_an_external_artifact_is_left_alone() {
    if !tools::available(&["kubectl"]) {
        return;
    }
    on_bench(async |bench| {
        for (_, kind, ..) in KINDS {
            create(&bench, kind, "app", json!({})).await.unwrap();
        }
        let external = api(&bench, "ExternalArtifact").get("app").await.unwrap();
        let get = |what: &str, options: &[&str]| {
            let arguments = [&["get", what, "--namespace", &*bench.namespace], options].concat();
            bench.kubectl(&arguments)
        };
        let names = |what: &str| {
            let mut names: Vec<_> = get(what, &["--output=name"]).lines().map(str::to_owned).collect();
            names.sort_unstable();
            names
        };
        let name = |plural: &str, kind: &str| {
            // kubectl shows the singular, which is the kind in lower case.
            assert!(plural.starts_with(&kind.to_lowercase()[..4]));
            format!("{}.source.toolkit.fluxcd.io/app", kind.to_lowercase())
        };
        let mut all: Vec<_> = KINDS.iter().map(|(plural, kind, ..)| name(plural, kind)).collect();
        all.sort_unstable();
        assert_eq!(names("fluxcd-sources"), all);
        for (plural, kind, short, _, columns) in KINDS {
            assert_eq!(names(short), [name(plural, kind)], "{short}");
            let listing = get(plural, &[]);
            let header: Vec<_> = listing.lines().next().unwrap().split_whitespace().collect();
            assert_eq!(header.join(" "), columns, "{kind}");
        }

        bench.git.create("other").unwrap().commit("first").file("a", "a").push().unwrap();
        bench.create("other", json!({})).await;
        bench.ready("other").await;
        let untouched = api(&bench, "ExternalArtifact").get("app").await.unwrap();
        assert_eq!(untouched.metadata, external.metadata);
        assert!(untouched.metadata.finalizers.is_none() && untouched.data.get("status").is_none());
        assert!(bench.all_kinds_told().iter().all(|kind| kind == "GitRepository"));
    });
}
