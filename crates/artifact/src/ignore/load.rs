//! Finds the ignore files of a tree.

use std::io::{self, Read as _};

use super::{FILE_NAME, Rules, components};
use crate::files::{Child, FileTree, Kind, find, sorted};

/// The longest ignore file that is read.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// The most symbolic links that lead to one ignore file.
const MAX_LINKS: usize = 8;

/// Adds every `.sourceignore`: the root's first, then those of the folders in name order, depth first.
pub(super) fn add_ignore_files<T: FileTree>(tree: &T, rules: &mut Rules) -> io::Result<()> {
    let mut folders = vec![(Vec::new(), tree.root())];
    while let Some((path, folder)) = folders.pop() {
        let children = sorted(tree, &folder)?;
        if let Some(child) = children.iter().find(|child| child.name == FILE_NAME.as_bytes())
            && let Some(file) = resolve(tree, &path, child)?
        {
            let mut text = Vec::new();
            tree.open(&file)?.reader.take(MAX_FILE_BYTES + 1).read_to_end(&mut text)?;
            if text.len() as u64 > MAX_FILE_BYTES {
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, "ignore file is too large"));
            }
            rules.add_bytes(&path, &text);
        }
        // The stack hands out the last one first.
        for child in children.into_iter().rev() {
            if child.kind == Kind::Folder && child.name != b".git" {
                folders.push((join(&path, &child.name), child.id));
            }
        }
    }
    Ok(())
}

/// Returns the file that `child` of `folder` is or leads to, if that lies inside the tree.
fn resolve<T: FileTree>(tree: &T, folder: &[u8], child: &Child<T::Id>) -> io::Result<Option<T::Id>> {
    let mut path = join(folder, &child.name);
    let mut found = child.clone();
    for _ in 0..=MAX_LINKS {
        match found.kind {
            Kind::File { .. } => return Ok(Some(found.id)),
            Kind::Folder | Kind::Other => return Ok(None),
            Kind::Symlink => {}
        }
        let target = tree.read_link(&found.id)?;
        let parent: Vec<&[u8]> = components(&path).collect();
        let Some(next) = relative(&parent[..parent.len() - 1], &target) else { return Ok(None) };
        let Some(at) = find(tree, &next)? else { return Ok(None) };
        found = at;
        path = next;
    }
    Ok(None)
}

/// Resolves `target` from the folder `base`; `None` for what is absolute or leaves the tree.
fn relative(base: &[&[u8]], target: &[u8]) -> Option<Vec<u8>> {
    if target.starts_with(b"/") {
        return None;
    }
    let mut parts = base.to_vec();
    for part in components(target) {
        match part {
            b"." => {}
            b".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join(&b'/'))
}

fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    if folder.is_empty() { name.to_vec() } else { [folder, name].join(&b'/') }
}
