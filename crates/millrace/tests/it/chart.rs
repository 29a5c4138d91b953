//! The chart against what upstream's installer leaves in a cluster.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

use millrace_harness::tools;

/// Objects by kind and name.
pub(crate) type Objects = BTreeMap<(String, String), Value>;

fn chart() -> PathBuf {
    tools::repository().join("charts/millrace")
}

/// Renders the chart; `None` where helm is absent.
pub(crate) fn render(values: &[&str]) -> Option<Objects> {
    let output = helm(values)?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let documents: Vec<Value> =
        serde_yaml::from_multiple(std::str::from_utf8(&output.stdout).expect("text")).expect("YAML");
    Some(by_name(documents.into_iter().filter(|document| !document.is_null())))
}

/// What helm says to these values; `None` where it is absent.
pub(crate) fn helm(values: &[&str]) -> Option<Output> {
    template(&chart(), values)
}

/// The notes that an installation ends with; `None` where helm is absent.
///
/// Without a cluster helm keeps them to itself, so a copy of the chart has them as a document.
pub(crate) fn notes(values: &[&str]) -> Option<String> {
    let folder = tempfile::tempdir().expect("folder");
    let templates = folder.path().join("templates");
    std::fs::create_dir(&templates).expect("folder");
    for file in ["Chart.yaml", "values.yaml", "values.schema.json", "templates/_helpers.tpl"] {
        std::fs::copy(chart().join(file), folder.path().join(file)).expect(file);
    }
    let notes = std::fs::read_to_string(chart().join("templates/NOTES.txt")).expect("notes");
    let define = format!("{{{{ define \"notes\" }}}}{notes}{{{{ end }}}}");
    std::fs::write(templates.join("_notes.tpl"), define).expect("file");
    std::fs::write(templates.join("notes.yaml"), "notes: {{ include \"notes\" . | toJson }}").expect("file");
    let output = template(folder.path(), values)?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let document: Value = serde_yaml::from_slice(&output.stdout).expect("YAML");
    Some(document["notes"].as_str().expect("text").to_owned())
}

fn template(chart: &Path, values: &[&str]) -> Option<Output> {
    if !tools::available(&["helm"]) {
        return None;
    }
    let mut command = Command::new(tools::program("helm").expect("helm"));
    command.args(["template", "millrace", "--namespace", "flux-system"]).arg(chart);
    for value in values {
        command.args(["--set", value]);
    }
    Some(command.output().expect("helm starts"))
}

fn by_name(documents: impl IntoIterator<Item = Value>) -> Objects {
    let key = |object: &Value| {
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        (text(&object["kind"]), text(&object["metadata"]["name"]))
    };
    documents.into_iter().map(|object| (key(&object), object)).collect()
}

/// What upstream's installer left; `None` where the recorded state is absent.
fn installed() -> Option<Objects> {
    let folder = tools::repository().join("../shared/conformance/cluster-state");
    let mut objects = Objects::new();
    for file in ["install-objects.yaml", "install-rbac.yaml"] {
        let path = folder.join(file);
        let Ok(text) = std::fs::read_to_string(&path) else {
            let _ = writeln!(std::io::stderr(), "skipped: {} is absent", path.display());
            return None;
        };
        let list: Value = serde_yaml::from_str(&text).expect("YAML");
        objects.extend(by_name(list["items"].as_array().expect("a list").iter().cloned()));
    }
    Some(objects)
}

/// Takes out what a cluster adds or fills in, and writes equal quantities equally.
fn normalized(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let defaults = defaults();
            let kept = members.iter().filter(|(name, value)| {
                !SERVER_FIELDS.contains(&name.as_str()) && defaults.get(name.as_str()) != Some(value)
            });
            Value::Object(kept.map(|(name, value)| (name.clone(), normalized(value))).collect())
        }
        Value::Array(items) => items.iter().map(normalized).collect(),
        Value::String(text) if text == "1000m" => json!("1"),
        Value::String(text) if text == "1k" => json!("1000"),
        other => other.clone(),
    }
}

/// Fields that only a cluster sets.
const SERVER_FIELDS: [&str; 13] = [
    "managedFields",
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "generation",
    "status",
    "clusterIP",
    "clusterIPs",
    "ipFamilies",
    "ipFamilyPolicy",
    "internalTrafficPolicy",
    "deployment.kubernetes.io/revision",
    "serviceAccount",
];

/// Values that a cluster fills in where none is given.
fn defaults() -> BTreeMap<&'static str, Value> {
    BTreeMap::from([
        ("progressDeadlineSeconds", json!(600)),
        ("revisionHistoryLimit", json!(10)),
        (
            "strategy",
            json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}}),
        ),
        ("terminationMessagePath", json!("/dev/termination-log")),
        ("terminationMessagePolicy", json!("File")),
        ("dnsPolicy", json!("ClusterFirst")),
        ("restartPolicy", json!("Always")),
        ("schedulerName", json!("default-scheduler")),
        ("failureThreshold", json!(3)),
        ("periodSeconds", json!(10)),
        ("successThreshold", json!(1)),
        ("timeoutSeconds", json!(1)),
        ("scheme", json!("HTTP")),
        ("divisor", json!("0")),
        ("apiVersion", json!("v1")),
        ("sessionAffinity", json!("None")),
    ])
}

