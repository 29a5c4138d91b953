//! Objects, paths and messages that nest as deep as they can.

use super::{Expected, Row, config_map};

/// As deep as a file may nest.
const DEEPEST: usize = 498;

fn object(depth: usize, leaf: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Thing\nmetadata: {{name: a}}\nspec: {}{leaf}{}\n",
        "{a: ".repeat(depth),
        "}".repeat(depth)
    )
}

fn with(name: &'static str, kustomization: &str, object: String, expected: Expected) -> Row {
    let kustomization = format!("resources: [a.yaml]\n{kustomization}");
    Row::new(name, &[("kustomization.yaml", kustomization), ("a.yaml", object)], expected)
}

/// Components inside of one another, the innermost one wrong.
fn components(count: usize) -> Row {
    let head = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n";
    let mut files = vec![("kustomization.yaml".to_owned(), "components: [c]".to_owned())];
    let mut folder = "c".to_owned();
    for _ in 1..count {
        files.push((format!("{folder}/kustomization.yaml"), format!("{head}components: [c]")));
        folder.push_str("/c");
    }
    files.push((format!("{folder}/kustomization.yaml"), format!("{head}resources: ['\"nowhere\"']")));
    let files: Vec<(&str, String)> = files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
    Row::new("an error quoted by forty components", &files, Expected::Input("accumulateDirectory"))
}

pub(super) fn rows() -> Vec<Row> {
    let patch = |depth| format!("patches:\n- patch: |-\n    {}", object(depth, "y").replace('\n', "\n    "));
    let dots = |parts: usize| vec!["a"; parts].join(".");
    let replacement = |parts| {
        format!(
            "replacements: [{{sourceValue: x, targets: [{{select: {{name: a}}, options: {{create: true}}, fieldPaths: [{}]}}]}}]",
            dots(parts)
        )
    };
    let pointer = |count: usize| {
        let add: String = (0..count)
            .map(|level| format!("    - {{op: add, path: {}, value: {{}}}}\n", "/a".repeat(level + 1)))
            .collect();
        format!("patches:\n- target: {{name: a}}\n  patch: |-\n{add}")
    };
    let rows = |depth: usize| {
        let field = vec!["a"; depth].join("/");
        format!(
            "transformers:\n- |-\n  apiVersion: builtin\n  kind: LabelTransformer\n  metadata: {{name: l}}\n  labels: {{k: v}}\n  fieldSpecs: [{{path: {field}, create: true}}]\n"
        )
    };
    let lists = |depth: usize| {
        format!(
            "{}{{apiVersion: v1, kind: ConfigMap, metadata: {{name: a}}}}{}",
            "{apiVersion: v1, kind: List, items: [".repeat(depth),
            "]}".repeat(depth)
        )
    };
    let too_deep = "the field lies deeper than objects may nest";
    let limit = "exceeded max depth of 500";
    vec![
        with("the deepest object", "namePrefix: p-", object(DEEPEST, "x"), Expected::Objects(1)),
        with("an object that is too deep", "", object(DEEPEST + 2, "x"), Expected::Input(limit)),
        with("an object ten thousand deep", "", object(10_000, "x"), Expected::Input(limit)),
        with("the deepest patch", &patch(DEEPEST), object(DEEPEST, "x"), Expected::Objects(1)),
        with("the deepest patch of nothing", &patch(DEEPEST), object(1, "{}"), Expected::Objects(1)),
        with("the deepest path", &replacement(899), config_map("a"), Expected::Objects(1)),
        with("a path that is too deep", &replacement(901), config_map("a"), Expected::Limit(too_deep)),
        with("a path ten thousand deep", &replacement(10_000), config_map("a"), Expected::Limit(too_deep)),
        with("pointers nine hundred deep", &pointer(898), config_map("a"), Expected::Objects(1)),
        with("pointers that are too deep", &pointer(901), config_map("a"), Expected::Limit(too_deep)),
        with("the deepest field of a plugin", &rows(890), config_map("a"), Expected::Objects(1)),
        with(
            "a field of a plugin ten thousand deep",
            &rows(10_000),
            config_map("a"),
            Expected::Input(too_deep),
        ),
        with("lists in lists", "", lists(200), Expected::Objects(1)),
        with("lists in lists that are too deep", "", lists(5000), Expected::Input(limit)),
        components(40),
    ]
}
