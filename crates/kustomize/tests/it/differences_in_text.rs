//! Where text that is written in another way than usual once came out otherwise than with the reference program; expected texts
//! are the reference's.

use millrace_kustomize::{MemoryFiles, Options, build};

const OBJECT: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n";
const RESOURCES: &[u8] = b"resources: [a.yaml]\n";

/// What is printed, or the reference's words.
fn built(files: &[(&str, &[u8])]) -> Result<String, String> {
    let mut memory = MemoryFiles::new();
    for (path, content) in files {
        memory.insert(path, *content);
    }
    let output = build(&memory, "", &Options::cli("/r")).map_err(|error| error.reference.clone())?;
    Ok(output.to_yaml())
}

fn of_object(text: &[u8]) -> Result<String, String> {
    built(&[("kustomization.yaml", RESOURCES), ("a.yaml", text)])
}

/// UTF-16 behind its byte order mark, in either order of bytes.
fn utf16(text: &str) -> [Vec<u8>; 2] {
    let units = || std::iter::once(0xfeff).chain(text.encode_utf16());
    [units().flat_map(u16::to_le_bytes).collect(), units().flat_map(u16::to_be_bytes).collect()]
}

#[test]
fn a_node_in_an_error_stands_in_the_brackets_in_which_it_was_read() {
    for (value, shown) in [
        ("[a, {b: c}]", "[a, {b: c}]"),
        ("{\"json\": [1, \"a\"]}", "{\"json\": [1, \"a\"]}"),
        ("\n  - k: [a, {b: c}]\n  - z: 1", "- k: [a, {b: c}]\n- z: 1"),
        ("[2020-01-01, 2020-01-01T00:00:00Z, ~, null]", "[2020-01-01, '2020-01-01T00:00:00Z', ~, null]"),
        ("{a: on, b: 12:30, c: 1e3, d: -, e: }", "{a: on, b: '12:30', c: 1e3, d: '-', e: ''}"),
        ("{a: &x [1, 2], b: *x}", "{a: [1, 2], b: [1, 2]}"),
        ("{f: \'g\n      h\', a: \"x\\ny\"}", "{f: 'g h', a: \"x\\ny\"}"),
    ] {
        let object = format!("{OBJECT}spec:\n  ref: {value}\n");
        let kustomization = b"resources: [a.yaml]\nnameSuffix: -x\nconfigurations: [c.yaml]\n";
        let configuration = b"nameSuffix:\n- path: spec/ref\n";
        let error = built(&[
            ("kustomization.yaml", kustomization),
            ("c.yaml", configuration),
            ("a.yaml", object.as_bytes()),
        ]);
        let error = error.expect_err(value);
        let (_, contents) = error.split_once(" node contents:\n").unwrap_or_default();
        assert_eq!(contents, format!("{shown}\n"), "{error}");
    }
}

#[test]
fn a_template_in_the_place_of_a_value_is_refused_when_the_object_is_printed() {
    let of = |text: &str| of_object(text.as_bytes()).expect_err(text);
    assert!(
        of("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Values.name }}\n")
            .contains("missing metadata.name in object {{v1 ConfigMap} {{ } map[] map[]}}"),
    );
    assert!(
        of(&OBJECT.replace("ConfigMap", "{{ x }}"))
            .contains("missing kind in object {{v1 } {{a } map[] map[]}}")
    );
    let printed = "map[string]interface {}(nil): yaml: invalid map key: map[string]interface {}{\"x\":\"\"}";
    for part in ["data: {{ x }}\n", "data:\n  a: {{ x }}\n", "  labels: {{ x }}\n", "  namespace: {{ x }}\n"]
    {
        assert_eq!(of(&format!("{OBJECT}{part}")), printed, "{part}");
    }
    for lost in ["{{ x }}\n", "{{ x }}: y\n", "--- # c\n{{ x }}\n---\n"] {
        assert!(of(lost).contains(": missing Resource metadata'"), "{lost}");
    }
    for kind in ["List", "ConfigMapList"] {
        assert!(of_object(format!("apiVersion: v1\nkind: {kind}\nitems: {{{{ x }}}}\n").as_bytes()).is_err());
        assert!(
            of_object(format!("apiVersion: v1\nkind: {kind}\nitems:\n- {{{{ x }}}}\n").as_bytes()).is_err()
        );
    }
    let patched = built(&[
        ("kustomization.yaml", b"resources: [a.yaml]\npatches: [{path: p.yaml}]\n"),
        ("a.yaml", OBJECT.as_bytes()),
        ("p.yaml", format!("{OBJECT}data: {{{{ x }}}}\n").as_bytes()),
    ]);
    assert!(patched.is_err(), "a patch with a template changes nothing: {patched:?}");
}

