//! Names in every field that refers to another object, with everything that renames.

use std::fmt::Write as _;

use super::{file, with_objects};
use crate::chooser::Chooser;
use crate::project::Project;

/// Kinds that are referred to, as they are written.
const REFERENTS: &[(&str, &str)] = &[
    ("v1", "ConfigMap"),
    ("v1", "Secret"),
    ("v1", "Service"),
    ("v1", "ServiceAccount"),
    ("v1", "PersistentVolumeClaim"),
    ("v1", "PersistentVolume"),
    ("storage.k8s.io/v1", "StorageClass"),
    ("scheduling.k8s.io/v1", "PriorityClass"),
    ("rbac.authorization.k8s.io/v1", "Role"),
    ("rbac.authorization.k8s.io/v1", "ClusterRole"),
    ("apps/v1", "Deployment"),
    ("apps/v1", "StatefulSet"),
    ("apps/v1", "ReplicaSet"),
    ("v1", "ReplicationController"),
    ("networking.k8s.io/v1", "IngressClass"),
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"),
    ("v1", "Namespace"),
    ("example.com/v1", "Thing"),
];

/// What pods refer to others with.
const POD: &str = "\
serviceAccountName: @
priorityClassName: @
imagePullSecrets:
- name: @
initContainers:
- name: i
  env:
  - name: A
    valueFrom:
      configMapKeyRef:
        name: @
        key: a
  envFrom:
  - secretRef:
      name: @
containers:
- name: c
  env:
  - name: A
    valueFrom:
      secretKeyRef:
        name: @
        key: a
  envFrom:
  - configMapRef:
      name: @
volumes:
- name: a
  configMap:
    name: @
- name: b
  secret:
    secretName: @
- name: c
  persistentVolumeClaim:
    claimName: @
- name: d
  projected:
    sources:
    - configMap:
        name: @
    - secret:
        name: @
";

/// Where pods stand.
const WORKLOADS: &[(&str, &str, usize)] = &[
    ("v1\nkind: Pod", "spec:\n", 2),
    ("v1\nkind: PodTemplate", "template:\n  spec:\n", 4),
    ("apps/v1\nkind: Deployment", "spec:\n  template:\n    spec:\n", 6),
    (
        "apps/v1\nkind: StatefulSet",
        "spec:\n  serviceName: @\n  volumeClaimTemplates:\n  - spec:\n      storageClassName: @\n  template:\n    spec:\n",
        6,
    ),
    ("apps/v1\nkind: DaemonSet", "spec:\n  template:\n    spec:\n", 6),
    ("apps/v1\nkind: ReplicaSet", "spec:\n  template:\n    spec:\n", 6),
    ("v1\nkind: ReplicationController", "spec:\n  template:\n    spec:\n", 6),
    ("batch/v1\nkind: Job", "spec:\n  template:\n    spec:\n", 6),
    ("batch/v1\nkind: CronJob", "spec:\n  jobTemplate:\n    spec:\n      template:\n        spec:\n", 10),
];

/// Other objects that refer to some.
const REFERRERS: &[&str] = &[
    "networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: ref\n  annotations:\n    nginx.ingress.kubernetes.io/auth-secret: @\n    nginx.ingress.kubernetes.io/fastcgi-params-configmap: @\nspec:\n  ingressClassName: @\n  defaultBackend:\n    service:\n      name: @\n  rules:\n  - http:\n      paths:\n      - backend:\n          service:\n            name: @\n      - backend:\n          serviceName: @\n  tls:\n  - secretName: @\n",
    "v1\nkind: ServiceAccount\nmetadata:\n  name: ref\nimagePullSecrets:\n- name: @\nsecrets:\n- name: @\n",
    "storage.k8s.io/v1\nkind: StorageClass\nmetadata:\n  name: ref\nparameters:\n  secretName: @\n  secretRef: @\n",
    "rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: ref\nrules:\n- resourceNames:\n  - @\n  - other\n",
    "rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n  name: ref\nrules:\n- resourceNames:\n  - @\n",
    "v1\nkind: PersistentVolume\nmetadata:\n  name: ref\nspec:\n  storageClassName: @\n  azureFile:\n    secretName: @\n",
    "v1\nkind: PersistentVolumeClaim\nmetadata:\n  name: ref\nspec:\n  storageClassName: @\n  volumeName: @\n",
    "autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: ref\nspec:\n  scaleTargetRef:\n    kind: Deployment\n    name: @\n",
    "apiregistration.k8s.io/v1\nkind: APIService\nmetadata:\n  name: ref\nspec:\n  service:\n    name: @\n    namespace: x\n",
    "admissionregistration.k8s.io/v1\nkind: MutatingWebhookConfiguration\nmetadata:\n  name: ref\nwebhooks:\n- name: a\n  clientConfig:\n    service:\n      name: @\n      namespace: x\n- name: b\n  clientConfig:\n    service:\n      name: @\n",
    "admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata:\n  name: ref\nspec:\n  policyName: @\n",
    "serving.knative.dev/v1\nkind: Service\nmetadata:\n  name: ref\nspec:\n  template:\n    spec:\n      containers:\n      - env:\n        - valueFrom:\n            secretKeyRef:\n              name: @\n",
    "apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: ref\nspec:\n  conversion:\n    webhook:\n      clientConfig:\n        service:\n          name: @\n          namespace: x\n",
    "v1\nkind: Node\nmetadata:\n  name: ref\nspec:\n  configSource:\n    configMap:\n      name: @\n",
];

