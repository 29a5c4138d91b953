//! Projects that a new user broke: what the reference program says of them, and what is told below it.

use std::borrow::Cow;

use millrace_kustomize::{FileKind, FileSystem, MemoryFiles, Options, ReadError};

use super::{Broken, OBJECT, build, cli, error, files};

pub(super) const WEB: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  labels:\n    app: web\nspec:\n  replicas: 1\n  selector:\n    matchLabels:\n      app: web\n  template:\n    metadata:\n      labels:\n        app: web\n    spec:\n      containers:\n      - name: web\n        image: nginx:1.20 # the image\n        ports:\n        - containerPort: 80\n";
const SERVICE: &str = "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  selector:\n    app: web\n  ports:\n  - port: 80\n";
const CONF: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: conf\ndata:\n  app.yaml: |\n    # settings of the app\n    server:\n      host: localhost # change me\n      ports: [80, 443]\n    # flow\n    limits: {cpu: 1, memory: 2}\n  plain: x\n";

pub(super) const CASES: &[Broken] = &[
    Broken {
        name: "a path into YAML text with a letter left out",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [cm.yaml, svc.yaml]\nreplacements:\n- source: {kind: Service, name: web, fieldPath: metadata.name}\n  targets:\n  - select: {kind: ConfigMap}\n    fieldPaths:\n    - data.app\\.yaml.server.host\n    - data.app\\.yaml.server.hst\n",
            ),
            ("cm.yaml", CONF),
            ("svc.yaml", SERVICE),
        ],
        folder: "",
        reference: "unable to find field \"data.app\\\\.yaml.server.hst\" in replacement target",
        told: &[
            "hint: kustomization.yaml:5: ConfigMap 'conf' (cm.yaml:1): in the text of 'data.app\\.yaml', 'server' has no 'hst': did you mean 'host'?",
        ],
    },
    Broken {
        name: "a path into text that is no YAML",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [c.yaml, svc.yaml]\nreplacements:\n- source: {kind: Service, name: web, fieldPath: metadata.name}\n  targets:\n  - select: {kind: ConfigMap}\n    fieldPaths: [\"data.t.a.b\"]\n",
            ),
            (
                "c.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  t: |\n    a:\n    \tb: 1\n",
            ),
            ("svc.yaml", SERVICE),
        ],
        folder: "",
        reference: "unable to find field \"data.t.a.b\" in replacement target: yaml: line 2: found character that cannot start any token",
        told: &[
            "hint: kustomization.yaml:5: ConfigMap 'c' (c.yaml:1): the text of 'data.t' is not YAML: line 2 of it: the line is indented with a tab: YAML takes spaces only",
        ],
    },
    Broken {
        name: "a dot in a key that is not escaped",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [cm.yaml, svc.yaml]\nreplacements:\n- source: {kind: Service, name: web, fieldPath: metadata.name}\n  targets:\n  - select: {kind: ConfigMap}\n    fieldPaths: [data.app.yaml.server.host]\n",
            ),
            ("cm.yaml", CONF),
            ("svc.yaml", SERVICE),
        ],
        folder: "",
        reference: "unable to find field \"data.app.yaml.server.host\" in replacement target",
        told: &[
            "hint: kustomization.yaml:5: ConfigMap 'conf' (cm.yaml:1): 'data' has no 'app': the key 'app.yaml' is written 'app\\.yaml'",
        ],
    },
    Broken {
        name: "a field that is to be made",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [dep.yaml, svc.yaml]\nreplacements:\n- source: {kind: Service, name: web, fieldPath: metadata.name}\n  targets:\n  - select: {kind: Deployment}\n    fieldPaths: [metadata.annotations.x]\n",
            ),
            ("dep.yaml", WEB),
            ("svc.yaml", SERVICE),
        ],
        folder: "",
        reference: "unable to find field \"metadata.annotations.x\" in replacement target",
        told: &[
            "hint: kustomization.yaml:5: Deployment 'web' (dep.yaml:1): 'metadata' has no 'annotations': it has 'name', 'labels'; options: {create: true} makes it",
        ],
    },
    Broken {
        name: "an object of Flux in the place of a kustomization file",
        files: &[(
            "kustomization.yaml",
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: x}\nspec:\n  path: ./x\n",
        )],
        folder: "",
        reference: "invalid Kustomization: json: unknown field \"spec\"",
        told: &[
            "hint: kustomization.yaml:1: this is a Kustomization of kustomize.toolkit.fluxcd.io, not a kustomization file: rename the file, and list it under resources",
        ],
    },
    Broken {
        name: "a source of Flux in the place of a kustomization file",
        files: &[(
            "kustomization.yaml",
            "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: x}\nspec: {url: \"https://x\"}\n",
        )],
        folder: "",
        reference: "invalid Kustomization: json: unknown field \"spec\"",
        told: &[
            "hint: kustomization.yaml:1: this is a GitRepository of source.toolkit.fluxcd.io, not a kustomization file: rename the file, and list it under resources",
        ],
    },
    Broken {
        name: "a kustomization file among resources",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [base/kustomization.yaml]\n",
            ),
            (
                "base/kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: []\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'base/kustomization.yaml': missing metadata.name in object {{kustomize.config.k8s.io/v1beta1 Kustomization} {{ } map[] map[]}}': must build at directory: '/r/base/kustomization.yaml': file is not directory",
        told: &[
            "hint: kustomization.yaml:3: 'base/kustomization.yaml' is a kustomization file: name its folder 'base' instead",
        ],
    },
    Broken {
        name: "an item of a list without a name",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [d.yaml]\n",
            ),
            (
                "d.yaml",
                "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {nam: a}\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'd.yaml': missing metadata.name in object {{v1 ConfigMap} {{ } map[] map[]}}': must build at directory: '/r/d.yaml': file is not directory",
        told: &["hint: d.yaml:7: items[1] has no metadata.name"],
    },
    Broken {
        name: "a file that is named twice",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [dep.yaml, dep.yaml]\n",
            ),
            ("dep.yaml", WEB),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='merging resources from 'dep.yaml': may not add resource with an already registered id: Deployment.v1.apps/web.[noNs]': must build at directory: '/r/dep.yaml': file is not directory",
        told: &["hint: the object stands at dep.yaml:1, in a file that is taken in twice"],
    },
    Broken {
        name: "a base that is taken in twice",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [b1, o1]\n",
            ),
            (
                "b1/d.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  labels:\n    app: web\nspec:\n  replicas: 1\n  selector:\n    matchLabels:\n      app: web\n  template:\n    metadata:\n      labels:\n        app: web\n    spec:\n      containers:\n      - name: web\n        image: nginx:1.20 # the image\n        ports:\n        - containerPort: 80\n",
            ),
            (
                "b1/kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [d.yaml]\n",
            ),
            (
                "o1/kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [../b1]\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'o1': '/r/o1' must resolve to a file': recursed merging from path '/r/o1': may not add resource with an already registered id: Deployment.v1.apps/web.[noNs]",
        told: &["hint: the object stands at b1/d.yaml:1, in a file that is taken in twice"],
    },
    Broken {
        // The reference prints an address for the name of the generator.
        name: "a behavior there is none of",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nconfigMapGenerator:\n- name: conf\n  behavior: overwrite\n  literals: [a=b]\nresources: [cm.yaml]\n",
            ),
            ("cm.yaml", CONF),
        ],
        folder: "",
        reference: "merging from generator conf: id resid.ResId{Gvk:resid.Gvk{Group:\"\", Version:\"v1\", Kind:\"ConfigMap\", isClusterScoped:false}, Name:\"conf\", Namespace:\"\"} exists; can not use behavior: 'unspecified', behavior must be merge or replace",
        told: &[
            "hint: kustomization.yaml:4: behavior is one of create, merge, replace: ConfigMap 'conf' (cm.yaml:1) is there already, so merge or replace",
        ],
    },
    Broken {
        name: "a replacement without a source",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [dep.yaml]\nreplacements:\n- targets:\n  - select: {kind: Deployment}\n    fieldPaths: [a]\n",
            ),
            ("dep.yaml", WEB),
        ],
        folder: "",
        reference: "replacements must specify a source and at least one target",
        told: &["hint: kustomization.yaml:5: the replacement has no source"],
    },
    Broken {
        name: "a replacement without targets",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [dep.yaml]\nreplacements:\n- source: {kind: Deployment}\n",
            ),
            ("dep.yaml", WEB),
        ],
        folder: "",
        reference: "replacements must specify a source and at least one target",
        told: &["hint: kustomization.yaml:5: the replacement has no targets"],
    },
    Broken {
        name: "a target that selects nothing",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [dep.yaml]\nreplacements:\n- source: {kind: Deployment}\n  targets:\n  - fieldPaths: [a]\n",
            ),
            ("dep.yaml", WEB),
        ],
        folder: "",
        reference: "target must specify resources to select",
        told: &["hint: kustomization.yaml:5: targets[0] has no select"],
    },
    Broken {
        name: "a selector that is no regular expression",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [dep.yaml]\nreplacements:\n- source: {kind: Deployment}\n  targets:\n  - select: {name: \"(\"}\n    fieldPaths: [metadata.name]\n",
            ),
            ("dep.yaml", WEB),
        ],
        folder: "",
        reference: "error creating target selector: error parsing regexp: missing closing ): `^(?:()$`",
        told: &[
            "hint: kustomization.yaml:5: targets[0]: the name that is selected is no regular expression: where letters such as '[', '(' and '*' stand for themselves, write '\\' before them",
        ],
    },
    Broken {
        name: "a file of replacements without targets",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [dep.yaml]\nreplacements:\n- path: repl.yaml\n",
            ),
            ("dep.yaml", WEB),
            ("repl.yaml", "- source: {kind: Deployment}\n  target:\n  - select: {kind: Deployment}\n"),
        ],
        folder: "",
        reference: "replacements must specify a source and at least one target",
        told: &["hint: repl.yaml:1: there is no field 'target': did you mean 'targets'?"],
    },
    Broken {
        name: "a dash that is missing",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- dep.yaml\n  svc.yaml\n",
            ),
            ("dep.yaml", WEB),
            ("svc.yaml", SERVICE),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'dep.yaml svc.yaml': evalsymlink failure on '/r/dep.yaml svc.yaml' : lstat /r/dep.yaml svc.yaml: no such file or directory': must build at directory: not a valid directory: evalsymlink failure on '/r/dep.yaml svc.yaml' : lstat /r/dep.yaml svc.yaml: no such file or directory",
        told: &[
            "hint: kustomization.yaml:4: 'dep.yaml svc.yaml' is not there: these are two entries read as one: begin each with '- '",
        ],
    },
    Broken {
        name: "a dash that is indented further",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- dep.yaml\n  - svc.yaml\nimages:\n - name: x\n",
            ),
            ("dep.yaml", WEB),
            ("svc.yaml", SERVICE),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'dep.yaml - svc.yaml': evalsymlink failure on '/r/dep.yaml - svc.yaml' : lstat /r/dep.yaml - svc.yaml: no such file or directory': must build at directory: not a valid directory: evalsymlink failure on '/r/dep.yaml - svc.yaml' : lstat /r/dep.yaml - svc.yaml: no such file or directory",
        told: &[
            "hint: kustomization.yaml:4: 'dep.yaml - svc.yaml' is not there: these are two entries read as one: indent each '- ' alike",
        ],
    },
];

