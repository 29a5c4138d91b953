//! The recorded cases, and whole repositories.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use super::{compare, difference, original, ours, run, shared};

/// Cases that come out other than the original's, all of them listed with their reasons for the recorded builds.
const DEVIATIONS: &str = include_str!("../../../../../tests/conformance/deviations/kustomize.yaml");

#[derive(Deserialize)]
struct Cases {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Case {
    id: String,
    files: BTreeMap<String, Content>,
    dir: Option<String>,
    load_restrictor: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    /// The message differs from run to run: only the status is compared.
    error_contains: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Link { symlink: String },
    Bytes { base64: String },
}

#[derive(Deserialize)]
struct Listed {
    id: String,
}

impl Case {
    fn write(&self, folder: &Path) {
        for (path, content) in &self.files {
            let place = folder.join(path);
            fs::create_dir_all(place.parent().expect("below the folder")).expect("a folder");
            match content {
                Content::Text(text) => {
                    let root = folder.to_str().expect("a path that is text");
                    fs::write(place, text.replace("{root}", root)).expect("a file");
                }
                Content::Link { symlink } => std::os::unix::fs::symlink(symlink, place).expect("a link"),
                Content::Bytes { base64 } => {
                    let bytes: String = base64.split_whitespace().collect();
                    fs::write(place, STANDARD.decode(bytes).expect("base64")).expect("a file");
                }
            }
        }
    }

    fn difference(&self, original: &Path, folder: &Path) -> Option<String> {
        let folder = folder.join(&self.id);
        fs::create_dir(&folder).expect("a folder");
        self.write(&folder);
        let dir = folder.join(self.dir.as_deref().unwrap_or("."));
        let mut words = vec!["build"];
        words.extend(self.args.iter().map(String::as_str));
        words.extend(
            (self.load_restrictor.as_deref() == Some("none"))
                .then_some("--load-restrictor=LoadRestrictionsNone"),
        );
        // As the cases were recorded, the folder is named in full.
        let dir = dir.to_str().expect("a path that is text").trim_end_matches("/.").to_owned();
        words.push(&dir);
        if self.error_contains.is_some() {
            let (wanted, found) = (run(Command::new(original), &folder, &words), ours(&folder, &words));
            let same = (wanted.status, &wanted.stdout) == (found.status, &found.stdout);
            return (!same && !wanted.agrees(&found))
                .then(|| format!("{}: wanted {wanted:#?}, found {found:#?}", self.id));
        }
        let difference = difference(original, &folder, &words)?;
        Some(format!("{}: {difference}", self.id))
    }
}

#[test]
fn every_recorded_case_gives_the_same_bytes_as_the_original() {
    let Some(original) = original() else { return };
    let listed: Vec<Listed> = serde_yaml::from_str(DEVIATIONS).expect("the list");
    for set in
        ["kustomize/checks.yaml", "conformance/kustomize/krusty.yaml", "conformance/kustomize/field.yaml"]
    {
        let Some(path) = shared(set) else { continue };
        let Cases { cases } = serde_yaml::from_str(&fs::read_to_string(path).expect("cases")).expect("cases");
        let folder = tempfile::tempdir().expect("a folder");
        let real = fs::canonicalize(folder.path()).expect("it is there");
        let compared: Vec<&Case> =
            cases.iter().filter(|case| listed.iter().all(|listed| listed.id != case.id)).collect();
        let different = compare(&compared, |case| case.difference(&original, &real));
        eprintln!("{set}: {} compared, {} different", compared.len(), different.len());
        assert!(different.is_empty(), "{} different\n{}", different.len(), different.join("\n\n"));
    }
}
