//! Strategic patches: directives and values in every kind of place, several documents, options.

use super::{file, indented, with_samples};
use crate::chooser::Chooser;
use crate::project::Project;

const DIRECTIVES: &[&str] = &[
    "$patch: delete",
    "$patch: replace",
    "$patch: merge",
    "$patch: bogus",
    "$patch: \"delete\"",
    "$patch: null",
];

/// Where a value, or lines of a map, may stand in a patch of the deployment's pods; `@` is the place.
const PLACES: &[&str] = &[
    "containers:\n- name: c\n  @",
    "containers:\n- @",
    "containers:\n- @\n- name: n\n  image: z",
    "containers:\n- name: none\n  @",
    "containers:\n- name: c\n  env:\n  - name: A\n    @",
    "containers:\n- name: c\n  env:\n  - @\n  - name: Z\n    value: q",
    "containers:\n- name: c\n  ports:\n  - containerPort: 80\n    @",
    "containers:\n- name: c\n  ports:\n  - containerPort: 80\n    protocol: UDP\n    @",
    "containers:\n- name: c\n  ports:\n  - containerPort: 90\n    @\n  - containerPort: 1",
    "containers:\n- name: c\n  volumeMounts:\n  - mountPath: /a\n    @",
    "containers:\n- name: c\n  args:\n  - @",
    "containers:\n- name: c\n  resources:\n    limits:\n      @\n      x: 1",
    "volumes:\n- name: v\n  @",
    "volumes:\n- name: v\n  @\n  secret:\n    secretName: q",
    "topologySpreadConstraints:\n- topologyKey: zone\n  whenUnsatisfiable: ScheduleAnyway\n  @",
    "topologySpreadConstraints:\n- topologyKey: zone\n  @",
    "tolerations:\n- key: a\n  @",
    "tolerations:\n- @",
    "hostAliases:\n- ip: 1.2.3.4\n  @",
    "imagePullSecrets:\n- name: pull\n  @",
    "initContainers:\n- name: i\n  @",
    "nodeSelector:\n  @\n  a: b",
];

const FIELDS: &[&str] = &[
    "extra: x",
    "image: new",
    "image: null",
    "protocol: TCP",
    "protocol: null",
    "value: \"1\"",
    "value: null",
    "readOnly: true",
    "emptyDir: {}",
    "configMap: null",
    "x: \"\"",
    "$retainKeys:\n- name",
    "maxSkew: 5",
    "hostnames:\n- b",
    "$setElementOrder/env:\n- name: B\n- name: A",
    "$deleteFromPrimitiveList/args:\n- a",
];

const HEAD: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n";

/// Directives and fields in pods, and elsewhere.
pub(super) fn directives(choose: &mut Chooser) -> Project {
    let patches: Vec<String> = choose.times(1, 2, |choose| {
        let lines = choose.times(1, 2, |choose| {
            let list = if choose.chance(50) { DIRECTIVES } else { FIELDS };
            choose.one(list)
        });
        let mut lines = lines;
        lines.dedup_by_key(|line| line.split(':').next().unwrap_or_default().to_owned());
        if choose.chance(70) {
            let place = choose.one(PLACES);
            return format!("{HEAD}spec:\n  template:\n    spec:\n{}", indented(&at(place, &lines.join("\n")), 6));
        }
        let place = choose.one(&[
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n@",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n@\nspec:\n  replicas: 9",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  labels:\n    @\n    x: y",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  @",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  finalizers:\n  - @\n  - three",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  strategy:\n    @\n    type: Recreate",
            "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: sa\nsecrets:\n- name: s\n  @",
            "apiVersion: v1\nkind: Service\nmetadata:\n  name: svc\n  namespace: x\nspec:\n  ports:\n  - port: 53\n    @",
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata:\n  name: wh\nwebhooks:\n- name: a.example.com\n  @",
            "apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: th\nspec:\n  @\n  q: 1",
            "apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: th\nspec:\n  list:\n  - name: a\n    @",
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: cm\ndata:\n  @\n  z: w",
        ]);
        at(place, &lines.join("\n"))
    });
    project(choose, &patches)
}