fn hints(here: &str, entries: &[(&str, &str)], folder: &str) -> Vec<String> {
    let options = Options { working_folder: Some(here.to_owned()), ..Options::cli("") };
    build(&files(entries), folder, &options).expect_err("the build fails").hints
}

#[test]
fn absolute_paths_are_told_not_to_work() {
    let object = ("srv/a.yaml", OBJECT);
    for (entry, told) in [
        (
            "/srv/a.yaml",
            "'/srv/a.yaml' is an absolute path: copy the file here, and name it by its way from here",
        ),
        ("/srv", "'/srv' is an absolute path: name the folder by its way from here, '../../srv'"),
    ] {
        let file = format!("resources:\n- {entry}\n");
        let told_here = hints("/home/me", &[("home/me/kustomization.yaml", &file), object], ".");
        assert_eq!(told_here, [format!("kustomization.yaml:2: {told}")]);
    }
}

#[test]
fn a_folder_that_is_built_is_named_as_it_is_seen() {
    let entries = [("home/me/a.yaml", OBJECT), ("home/me/app/x", "")];
    assert_eq!(
        hints("/home/me/app", &entries, ".."),
        ["'..' has no kustomization file: it has 'a.yaml', 'app'"]
    );
}

#[test]
fn generators_of_one_name_are_told_by_their_lines() {
    let entries = [("kustomization.yaml", "configMapGenerator:\n- name: a\n- name: a\n")];
    assert_eq!(
        error(&entries, &cli()).hints,
        [
            "kustomization.yaml:3: behavior is one of create, merge, replace: ConfigMap 'a' (kustomization.yaml:2) is there already, so merge or replace"
        ]
    );
}

