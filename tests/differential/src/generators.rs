//! Generators, and what they read.

use crate::chooser::Chooser;
use crate::doc::Doc;
use crate::make::Layer;
use crate::objects::{NAMES, labels};

/// `configMapGenerator`.
pub(crate) fn config_maps(choose: &mut Chooser, layer: &mut Layer<'_>) {
    let entries = choose.times(1, 2, |choose| generated(choose, layer, "ConfigMap"));
    layer.kustomization.push("configMapGenerator", Doc::List(entries));
}

/// `secretGenerator`.
pub(crate) fn secrets(choose: &mut Chooser, layer: &mut Layer<'_>) {
    let mut entry = generated(choose, layer, "Secret");
    if choose.chance(30) {
        entry.push("type", Doc::scalar("kubernetes.io/tls"));
    }
    layer.kustomization.push("secretGenerator", Doc::List(vec![entry]));
}

/// `generatorOptions`, and something for them to act on.
pub(crate) fn generator_options(choose: &mut Chooser, layer: &mut Layer<'_>) {
    let options = options(choose);
    layer.kustomization.push("generatorOptions", options);
    if layer.kustomization.get("configMapGenerator").is_none() {
        config_maps(choose, layer);
    }
}

pub(crate) fn generated(choose: &mut Chooser, layer: &mut Layer<'_>, kind: &str) -> Doc {
    let of_kind = layer.objects.iter().filter(|object| object.get("kind").and_then(Doc::text) == Some(kind));
    let known: Vec<Doc> = of_kind.filter_map(|object| object.at(&["metadata", "name"])).cloned().collect();
    let fresh = ["made", "made-too", "fresh", "extra", "more"].map(Doc::scalar);
    let fresh: Vec<Doc> = fresh.into_iter().filter(|name| !known.contains(name)).collect();
    // What is there already can only be merged or replaced; now and then that is tried all the same.
    let is_known = choose.chance(40) && !known.is_empty();
    let is_careless = choose.chance(4);
    let name = choose.any(if is_known == is_careless { &fresh } else { &known }).cloned();
    let name = name.unwrap_or_else(|| Doc::scalar(choose.one(NAMES)));
    let mut entry = Doc::map([("name", name.clone())]);
    if is_known {
        entry.push("behavior", Doc::scalar(choose.one(&["merge", "replace", "merge"])));
    }
    layer.objects.push(Doc::map([
        ("apiVersion", Doc::scalar("v1")),
        ("kind", Doc::scalar(kind)),
        ("metadata", Doc::map([("name", name)])),
    ]));
    // A namespace finds what is there only where that has it as well.
    if choose.chance(if is_known { 3 } else { 15 }) {
        entry.push("namespace", Doc::scalar(choose.one(&["shop", "default"])));
    }
    if choose.chance(60) {
        let literals = [
            "a=1",
            "b=two words",
            "c='quoted'",
            "\"d=x\\ny\"",
            "e=",
            "f=true",
            "g=\"x=y\"",
            "'h=größe'",
            "\"i=tail \"",
        ];
        let mut chosen: Vec<Doc> = literals.map(Doc::scalar).to_vec();
        choose.shuffle(&mut chosen);
        chosen.truncate(1 + choose.below(3));
        entry.push("literals", Doc::List(chosen));
    }
    if choose.chance(35) {
        let file = choose.one(&["notes.txt", "script.sh", "odd name.txt"]);
        let lines = [
            ["plain text", "second line"],
            ["#!/bin/sh", "echo \"$HOME\"\t# tab"],
            ["trailing blank ", ""],
            ["emoji \u{1f600}", "x: y"],
        ];
        let lines = choose.one(&lines);
        let path = format!("{}/{file}", layer.folder);
        if !layer.project.files.iter().any(|other| other.path == path) {
            layer.project.lines(path, lines.map(str::to_owned).to_vec());
        }
        let source = if choose.chance(40) { format!("key={file}") } else { file.to_owned() };
        entry.push("files", Doc::List(vec![Doc::scalar(source)]));
    }
    if choose.chance(25) {
        let path = format!("{}/values.env", layer.folder);
        if !layer.project.files.iter().any(|other| other.path == path) {
            let lines = ["# comment", "", "X=1", "  Y = two", "Z", "export W=a=b", "Q=\"quoted\""];
            layer.project.lines(path, lines.map(str::to_owned).to_vec());
        }
        entry.push("envs", Doc::List(vec![Doc::scalar("values.env")]));
    }
    if choose.chance(30) {
        let options = options(choose);
        entry.push("options", options);
    }
    entry
}

fn options(choose: &mut Chooser) -> Doc {
    let mut options = Doc::Map(Vec::new());
    if choose.chance(50) {
        options.push("disableNameSuffixHash", Doc::scalar(choose.one(&["true", "false"])));
    }
    if choose.chance(40) {
        let pairs = labels(choose);
        options.push("labels", pairs);
    }
    if choose.chance(30) {
        options.push("annotations", Doc::map([("note", Doc::scalar("made"))]));
    }
    if choose.chance(20) {
        options.push("immutable", Doc::scalar("true"));
    }
    options
}
