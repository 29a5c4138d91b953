//! Error texts are go-yaml's, line numbers included; they differ between its versions.

use millrace_yaml::read::{
    DuplicateKey, Limits, ReadError, Resolver, Step, documents, documents_from_slice, locate, one,
};
use millrace_yaml::{CanonicalError, Node, canonicalize};

fn error(text: &str, resolver: Resolver) -> String {
    one(text, resolver, &Limits::default())
        .map_or_else(|err| err.to_string(), |document| format!("{:?}", document.node))
}

#[test]
fn syntax_errors_name_problem_and_line() {
    for (text, v2, v3) in [
        (
            "a: b: c",
            "yaml: mapping values are not allowed in this context",
            "yaml: mapping values are not allowed in this context",
        ),
        (
            "x: 1\na: b: c",
            "yaml: line 2: mapping values are not allowed in this context",
            "yaml: line 2: mapping values are not allowed in this context",
        ),
        (
            "a: [1, 2\nb: 3\n",
            "yaml: line 1: did not find expected ',' or ']'",
            "yaml: line 1: did not find expected ',' or ']'",
        ),
        (
            "a: 'x\n",
            "yaml: line 2: found unexpected end of stream",
            "yaml: line 2: found unexpected end of stream",
        ),
        (
            "a:\n\tb: 1",
            "yaml: line 2: found character that cannot start any token",
            "yaml: line 2: found character that cannot start any token",
        ),
        (
            "a: @b",
            "yaml: found character that cannot start any token",
            "yaml: found character that cannot start any token",
        ),
        (
            "a: 1\n b: 2",
            "yaml: line 2: mapping values are not allowed in this context",
            "yaml: line 2: mapping values are not allowed in this context",
        ),
        (
            "a: 1\nb\nc: 2",
            "yaml: line 3: could not find expected ':'",
            "yaml: line 2: could not find expected ':'",
        ),
        (
            "a: - 1",
            "yaml: block sequence entries are not allowed in this context",
            "yaml: block sequence entries are not allowed in this context",
        ),
        (
            "{",
            "yaml: line 1: did not find expected node content",
            "yaml: line 1: did not find expected node content",
        ),
        ("a: *x", "yaml: unknown anchor 'x' referenced", "yaml: unknown anchor 'x' referenced"),
        ("a: \"\\/\"", "yaml: found unknown escape character", "yaml: found unknown escape character"),
        ("a: !!int x", "yaml: cannot decode !!str `x` as a !!int", ""),
        ("a: \u{1}", "yaml: control characters are not allowed", "yaml: control characters are not allowed"),
        (
            "{{ .Values.a }}: 1",
            "yaml: invalid map key: map[interface {}]interface {}{\".Values.a\":interface {}(nil)}",
            "",
        ),
        ("a: .nan", "json: unsupported value: NaN", ""),
    ] {
        assert_eq!(error(text, Resolver::Kubernetes), v2, "{text:?}");
        if !v3.is_empty() {
            assert_eq!(error(text, Resolver::Kustomize), v3, "{text:?}");
        }
    }
}

#[test]
fn a_key_that_is_no_scalar_is_an_error_of_output_with_kustomize() {
    let text = "a: 1\n---\nb:\n  c: {{ .Values.a }}\n  d: {? [x, y] : z}\n";
    let documents = documents(text, Resolver::Kustomize, &Limits::default()).unwrap();
    assert_eq!(documents[0].complex_key, None);
    assert_eq!(documents[1].node.at(&["b", "c"]), Some(&Node::map()));
    let error = documents[1].complex_key.as_ref().expect("an error");
    assert_eq!(error.to_string(), "yaml: invalid map key: map[string]interface {}{\".Values.a\":\"\"}");
    assert_eq!((error.document(), error.line()), (1, Some(4)));
}

