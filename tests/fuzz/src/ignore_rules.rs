//! Ignore rules: sections `.sourceignore`, `FOLDER/.sourceignore` and `spec`; `paths` lists files, a folder ends in `/`.

use millrace_artifact::archive::{self, Limits};
use millrace_artifact::files::MemoryTree;
use millrace_artifact::ignore::{FILE_NAME, Rules};
use millrace_artifact::tree::{Entry, Kind, Tree};

use crate::sections::{sections, text_of};

const MAX_PATHS: usize = 64;

pub(crate) fn run(data: &[u8]) {
    let sections = sections(data);
    let mut tree = MemoryTree::default();
    for section in &sections {
        let folder = section.name.strip_suffix(FILE_NAME).map(|folder| folder.trim_end_matches('/'));
        if folder.is_some_and(|folder| folder.is_empty() || is_plain(folder)) {
            tree.add_file(&section.name, section.text.clone(), false);
        }
    }
    let spec = text_of(&sections, "spec");
    let paths = text_of(&sections, "paths");
    let paths: Vec<&str> = paths.lines().filter(|path| is_plain(path.trim_end_matches('/'))).collect();
    for path in paths.iter().take(MAX_PATHS) {
        match path.strip_suffix('/') {
            Some(folder) => tree.add_folder(folder.trim_end_matches('/')),
            None => tree.add_file(path, *path, false),
        }
    }
    let Ok(rules) = Rules::load(&tree, Some(&spec)) else { return };
    for path in text_of(&sections, "paths").lines().take(MAX_PATHS) {
        for is_folder in [false, true] {
            let verdict = rules.excludes(path.as_bytes(), is_folder);
            let slashes = format!("//{}", path.replace('/', "//"));
            assert_eq!(rules.excludes(slashes.as_bytes(), is_folder), verdict, "slashes change {path:?}");
            assert!(!Rules::none().excludes(path.as_bytes(), is_folder));
        }
    }
    let (bytes, _) = archive::write(&tree, &rules, Vec::new()).expect("a tree in memory is archived");
    let unpacked = Tree::unpack(bytes.as_slice(), &std::env::temp_dir(), &Limits::default());
    check(&unpacked.expect("an archive that was written is read").root(), "", &rules);
}

/// No file of an archive is one that the rules leave out.
fn check(folder: &Entry<'_>, path: &str, rules: &Rules) {
    for entry in folder.children() {
        let path = if path.is_empty() { entry.name().to_owned() } else { format!("{path}/{}", entry.name()) };
        match entry.kind() {
            Kind::File { .. } => assert!(!rules.excludes(path.as_bytes(), false), "{path:?} is left out"),
            Kind::Folder => check(&entry, &path, rules),
        }
    }
}

/// Whether a path is one that a file system has, and that cannot be both file and folder here.
fn is_plain(path: &str) -> bool {
    let parts = path.split('/');
    !path.is_empty()
        && !path.contains(['\0', '\\'])
        && path.len() < 1000
        && parts.clone().count() < 20
        // A folder that ends in two dots is archived, and refused where it is read, as the original has it.
        && parts.into_iter().all(|part| !matches!(part, "" | ".") && !part.ends_with(".."))
}