const NAMES: &[&str] = &["app", "db"];

fn named(choose: &mut Chooser, text: &str) -> String {
    text.split('@')
        .map(str::to_owned)
        .reduce(|before, after| format!("{before}{}{after}", choose.one(NAMES)))
        .unwrap_or_default()
}

fn referent(choose: &mut Chooser) -> String {
    let (version, kind) = choose.one(REFERENTS);
    let namespace = choose.one(&["", "", "", "  namespace: x\n", "  namespace: y\n"]);
    format!("apiVersion: {version}\nkind: {kind}\nmetadata:\n  name: {}\n{namespace}", choose.one(NAMES))
}

fn referrer(choose: &mut Chooser) -> String {
    let text = if choose.chance(50) {
        let (kind, place, indent) = choose.one(WORKLOADS);
        let namespace = choose.one(&["", "", "", "  namespace: x\n"]);
        format!("{kind}\nmetadata:\n  name: ref\n{namespace}{place}{}", super::indented(POD, indent))
    } else {
        choose.one(REFERRERS).to_owned()
    };
    format!("apiVersion: {}", named(choose, &text))
}

/// What a layer does to names.
fn renames(choose: &mut Chooser) -> String {
    let mut text = String::new();
    text.push_str(choose.one(&["", "namePrefix: p-\n", "namePrefix: q-\n"]));
    text.push_str(choose.one(&["", "", "nameSuffix: -s\n"]));
    text.push_str(choose.one(&["", "", "namespace: x\n", "namespace: ns\n"]));
    if choose.chance(40) {
        let kind = choose.one(&["configMapGenerator", "secretGenerator"]);
        _ = write!(
            text,
            "{kind}:\n- name: {}\n  behavior: {}\n  literals:\n  - a=b\n",
            choose.one(&["app", "gen"]),
            choose.one(&["create", "merge"])
        );
    }
    text
}

/// Objects without another of their kind, name and namespace.
fn distinct(objects: Vec<String>) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    objects
        .into_iter()
        .filter(|object| {
            let identity = object.split("spec:").next().unwrap_or_default().to_owned();
            let is_new = !seen.contains(&identity);
            seen.push(identity);
            is_new
        })
        .collect()
}

/// References in one layer or across some.
pub(super) fn names(choose: &mut Chooser) -> Project {
    let mut objects = choose.times(1, 5, referent);
    objects.push(referrer(choose));
    let objects = distinct(objects);
    let base = renames(choose);
    if choose.chance(40) {
        return with_objects(&base, &objects.join("---\n"));
    }
    let mut project = Project::default();
    let (below, above) = objects.split_at(choose.below(objects.len() + 1));
    let mut bases = vec!["base"];
    if choose.chance(30) {
        bases.push("more");
    }
    for name in &bases {
        let text = if *name == "base" { base.clone() } else { renames(choose) };
        file(
            &mut project,
            &format!("{name}/kustomization.yaml"),
            &format!("resources:\n- objects.yaml\n{text}"),
        );
        file(&mut project, &format!("{name}/objects.yaml"), &below.join("---\n"));
    }
    file(&mut project, "objects.yaml", &above.join("---\n"));
    let list = super::items(&bases, 0);
    file(
        &mut project,
        "kustomization.yaml",
        &format!("resources:\n{list}- objects.yaml\n{}", renames(choose)),
    );
    project
}

/// Bindings: subjects in namespaces, roles of both kinds.
pub(super) fn bindings(choose: &mut Chooser) -> Project {
    let mut objects = choose.times(1, 4, |choose| {
        let (version, kind) = choose.one(&[
            ("v1", "ServiceAccount"),
            ("v1", "ServiceAccount"),
            ("rbac.authorization.k8s.io/v1", "Role"),
            ("rbac.authorization.k8s.io/v1", "ClusterRole"),
        ]);
        let namespace = choose.one(&["", "", "  namespace: x\n", "  namespace: y\n"]);
        format!(
            "apiVersion: {version}\nkind: {kind}\nmetadata:\n  name: {}\n{namespace}",
            choose.one(&["app", "db", "default"])
        )
    });
    let subjects: String = choose
        .times(0, 3, |choose| {
            let kind = choose.one(&["ServiceAccount", "ServiceAccount", "User", "Group"]);
            let namespace =
                choose.one(&["", "  namespace: x\n", "  namespace: y\n", "  namespace: default\n"]);
            format!("- kind: {kind}\n  name: {}\n{namespace}", choose.one(&["app", "db", "default"]))
        })
        .concat();
    let subjects = if subjects.is_empty() { String::new() } else { format!("subjects:\n{subjects}") };
    let namespace = choose.one(&["", "", "  namespace: x\n"]);
    objects.push(format!(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: {}\nmetadata:\n  name: ref\n{namespace}roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: {}\n  name: {}\n{subjects}",
        choose.one(&["RoleBinding", "ClusterRoleBinding"]),
        choose.one(&["Role", "ClusterRole"]),
        choose.one(NAMES)
    ));
    let text = distinct(objects).join("---\n");
    let (own, more) = (renames(choose), renames(choose));
    if choose.chance(60) {
        return with_objects(&own, &text);
    }
    let mut project = Project::default();
    file(&mut project, "base/objects.yaml", &text);
    file(&mut project, "base/kustomization.yaml", &format!("resources:\n- objects.yaml\n{own}"));
    file(&mut project, "kustomization.yaml", &format!("resources:\n- base\n{more}"));
    project
}