#[test]
fn errors_know_their_document_and_their_line_of_the_whole_text() {
    let text = "a: 1\n---\nb: 2\nc: d: e\n";
    for resolver in [Resolver::Kubernetes, Resolver::Kustomize] {
        let err = documents(text, resolver, &Limits::default()).unwrap_err();
        assert_eq!(err.to_string(), "yaml: line 2: mapping values are not allowed in this context");
        assert_eq!((err.document(), err.line()), (1, Some(4)));
    }
}

#[test]
fn bytes_that_are_no_text_are_an_error() {
    let err = documents_from_slice(b"a: \xff", Resolver::Kubernetes, &Limits::default()).unwrap_err();
    assert_eq!(err.to_string(), "yaml: invalid leading UTF-8 octet");
}

#[test]
fn keys_that_stand_twice_are_listed_with_their_lines() {
    let listed = |text: &str| {
        let document = one(text, Resolver::Kustomize, &Limits::default()).unwrap();
        assert_eq!(document.node.get("a").and_then(Node::as_i64), Some(1));
        ReadError::duplicates(&document.duplicates).to_string()
    };
    assert_eq!(
        listed("a: 1\nb:\n  c: 1\n  c: 2\n"),
        "yaml: unmarshal errors:\n  line 4: mapping key \"c\" already defined at line 3"
    );
    assert_eq!(
        listed("a: 1\nb: {c: 1, c: 2}\na: 3\na: 4\n"),
        "yaml: unmarshal errors:\n  line 3: mapping key \"a\" already defined at line 1\n  \
         line 4: mapping key \"a\" already defined at line 1\n  line 4: mapping key \"a\" already defined at line 3"
    );
}

#[test]
fn of_keys_that_stand_twice_the_first_is_found_and_the_others_stay() {
    let many: String = (0..30).map(|number| format!("k{number}: x\n")).collect();
    for more in ["", &many] {
        let text = format!("a: 1\n{more}a: 2\nb: {{a: 3}}\n");
        let mut node = one(&text, Resolver::Kustomize, &Limits::default()).unwrap().node;
        let mut canonical = node.clone();
        assert_eq!(canonicalize(&mut canonical), Err(CanonicalError::Repeated));
        let map = node.as_map_mut().unwrap();
        assert_eq!(map.remove("a").and_then(|first| first.as_i64()), Some(1));
        assert_eq!(map.get("a").and_then(Node::as_i64), Some(2));
        assert_eq!(canonicalize(&mut node), Ok(()));
        let other = one(&text, Resolver::Kubernetes, &Limits::default()).unwrap().node;
        assert_eq!(other.as_map().unwrap().keys().filter(|key| *key == "a").count(), 1);
    }
}

#[test]
fn keys_that_stand_twice_are_told_with_the_lines_of_the_document_as_it_is_printed() {
    let text = "\n# one\n\na: 1\n\n\na: 2\n";
    let lines = |duplicates: &[DuplicateKey]| (duplicates[0].line, duplicates[0].first_line);
    let read = documents(text, Resolver::Kustomize, &Limits::default()).unwrap();
    assert_eq!(lines(&read[0].duplicates), (4, 3));
    assert_eq!(lines(&one(text, Resolver::Kustomize, &Limits::default()).unwrap().duplicates), (7, 4));
}

#[test]
fn lines_of_values_are_found_on_demand() {
    let text = "x: 1\n---\n# comment\na: &a\n  b:\n  - c: 1\n  - d: 2\ne: *a\n";
    for resolver in [Resolver::Kubernetes, Resolver::Kustomize] {
        let document = &documents(text, resolver, &Limits::default()).unwrap()[1];
        let line = |path: &[Step<'_>]| locate(text, resolver, document.first_line, path);
        assert_eq!(line(&[]), Some(4));
        assert_eq!(line(&[Step::Key("a"), Step::Key("b"), Step::Index(1), Step::Key("d")]), Some(7));
        assert_eq!(line(&[Step::Key("e")]), Some(8));
        assert_eq!(line(&[Step::Key("e"), Step::Key("b")]), Some(5));
        assert_eq!(line(&[Step::Key("nope")]), None);
    }
}