/// Values of other types than those that stand there.
pub(super) fn values(choose: &mut Chooser) -> Project {
    let place = choose.one(&[
        "spec:\n  template:\n    spec:\n      containers: @",
        "spec:\n  template:\n    spec:\n      containers:\n      - name: c\n        env: @",
        "spec:\n  template:\n    spec:\n      containers:\n      - name: c\n        args: @",
        "spec:\n  template:\n    spec:\n      containers:\n      - name: c\n        image: @",
        "spec:\n  replicas: @",
        "spec:\n  strategy: @",
        "spec:\n  new: @",
        "spec: @",
        "extra: @",
    ]);
    let value = choose.one(&[
        "null",
        "~",
        "[]",
        "{}",
        "\"\"",
        "0",
        "false",
        "\"x\"",
        "5",
        "0x10",
        "1.50",
        "yes",
        "2020-01-01",
    ]);
    let patch = format!("{HEAD}{}", place.replace('@', value));
    project(choose, &[patch])
}

/// Several documents, lists, and ones that are no patches; names and kinds that change.
pub(super) fn documents(choose: &mut Chooser) -> Project {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: cm\ndata:\n  a: new\n";
    let patches = choose.times(1, 3, |choose| {
        let change = choose.one(&[
            ("", ""),
            ("", ""),
            ("name: cm", "name: new"),
            ("ConfigMap", "Secret"),
            ("v1", "v2"),
            ("cm\n", "cm\n  namespace: default\n"),
            ("cm\n", "cm\n  namespace: other\n"),
            ("name: cm", "generateName: cm"),
            ("apiVersion: v1\n", ""),
            ("kind: ConfigMap\n", ""),
            ("a: new", "a: &x new\n  e: *x"),
            ("data:\n  a: new", "data: null"),
        ]);
        let map = if change.0.is_empty() { map.to_owned() } else { map.replace(change.0, change.1) };
        match choose.below(8) {
            0 => format!("apiVersion: v1\nkind: List\nitems:\n- {}", indented(&map, 2).trim_start()),
            1 => format!("apiVersion: v1\nkind: ConfigMapList\nitems:\n- {}", indented(&map, 2).trim_start()),
            2 => choose
                .one(&[
                    "# nothing\n",
                    "null\n",
                    "text\n",
                    "a: b\n",
                    "- op: add\n  path: /data/q\n  value: w\n",
                ])
                .to_owned(),
            _ => map,
        }
    });
    project(choose, &patches)
}

fn at(place: &str, lines: &str) -> String {
    let line = place.lines().find(|line| line.contains('@')).unwrap_or_default();
    let column = line.find('@').unwrap_or_default();
    let lines = lines.replace('\n', &format!("\n{}", " ".repeat(column)));
    format!("{}\n", place.replace('@', &lines))
}

fn project(choose: &mut Chooser, patches: &[String]) -> Project {
    let text = patches.join("---\n");
    let target = choose.one(&[
        "",
        "",
        "",
        "",
        "  target:\n    kind: Deployment\n",
        "  target:\n    name: cm|web|sa\n",
        "  target: {}\n",
    ]);
    let options = choose.one(&[
        "",
        "",
        "",
        "  options:\n    allowNameChange: true\n",
        "  options:\n    allowKindChange: true\n",
        "  options:\n    allowNameChange: true\n    allowKindChange: true\n",
    ]);
    let more = choose.one(&["", "", "namePrefix: p-\n", "namespace: ns\n"]);
    let entry = match choose.below(4) {
        0 => "patchesStrategicMerge:\n- patch.yaml\n".to_owned(),
        1 => format!("patches:\n- patch: |-\n{}{target}{options}", indented(&text, 6)),
        _ => format!("patches:\n- path: patch.yaml\n{target}{options}"),
    };
    let mut project = with_samples(&format!("{entry}{more}"));
    if entry.contains("patch.yaml") {
        file(&mut project, "patch.yaml", &text);
    }
    project
}
