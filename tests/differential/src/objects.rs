//! Objects as people keep them in files.

use crate::chooser::Chooser;
use crate::doc::Doc;

/// Few, so that names clash and refer to each other.
pub(crate) const NAMES: &[&str] = &["app", "web", "db", "settings", "creds"];
const NAMESPACES: &[&str] = &["shop", "default", "other"];
const KEYS: &[&str] = &["a", "b.txt", "level", "n", "\"1\"", "on", "\"quoted key\"", "UPPER", "x-y"];
const LABELS: &[&str] = &["app", "tier", "example.com/part", "stage"];
const IMAGES: &[&str] = &[
    "nginx",
    "nginx:1.2",
    "\"nginx:1.2\"",
    "example.com:5000/web/app:v1",
    "app@sha256:0123456789abcdef",
    "app:v1@sha256:0123",
    "busybox",
];

/// An object of some kind.
pub(crate) fn object(choose: &mut Chooser) -> Doc {
    match choose.below(24) {
        0..=4 => data(choose, "ConfigMap"),
        5..=6 => data(choose, "Secret"),
        7..=10 => workload(choose),
        11 => cron_job(choose),
        12..=13 => service(choose),
        14 => ingress(choose),
        15 => whole(choose, "v1", "ServiceAccount", &[]),
        16 => role(choose),
        17 => binding(choose),
        18 => autoscaler(choose),
        19 => Doc::map([
            ("apiVersion", Doc::scalar("v1")),
            ("kind", Doc::scalar("Namespace")),
            ("metadata", metadata(choose, false)),
        ]),
        20 => storage(choose),
        21 => policy(choose),
        22 => list(choose),
        _ => custom(choose),
    }
}

fn metadata(choose: &mut Chooser, may_have_namespace: bool) -> Doc {
    let mut metadata = Doc::map([("name", Doc::scalar(choose.one(NAMES)))]);
    if may_have_namespace && choose.chance(20) {
        metadata.push("namespace", Doc::scalar(choose.one(NAMESPACES)));
    }
    if choose.chance(35) {
        metadata.push("labels", labels(choose));
    }
    if choose.chance(20) {
        metadata.push("annotations", annotations(choose));
    }
    metadata
}

/// A map of labels.
pub(crate) fn labels(choose: &mut Chooser) -> Doc {
    let mut keys = LABELS.to_vec();
    choose.shuffle(&mut keys);
    keys.truncate(1 + choose.below(2));
    Doc::Map(
        keys.into_iter()
            .map(|key| (key.to_owned(), Doc::scalar(choose.one(&["web", "db", "\"1\"", "x.y", "\"true\""]))))
            .collect(),
    )
}

fn annotations(choose: &mut Chooser) -> Doc {
    let key = choose.one(&[
        "note",
        "example.com/checked",
        "config.kubernetes.io/local-config",
        "config.kubernetes.io/index",
        "checksum",
    ]);
    Doc::Map(vec![(key.to_owned(), choose.word())])
}

fn whole(choose: &mut Chooser, version: &str, kind: &str, fields: &[(&str, Doc)]) -> Doc {
    let mut object = Doc::map([
        ("apiVersion", Doc::scalar(version)),
        ("kind", Doc::scalar(kind)),
        ("metadata", metadata(choose, true)),
    ]);
    for (key, value) in fields {
        object.push(key, value.clone());
    }
    object
}

fn data(choose: &mut Chooser, kind: &str) -> Doc {
    let mut keys = KEYS.to_vec();
    choose.shuffle(&mut keys);
    keys.truncate(choose.below(4));
    let field = if kind == "Secret" { choose.one(&["stringData", "data"]) } else { "data" };
    let entries = keys.into_iter().map(|key| (key.to_owned(), choose.scalar())).collect();
    let mut object = whole(choose, "v1", kind, &[(field, Doc::Map(entries))]);
    if choose.chance(10) {
        object.push("immutable", Doc::scalar("true"));
    }
    if kind == "Secret" && choose.chance(40) {
        object.push("type", Doc::scalar(choose.one(&["Opaque", "kubernetes.io/tls"])));
    }
    object
}

