//! Targets whose errors are many, long or far apart.

use super::{Expected, Row, config_map, config_maps};

fn list(field: &str, count: usize, entry: impl Fn(usize) -> String) -> String {
    (0..count).fold(format!("{field}:\n"), |text, index| text + "- " + &entry(index) + "\n")
}

pub(super) fn rows() -> Vec<Row> {
    let mut crowd: Vec<(String, String)> =
        (0..5_000).map(|index| (format!("file{index}.yaml"), config_map(&format!("c{index}")))).collect();
    crowd.push((
        "kustomization.yaml".to_owned(),
        list("resources", 5_000, |index| format!("flie{index}.yml")),
    ));
    let crowd: Vec<(&str, String)> = crowd.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
    let patches = list("patches", 3_000, |index| {
        format!("patch: '{{apiVersion: v1, kind: ConfigMap, metadata: {{name: d{index}}}}}'")
    });
    let replacements = list("replacements", 3_000, |index| {
        format!("{{source: {{kind: ConfigMap, name: d{index}}}, targets: [{{select: {{kind: ConfigMap}}}}]}}")
    });
    let many = config_maps(5_000);
    let broken = (0..2_000).fold(config_map("a"), |text, index| format!("{text}a{index}: {{{{ x }}}}y\n"));
    let target = |extra: String| format!("resources: [a.yaml]\n{extra}");
    vec![
        Row::new(
            "thousands of entries that are missing",
            &[("kustomization.yaml", list("resources", 20_000, |index| format!("f{index}.yaml")))],
            Expected::Input("no such file or directory"),
        ),
        Row::new(
            "missing files among thousands of near names",
            &crowd,
            Expected::Input("no such file or directory"),
        ),
        Row::new(
            "thousands of patches without objects",
            &[("kustomization.yaml", target(patches)), ("a.yaml", many.clone())],
            Expected::Input("failed to find unique target"),
        ),
        Row::new(
            "thousands of replacements without sources",
            &[("kustomization.yaml", target(replacements)), ("a.yaml", many)],
            Expected::Input("nothing selected by"),
        ),
        Row::new(
            "a name without end that is not there",
            &[
                (
                    "kustomization.yaml",
                    target(format!("replicas: [{{name: {}, count: 1}}]", "a".repeat(60_000))),
                ),
                ("a.yaml", config_map("a")),
            ],
            Expected::Input("resource with name aaa"),
        ),
        Row::new(
            "a field without end that is not known",
            &[("kustomization.yaml", format!("? {}\n: x\n", "a".repeat(50_000)))],
            Expected::Input("unknown field"),
        ),
        Row::new(
            "many lines that are not YAML",
            &[("kustomization.yaml", target(String::new())), ("a.yaml", broken)],
            Expected::Input(""),
        ),
    ]
}
