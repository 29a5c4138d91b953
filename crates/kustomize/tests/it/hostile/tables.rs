//! What adds rows to the tables: definitions of types, configurations.

use millrace_kustomize::Limits;

use super::{Expected, Row, config_map};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = chains();
    rows.extend(long_texts());
    rows.extend(many_files());
    rows.extend(configurations());
    rows.extend(many_labels());
    rows
}

/// Entries of `labels` beside a table of very many rows.
fn many_labels() -> Vec<Row> {
    let build = |name, table: usize, labels: usize, fields: &str| {
        let rows: String = (0..table).map(|number| format!("- {{path: a{number}/b, kind: K}}\n")).collect();
        let labels: String =
            (0..labels).map(|number| format!("- {{pairs: {{l{number}: v}}{fields}}}\n")).collect();
        let files = [
            (
                "kustomization.yaml",
                format!("resources: [a.yaml]\nconfigurations: [c.yaml]\nlabels:\n{labels}"),
            ),
            ("c.yaml", format!("labels:\n{rows}")),
            ("a.yaml", config_map("a")),
        ];
        move |expected| Row::new(name, &files, expected)
    };
    let made = Expected::Limit("the steps of the build make more than the limit of 2000000 bytes");
    vec![
        build("many labels and a long table", 5000, 500, "")(Expected::Objects(1)),
        build("many labels with fields and a long table", 5000, 500, ", fields: [{path: c/d}]")(made)
            .under(Limits { made_bytes: 2_000_000, ..Limits::default() }),
    ]
}

