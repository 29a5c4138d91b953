//! Patches: the sections `object`, `strategic` and `json` are an object and what is applied to it, each by itself and both.

use millrace_kustomize::{BuildError, Limits, MemoryFiles, Options, build};

use crate::kustomize_build::{check, check_error};
use crate::sections::{sections, text_of};

const MAX_INPUT: usize = 1 << 15;
/// A patch of operations says nothing of its object, so it needs a target.
const TARGET: &str = "target: {kind: .*}";

pub(crate) fn run(data: &[u8]) {
    if data.len() > MAX_INPUT {
        return;
    }
    let sections = sections(data);
    let mut files = MemoryFiles::new();
    for name in ["object", "strategic", "json"] {
        files.insert(&format!("{name}.yaml"), text_of(&sections, name));
    }
    let strategic = "{path: strategic.yaml}".to_owned();
    let aimed = format!("{{path: strategic.yaml, {TARGET}}}");
    let json = format!("{{path: json.yaml, {TARGET}}}");
    for patches in [strategic.clone(), aimed, json.clone(), format!("{strategic}, {json}")] {
        let kustomization = format!("resources: [object.yaml]\npatches: [{patches}]\n");
        files.insert("kustomization.yaml", kustomization);
        let limits = Limits { resources: 200, bytes: 1 << 18, ..Limits::default() };
        match build(&files, "", &Options { limits, ..Options::cli("/srv") }) {
            Ok(output) => check(&output, &limits),
            Err(error) => refuse(&error),
        }
    }
}

/// The kustomization file is ours: it is never what is wrong.
fn refuse(error: &BuildError) {
    check_error(error);
    assert!(!error.reference.contains("invalid Kustomization"), "{error}");
}