fn workload(choose: &mut Chooser) -> Doc {
    let kind = choose.one(&["Deployment", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"]);
    let pairs = labels(choose);
    let mut spec = Doc::map([("selector", Doc::map([("matchLabels", pairs.clone())]))]);
    if kind != "DaemonSet" && choose.chance(70) {
        spec.push("replicas", Doc::scalar(choose.one(&["1", "3", "\"2\""])));
    }
    if kind == "StatefulSet" {
        spec.push("serviceName", Doc::scalar(choose.one(NAMES)));
        if choose.chance(50) {
            let claim = Doc::map([
                ("metadata", metadata(choose, false)),
                ("spec", Doc::map([("storageClassName", Doc::scalar(choose.one(NAMES)))])),
            ]);
            spec.push("volumeClaimTemplates", Doc::List(vec![claim]));
        }
    }
    let pod = pod(choose);
    spec.push("template", Doc::map([("metadata", Doc::map([("labels", pairs)])), ("spec", pod)]));
    whole(choose, "apps/v1", kind, &[("spec", spec)])
}

fn cron_job(choose: &mut Chooser) -> Doc {
    let template = Doc::map([("spec", pod(choose))]);
    let job = Doc::map([("spec", Doc::map([("template", template)]))]);
    let spec = Doc::map([("schedule", Doc::scalar("\"*/5 * * * *\"")), ("jobTemplate", job)]);
    let version = choose.one(&["batch/v1", "batch/v1", "batch/v1beta1"]);
    whole(choose, version, "CronJob", &[("spec", spec)])
}

fn pod(choose: &mut Chooser) -> Doc {
    let mut spec = Doc::Map(Vec::new());
    spec.push("containers", Doc::List(choose.times(1, 3, container)));
    if choose.chance(20) {
        spec.push("initContainers", Doc::List(choose.times(1, 2, container)));
    }
    if choose.chance(30) {
        spec.push("serviceAccountName", Doc::scalar(choose.one(NAMES)));
    }
    if choose.chance(40) {
        spec.push("volumes", Doc::List(choose.times(1, 3, volume)));
    }
    if choose.chance(10) {
        spec.push(
            "imagePullSecrets",
            Doc::List(choose.times(1, 2, |choose| Doc::map([("name", Doc::scalar(choose.one(NAMES)))]))),
        );
    }
    if choose.chance(10) {
        spec.push(
            "tolerations",
            Doc::List(choose.times(1, 2, |choose| {
                Doc::map([("key", choose.word()), ("operator", Doc::scalar("Exists"))])
            })),
        );
    }
    spec
}

/// A container.
pub(crate) fn container(choose: &mut Chooser) -> Doc {
    let mut container =
        Doc::map([("name", Doc::scalar(choose.one(NAMES))), ("image", Doc::scalar(choose.one(IMAGES)))]);
    if choose.chance(50) {
        container.push("env", Doc::List(choose.times(1, 3, variable)));
    }
    if choose.chance(25) {
        let reference = Doc::map([("name", Doc::scalar(choose.one(NAMES)))]);
        let kind = choose.one(&["configMapRef", "secretRef"]);
        container.push("envFrom", Doc::List(vec![Doc::map([(kind, reference)])]));
    }
    if choose.chance(35) {
        container.push("ports", Doc::List(choose.times(1, 3, |choose| port(choose, "containerPort"))));
    }
    if choose.chance(25) {
        container.push("args", Doc::List(choose.times(1, 3, Chooser::scalar)));
    }
    if choose.chance(25) {
        let mounts = choose.times(1, 2, |choose| {
            Doc::map([
                ("name", Doc::scalar(choose.one(NAMES))),
                ("mountPath", Doc::scalar(choose.one(&["/data", "/etc/app"]))),
            ])
        });
        container.push("volumeMounts", Doc::List(mounts));
    }
    if choose.chance(20) {
        let limits = Doc::map([
            ("cpu", Doc::scalar(choose.one(&["100m", "1", "\"1\"", "0.5"]))),
            ("memory", Doc::scalar("64Mi")),
        ]);
        container.push("resources", Doc::map([("limits", limits)]));
    }
    container
}

fn variable(choose: &mut Chooser) -> Doc {
    let name = Doc::scalar(choose.one(&["LEVEL", "PORT", "HOST", "VAR"]));
    if choose.chance(60) {
        return Doc::map([("name", name), ("value", choose.scalar())]);
    }
    let kind = choose.one(&["configMapKeyRef", "secretKeyRef"]);
    let reference = Doc::map([("name", Doc::scalar(choose.one(NAMES))), ("key", Doc::scalar("a"))]);
    Doc::map([("name", name), ("valueFrom", Doc::map([(kind, reference)]))])
}

fn port(choose: &mut Chooser, field: &str) -> Doc {
    let mut port = Doc::map([(field, Doc::scalar(choose.one(&["80", "8080", "443"])))]);
    if choose.chance(50) {
        port.push("name", Doc::scalar(choose.one(&["http", "https", "metrics"])));
    }
    if choose.chance(40) {
        port.push("protocol", Doc::scalar(choose.one(&["TCP", "UDP"])));
    }
    port
}

fn volume(choose: &mut Chooser) -> Doc {
    let target = Doc::scalar(choose.one(NAMES));
    let source = match choose.below(5) {
        0 => ("configMap", Doc::map([("name", target)])),
        1 => ("secret", Doc::map([("secretName", target)])),
        2 => ("persistentVolumeClaim", Doc::map([("claimName", target)])),
        3 => ("emptyDir", Doc::Map(Vec::new())),
        _ => (
            "projected",
            Doc::map([("sources", Doc::List(vec![Doc::map([("configMap", Doc::map([("name", target)]))])]))]),
        ),
    };
    Doc::map([("name", Doc::scalar(choose.one(NAMES))), source])
}

fn service(choose: &mut Chooser) -> Doc {
    let mut spec = Doc::map([("selector", labels(choose))]);
    spec.push("ports", Doc::List(choose.times(1, 3, |choose| port(choose, "port"))));
    whole(choose, "v1", "Service", &[("spec", spec)])
}

fn ingress(choose: &mut Chooser) -> Doc {
    let service = Doc::map([
        ("name", Doc::scalar(choose.one(NAMES))),
        ("port", Doc::map([("number", Doc::scalar("80"))])),
    ]);
    let path = Doc::map([
        ("path", Doc::scalar("/")),
        ("pathType", Doc::scalar("Prefix")),
        ("backend", Doc::map([("service", service)])),
    ]);
    let rule = Doc::map([
        ("host", Doc::scalar("app.example.com")),
        ("http", Doc::map([("paths", Doc::List(vec![path]))])),
    ]);
    let mut spec = Doc::map([("rules", Doc::List(vec![rule]))]);
    if choose.chance(50) {
        spec.push("tls", Doc::List(vec![Doc::map([("secretName", Doc::scalar(choose.one(NAMES)))])]));
    }
    if choose.chance(30) {
        spec.push("ingressClassName", Doc::scalar(choose.one(NAMES)));
    }
    whole(choose, "networking.k8s.io/v1", "Ingress", &[("spec", spec)])
}

fn role(choose: &mut Chooser) -> Doc {
    let kind = choose.one(&["Role", "ClusterRole"]);
    let mut rule = Doc::map([
        ("apiGroups", Doc::List(vec![Doc::scalar("\"\"")])),
        ("resources", Doc::List(vec![Doc::scalar("configmaps")])),
        ("verbs", Doc::List(vec![Doc::scalar("get")])),
    ]);
    if choose.chance(30) {
        rule.push("resourceNames", Doc::List(vec![Doc::scalar(choose.one(NAMES))]));
    }
    whole(choose, "rbac.authorization.k8s.io/v1", kind, &[("rules", Doc::List(vec![rule]))])
}

fn binding(choose: &mut Chooser) -> Doc {
    let kind = choose.one(&["RoleBinding", "ClusterRoleBinding"]);
    let role = Doc::map([
        ("apiGroup", Doc::scalar("rbac.authorization.k8s.io")),
        ("kind", Doc::scalar(choose.one(&["Role", "ClusterRole"]))),
        ("name", Doc::scalar(choose.one(NAMES))),
    ]);
    let subjects = choose.times(1, 2, |choose| {
        let mut subject = Doc::map([
            ("kind", Doc::scalar(choose.one(&["ServiceAccount", "ServiceAccount", "User", "Group"]))),
            ("name", Doc::scalar(choose.one(&["default", "app", "web", "db"]))),
        ]);
        if choose.chance(60) {
            subject.push("namespace", Doc::scalar(choose.one(NAMESPACES)));
        }
        subject
    });
    whole(
        choose,
        "rbac.authorization.k8s.io/v1",
        kind,
        &[("roleRef", role), ("subjects", Doc::List(subjects))],
    )
}

fn autoscaler(choose: &mut Chooser) -> Doc {
    let target = Doc::map([
        ("apiVersion", Doc::scalar("apps/v1")),
        ("kind", Doc::scalar(choose.one(&["Deployment", "StatefulSet"]))),
        ("name", Doc::scalar(choose.one(NAMES))),
    ]);
    let spec = Doc::map([
        ("scaleTargetRef", target),
        ("minReplicas", Doc::scalar("1")),
        ("maxReplicas", Doc::scalar("3")),
    ]);
    whole(choose, "autoscaling/v2", "HorizontalPodAutoscaler", &[("spec", spec)])
}

fn storage(choose: &mut Chooser) -> Doc {
    let mut spec = Doc::map([("accessModes", Doc::List(vec![Doc::scalar("ReadWriteOnce")]))]);
    if choose.chance(50) {
        spec.push("storageClassName", Doc::scalar(choose.one(NAMES)));
    }
    if choose.chance(30) {
        spec.push("volumeName", Doc::scalar(choose.one(NAMES)));
    }
    let kind = choose.one(&["PersistentVolumeClaim", "PersistentVolume"]);
    whole(choose, "v1", kind, &[("spec", spec)])
}

fn policy(choose: &mut Chooser) -> Doc {
    let selector = Doc::map([("matchLabels", labels(choose))]);
    if choose.chance(50) {
        let spec = Doc::map([("selector", selector), ("minAvailable", Doc::scalar("1"))]);
        return whole(choose, "policy/v1", "PodDisruptionBudget", &[("spec", spec)]);
    }
    let peer = Doc::map([("podSelector", selector.clone())]);
    let rule = Doc::map([("from", Doc::List(vec![peer]))]);
    let spec = Doc::map([("podSelector", selector), ("ingress", Doc::List(vec![rule]))]);
    whole(choose, "networking.k8s.io/v1", "NetworkPolicy", &[("spec", spec)])
}

fn list(choose: &mut Chooser) -> Doc {
    let items = choose.times(1, 2, |choose| data(choose, "ConfigMap"));
    let kind = choose.one(&["List", "ConfigMapList"]);
    Doc::map([("apiVersion", Doc::scalar("v1")), ("kind", Doc::scalar(kind)), ("items", Doc::List(items))])
}

fn custom(choose: &mut Chooser) -> Doc {
    let items = choose.times(1, 3, |choose| {
        Doc::map([("name", Doc::scalar(choose.one(NAMES))), ("value", choose.scalar())])
    });
    let reference = Doc::map([("name", Doc::scalar(choose.one(NAMES)))]);
    let mut spec = Doc::map([("items", Doc::List(items)), ("secretRef", reference)]);
    if choose.chance(50) {
        let extra = choose.scalar();
        spec.push("extra", extra);
    }
    if choose.chance(30) {
        spec.push("containers", Doc::List(choose.times(1, 2, container)));
    }
    whole(choose, "example.com/v1", "Thing", &[("spec", spec)])
}
