//! The submodules of a commit: which there are, and where they come from.

use std::collections::BTreeMap;

use gix::{bstr::BString, config};

use crate::{
    checkout::{Checkout, EntryKind},
    error::{GitError, TreeError},
    remote::Remote,
};

/// The file that says where submodules come from.
const MODULES: &[u8] = b".gitmodules";

/// The longest file that is read for it, in bytes.
const MAX_MODULES_BYTES: u64 = 1 << 20;

/// Entries of all folders of a commit together: the same folder may stand in many places, each of which has others.
const MAX_ENTRIES: usize = 1_000_000;

/// Another repository at a commit, in a folder of this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submodule {
    /// The folder.
    pub path: String,
    /// The hash of the commit.
    pub commit: String,
    /// Where it comes from, as `.gitmodules` has it: it may be relative, see [`relative_to`].
    pub url: Option<String>,
    /// `.gitmodules` says that it is left out.
    pub is_left_out: bool,
}

#[derive(Default)]
struct Module {
    path: Option<String>,
    url: Option<String>,
    is_left_out: bool,
}

/// Finds the submodules of a commit, and with them whether Git would check it out at all. Ends with the time of `remote`.
pub(crate) fn find(checkout: &Checkout, remote: &Remote) -> Result<Vec<Submodule>, GitError> {
    let unreadable = |source| GitError::Unreadable { commit: checkout.commit().id.clone(), source };
    let (mut found, mut modules, mut entries) = (Vec::new(), Vec::new(), 0);
    let walked = checkout.walk(|path, entry| {
        remote.check()?;
        entries += 1;
        if entries > MAX_ENTRIES {
            let text = format!("it has more than {MAX_ENTRIES} files and folders");
            return Err(unreadable(std::io::Error::other(text)));
        }
        match &entry.kind {
            EntryKind::Submodule { commit } => {
                let path = String::from_utf8(path.to_vec());
                let path = path.map_err(|error| TreeError::Name { path: error.to_string() });
                found.push((path.map_err(|error| unreadable(error.into()))?, commit.clone()));
            }
            EntryKind::File { .. } if path == MODULES => {
                if checkout.size(entry.node).map_err(unreadable)? <= MAX_MODULES_BYTES {
                    modules = checkout.read(entry.node).map_err(unreadable)?;
                }
            }
            EntryKind::File { .. } | EntryKind::Folder | EntryKind::Symlink => {}
        }
        Ok(())
    });
    walked.map_err(|error| match error {
        crate::WalkError::Read(error) => unreadable(error),
        crate::WalkError::Visit(error) => error,
    })?;
    let modules = read(&modules).map_err(|text| unreadable(std::io::Error::other(text)))?;
    let submodule = |(path, commit): (String, String)| {
        let module = modules.iter().find(|module| module.path.as_ref() == Some(&path));
        let url = module.and_then(|module| module.url.clone());
        Submodule { path, commit, url, is_left_out: module.is_some_and(|module| module.is_left_out) }
    };
    Ok(found.into_iter().map(submodule).collect())
}

/// Reads the file; what is said later about a module counts.
fn read(text: &[u8]) -> Result<Vec<Module>, String> {
    let (metadata, options) = (config::file::Metadata::api(), config::file::init::Options::default());
    let file = config::File::from_bytes_no_includes(text, metadata, options);
    let file = file.map_err(|error| format!("bad config in .gitmodules: {error}"))?;
    let mut modules: BTreeMap<String, Module> = BTreeMap::new();
    let text = |value: BString| String::from_utf8_lossy(&value).into_owned();
    for section in file.sections_by_name("submodule").into_iter().flatten() {
        let Some(name) = section.header().subsection_name() else { continue };
        let module = modules.entry(name.to_string()).or_default();
        // A path may end in a slash.
        let path = section.value("path").map(|path| text(path).trim_end_matches('/').to_owned());
        module.path = path.or(module.path.take());
        module.url = section.value("url").map(text).or(module.url.take());
        if let Some(update) = section.value("update") {
            module.is_left_out = update == "none";
        }
    }
    Ok(modules.into_values().collect())
}

/// The address of a submodule, from that of the repository it is in; `None` where that has too few parts.
pub fn relative_to(repository: &str, url: &str) -> Option<String> {
    if !url.starts_with("./") && !url.starts_with("../") {
        return Some(url.to_owned());
    }
    let (mut base, mut rest) = (repository.trim_end_matches('/'), url);
    // Nothing above the host is left to be taken away.
    let least = base.find("://").map_or(0, |scheme| {
        let host = scheme + "://".len();
        base[host..].find('/').map_or(base.len(), |end| host + end)
    });
    loop {
        if let Some(below) = rest.strip_prefix("./") {
            rest = below;
        } else if let Some(below) = rest.strip_prefix("../") {
            base = &base[..base.rfind('/').filter(|end| *end >= least)?];
            rest = below;
        } else {
            return Some(format!("{base}/{}", rest.trim_end_matches('/')));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_addresses_start_from_that_of_the_repository() {
        for (repository, url, expected) in [
            ("http://h/o/r.git", "../s.git", Some("http://h/o/s.git")),
            ("http://h/o/r.git/", "../s.git/", Some("http://h/o/s.git")),
            ("http://u:p@h/o/r", "../../x/s", Some("http://u:p@h/x/s")),
            ("http://h/o/r", "./s", Some("http://h/o/r/s")),
            ("http://h/o/r", "../../../s", None),
            ("http://h/o/r", "https://other/s", Some("https://other/s")),
            ("http://h/o/r", "git@h:o/s", Some("git@h:o/s")),
        ] {
            assert_eq!(relative_to(repository, url).as_deref(), expected, "{repository} {url}");
        }
    }

    #[test]
    fn what_is_said_later_about_a_module_counts() {
        let text = b"[submodule \"a\"]\n\tpath = x/\n\turl = ../a\n[submodule \"b\"]\n\tpath = y\n\turl = b\n\tupdate = none\n\
                     [submodule \"a\"]\n\turl = ../c\n[core]\n\tpath = z\n";
        let found: Vec<_> = read(text)
            .expect("valid")
            .into_iter()
            .map(|module| (module.path, module.url, module.is_left_out))
            .collect();
        let owned = |text: &str| Some(text.to_owned());
        assert_eq!(found, [(owned("x"), owned("../c"), false), (owned("y"), owned("b"), true)]);
        assert!(read(b"[submodule").is_err());
    }
}
