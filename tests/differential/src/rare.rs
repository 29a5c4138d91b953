//! Fields that few kustomizations have.

use crate::chooser::Chooser;
use crate::doc::Doc;
use crate::fields::image_entries;
use crate::generators::generated;
use crate::make::Layer;
use crate::objects::labels;

/// A schema that makes lists of things maps by name.
const SCHEMA: &str = r#"{"definitions": {"v1.Thing": {
  "properties": {"spec": {"type": "object", "properties": {"items": {
    "type": "array",
    "items": {"type": "object", "properties": {"name": {"type": "string"}, "value": {"type": "string"}}},
    "x-kubernetes-patch-merge-key": "name",
    "x-kubernetes-patch-strategy": "merge"
  }}}},
  "type": "object",
  "x-kubernetes-group-version-kind": [{"group": "example.com", "kind": "Thing", "version": "v1"}]
}}}"#;

/// Definitions that make a field of things a reference to a secret.
const DEFINITIONS: &str = r#"{
  "example.com/v1.Thing": {"Schema": {"properties": {
    "apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"$ref": "meta"},
    "spec": {"$ref": "example.com/v1.ThingSpec"}
  }}},
  "example.com/v1.ThingSpec": {"Schema": {"properties": {
    "secretRef": {"x-kubernetes-object-ref-api-version": "v1", "x-kubernetes-object-ref-kind": "Secret", "$ref": "ref"},
    "selection": {"x-kubernetes-label-selector": ""}
  }}},
  "ref": {"Schema": {"properties": {"name": {"type": "string"}}}}
}"#;

/// `imageTags`.
pub(crate) fn image_tags(choose: &mut Chooser, layer: &mut Layer<'_>) {
    let entries = image_entries(choose);
    layer.kustomization.push("imageTags", entries);
}

/// `crds`.
pub(crate) fn crds(_: &mut Chooser, layer: &mut Layer<'_>) {
    file(layer, "crds", "definitions.json", DEFINITIONS);
}

/// `openapi`.
pub(crate) fn openapi(_: &mut Chooser, layer: &mut Layer<'_>) {
    let lines = SCHEMA.lines().map(str::to_owned).collect();
    layer.project.lines(format!("{}/schema.json", layer.folder), lines);
    layer.kustomization.push("openapi", Doc::map([("path", Doc::scalar("schema.json"))]));
}

/// `generators`, with one that is built in.
pub(crate) fn generators(choose: &mut Chooser, layer: &mut Layer<'_>) {
    let kind = choose.one(&["ConfigMap", "Secret"]);
    let Doc::Map(arguments) = generated(choose, layer, kind) else { return };
    let mut config = Doc::map([
        ("apiVersion", Doc::scalar("builtin")),
        ("kind", Doc::scalar(format!("{kind}Generator"))),
        ("metadata", Doc::map([("name", Doc::scalar("generator"))])),
    ]);
    for (key, value) in arguments {
        config.push(&key, value);
    }
    plugin(layer, "generators", "generator.yaml", config);
}

/// `validators`: one that has nothing against anything, or one that has.
pub(crate) fn validators(choose: &mut Chooser, layer: &mut Layer<'_>) {
    let mut config = Doc::map([
        ("apiVersion", Doc::scalar("builtin")),
        ("kind", Doc::scalar("LabelTransformer")),
        ("metadata", Doc::map([("name", Doc::scalar("check"))])),
    ]);
    if choose.chance(20) {
        config.push("labels", labels(choose));
    }
    plugin(layer, "validators", "check.yaml", config);
}

/// `helmCharts`, which are always refused; rarely is enough.
pub(crate) fn charts(choose: &mut Chooser, layer: &mut Layer<'_>) {
    if choose.chance(20) {
        let chart = Doc::map([("name", Doc::scalar("chart")), ("version", Doc::scalar("\"1\""))]);
        layer.kustomization.push("helmCharts", Doc::List(vec![chart]));
    }
}

fn plugin(layer: &mut Layer<'_>, field: &str, name: &str, config: Doc) {
    layer.project.yaml(format!("{}/{name}", layer.folder), vec![config]);
    layer.kustomization.push(field, Doc::List(vec![Doc::scalar(name)]));
}

fn file(layer: &mut Layer<'_>, field: &str, name: &str, text: &str) {
    layer.project.lines(format!("{}/{name}", layer.folder), text.lines().map(str::to_owned).collect());
    layer.kustomization.push(field, Doc::List(vec![Doc::scalar(name)]));
}
