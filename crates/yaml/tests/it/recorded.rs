//! Outputs that the reference printed come back unchanged.

use std::path::{Path, PathBuf};

use millrace_yaml::read::{Limits, Resolver, documents, one};
use millrace_yaml::{canonicalize, from_node, print};
use serde::Deserialize;

#[derive(Deserialize)]
struct Cases {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    id: String,
    #[serde(default)]
    output: Option<String>,
    #[serde(default)]
    files: std::collections::BTreeMap<String, File>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum File {
    Text(String),
    #[expect(dead_code, reason = "links and binary files are of no interest here")]
    Other(std::collections::BTreeMap<String, String>),
}

fn shared(path: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(path);
    if !path.exists() {
        eprintln!("skipped: {} is absent", path.display());
        return None;
    }
    Some(path)
}

fn cases() -> Vec<Case> {
    let files =
        ["kustomize/checks.yaml", "conformance/kustomize/krusty.yaml", "conformance/kustomize/field.yaml"];
    let read = |path: PathBuf| -> Vec<Case> {
        let text = std::fs::read_to_string(&path).unwrap();
        let cases = one(&text, Resolver::Kubernetes, &Limits::default())
            .unwrap_or_else(|err| panic!("{}: {err}", path.display()));
        from_node::<Cases>(&cases.node).unwrap_or_else(|err| panic!("{}: {err}", path.display())).cases
    };
    files.into_iter().filter_map(shared).flat_map(read).collect()
}

/// Reads with the resolver and prints again.
fn again(text: &str, resolver: Resolver) -> String {
    let mut nodes: Vec<_> = documents(text, resolver, &Limits::default())
        .unwrap()
        .into_iter()
        .map(|document| document.node)
        .collect();
    for node in &mut nodes {
        canonicalize(node).unwrap();
    }
    print::documents(&nodes)
}

/// Kustomization-build contract §7.2: byte-equal output, whoever reads it.
#[test]
fn every_recorded_output_is_printed_as_it_was() {
    let mut printed = 0;
    for case in cases() {
        let Some(output) = case.output.filter(|output| !output.is_empty()) else { continue };
        for resolver in [Resolver::Kubernetes, Resolver::Kustomize] {
            let actual = again(&output, resolver);
            assert!(
                actual == output,
                "{} {resolver:?}\n--- expected\n{output}\n--- actual\n{actual}",
                case.id
            );
        }
        printed += 1;
    }
    eprintln!("{printed} recorded outputs printed again");
}

#[test]
fn every_recorded_input_is_read_without_a_panic_and_prints_stably() {
    for case in cases() {
        for (path, file) in &case.files {
            let File::Text(text) = file else { continue };
            for resolver in [Resolver::Kubernetes, Resolver::Kustomize] {
                let Ok(found) = documents(text, resolver, &Limits::default()) else { continue };
                for mut document in found {
                    if canonicalize(&mut document.node).is_err() {
                        continue;
                    }
                    let once = print::to_yaml(&document.node);
                    assert_eq!(again(&once, Resolver::Kubernetes), once, "{} {path}", case.id);
                }
            }
        }
    }
}
