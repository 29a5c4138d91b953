//! Projects that people break: the reference program's text as it was recorded, and what is told below it.

use super::Broken;

pub(super) const CASES: &[Broken] = &[
    Broken {
        name: "a file with another ending, and names with letters changed",
        files: &[
            ("kustomization.yaml", "resources:\n- deploy.yml\n- servce.yaml\n- gone.yaml\n"),
            (
                "deploy.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n",
            ),
            ("service.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: s\ndata:\n  a: b\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'deploy.yml': evalsymlink failure on '/r/deploy.yml' : lstat /r/deploy.yml: no such file or directory': must build at directory: not a valid directory: evalsymlink failure on '/r/deploy.yml' : lstat /r/deploy.yml: no such file or directory",
        told: &[
            "hint: kustomization.yaml:2: 'deploy.yml' is not there: did you mean 'deploy.yaml'?",
            "also: kustomization.yaml:3: 'servce.yaml' is not there: did you mean 'service.yaml'?",
            "also: kustomization.yaml:4: 'gone.yaml' is not there: the folder has 'deploy.yaml', 'service.yaml'",
        ],
    },
    Broken {
        name: "a file in a folder below",
        files: &[
            ("kustomization.yaml", "resources:\n- configmap.yaml\n"),
            (
                "config/configmap.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  a: b\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'configmap.yaml': evalsymlink failure on '/r/configmap.yaml' : lstat /r/configmap.yaml: no such file or directory': must build at directory: not a valid directory: evalsymlink failure on '/r/configmap.yaml' : lstat /r/configmap.yaml: no such file or directory",
        told: &["hint: kustomization.yaml:2: 'configmap.yaml' is not there: did you mean 'config'?"],
    },
    Broken {
        name: "a base without a kustomization file",
        files: &[
            ("overlay/kustomization.yaml", "resources:\n- ../base\n"),
            (
                "base/deploy.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n",
            ),
        ],
        folder: "overlay",
        reference: "accumulating resources: accumulation err='accumulating resources from '../base': '/r/base' must resolve to a file': couldn't make target for path '/r/base': unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '/r/base'",
        told: &[
            "hint: overlay/kustomization.yaml:2: '../base' has no kustomization file: it has 'deploy.yaml'",
        ],
    },
    Broken {
        name: "an unknown field",
        files: &[
            ("kustomization.yaml", "namePrefx: a-\nresources:\n- a.yaml\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: b\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: json: unknown field \"namePrefx\"",
        told: &["hint: kustomization.yaml:1: there is no field 'namePrefx': did you mean 'namePrefix'?"],
    },
    Broken {
        name: "a map where a list is wanted",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\npatches:\n  path: p.yaml\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: b\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: json: cannot unmarshal object into Go struct field Kustomization.patches of type []types.Patch",
        told: &[
            "hint: kustomization.yaml:3: patches is to be a list, not a map: begin its entries with '- '",
        ],
    },
    Broken {
        name: "a tab, and a colon in a value",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\n- b.yaml\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n	name: a\n"),
            ("b.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\ndata:\n  u: http://x: y\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 4: found character that cannot start any token in File: a.yaml",
        told: &[
            "hint: a.yaml:4: the line is indented with a tab: YAML takes spaces only",
            "also: b.yaml:6: a value with ': ' in it wants quotes",
        ],
    },
    Broken {
        name: "a template",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Values.name }}-x\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 3: did not find expected key in File: a.yaml",
        told: &[
            "hint: a.yaml:4: '{{' begins a map in YAML: put the value in quotes, or render the template first",
        ],
    },
    Broken {
        name: "a conflict of a merge",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n<<<<<<< HEAD\n  a: b\n=======\n  a: c\n>>>>>>> main\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 6: could not find expected ':' in File: a.yaml",
        told: &["hint: a.yaml:6: a conflict of a merge was left in the file"],
    },
    Broken {
        name: "an object in two files",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\n- b.yaml\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  a: b\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: y\ndata:\n  a: b\n",
            ),
            (
                "b.yaml",
                "# comment\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: z\ndata:\n  a: b\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: y\ndata:\n  a: b\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='merging resources from 'b.yaml': may not add resource with an already registered id: ConfigMap.v1.[noGrp]/y.[noNs]': must build at directory: '/r/b.yaml': file is not directory",
        told: &["hint: the object stands at a.yaml:8 and at b.yaml:9"],
    },
    Broken {
        name: "patches whose objects have another name or namespace",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\npatches:\n- path: p.yaml\n- path: q.yaml\n"),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n",
            ),
            (
                "p.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: wbe\nspec:\n  replicas: 2\n",
            ),
            ("q.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  namespace: prod\n"),
        ],
        folder: "",
        reference: "no resource matches strategic merge patch \"Deployment.v1.apps/wbe.[noNs]\": no matches for Id Deployment.v1.apps/wbe.[noNs]; failed to find unique target for patch Deployment.v1.apps/wbe.[noNs]",
        told: &[
            "hint: kustomization.yaml:4: there is no Deployment 'wbe': did you mean Deployment 'web' (a.yaml:1)?",
            "also: kustomization.yaml:5: Deployment 'web' (a.yaml:1) has no namespace, 'prod' is wanted",
        ],
    },
    Broken {
        name: "a patch without a name",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\npatches:\n- path: p.yaml\n"),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n",
            ),
            ("p.yaml", "apiVersion: apps/v1\nkind: Deployment\nspec:\n  replicas: 2\n"),
        ],
        folder: "",
        reference: "trouble configuring builtin PatchTransformer with config: `\npath: p.yaml\n`: unable to parse SM or JSON patch from [path: \"p.yaml\"]",
        told: &["hint: p.yaml:1: the object has no metadata.name: it says which object is patched"],
    },
    Broken {
        name: "a JSON patch of a field that is not there",
        files: &[
            (
                "kustomization.yaml",
                "resources:\n- a.yaml\npatches:\n- target:\n    kind: Deployment\n  patch: |-\n    - op: replace\n      path: /spec/template/spec/container/0/image\n      value: nginx:2\n",
            ),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n",
            ),
        ],
        folder: "",
        reference: "replace operation does not apply: doc is missing path: /spec/template/spec/container/0/image: missing value",
        told: &[
            "hint: kustomization.yaml:4: Deployment 'web' (a.yaml:1): '/spec/template/spec' has no 'container': did you mean 'containers'?",
        ],
    },
    Broken {
        name: "a replacement without a source",
        files: &[
            (
                "kustomization.yaml",
                "resources:\n- a.yaml\nreplacements:\n- source:\n    kind: ConfigMap\n    name: cfg\n    fieldPath: data.host\n  targets:\n  - select:\n      kind: Deployment\n    fieldPaths:\n    - spec.replicas\n",
            ),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config\ndata:\n  a: b\n",
            ),
        ],
        folder: "",
        reference: "nothing selected by ConfigMap.[noVer].[noGrp]/cfg.[noNs]:data.host",
        told: &[
            "hint: kustomization.yaml:4: there is no ConfigMap 'cfg': the only one is ConfigMap 'config' (a.yaml:13)",
        ],
    },
    Broken {
        name: "a replacement whose source lacks the field",
        files: &[
            (
                "kustomization.yaml",
                "resources:\n- a.yaml\nreplacements:\n- source:\n    kind: ConfigMap\n    name: config\n    fieldPath: data.host\n  targets:\n  - select:\n      kind: Deployment\n    fieldPaths:\n    - spec.replicas\n",
            ),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config\ndata:\n  a: b\n",
            ),
        ],
        folder: "",
        reference: "fieldPath `data.host` is missing for replacement source ConfigMap.[noVer].[noGrp]/config.[noNs]",
        told: &[
            "hint: kustomization.yaml:4: ConfigMap 'config' (a.yaml:13): 'data' has no 'host': it has 'a'",
        ],
    },
    Broken {
        name: "a replacement whose target lacks the item",
        files: &[
            (
                "kustomization.yaml",
                "resources:\n- a.yaml\nreplacements:\n- source:\n    kind: ConfigMap\n    name: config\n    fieldPath: data.a\n  targets:\n  - select:\n      kind: Deployment\n    fieldPaths:\n    - spec.template.spec.containers.[name=wbe].image\n",
            ),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config\ndata:\n  a: b\n",
            ),
        ],
        folder: "",
        reference: "unable to find field \"spec.template.spec.containers.[name=wbe].image\" in replacement target",
        told: &[
            "hint: kustomization.yaml:4: Deployment 'web' (a.yaml:1): 'spec.template.spec.containers' has no item whose name is 'wbe': did you mean 'web'?",
        ],
    },
    Broken {
        name: "files and literals of generators",
        files: &[
            (
                "kustomization.yaml",
                "configMapGenerator:\n- name: a\n  files:\n  - app.conf\n  envs:\n  - .evn\nsecretGenerator:\n- name: b\n  literals:\n  - hunter2\n",
            ),
            ("app.cfg", "x"),
            (".env", "A=b\n"),
        ],
        folder: "",
        reference: "loading KV pairs: env source files: [.evn]: evalsymlink failure on '/r/.evn' : lstat /r/.evn: no such file or directory",
        told: &[
            "hint: kustomization.yaml:6: '.evn' is not there: did you mean '.env'?",
            "also: kustomization.yaml:4: 'app.conf' is not there: did you mean 'app.cfg'?",
            "also: kustomization.yaml:8: literals[0] of the generator 'b' is no key=value",
        ],
    },
    Broken {
        name: "a component among resources",
        files: &[
            ("app/kustomization.yaml", "resources:\n- ../tls\n"),
            (
                "tls/kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [a.yaml]\n",
            ),
            ("tls/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: b\n"),
        ],
        folder: "app",
        reference: "accumulating resources: accumulation err='accumulating resources from '../tls': '/r/tls' must resolve to a file': expected kind != 'Component' for path '/r/tls'",
        told: &["hint: app/kustomization.yaml:2: '../tls' is a component: list it under components"],
    },
    Broken {
        name: "a base among components",
        files: &[
            ("app/kustomization.yaml", "components:\n- ../base\n"),
            ("base/kustomization.yaml", "resources: [a.yaml]\n"),
            ("base/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: b\n"),
        ],
        folder: "app",
        reference: "accumulating components: accumulateDirectory: \"expected kind 'Component' for path '/r/base' but got 'Kustomization'\"",
        told: &[
            "hint: app/kustomization.yaml:2: '../base' is no component: list it under resources, or make its kind Component",
        ],
    },
    Broken {
        name: "a circle",
        files: &[
            ("a/kustomization.yaml", "resources:\n- ../b\n"),
            ("b/kustomization.yaml", "resources:\n- ../c\n"),
            ("c/kustomization.yaml", "resources:\n- ../a\n"),
        ],
        folder: "a",
        reference: "accumulating resources: accumulation err='accumulating resources from '../b': '/r/b' must resolve to a file': recursed accumulation of path '/r/b': accumulating resources: accumulation err='accumulating resources from '../c': '/r/c' must resolve to a file': recursed accumulation of path '/r/c': accumulating resources: accumulation err='accumulating resources from '../a': '/r/a' must resolve to a file': cycle detected: candidate root '/r/a' contains visited root '/r/a'",
        told: &[
            "hint: c/kustomization.yaml:2: '../a' leads back to where the build came from: a → b → c → a",
        ],
    },
    Broken {
        name: "objects that one namespace brings together",
        files: &[
            ("kustomization.yaml", "namespace: prod\nresources:\n- a.yaml\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n  namespace: one\ndata:\n  a: b\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n  namespace: two\ndata:\n  a: b\n",
            ),
        ],
        folder: "",
        reference: "namespace transformation produces ID conflict: [{\"apiVersion\":\"v1\",\"data\":{\"a\":\"b\"},\"kind\":\"ConfigMap\",\"metadata\":{\"annotations\":{\"internal.config.kubernetes.io/previousKinds\":\"ConfigMap\",\"internal.config.kubernetes.io/previousNames\":\"x\",\"internal.config.kubernetes.io/previousNamespaces\":\"one\"},\"name\":\"x\",\"namespace\":\"prod\"}} {\"apiVersion\":\"v1\",\"data\":{\"a\":\"b\"},\"kind\":\"ConfigMap\",\"metadata\":{\"annotations\":{\"internal.config.kubernetes.io/previousKinds\":\"ConfigMap\",\"internal.config.kubernetes.io/previousNames\":\"x\",\"internal.config.kubernetes.io/previousNamespaces\":\"two\"},\"name\":\"x\",\"namespace\":\"prod\"}}]",
        told: &[
            "hint: kustomization.yaml:1: the objects stand at a.yaml:1 and at a.yaml:9: in one namespace their names must differ",
        ],
    },
    Broken {
        name: "files outside of the target",
        files: &[
            (
                "app/kustomization.yaml",
                "resources:\n- ../shared/a.yaml\nconfigMapGenerator:\n- name: c\n  files:\n  - ../shared/x.conf\n",
            ),
            ("shared/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: b\n"),
            ("shared/x.conf", "x"),
        ],
        folder: "app",
        reference: "accumulating resources: accumulation err='accumulating resources from '../shared/a.yaml': security; file '/r/shared/a.yaml' is not in or below '/r/app'': must build at directory: '/r/shared/a.yaml': file is not directory",
        told: &[
            "hint: app/kustomization.yaml:2: '../shared/a.yaml' lies outside of this folder: put a kustomization.yaml that names it into '../shared' and name that folder, or move it here",
            "also: app/kustomization.yaml:6: '../shared/x.conf' lies outside of this folder: move or copy it here, or build with --load-restrictor LoadRestrictionsNone",
        ],
    },
    Broken {
        name: "a variable without an object",
        files: &[
            (
                "kustomization.yaml",
                "resources:\n- a.yaml\nvars:\n- name: HOST\n  objref:\n    apiVersion: v1\n    kind: ConfigMap\n    name: cfg\n  fieldref:\n    fieldpath: data.host\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config\ndata:\n  a: b\n"),
        ],
        folder: "",
        reference: "var '{HOST ConfigMap.v1.[noGrp] {data.host}}' cannot be mapped to a field in the set of known resources",
        told: &[
            "hint: kustomization.yaml:4: there is no ConfigMap 'cfg': the only one is ConfigMap 'config' (a.yaml:1)",
        ],
    },
    Broken {
        name: "bases that are wrong beside one another",
        files: &[
            (
                "overlay/kustomization.yaml",
                "resources:\n- ../one\n- ../two\n- ../three\npatches:\n- path: nope.yaml\n",
            ),
            ("one/kustomization.yaml", "resources:\n- missing.yaml\n- bad.yaml\n"),
            ("one/bad.yaml", "kind: ConfigMap\nmetadata: {name: x\n"),
            ("two/kustomization.yaml", "resource:\n- a.yaml\n"),
            ("two/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: b\n"),
            ("three/kustomization.yaml", "resources:\n- x.yaml\n"),
            ("three/x.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n"),
        ],
        folder: "overlay",
        reference: "accumulating resources: accumulation err='accumulating resources from '../one': '/r/one' must resolve to a file': recursed accumulation of path '/r/one': accumulating resources: accumulation err='accumulating resources from 'missing.yaml': evalsymlink failure on '/r/one/missing.yaml' : lstat /r/one/missing.yaml: no such file or directory': must build at directory: not a valid directory: evalsymlink failure on '/r/one/missing.yaml' : lstat /r/one/missing.yaml: no such file or directory",
        told: &[
            "hint: one/kustomization.yaml:2: 'missing.yaml' is not there: the folder has 'bad.yaml'",
            "also: one/bad.yaml:1: not YAML: did not find expected ',' or '}'",
            "also: two/kustomization.yaml:1: there is no field 'resource': did you mean 'resources'?",
            "also: three/x.yaml:1: the object has no metadata.name",
            "also: overlay/kustomization.yaml:6: 'nope.yaml' is not there",
        ],
    },
    Broken {
        name: "a kustomization file that is not YAML",
        files: &[("kustomization.yaml", "resources:\n- a.yaml\n images:\n- name: x\n")],
        folder: "",
        reference: "invalid Kustomization: yaml: line 3: mapping values are not allowed in this context",
        told: &[
            "hint: kustomization.yaml:3: this line is indented further than the one it belongs to, or ends a value that wants quotes",
        ],
    },
    Broken {
        name: "two kustomization files",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("Kustomization", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: b\n"),
        ],
        folder: "",
        reference: "Found multiple kustomization files under: /r\n",
        told: &["hint: kustomization.yaml: 'Kustomization' stands beside it: keep one of the two"],
    },
    Broken {
        name: "missing files of tables",
        files: &[
            ("kustomization.yaml", "crds:\n- crd.yaml\nconfigurations:\n- conf.yaml\nresources:\n- a.yaml\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: b\n"),
        ],
        folder: "",
        reference: "evalsymlink failure on '/r/conf.yaml' : lstat /r/conf.yaml: no such file or directory",
        told: &[
            "hint: kustomization.yaml:4: 'conf.yaml' is not there: the folder has 'a.yaml'",
            "also: kustomization.yaml:2: 'crd.yaml' is not there: the folder has 'a.yaml'",
        ],
    },
    Broken {
        name: "a text where a list is wanted",
        files: &[
            ("kustomization.yaml", "resources: a.yaml\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: b\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: json: cannot unmarshal string into Go struct field Kustomization.resources of type []string",
        told: &[
            "hint: kustomization.yaml:1: resources is to be a list, not text: write '- ' before each entry",
        ],
    },
    Broken {
        name: "a file that holds no object",
        files: &[
            ("kustomization.yaml", "resources:\n- values.yaml\n- a.yaml\n"),
            ("values.yaml", "replicaCount: 1\nimage: x\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: b\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'values.yaml': missing Resource metadata': must build at directory: '/r/values.yaml': file is not directory",
        told: &["hint: values.yaml:1: this is no Kubernetes object: it has no kind and no metadata"],
    },
    Broken {
        name: "a key that stands twice",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: b\n  a: c\n"),
        ],
        folder: "",
        reference: "map[string]interface {}(nil): yaml: unmarshal errors:\n  line 7: mapping key \"a\" already defined at line 6",
        told: &["hint: a.yaml:7: the key 'a' stands a second time in this map"],
    },
    Broken {
        name: "replicas of a name that is not there",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\nreplicas:\n- name: wbe\n  count: 2\n"),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n",
            ),
        ],
        folder: "",
        reference: "resource with name wbe does not match a config with the following GVK [Deployment.[noVer].[noGrp] StatefulSet.[noVer].[noGrp] ReplicaSet.[noVer].[noGrp] ReplicationController.[noVer].[noGrp]]",
        told: &["hint: kustomization.yaml:4: no object of these kinds is called 'wbe': did you mean 'web'?"],
    },
    Broken {
        name: "a number where a text is wanted",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\nimages:\n- name: nginx\n  newTag: 1.20\n"),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n",
            ),
        ],
        folder: "",
        reference: "invalid Kustomization: json: cannot unmarshal number into Go struct field Image.images.newTag of type string",
        told: &["hint: kustomization.yaml:5: images[0].newTag is to be text, not a number: put it in quotes"],
    },
    Broken {
        name: "an unknown field of an image",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\nimages:\n- name: nginx\n  tag: \"1\"\n"),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n",
            ),
        ],
        folder: "",
        reference: "invalid Kustomization: json: unknown field \"tag\"",
        told: &[
            "hint: kustomization.yaml:5: images[0] has no field 'tag': its fields are 'name', 'newName', 'tagSuffix', 'newTag', 'digest'",
        ],
    },
    Broken {
        name: "a JSON patch that adds below what is not there",
        files: &[
            (
                "kustomization.yaml",
                "resources:\n- a.yaml\npatches:\n- target:\n    kind: Deployment\n  path: p.yaml\n",
            ),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n",
            ),
            ("p.yaml", "- op: add\n  path: /spec/strategy/type\n  value: x\n"),
        ],
        folder: "",
        reference: "add operation does not apply: doc is missing path: \"/spec/strategy/type\": missing value",
        told: &[
            "hint: kustomization.yaml:4: Deployment 'web' (a.yaml:1): '/spec' has no 'strategy': it has 'replicas', 'template'; add makes the last part of a path only",
        ],
    },
    Broken {
        name: "a source that fits two objects",
        files: &[
            (
                "kustomization.yaml",
                "resources:\n- a.yaml\nreplacements:\n- source:\n    kind: ConfigMap\n    fieldPath: data.a\n  targets:\n  - select:\n      kind: ConfigMap\n    fieldPaths:\n    - data.b\n",
            ),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  a: b\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: y\ndata:\n  a: b\n",
            ),
        ],
        folder: "",
        reference: "multiple matches for selector ConfigMap.[noVer].[noGrp]/[noName].[noNs]:data.a",
        told: &[
            "hint: kustomization.yaml:4: more than one object fits: ConfigMap 'x' (a.yaml:1) and ConfigMap 'y' (a.yaml:8)",
        ],
    },
    Broken {
        name: "missing files of plugins and schemas",
        files: &[
            (
                "kustomization.yaml",
                "resources:\n- a.yaml\ntransformers:\n- labels.yml\nopenapi:\n  path: schema.json\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: b\n"),
            ("labels.yaml", "x"),
            ("schemas/schema.json", "{}"),
        ],
        folder: "",
        reference: "evalsymlink failure on '/r/schema.json' : lstat /r/schema.json: no such file or directory",
        told: &[
            "hint: kustomization.yaml:6: 'schema.json' is not there: did you mean 'schemas'?",
            "also: kustomization.yaml:4: 'labels.yml' is not there: did you mean 'labels.yaml'?",
        ],
    },
    Broken {
        name: "an object twice in one file",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  a: b\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  a: b\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'a.yaml': may not add resource with an already registered id: ConfigMap.v1.[noGrp]/x.[noNs]': must build at directory: '/r/a.yaml': file is not directory",
        told: &["hint: the object stands at a.yaml:1 and at a.yaml:8"],
    },
    Broken {
        name: "files missing in a component",
        files: &[
            ("app/kustomization.yaml", "components:\n- ../tls\n"),
            (
                "tls/kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources:\n- cert.yaml\n- key.yaml\n",
            ),
            ("tls/key.yml", "x: y"),
        ],
        folder: "app",
        reference: "accumulating components: accumulateDirectory: \"recursed accumulation of path '/r/tls': accumulating resources: accumulation err='accumulating resources from 'cert.yaml': evalsymlink failure on '/r/tls/cert.yaml' : lstat /r/tls/cert.yaml: no such file or directory': must build at directory: not a valid directory: evalsymlink failure on '/r/tls/cert.yaml' : lstat /r/tls/cert.yaml: no such file or directory\"",
        told: &[
            "hint: tls/kustomization.yaml:4: 'cert.yaml' is not there: the folder has 'key.yml'",
            "also: tls/kustomization.yaml:5: 'key.yaml' is not there: did you mean 'key.yml'?",
        ],
    },
    Broken {
        name: "a variable whose field is not there",
        files: &[
            (
                "kustomization.yaml",
                "resources:\n- a.yaml\nvars:\n- name: HOST\n  objref:\n    apiVersion: v1\n    kind: ConfigMap\n    name: a\n  fieldref:\n    fieldpath: data.host\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: b\n"),
        ],
        folder: "",
        reference: "field specified in var '{HOST ConfigMap.v1.[noGrp] {data.host}}' not found in corresponding resource",
        told: &["hint: kustomization.yaml:4: ConfigMap 'a' (a.yaml:1): 'data' has no 'host': it has 'a'"],
    },
    Broken {
        name: "a folder with a letter too many",
        files: &[
            ("app/kustomization.yaml", "resources:\n- ../bases/web\n"),
            ("base/web/kustomization.yaml", "resources:\n- a.yaml\n"),
            ("base/web/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: b\n"),
        ],
        folder: "app",
        reference: "accumulating resources: accumulation err='accumulating resources from '../bases/web': evalsymlink failure on '/r/bases/web' : lstat /r/bases: no such file or directory': must build at directory: not a valid directory: evalsymlink failure on '/r/bases/web' : lstat /r/bases: no such file or directory",
        told: &["hint: app/kustomization.yaml:2: '../bases/web' is not there: did you mean '../base/web'?"],
    },
    Broken {
        name: "a file among components",
        files: &[
            ("kustomization.yaml", "components:\n- tls.yaml\n"),
            ("tls.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: b\n"),
        ],
        folder: "",
        reference: "accumulating components: loader.New \"must build at directory: '/r/tls.yaml': file is not directory\"",
        told: &["hint: kustomization.yaml:2: 'tls.yaml' is a file: a folder is to stand here"],
    },
    Broken {
        name: "a file that states nothing",
        files: &[("kustomization.yaml", "# nothing yet\n")],
        folder: "",
        reference: "kustomization.yaml is empty",
        told: &["hint: kustomization.yaml: the file states nothing: name at least one entry of resources"],
    },
    Broken {
        name: "an object of Flux in place of a kustomization file",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: apps\nresources: [a.yaml]\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: b\n"),
        ],
        folder: "",
        reference: "Failed to read kustomization file under /r:\napiVersion for Kustomization should be kustomize.config.k8s.io/v1beta1",
        told: &[
            "hint: kustomization.yaml:1: this is an object of Flux, not a kustomization file: give the file another name",
        ],
    },
    Broken {
        name: "a generator with a key twice",
        files: &[("kustomization.yaml", "configMapGenerator:\n- name: a\n  literals:\n  - k=1\n  - k=2\n")],
        folder: "",
        reference: "configmap a illegally repeats the key `k`",
        told: &["hint: kustomization.yaml:2: the key 'k' is given twice"],
    },
    Broken {
        name: "a literal without a key",
        files: &[(
            "kustomization.yaml",
            "configMapGenerator:\n- name: a\n  literals:\n  - hunter2\n- name: b\n  files:\n  - gone.txt\n",
        )],
        folder: "",
        reference: "loading KV pairs: literal sources [hunter2]: invalid literal source hunter2, expected key=value",
        told: &[
            "hint: kustomization.yaml:2: literals[0] of the generator 'a' is no key=value",
            "also: kustomization.yaml:7: 'gone.txt' is not there",
        ],
    },
    Broken {
        name: "missing files of old patches",
        files: &[
            (
                "kustomization.yaml",
                "resources:\n- a.yaml\npatchesStrategicMerge:\n- p.yaml\n- q.yaml\npatchesJson6902:\n- target:\n    version: v1\n    kind: ConfigMap\n    name: a\n  path: r.yaml\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: b\n"),
            ("q.yml", "x: y"),
        ],
        folder: "",
        reference: "trouble configuring builtin PatchStrategicMergeTransformer with config: `\npaths:\n- p.yaml\n- q.yaml\n`: evalsymlink failure on '/r/p.yaml' : lstat /r/p.yaml: no such file or directory",
        told: &[
            "hint: kustomization.yaml:4: 'p.yaml' is not there: the folder has 'a.yaml', 'q.yml'",
            "also: kustomization.yaml:5: 'q.yaml' is not there: did you mean 'q.yml'?",
            "also: kustomization.yaml:11: 'r.yaml' is not there: the folder has 'a.yaml', 'q.yml'",
        ],
    },
    Broken {
        name: "a folder to build that is not there",
        files: &[
            ("app/kustomization.yaml", "resources: [a.yaml]\n"),
            ("app/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: b\n"),
        ],
        folder: "ap",
        reference: "must build at directory: not a valid directory: evalsymlink failure on '/r/ap' : lstat /r/ap: no such file or directory",
        told: &["hint: 'ap' is not there: the folder has 'app'"],
    },
    Broken {
        name: "two replacements without sources",
        files: &[
            (
                "kustomization.yaml",
                "resources:\n- a.yaml\nreplacements:\n- source:\n    kind: Secret\n    name: db\n  targets:\n  - select:\n      kind: ConfigMap\n- source:\n    kind: ConfigMap\n    name: z\n  targets:\n  - select:\n      kind: ConfigMap\n",
            ),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  a: b\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: y\ndata:\n  a: b\n",
            ),
        ],
        folder: "",
        reference: "nothing selected by Secret.[noVer].[noGrp]/db.[noNs]",
        told: &[
            "hint: kustomization.yaml:4: there is no Secret 'db': the build has objects of kind 'ConfigMap'",
            "also: kustomization.yaml:10: there is no ConfigMap 'z': there are 'x', 'y'",
        ],
    },
    Broken {
        name: "a file of replacements that is not YAML",
        files: &[
            (
                "kustomization.yaml",
                "resources:\n- a.yaml\nreplacements:\n- path: rep.yaml\n- path: rpe.yaml\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  a: b\n"),
            ("rep.yaml", "- source: [x\n"),
        ],
        folder: "",
        reference: "trouble configuring builtin ReplacementTransformer with config: `\nReplacements:\n- path: rep.yaml\n- path: rpe.yaml\n`: error converting YAML to JSON: yaml: line 1: did not find expected ',' or ']'",
        told: &[
            "hint: rep.yaml:1: not YAML",
            "also: kustomization.yaml:5: 'rpe.yaml' is not there: did you mean 'rep.yaml'?",
        ],
    },
    Broken {
        name: "a patch in the kustomization file without a name",
        files: &[
            (
                "kustomization.yaml",
                "resources:\n- a.yaml\npatches:\n- patch: |-\n    apiVersion: v1\n    kind: ConfigMap\n    metadata:\n      nam: a\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  a: b\n"),
        ],
        folder: "",
        reference: "trouble configuring builtin PatchTransformer with config: `\npatch: |-\n  apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    nam: a\n`: unable to parse SM or JSON patch from [patch: \"apiVersion: v1\\nkind: ConfigMap\\nmetadata:\\n  nam: a\"]",
        told: &["hint: kustomization.yaml:4: line 1 of the patch: the object has no metadata.name"],
    },
    Broken {
        name: "a patch of another kind",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\npatches:\n- path: p.yaml\n"),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n",
            ),
            ("p.yaml", "apiVersion: apps/v1\nkind: StatefulSet\nmetadata:\n  name: web\n"),
        ],
        folder: "",
        reference: "no resource matches strategic merge patch \"StatefulSet.v1.apps/web.[noNs]\": no matches for Id StatefulSet.v1.apps/web.[noNs]; failed to find unique target for patch StatefulSet.v1.apps/web.[noNs]",
        told: &[
            "hint: kustomization.yaml:4: there is no StatefulSet 'web': the build has Deployment 'web' (a.yaml:1)",
        ],
    },
    Broken {
        name: "a patch of an older version",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\npatches:\n- path: p.yaml\n"),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n",
            ),
            ("p.yaml", "apiVersion: extensions/v1beta1\nkind: Deployment\nmetadata:\n  name: web\n"),
        ],
        folder: "",
        reference: "no resource matches strategic merge patch \"Deployment.v1beta1.extensions/web.[noNs]\": no matches for Id Deployment.v1beta1.extensions/web.[noNs]; failed to find unique target for patch Deployment.v1beta1.extensions/web.[noNs]",
        told: &[
            "hint: kustomization.yaml:4: Deployment 'web' (a.yaml:1) is of apiVersion 'apps/v1', 'extensions/v1beta1' is wanted",
        ],
    },
    Broken {
        name: "charts",
        files: &[(
            "kustomization.yaml",
            "helmCharts:\n- name: x\n  repo: https://charts.example.com\nresources:\n- gone.yaml\n",
        )],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'gone.yaml': evalsymlink failure on '/r/gone.yaml' : lstat /r/gone.yaml: no such file or directory': must build at directory: not a valid directory: evalsymlink failure on '/r/gone.yaml' : lstat /r/gone.yaml: no such file or directory",
        told: &[
            "hint: kustomization.yaml:5: 'gone.yaml' is not there",
            "also: kustomization.yaml:1: charts are never inflated here: keep their output among your files, or use a HelmRelease",
        ],
    },
];