#[test]
fn what_the_text_of_a_secret_holds_is_not_told() {
    let replacement = "resources: [a.yaml]\nreplacements:\n- sourceValue: x\n  targets:\n  - select: {kind: Secret}\n    fieldPaths: [stringData.t.hunter1]\n";
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n  t: |\n    hunter2: x\n";
    assert_eq!(
        error(&[("kustomization.yaml", replacement), ("a.yaml", secret)], &cli()).hints,
        [
            "kustomization.yaml:3: Secret 's' (a.yaml:1): in the text of 'stringData.t', it has no 'hunter1'; options: {create: true} makes it"
        ]
    );
}

/// A file that its user may not read.
struct Denied(MemoryFiles);

impl FileSystem for Denied {
    fn kind(&self, path: &str) -> Option<FileKind> {
        self.0.kind(path)
    }

    fn read(&self, path: &str) -> Result<Cow<'_, [u8]>, ReadError> {
        if path == "a.yaml" {
            return Err(ReadError::Unopened("permission denied".to_owned()));
        }
        self.0.read(path)
    }

    fn original(&self, path: &str) -> Option<Cow<'_, [u8]>> {
        self.read(path).ok()
    }

    fn list(&self, path: &str) -> Option<Vec<String>> {
        self.0.list(path)
    }
}

#[test]
fn a_file_that_may_not_be_read_is_told_so() {
    let files = Denied(files(&[("kustomization.yaml", "resources:\n- a.yaml\n"), ("a.yaml", OBJECT)]));
    let error = build(&files, "", &cli()).expect_err("the build fails");
    assert_eq!(error.hints, ["kustomization.yaml:2: 'a.yaml' may not be read: permission denied"]);
}

#[test]
fn an_entry_with_a_space_behind_it_is_one_entry() {
    let entries = [("kustomization.yaml", "resources:\n- 'a.yaml '\n"), ("a.yaml", OBJECT)];
    let told = "kustomization.yaml:2: 'a.yaml ' is not there: did you mean 'a.yaml'?";
    assert_eq!(error(&entries, &cli()).hints, [told]);
}
