//! Files of `openapi` and `crds`: kinds of their own with lists that are merged by keys, and files that are none.

use std::fmt::Write as _;

use super::{file, with_objects};
use crate::chooser::Chooser;
use crate::project::Project;

const OBJECTS: &str = "\
apiVersion: example.com/v1
kind: Thing
metadata:
  name: one
spec:
  parts:
  - name: a
    port: 1
    size: small
  - name: b
    port: 2
    size: large
  words:
  - x
  reference:
    name: settings
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  a: b
";

/// What a list of a kind says of its merging.
const LISTS: &[&str] = &[
    r#""x-kubernetes-patch-merge-key": "name", "x-kubernetes-patch-strategy": "merge""#,
    r#""x-kubernetes-patch-merge-key": "port", "x-kubernetes-patch-strategy": "merge""#,
    r#""x-kubernetes-patch-strategy": "merge""#,
    r#""x-kubernetes-patch-strategy": "replace""#,
    r#""x-kubernetes-patch-strategy": "merge,retainKeys", "x-kubernetes-patch-merge-key": "name""#,
    r#""x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name", "port"]"#,
    r#""x-kubernetes-list-map-keys": ["name"], "x-kubernetes-patch-strategy": "merge""#,
    r#""x-kubernetes-list-map-keys": "name""#,
    r#""x-kubernetes-list-type": "set""#,
    r#""x-kubernetes-patch-merge-key": 5"#,
    r#""x-kubernetes-object-ref-api-version": "v1""#,
];

const KINDS: &[&str] = &[
    r#"[{"group": "example.com", "kind": "Thing", "version": "v1"}]"#,
    r#"[{"group": "example.com", "kind": "Thing", "version": "v1"}]"#,
    r#"[{"group": "example.com", "kind": "Thing", "version": "v1"}]"#,
    r#"[{"group": "", "kind": "ConfigMap", "version": "v1"}]"#,
    r#"[{"group": "example.com", "kind": "Thing"}]"#,
    "[]",
    r#"{"group": "example.com", "kind": "Thing", "version": "v1"}"#,
    r#""Thing""#,
    "[5]",
    "null",
];

/// Files that are no schema, or hardly one.
const WRONG: &[&str] = &[
    "",
    "{}\n",
    "[]\n",
    "5\n",
    "text\n",
    "{\"definitions\": {}}\n",
    "{\"definitions\": []}\n",
    "{\"definitions\": null}\n",
    "{\"definitions\": {\"a\": 5}}\n",
    "{\"definitions\": {\"a\": {\"properties\": []}}}\n",
    "{\"definitions\": {\"a\": {\"properties\": {\"b\": 5}}}}\n",
    "{\"swagger\": \"2.0\"}\n",
    "{\"swagger\": 2}\n",
    "{\"definitions\": {\"a\": {\"type\": 5}}}\n",
    "{\"definitions\": {\"a\": {\"type\": [\"object\"]}}}\n",
    "{\"definitions\": {\"a\": {\"$ref\": \"#/definitions/b\"}}}\n",
    "{\"definitions\": {\"a\": {\"$ref\": 5}}}\n",
    "{\"definitions\": {\"a\": {\"enum\": [1, null]}}}\n",
    "{\"definitions\": {\"a\": {\"items\": []}}}\n",
    "{\"definitions\": {\"a\": {\"required\": \"b\"}}}\n",
    "definitions:\n  a:\n    type: object\n",
    "{\"a\": {\"Schema\": 5}}\n",
    "{\"a\": {\"Schema\": {\"properties\": {\"spec\": {\"$ref\": \"b\"}}}}}\n",
    "{\"a\": {\"Dependencies\": []}}\n",
    "a: {Schema: {properties: {}}}\n",
    "a: [\n",
    "{\"definitions\": {\n",
    "{\"a\": 1, \"a\": 2}\n",
];

