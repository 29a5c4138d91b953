//! Entries that name a file or a folder which is not there, or not what it should be.

use super::super::Broken;

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
            "hint: app/kustomization.yaml:2: '../base' is no component: list it under resources, or state 'apiVersion: kustomize.config.k8s.io/v1alpha1' and 'kind: Component' in it",
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
            "also: one/bad.yaml:2: a '{' that is opened here is never closed",
            "also: two/kustomization.yaml:1: there is no field 'resource': did you mean 'resources'?",
            "also: three/x.yaml:1: the object has no metadata.name",
            "also: overlay/kustomization.yaml:6: 'nope.yaml' is not there",
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
];
