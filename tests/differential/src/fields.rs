//! The fields of a kustomization, each with what people write into it.

use crate::chooser::Chooser;
use crate::doc::Doc;
use crate::generators;
use crate::make::Layer;
use crate::objects::{NAMES, labels};
use crate::patches;
use crate::rare;

/// Adds a field to a layer.
pub(crate) type Maker = fn(&mut Chooser, &mut Layer<'_>);

/// Every field; those that people use most stand more than once.
pub(crate) const ALL: &[Maker] = &[
    names,
    names,
    namespace,
    namespace,
    common_labels,
    label_entries,
    label_entries,
    common_annotations,
    images,
    images,
    replicas,
    patches::entries,
    patches::entries,
    patches::strategic,
    patches::json,
    generators::config_maps,
    generators::config_maps,
    generators::secrets,
    generators::generator_options,
    replacements,
    replacements,
    vars,
    sort_options,
    build_metadata,
    transformers,
    configurations,
    rare::image_tags,
    rare::crds,
    rare::openapi,
    rare::generators,
    rare::validators,
    rare::charts,
];

fn names(choose: &mut Chooser, layer: &mut Layer<'_>) {
    if choose.chance(70) {
        layer.kustomization.push("namePrefix", Doc::scalar(choose.one(&["pre-", "\"1-\"", "x."])));
    }
    if choose.chance(40) {
        layer.kustomization.push("nameSuffix", Doc::scalar(choose.one(&["-post", "\"-1\"", "-x"])));
    }
}

fn namespace(choose: &mut Chooser, layer: &mut Layer<'_>) {
    layer.kustomization.push("namespace", Doc::scalar(choose.one(&["shop", "default", "\"1\"", "app"])));
}

fn common_labels(choose: &mut Chooser, layer: &mut Layer<'_>) {
    let pairs = labels(choose);
    layer.kustomization.push("commonLabels", pairs);
}

fn label_entries(choose: &mut Chooser, layer: &mut Layer<'_>) {
    let entries = choose.times(1, 2, |choose| {
        let mut entry = Doc::map([("pairs", labels(choose))]);
        if choose.chance(40) {
            entry.push("includeSelectors", Doc::scalar(choose.one(&["true", "false"])));
        }
        if choose.chance(30) {
            entry.push("includeTemplates", Doc::scalar("true"));
        }
        if choose.chance(20) {
            entry.push("fields", Doc::List(vec![field_row(choose)]));
        }
        entry
    });
    layer.kustomization.push("labels", Doc::List(entries));
}

fn field_row(choose: &mut Chooser) -> Doc {
    let path = choose.one(&[
        "spec/labels",
        "spec/template/metadata/labels",
        "metadata/labels",
        "spec/selector/matchLabels",
        "data",
    ]);
    let mut row = Doc::map([("path", Doc::scalar(path))]);
    if choose.chance(50) {
        row.push("kind", Doc::scalar(choose.one(&["Deployment", "Thing", "ConfigMap", "Service"])));
    }
    if choose.chance(60) {
        row.push("create", Doc::scalar("true"));
    }
    row
}

fn common_annotations(choose: &mut Chooser, layer: &mut Layer<'_>) {
    let key = choose.one(&["note", "example.com/owner", "checksum"]);
    let value = Doc::scalar(choose.one(&["text", "\"1\"", "'true'", "a b"]));
    layer.kustomization.push("commonAnnotations", Doc::Map(vec![(key.to_owned(), value)]));
}

fn images(choose: &mut Chooser, layer: &mut Layer<'_>) {
    let entries = image_entries(choose);
    layer.kustomization.push("images", entries);
}

/// Entries of `images`.
pub(crate) fn image_entries(choose: &mut Chooser) -> Doc {
    let entries = choose.times(1, 3, |choose| {
        let mut entry = Doc::map([(
            "name",
            Doc::scalar(choose.one(&["nginx", "app", "example.com:5000/web/app", "busybox", "ngin."])),
        )]);
        if choose.chance(50) {
            entry.push("newName", Doc::scalar(choose.one(&["other/nginx", "registry:5000/app", "app"])));
        }
        if choose.chance(50) {
            entry.push("newTag", Doc::scalar(choose.one(&["\"2\"", "v2", "\"1e5\"", "latest"])));
        }
        if choose.chance(20) {
            entry.push("digest", Doc::scalar("sha256:fedcba9876543210"));
        }
        if choose.chance(10) {
            entry.push("tagSuffix", Doc::scalar("-x"));
        }
        entry
    });
    Doc::List(entries)
}

fn replicas(choose: &mut Chooser, layer: &mut Layer<'_>) {
    let workload = layer.objects.iter().find(|object| {
        object
            .get("kind")
            .and_then(Doc::text)
            .is_some_and(|kind| ["Deployment", "StatefulSet", "ReplicaSet"].contains(&kind))
    });
    let name = workload.and_then(|object| object.at(&["metadata", "name"])).cloned();
    let name = match name {
        Some(name) => name,
        None if choose.chance(5) => Doc::scalar(choose.one(NAMES)),
        None => return,
    };
    layer.kustomization.push(
        "replicas",
        Doc::List(vec![Doc::map([("name", name), ("count", Doc::scalar(choose.one(&["0", "5"])))])]),
    );
}

/// An object of the layer by kind and name, and a path to one of its scalars, joined by `.`.
fn field_of(choose: &mut Chooser, layer: &Layer<'_>) -> Option<(Doc, String)> {
    let object = choose.any(&layer.objects)?;
    let path = patches::scalar_path(choose, object)?;
    let mut selector = Doc::map([("kind", object.get("kind")?.clone())]);
    if choose.chance(96) {
        selector.push("name", object.at(&["metadata", "name"])?.clone());
    }
    Some((selector, path))
}

fn replacements(choose: &mut Chooser, layer: &mut Layer<'_>) {
    let entries = choose.times(1, 2, |choose| {
        let (mut source, source_path) = field_of(choose, layer)?;
        if source_path.contains('*') && choose.chance(90) {
            return None;
        }
        let (select, target_path) = field_of(choose, layer)?;
        source.push("fieldPath", Doc::scalar(quoted(&source_path)));
        if choose.chance(15) {
            source.push(
                "options",
                Doc::map([("delimiter", Doc::scalar("\"-\"")), ("index", Doc::scalar("0"))]),
            );
        }
        let mut target = Doc::map([
            ("select", select),
            ("fieldPaths", Doc::List(vec![Doc::scalar(quoted(&target_path))])),
        ]);
        let way = choose.below(100);
        if way < 20 {
            let delimiter = choose.one(&["\":\"", "\"-\"", "/"]);
            let index = choose.one(&["0", "1", "-1", "7"]);
            target.push(
                "options",
                Doc::map([("delimiter", Doc::scalar(delimiter)), ("index", Doc::scalar(index))]),
            );
        } else if way < 40 {
            target.push("options", Doc::map([("create", Doc::scalar("true"))]));
        }
        if choose.chance(10) {
            target.push("reject", Doc::List(vec![Doc::map([("kind", Doc::scalar("Deployment"))])]));
        }
        let value = if choose.chance(15) {
            ("sourceValue", Doc::scalar(choose.one(&["text", "\"1\"", "'true'", "a b", "\"\""])))
        } else {
            ("source", source)
        };
        Some(Doc::map([value, ("targets", Doc::List(vec![target]))]))
    });
    let entries: Vec<Doc> = entries.into_iter().flatten().collect();
    if !entries.is_empty() {
        layer.kustomization.push("replacements", Doc::List(entries));
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn vars(choose: &mut Chooser, layer: &mut Layer<'_>) {
    // One name can be declared once.
    let is_declared = layer.project.files.iter().any(|file| file.text().contains("\nvars:"));
    let Some(object) = choose.any(&layer.objects).filter(|_| !is_declared) else { return };
    let (Some(version), Some(kind), Some(name)) =
        (object.get("apiVersion"), object.get("kind"), object.at(&["metadata", "name"]))
    else {
        return;
    };
    let reference =
        Doc::map([("apiVersion", version.clone()), ("kind", kind.clone()), ("name", name.clone())]);
    let mut var = Doc::map([("name", Doc::scalar("VAR")), ("objref", reference)]);
    if choose.chance(40) {
        let path = patches::scalar_path(choose, object).filter(|path| !path.contains(['*', '=']));
        let path = path.filter(|_| choose.chance(70)).unwrap_or_else(|| "metadata.name".to_owned());
        var.push("fieldref", Doc::map([("fieldPath", Doc::scalar(quoted(&path)))]));
    }
    layer.kustomization.push("vars", Doc::List(vec![var]));
}

fn sort_options(choose: &mut Chooser, layer: &mut Layer<'_>) {
    let mut sort = Doc::map([("order", Doc::scalar(choose.one(&["legacy", "fifo"])))]);
    if choose.chance(40) && sort.get("order").and_then(Doc::text) == Some("legacy") {
        let first = Doc::List(vec![Doc::scalar("Service"), Doc::scalar("ConfigMap")]);
        sort.push(
            "legacySortOptions",
            Doc::map([("orderFirst", first), ("orderLast", Doc::List(vec![Doc::scalar("Namespace")]))]),
        );
    }
    layer.kustomization.push("sortOptions", sort);
}

fn build_metadata(choose: &mut Chooser, layer: &mut Layer<'_>) {
    let mut options = vec!["originAnnotations", "transformerAnnotations", "managedByLabel"];
    choose.shuffle(&mut options);
    options.truncate(1 + choose.below(3));
    layer.kustomization.push("buildMetadata", Doc::List(options.into_iter().map(Doc::scalar).collect()));
}

fn transformers(choose: &mut Chooser, layer: &mut Layer<'_>) {
    let metadata = Doc::map([("name", Doc::scalar("step"))]);
    let (kind, field, value) = match choose.below(5) {
        0 => ("LabelTransformer", "labels", labels(choose)),
        1 => ("AnnotationsTransformer", "annotations", Doc::map([("note", Doc::scalar("step"))])),
        2 => ("PrefixTransformer", "prefix", Doc::scalar("step-")),
        3 => ("SuffixTransformer", "suffix", Doc::scalar("-step")),
        _ => (
            "ImageTagTransformer",
            "imageTag",
            Doc::map([("name", Doc::scalar("nginx")), ("newTag", Doc::scalar("v9"))]),
        ),
    };
    let mut config = Doc::map([
        ("apiVersion", Doc::scalar("builtin")),
        ("kind", Doc::scalar(kind)),
        ("metadata", metadata),
        (field, value),
    ]);
    // Maps for maps, scalars for scalars: the other way round is an error that shows what the reference keeps in annotations.
    let path = match kind {
        "LabelTransformer" | "AnnotationsTransformer" => {
            choose.one(&["metadata/labels", "metadata/annotations", "spec/template/metadata/labels", "data"])
        }
        "ImageTagTransformer" => choose.one(&["spec/extra", "spec/containers[]/image", "data/a"]),
        _ => choose.one(&["metadata/name", "metadata/name", "spec/extra", "data/a", "spec/serviceName"]),
    };
    let row =
        Doc::map([("path", Doc::scalar(path)), ("create", Doc::scalar(choose.one(&["true", "false"])))]);
    config.push("fieldSpecs", Doc::List(vec![row]));
    layer.project.yaml(format!("{}/step.yaml", layer.folder), vec![config]);
    layer.kustomization.push("transformers", Doc::List(vec![Doc::scalar("step.yaml")]));
}

fn configurations(choose: &mut Chooser, layer: &mut Layer<'_>) {
    let (table, row) = match choose.below(4) {
        0 => {
            let row =
                Doc::map([("path", Doc::scalar("spec/secretRef/name")), ("kind", Doc::scalar("Thing"))]);
            (
                "nameReference",
                Doc::map([
                    ("kind", Doc::scalar("Secret")),
                    ("version", Doc::scalar("v1")),
                    ("fieldSpecs", Doc::List(vec![row])),
                ]),
            )
        }
        1 => (
            "commonLabels",
            Doc::map([
                ("path", Doc::scalar("spec/labels")),
                ("kind", Doc::scalar("Thing")),
                ("create", Doc::scalar("true")),
            ]),
        ),
        2 => ("images", Doc::map([("path", Doc::scalar("spec/extra")), ("kind", Doc::scalar("Thing"))])),
        _ => {
            ("varReference", Doc::map([("path", Doc::scalar("spec/extra")), ("kind", Doc::scalar("Thing"))]))
        }
    };
    layer
        .project
        .yaml(format!("{}/tables.yaml", layer.folder), vec![Doc::map([(table, Doc::List(vec![row]))])]);
    layer.kustomization.push("configurations", Doc::List(vec![Doc::scalar("tables.yaml")]));
}