/// A schema for a kind of its own, and patches of it.
pub(super) fn schemas(choose: &mut Chooser) -> Project {
    let field = choose.one(&["openapi", "openapi", "crds", "both"]);
    let mut kustomization = String::new();
    if field != "crds" {
        kustomization.push_str("openapi:\n  path: schema.json\n");
    }
    if field != "openapi" {
        kustomization.push_str("crds:\n- crd.json\n");
    }
    kustomization.push_str(choose.one(&["", "", "namePrefix: p-\n", "commonAnnotations: {n: m}\n"]));
    if choose.chance(80) {
        let item = choose.one(&[
            "{name: a, size: huge}",
            "{name: c, port: 3}",
            "{name: a, port: 1, size: null}",
            "{name: b, $patch: delete}",
            "{$patch: replace}",
            "{size: none}",
            "{port: 2, more: x}",
        ]);
        let words = choose.one(&["[y]", "[x, y]", "[]", "null"]);
        _ = write!(
            kustomization,
            "patches:\n- patch: |-\n    apiVersion: example.com/v1\n    kind: Thing\n    metadata:\n      name: one\n    spec:\n      \
             parts:\n      - {item}\n      words: {words}\n"
        );
    }
    let mut project = with_objects(&kustomization, OBJECTS);
    if field != "crds" {
        let text = if choose.chance(30) { choose.one(WRONG).to_owned() } else { definitions(choose) };
        file(&mut project, "schema.json", &text);
    }
    if field != "openapi" {
        let text = if choose.chance(40) { choose.one(WRONG).to_owned() } else { resources(choose) };
        file(&mut project, "crd.json", &text);
    }
    project
}

/// A Swagger 2 document.
fn definitions(choose: &mut Chooser) -> String {
    let (parts, words, kinds) = (choose.one(LISTS), choose.one(LISTS), choose.one(KINDS));
    let name = choose.one(&["com.example.v1.Thing", "Thing", "a/b", "io.k8s.api.core.v1.ConfigMap"]);
    let spec = format!(
        r#"{{"type": "object", "properties": {{"parts": {{"type": "array", "items": {{"type": "object"}}, {parts}}}, "words": {{"type": "array", "items": {{"type": "string"}}, {words}}}}}}}"#
    );
    let (inline, more) = if choose.chance(30) {
        (r##"{"$ref": "#/definitions/Spec"}"##.to_owned(), format!(r#", "Spec": {spec}"#))
    } else {
        (spec, String::new())
    };
    format!(
        r#"{{"definitions": {{"{name}": {{"type": "object", "properties": {{"spec": {inline}}}, "x-kubernetes-group-version-kind": {kinds}}}{more}}}}}"#
    )
}

/// What `crds` takes: definitions by the names of Go's types.
fn resources(choose: &mut Chooser) -> String {
    let mark = choose.one(&[
        r#""x-kubernetes-object-ref-api-version": "v1", "x-kubernetes-object-ref-kind": "ConfigMap""#,
        r#""x-kubernetes-object-ref-api-version": "v1", "x-kubernetes-object-ref-kind": "ConfigMap", "x-kubernetes-object-ref-name-key": "name""#,
        r#""x-kubernetes-object-ref-kind": "ConfigMap""#,
        r#""x-kubernetes-annotation": """#,
        r#""x-kubernetes-label-selector": """#,
        r#""x-kubernetes-identity": """#,
        r#""description": "none""#,
    ]);
    let more = choose.one(&[
        r#""description": "a specification""#,
        r#""description": 5"#,
        r#""maximum": "1""#,
        r#""$ref": "example.com/v1.Spec""#,
        r#""$ref": "a%2fb""#,
        r#""items": {"$ref": 5}"#,
        r#""default": [1, null]"#,
    ]);
    format!(
        r#"{{"example.com/v1.Thing": {{"Schema": {{"description": "a thing", "properties": {{"apiVersion": {{"type": "string"}}, "kind": {{"type": "string"}}, "metadata": {{"type": "object"}}, "spec": {{"$ref": "example.com/v1.Spec"}}}}}}, "Dependencies": ["example.com/v1.Spec"]}}, "example.com/v1.Spec": {{"Schema": {{{more}, "properties": {{"reference": {{"type": "object", {mark}}}}}}}, "Dependencies": []}}}}"#
    )
}
