//! Which files reach an artifact.

use std::collections::BTreeMap;
use std::io::Read as _;

use millrace_api::meta::Algorithm;
use millrace_artifact::files::MemoryTree;
use millrace_artifact::ignore::Rules;
use millrace_artifact::{archive, digest};
use serde::Deserialize;

use crate::cases::{Case, File};
use crate::compare::{same, same_text, strings};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Form {
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    contents: BTreeMap<String, Content>,
    #[serde(default)]
    directories: Vec<String>,
    spec_ignore: Option<String>,
    #[serde(default)]
    patterns: Vec<String>,
    #[serde(default)]
    domain: String,
    expect: Expect,
}

#[derive(Deserialize)]
struct Content {
    #[serde(default)]
    content: String,
    #[serde(default)]
    exec: bool,
    symlink: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Expect {
    #[serde(default)]
    archive: Vec<String>,
    tar_sha256: Option<String>,
    #[serde(default)]
    ignored: Vec<String>,
    #[serde(default)]
    kept: Vec<String>,
}

pub(super) fn check(_: &File, case: &Case) -> Result<(), String> {
    match case.area() {
        area @ ("bucket" | "sparse") => Err(format!("area {area:?} waits for its source kind")),
        "matcher" => matcher(&case.decode()?),
        _ => archive_of(&case.decode()?),
    }
}

fn matcher(form: &Form) -> Result<(), String> {
    let mut rules = Rules::none();
    rules.add(&form.domain, &form.patterns.join("\n"));
    let excludes = |path: &&String| rules.excludes(path.as_bytes(), path.ends_with('/'));
    let kept: Vec<&String> = form.expect.ignored.iter().filter(|path| !excludes(path)).collect();
    let ignored: Vec<&String> = form.expect.kept.iter().filter(excludes).collect();
    if kept.is_empty() && ignored.is_empty() {
        return Ok(());
    }
    Err(format!(
        "patterns {:?}: kept {kept:?} and ignored {ignored:?}, each the other way round in the original",
        form.patterns
    ))
}

fn archive_of(form: &Form) -> Result<(), String> {
    let tree = tree(form);
    let rules = Rules::load(&tree, form.spec_ignore.as_deref()).map_err(|error| error.to_string())?;
    let (bytes, _) = archive::write(&tree, &rules, Vec::new()).map_err(|error| error.to_string())?;
    let mut tar = Vec::new();
    flate2::read::GzDecoder::new(bytes.as_slice())
        .read_to_end(&mut tar)
        .map_err(|error| error.to_string())?;
    let members = members(&tar).map_err(|error| error.to_string())?;
    same("archive", &strings(members), &strings(form.expect.archive.clone()))?;
    let Some(expected) = &form.expect.tar_sha256 else { return Ok(()) };
    let found = digest::of_reader(Algorithm::Sha256, tar.as_slice()).map_err(|error| error.to_string())?;
    same_text("digest of the tar", found.hex(), expected)
}

fn tree(form: &Form) -> MemoryTree {
    let mut tree = MemoryTree::default();
    for path in &form.files {
        tree.add_file(path, "x", false);
    }
    for (path, content) in &form.contents {
        match &content.symlink {
            Some(target) => tree.add_symlink(path, target),
            None => tree.add_file(path, content.content.as_bytes(), content.exec),
        }
    }
    for path in &form.directories {
        tree.add_folder(path);
    }
    tree
}

/// The members in the notation of the recorded cases.
fn members(tar: &[u8]) -> std::io::Result<Vec<String>> {
    let mut archive = tar::Archive::new(tar);
    let mut members = Vec::new();
    for member in archive.entries()? {
        let member = member?;
        let path = String::from_utf8_lossy(&member.path_bytes()).into_owned();
        let (slash, usual) = if member.header().entry_type().is_dir() { ("/", 0o750) } else { ("", 0o600) };
        members.push(match member.header().mode()? {
            mode if mode == usual => format!("{path}{slash}"),
            mode => format!("{path}{slash} {mode:o}"),
        });
    }
    Ok(members)
}
