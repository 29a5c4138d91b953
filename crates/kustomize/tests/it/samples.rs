//! Whole repositories: every folder with a kustomization file builds, apart from those that a layer above completes.

use std::path::{Path, PathBuf};

use millrace_kustomize::{MemoryFiles, Options, build};

fn load(root: &Path, folder: &Path, files: &mut MemoryFiles, targets: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        let relative = path.strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
        if path.is_dir() {
            load(root, &path, files, targets);
        } else if let Ok(content) = std::fs::read(&path) {
            if let Some(target) = relative.strip_suffix("kustomization.yaml") {
                targets.push(target.trim_end_matches('/').to_owned());
            }
            files.insert(&relative, content);
        }
    }
}

#[test]
fn the_targets_of_whole_repositories_build() {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/samples"));
    let (mut files, mut targets) = (MemoryFiles::new(), Vec::new());
    load(&root, &root, &mut files, &mut targets);
    if targets.is_empty() {
        eprintln!("skipped: {} is absent", root.display());
    }
    let mut built = 0;
    for target in &targets {
        match build(&files, target, &Options::flux("/r")) {
            Ok(output) => built += usize::from(!output.resources.is_empty()),
            Err(error) => eprintln!("{target}: {error}"),
        }
    }
    eprintln!("{built} of {} targets built", targets.len());
    assert!(built * 10 >= targets.len() * 8, "{built} of {} targets built", targets.len());
}
