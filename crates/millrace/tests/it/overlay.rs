//! What users do to the controllers' manifests with kustomize: it builds, and the program takes what comes out.

use std::path::Path;

use serde_json::{Value, json};

use crate::chart::{Objects, render};
use crate::program::{STORAGE, errors, is_built_in, last_log, run, text};

/// The patches that users' repositories have, in their order; those of arguments go by position.
const OVERLAY: &str = r#"
resources: [controllers.yaml]
patches:
- target: {kind: Deployment, labelSelector: app.kubernetes.io/part-of=flux}
  patch: |
    - {op: replace, path: /spec/template/spec/containers/0/args/0, value: --watch-all-namespaces=false}
    - {op: add, path: /spec/template/spec/containers/0/args/-, value: --kube-api-qps=500}
    - {op: add, path: /spec/template/spec/containers/0/args/-, value: --kube-api-burst=1000}
    - {op: add, path: /spec/template/spec/containers/0/args/-, value: --concurrent=20}
    - {op: add, path: /spec/template/spec/containers/0/args/-, value: --feature-gates=CacheSecretsAndConfigMaps=true}
    - {op: remove, path: /spec/template/spec/containers/0/resources/limits}
    - {op: add, path: /spec/template/spec/containers/0/env/-, value: {name: HTTPS_PROXY, value: "http://proxy:3128"}}
- target: {kind: Deployment, labelSelector: "app.kubernetes.io/component in (source-controller,kustomize-controller)"}
  patch: |
    - {op: add, path: /spec/template/spec/containers/0/args/-, value: --requeue-dependency=5s}
    - {op: add, path: /spec/template/spec/containers/0/args/-, value: "--watch-label-selector=sharding.fluxcd.io/key=shard1"}
- target: {kind: Deployment, name: "(kustomize-controller|notification-controller)"}
  patch: |
    - {op: add, path: /spec/template/spec/containers/0/args/-, value: --no-cross-namespace-refs=true}
- target: {kind: Deployment, name: kustomize-controller}
  patch: |
    - {op: add, path: /spec/template/spec/containers/0/args/-, value: --no-remote-bases=true}
    - {op: add, path: /spec/template/spec/containers/0/args/-, value: --default-service-account=default}
    - {op: add, path: /spec/template/spec/containers/0/args/-, value: --sops-age-secret=sops-age}
    - {op: add, path: /spec/template/spec/containers/0/args/-, value: --override-manager=old-manager}
    - {op: replace, path: /spec/template/spec/volumes/0, value: {name: temp, emptyDir: {medium: Memory}}}
- target: {kind: Deployment, name: source-controller}
  patch: |
    - {op: replace, path: /spec/template/spec/containers/0/args/6, value: --storage-adv-addr=elsewhere.example.com}
    - {op: add, path: /spec/template/spec/containers/0/args/-, value: --helm-cache-max-size=10}
    - {op: replace, path: /spec/template/spec/volumes/0, value: {name: data, persistentVolumeClaim: {claimName: data}}}
- patch: |
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: all}
    spec:
      template:
        spec:
          hostAliases: [{ip: 192.0.2.1, hostnames: [git.example.com]}]
          dnsConfig: {options: [{name: ndots, value: "1"}]}
          containers: [{name: manager, resources: {requests: {cpu: 10m}}}]
  target: {kind: Deployment}
- target: {kind: ServiceAccount, name: source-controller}
  patch: |
    apiVersion: v1
    kind: ServiceAccount
    metadata: {name: source-controller, annotations: {iam.example.com/role: reader}}
"#;

/// Builds a folder with the engine that ships.
fn build(folder: &Path) -> Objects {
    let output = run("millrace", &["kustomize", "build", folder.to_str().expect("text")]);
    assert!(output.status.success(), "{}", errors(&output));
    let documents: Vec<Value> = serde_yaml::from_multiple(&text(&output)).expect("YAML");
    let name =
        |object: &Value, pointer| object.pointer(pointer).and_then(Value::as_str).expect("text").to_owned();
    documents
        .into_iter()
        .map(|object| ((name(&object, "/kind"), name(&object, "/metadata/name")), object))
        .collect()
}

/// A folder with the chart's objects as users have them in their repository, and a kustomization beside them.
fn repository(kustomization: &str) -> Option<tempfile::TempDir> {
    let objects = render(&["crds.install=false"])?;
    let folder = tempfile::tempdir().expect("folder");
    let documents: Vec<_> = objects.values().map(|object| format!("---\n{object}\n")).collect();
    std::fs::write(folder.path().join("controllers.yaml"), documents.concat()).expect("file");
    std::fs::write(folder.path().join("kustomization.yaml"), kustomization).expect("file");
    Some(folder)
}

fn pod<'o>(objects: &'o Objects, name: &str) -> &'o Value {
    &objects[&("Deployment".to_owned(), name.to_owned())]["spec"]["template"]["spec"]
}