/// Definitions of types that refer to each other.
fn chains() -> Vec<Row> {
    let crds = |name, definitions: String, expected| {
        let head = r#""Thing": {"Schema": {"properties": {"kind": {}, "apiVersion": {}, "metadata": {}, "x": {"$ref": "d0"}}}}"#;
        let files = [
            ("kustomization.yaml", "resources: [a.yaml]\ncrds: [crds.json]".to_owned()),
            ("a.yaml", config_map("a")),
            ("crds.json", format!("{{{head}{definitions}}}")),
        ];
        Row::new(name, &files, expected)
    };
    let refer = |count: usize, properties: &[&str]| -> String {
        let one = |number: usize| {
            let property = |name: &&str| format!(r#""{name}": {{"$ref": "d{}"}}"#, number + 1);
            let properties: Vec<String> = properties.iter().map(property).collect();
            format!(r#", "d{number}": {{"Schema": {{"properties": {{{}}}}}}}"#, properties.join(", "))
        };
        (0..count).map(one).collect()
    };
    // A chain of definitions, the last of which has properties that are rows.
    let marked = |chain: usize, key: &str, count: usize| -> String {
        let row = |number: usize| format!(r#""r{number}": {{"x-kubernetes-annotation": ""}}"#);
        let rows: Vec<String> = (0..count).map(row).collect();
        let last = format!(r#", "d{chain}": {{"Schema": {{"properties": {{{}}}}}}}"#, rows.join(", "));
        refer(chain, &[key]) + &last
    };
    vec![
        crds(
            "a definition that comes back to itself",
            r#", "d0": {"Schema": {"properties": {"p": {"$ref": "d1"}}}}, "d1": {"Schema": {"properties": {"q": {"$ref": "d0"}}}}"#
                .to_owned(),
            Expected::Input("definition 'd0' refers to itself by 'x/p/q'"),
        ),
        crds(
            "a definition whose name would be another line",
            r#", "d0": {"Schema": {"properties": {"p": {"$ref": "d\nhint: do\u001b[31m"}}}}, "d\nhint: do\u001b[31m": {"Schema": {"properties": {"q\n": {"$ref": "d\nhint: do\u001b[31m"}}}}"#
                .to_owned(),
            Expected::Input("definition 'd\\nhint: do\\u{1b}[31m' refers to itself by 'x/p/q\\n'"),
        ),
        crds("a definition of very many rows", marked(1, "p", 60_000), Expected::Objects(1)),
        crds(
            "rows at the end of a very long way",
            marked(300, &"p".repeat(4000), 300),
            Expected::Limit("definitions lead to rows of more than 33554432 bytes"),
        ),
        crds("a chain of definitions", refer(400, &["p"]), Expected::Objects(1)),
        crds(
            "a chain of twenty thousand definitions",
            refer(20_000, &["p"]),
            Expected::Limit("definitions refer to each other more than 500 levels deep"),
        ),
        crds(
            "definitions with very many ways through them",
            refer(60, &["p", "q"]),
            Expected::Limit("definitions lead to more than 1000000 properties"),
        ),
    ]
}

/// The text of a definition that is a kind, with more properties.
fn kind(name: &str, properties: &str) -> String {
    format!(
        r#""{name}": {{"Schema": {{"properties": {{"kind": {{}}, "apiVersion": {{}}, "metadata": {{}}{properties}}}}}}}"#
    )
}

/// Texts that many rows share.
fn long_texts() -> Vec<Row> {
    const LENGTH: usize = 200_000;
    const COUNT: usize = 2000;
    let crds = |name, definitions: &str| {
        let files = [
            ("kustomization.yaml", "resources: [a.yaml]\ncrds: [crds.json]".to_owned()),
            ("a.yaml", config_map("a")),
            ("crds.json", format!("{{{definitions}}}")),
        ];
        Row::new(name, &files, Expected::Objects(1))
    };
    let marked: String =
        (0..COUNT).map(|number| format!(r#", "r{number}": {{"x-kubernetes-identity": ""}}"#)).collect();
    let referring: String = (0..COUNT).map(|number| format!(r#", "r{number}": {{"$ref": "d"}}"#)).collect();
    let reference = format!(
        r#""q": {{"x-kubernetes-object-ref-api-version": "v1", "x-kubernetes-object-ref-kind": "{}"}}"#,
        "z".repeat(LENGTH)
    );
    vec![
        crds("rows of a kind with a very long name", &kind(&"k".repeat(LENGTH), &marked)),
        crds(
            "rows for references to a kind with a very long name",
            &(kind("Thing", &referring)
                + &format!(r#", "d": {{"Schema": {{"properties": {{{reference}}}}}}}"#)),
        ),
    ]
}

/// Files each of which is within bounds.
fn many_files() -> Vec<Row> {
    const FILES: usize = 60;
    let build = |name, levels: usize, last: &str, expected| {
        let names: Vec<String> = (0..FILES).map(|number| format!("c{number}.json")).collect();
        let mut files = vec![
            ("kustomization.yaml", format!("resources: [a.yaml]\ncrds: [{}]", names.join(", "))),
            ("a.yaml", config_map("a")),
        ];
        for (number, name) in names.iter().enumerate() {
            let root = kind(&format!("T{number}"), r#", "x": {"$ref": "d0"}"#);
            let between = |level| {
                let both = format!(r#""p": {{"$ref": "d{0}"}}, "q": {{"$ref": "d{0}"}}"#, level + 1);
                format!(r#", "d{level}": {{"Schema": {{"properties": {{{both}}}}}}}"#)
            };
            let between: String = (0..levels).map(between).collect();
            let last = format!(r#", "d{levels}": {{"Schema": {{"properties": {{"z": {{{last}}}}}}}}}"#);
            files.push((name, format!("{{{root}{between}{last}}}")));
        }
        Row::new(name, &files, expected)
    };
    vec![
        build(
            "files of definitions that lead to very many properties together",
            16,
            "",
            Expected::Limit("definitions lead to more than 1000000 properties"),
        ),
        build(
            "files of definitions that lead to very many rows together",
            14,
            r#""x-kubernetes-annotation": "", "x-kubernetes-label-selector": "", "x-kubernetes-identity": """#,
            Expected::Limit("definitions lead to rows of more than 33554432 bytes"),
        ),
    ]
}

fn configurations() -> Vec<Row> {
    let keys: String = (0..20_000).map(|key| format!("a{key}: 1, ")).collect();
    vec![Row::new(
        "a file of configurations of twenty thousand keys on a line",
        &[("kustomization.yaml", "configurations: [a.yaml]".to_owned()), ("a.yaml", format!("{{{keys}}}"))],
        Expected::Input("unknown field"),
    )]
}