/// The object without its image, and with an annotations map only if something is in it.
fn comparable(object: &Value) -> Value {
    let mut object = normalized(object);
    if let Some(metadata) = object["metadata"].as_object_mut()
        && metadata.get("annotations").is_some_and(|annotations| annotations == &json!({}))
    {
        metadata.remove("annotations");
    }
    if let Some(image) = object.pointer_mut("/spec/template/spec/containers/0/image") {
        // The registry and the version are ours; the name tells tools which controller it is.
        let name =
            image.as_str().and_then(|image| image.rsplit('/').next()?.split(':').next().map(str::to_owned));
        *image = name.into();
    }
    object
}

#[test]
fn split_is_what_upstreams_installer_leaves() {
    let (Some(ours), Some(theirs)) = (render(&[]), installed()) else { return };
    for (key, object) in &theirs {
        let ours = ours.get(key).unwrap_or_else(|| panic!("{key:?} is missing"));
        assert_eq!(comparable(ours), comparable(object), "{key:?}");
    }
    let extra: Vec<_> =
        ours.keys().filter(|key| !theirs.contains_key(key) && key.0 != "CustomResourceDefinition").collect();
    assert!(extra.is_empty(), "{extra:?}");
}

#[test]
fn definitions_are_the_generated_ones_with_labels_that_survive_an_uninstall() {
    let Some(ours) = render(&[]) else { return };
    let folder = tools::repository().join("crds");
    let files = std::fs::read_dir(&folder).expect("generated definitions");
    let mut count = 0;
    for file in files {
        let path = file.expect("file").path();
        let theirs: Value =
            serde_yaml::from_str(&std::fs::read_to_string(&path).expect("text")).expect("YAML");
        let name = theirs["metadata"]["name"].as_str().expect("name").to_owned();
        let ours = &ours[&("CustomResourceDefinition".to_owned(), name.clone())];
        assert_eq!(ours["spec"], theirs["spec"], "{name}");
        let labels = &ours["metadata"]["labels"];
        assert_eq!(labels["app.kubernetes.io/part-of"], "flux", "{name}");
        assert_eq!(labels["app.kubernetes.io/instance"], "flux-system", "{name}");
        assert!(
            labels["app.kubernetes.io/component"].as_str().is_some_and(|name| name.ends_with("-controller"))
        );
        let annotations = &ours["metadata"]["annotations"];
        assert_eq!(annotations["kustomize.toolkit.fluxcd.io/substitute"], "disabled", "{name}");
        assert_eq!(annotations["helm.sh/resource-policy"], "keep", "{name}");
        count += 1;
    }
    assert_eq!(count, 10, "in {}", Path::new(&folder).display());
}

#[test]
fn single_keeps_the_services_in_front_of_one_deployment() {
    let Some(ours) = render(&["topology=single"]) else { return };
    let deployments: Vec<_> =
        ours.keys().filter(|(kind, _)| kind == "Deployment").map(|(_, name)| name).collect();
    assert_eq!(deployments, ["millrace"]);
    let container =
        &ours[&("Deployment".to_owned(), "millrace".to_owned())]["spec"]["template"]["spec"]["containers"][0];
    let arguments: Vec<_> =
        container["args"].as_array().expect("args").iter().filter_map(Value::as_str).collect();
    assert_eq!(arguments[..2], ["controllers", "--controllers=source,kustomize,notification"]);
    assert!(
        !arguments.iter().any(|argument| argument.starts_with("--events-addr")),
        "events stay in the process"
    );
    let ports = container["ports"].as_array().expect("ports");
    for (service, port) in
        [("source-controller", 9090), ("notification-controller", 9091), ("webhook-receiver", 9292)]
    {
        let spec = &ours[&("Service".to_owned(), service.to_owned())]["spec"];
        assert_eq!(spec["selector"], json!({"app": "millrace"}));
        let name = &spec["ports"][0]["targetPort"];
        let port_of = ports.iter().find(|port| &port["name"] == name).map(|port| &port["containerPort"]);
        assert_eq!(port_of, Some(&json!(port)), "{service}");
    }
    for binding in ["crd-controller-flux-system", "cluster-reconciler-flux-system"] {
        let subjects = &ours[&("ClusterRoleBinding".to_owned(), binding.to_owned())]["subjects"];
        let millrace = json!({"kind": "ServiceAccount", "name": "millrace", "namespace": "flux-system"});
        assert!(subjects.as_array().expect("subjects").contains(&millrace), "{binding}");
    }
}