fn arguments(pod: &Value) -> Vec<String> {
    let arguments = pod["containers"][0]["args"].as_array().expect("arguments");
    arguments.iter().map(|argument| argument.as_str().expect("text").to_owned()).collect()
}

/// The program gets as far as to look for a cluster, so every flag means something to it.
fn starts(name: &str, arguments: &[String]) {
    let expanded: Vec<_> =
        arguments.iter().map(|argument| argument.replace("$(RUNTIME_NAMESPACE)", "flux-system")).collect();
    let mut line: Vec<_> = expanded.iter().map(String::as_str).collect();
    line.extend((name == "source-controller").then_some(STORAGE));
    // Leases need a namespace, which needs a pod.
    line.push("--enable-leader-election=false");
    let output = run(name, &line);
    let last = last_log(&output);
    assert!(
        last["error"].as_str().is_some_and(|told| told.starts_with("no configuration")),
        "{name}: {last}"
    );
}

/// CLI-086: every patch of cli §B1.4 over our manifests builds, takes effect, and gives arguments that the program takes.
#[test]
fn every_patch_that_users_have_builds_over_our_manifests_and_the_program_takes_the_arguments() {
    let all = ["source-controller", "kustomize-controller", "notification-controller"];
    if !all.iter().all(|name| is_built_in(name, &[])) {
        return;
    }
    let Some(folder) = repository(OVERLAY) else { return };
    let built = build(folder.path());
    let shared = ["--kube-api-qps=500", "--kube-api-burst=1000", "--concurrent=20"];
    for (name, length, own) in [
        ("source-controller", 14, &["--requeue-dependency=5s", "--helm-cache-max-size=10"][..]),
        (
            "kustomize-controller",
            16,
            &["--no-remote-bases=true", "--sops-age-secret=sops-age", "--override-manager=old-manager"],
        ),
        ("notification-controller", 9, &["--no-cross-namespace-refs=true"]),
    ] {
        let pod = pod(&built, name);
        let arguments = arguments(pod);
        assert_eq!(arguments.len(), length, "{name}: {arguments:?}");
        assert_eq!(arguments[0], "--watch-all-namespaces=false", "{name}");
        for argument in shared.iter().chain(own) {
            assert!(
                arguments.iter().any(|found| found == argument),
                "{name} lacks {argument}: {arguments:?}"
            );
        }
        starts(name, &arguments);
        let container = &pod["containers"][0];
        assert_eq!(container["resources"]["limits"], Value::Null, "{name}");
        assert_eq!(container["resources"]["requests"]["cpu"], "10m", "{name}");
        let proxy = json!({"name": "HTTPS_PROXY", "value": "http://proxy:3128"});
        assert_eq!(container["env"].as_array().and_then(|env| env.last()), Some(&proxy), "{name}");
        assert_eq!(pod["hostAliases"][0]["ip"], "192.0.2.1", "{name}");
        assert_eq!(pod["dnsConfig"]["options"][0]["name"], "ndots", "{name}");
    }
    let source = pod(&built, "source-controller");
    assert_eq!(arguments(source)[6], "--storage-adv-addr=elsewhere.example.com");
    assert_eq!(source["volumes"][0]["persistentVolumeClaim"]["claimName"], "data");
    assert_eq!(pod(&built, "kustomize-controller")["volumes"][0]["emptyDir"]["medium"], "Memory");
    let account = &built[&("ServiceAccount".to_owned(), "source-controller".to_owned())];
    assert_eq!(account["metadata"]["annotations"]["iam.example.com/role"], "reader");
}

/// CLI-086: a shard is a second copy under other names, whose arguments follow.
#[test]
fn a_shard_is_a_copy_of_our_manifests_under_other_names() {
    if !is_built_in("source-controller", &[]) || !is_built_in("kustomize-controller", &[]) {
        return;
    }
    let shard = "resources: [controllers.yaml]\nnameSuffix: -shard1\npatches:\n- target: {kind: Deployment, name: source-controller}\n  patch: |\n    \
                 - {op: replace, path: /spec/template/spec/containers/0/args/6, value: --storage-adv-addr=source-controller-shard1.$(RUNTIME_NAMESPACE).svc.cluster.local.}\n    \
                 - {op: add, path: /spec/template/spec/containers/0/args/-, value: \"--watch-label-selector=sharding.fluxcd.io/key=shard1\"}\n";
    let Some(folder) = repository(shard) else { return };
    let built = build(folder.path());
    let pod = pod(&built, "source-controller-shard1");
    assert_eq!(pod["serviceAccountName"], "source-controller-shard1");
    for kind in ["ServiceAccount", "Service"] {
        assert!(built.contains_key(&(kind.to_owned(), "source-controller-shard1".to_owned())), "{kind}");
    }
    let arguments = arguments(pod);
    assert_eq!(
        arguments.last().map(String::as_str),
        Some("--watch-label-selector=sharding.fluxcd.io/key=shard1")
    );
    starts("source-controller", &arguments);
}