#[test]
fn a_file_that_is_no_utf_8_is_refused_where_it_is_yaml() {
    let file = |problem: &str| {
        Err(format!(
            "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: {problem} in File: a.yaml"
        ))
    };
    for (end, problem) in [
        (&b"data:\n  a: \xff\n"[..], "invalid leading UTF-8 octet"),
        (b"data:\n  a: b # \xe4\n", "incomplete UTF-8 octet sequence"),
        (b"data:\n  a: \xc3(\n", "invalid trailing UTF-8 octet"),
        (b"data:\n  a: \xed\xa0\x80\n", "invalid Unicode character"),
        (b"data:\n  a: \xc0\x80\n", "invalid length of a UTF-8 sequence"),
    ] {
        assert_eq!(of_object(&[OBJECT.as_bytes(), end].concat()), file(problem));
    }
    let beside = |kustomization: &str, content: &[u8]| {
        built(&[
            ("kustomization.yaml", format!("resources: [a.yaml]\n{kustomization}\n").as_bytes()),
            ("a.yaml", OBJECT.as_bytes()),
            ("f", content),
        ])
    };
    assert_eq!(
        beside("configurations: [f]", b"nameReference: []\n# \xff\n"),
        Err("error converting YAML to JSON: yaml: invalid leading UTF-8 octet".to_owned())
    );
    assert_eq!(
        beside("crds: [f]", b"a: \xff\n"),
        Err("loading CRDs [f]: unable to parse open API definition from 'f': error converting YAML to JSON: yaml: \
             invalid leading UTF-8 octet"
            .to_owned())
    );
    let patch = "patches: [{path: f, target: {kind: ConfigMap}}]";
    assert!(beside(patch, b"- op: add\n  path: /x\n  value: \xff\n").is_err(), "a patch in YAML");
    // What is JSON is read all the same.
    assert_eq!(
        beside(patch, b"[{\"op\": \"add\", \"path\": \"/x\", \"value\": \"\xff\"}]\n"),
        Ok(format!("{OBJECT}x: \u{fffd}\n"))
    );
    let own = built(&[
        ("kustomization.yaml", b"resources: [a.yaml]\nnamePrefix: \xff\n"),
        ("a.yaml", OBJECT.as_bytes()),
    ]);
    assert_eq!(own, Err("invalid Kustomization: yaml: invalid leading UTF-8 octet".to_owned()));
}

#[test]
fn utf_16_behind_a_byte_order_mark_is_read() {
    let text = format!("{OBJECT}data: {{a: \u{e9}\u{1f600}}}\n---\n{}", OBJECT.replace("name: a", "name: b"));
    let expected =
        "apiVersion: v1\ndata:\n  a: \"\u{e9}\\U0001F600\"\nkind: ConfigMap\nmetadata:\n  name: a\n";
    for file in utf16(&text) {
        assert_eq!(of_object(&file).as_deref(), Ok(expected));
        let mut cut = file;
        cut.push(0);
        assert!(
            of_object(&cut).is_err_and(|error| error.contains("yaml: incomplete UTF-16 character in File"))
        );
    }
    for file in utf16("resources: [a.yaml]\nnamePrefix: p-\n") {
        let prefixed = built(&[("kustomization.yaml", &file), ("a.yaml", OBJECT.as_bytes())]);
        assert_eq!(prefixed, Ok(OBJECT.replace("name: a", "name: p-a")));
    }
}

#[test]
fn generated_text_that_begins_with_a_tab_is_refused() {
    let generated = |options: &str| {
        let kustomization = format!("configMapGenerator: [{{name: g, files: [f, h]{options}\n");
        let object = OBJECT.replace("name: a", "name: g");
        built(&[
            ("kustomization.yaml", kustomization.as_bytes()),
            ("a.yaml", object.as_bytes()),
            ("f", b"a\n\tb\n"),
            ("h", b"\ta\nb\n"),
        ])
    };
    let problem = "found a tab character where an indentation space is expected";
    assert_eq!(generated("}]"), Err(format!("yaml: line 4: {problem}")));
    assert_eq!(
        generated(", behavior: merge}]\nresources: [a.yaml]"),
        Err(format!(
            "map[string]interface {{}}{{\"apiVersion\":\"v1\", \"data\":map[string]interface {{}}{{\"f\":\"a\\n\\tb\\n\", \
             \"h\":\"\\ta\\nb\\n\"}}, \"kind\":\"ConfigMap\", \"metadata\":map[string]interface \
             {{}}{{\"name\":\"g\"}}}}: yaml: line 9: {problem}"
        ))
    );
    // In quotes it is text like any other.
    let block = format!("{OBJECT}data:\n  a: |2\n    \tb\n");
    assert!(
        of_object(block.as_bytes()).is_err_and(|error| error.ends_with(&format!("yaml: line 6: {problem}")))
    );
    let quoted = format!("{OBJECT}data:\n  a: \"\\tb\\nc\"\n");
    assert!(of_object(quoted.as_bytes()).is_ok());
}
