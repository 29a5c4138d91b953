//! The submodules of a commit: which there are, and where they come from.

use std::collections::{BTreeMap, HashMap};

use gix::{
    bstr::{BStr, BString},
    config,
};

use crate::{
    checkout::{Checkout, EntryKind, WalkError},
    error::GitError,
    remote::Remote,
};

/// The file that says where submodules come from.
const MODULES: &[u8] = b".gitmodules";

/// The longest file that is read for it, in bytes.
const MAX_MODULES_BYTES: u64 = 1 << 20;

/// Entries of all folders of a commit together: the same folder may stand in many places, each of which has others.
const MAX_ENTRIES: usize = 1_000_000;

/// Submodules that are told of.
const MAX_SUBMODULES: usize = 1000;

/// Bytes of their paths and addresses together: they are kept for as long as the commit is known.
const MAX_TEXT_BYTES: usize = 128 << 10;

/// What is told of why they are not known, in letters.
const MAX_REASON: usize = 500;

/// What is known about the submodules of a commit. Only who needs them has to mind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Submodules {
    /// All of them.
    Known(Vec<Submodule>),
    /// There are more than anybody needs, or their names are longer.
    TooMany,
    /// Which there are can't be told, for this reason.
    Unknown(String),
}

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

/// What a walk through a commit has found.
#[derive(Default)]
struct Found {
    entries: usize,
    /// Paths with commits.
    submodules: Vec<(String, String)>,
    bytes: usize,
    /// The text of `.gitmodules`.
    modules: Vec<u8>,
}

/// Why a walk ended early.
enum Halt {
    /// The commit can't be used.
    Failed(GitError),
    /// Its submodules aren't told of.
    Submodules(Submodules),
}

/// Finds the submodules of a commit, and with them whether Git would check it out at all. Ends with the time of `remote`.
pub(crate) fn find(checkout: &Checkout, remote: &Remote) -> Result<Submodules, GitError> {
    let unreadable = |source| GitError::Unreadable { commit: checkout.commit().id.clone(), source };
    let mut found = Found::default();
    let walked = checkout.walk(|path, entry| {
        remote.check().map_err(Halt::Failed)?;
        found.entries += 1;
        if found.entries > MAX_ENTRIES {
            let text = format!("it has more than {MAX_ENTRIES} files and folders");
            return Err(Halt::Submodules(Submodules::Unknown(text)));
        }
        match &entry.kind {
            EntryKind::Submodule { commit } => found.add(path, commit).map_err(Halt::Submodules)?,
            EntryKind::File { .. } if path == MODULES => {
                let unreadable = |source| Halt::Failed(unreadable(source));
                if checkout.size(entry.node).map_err(unreadable)? <= MAX_MODULES_BYTES {
                    found.modules = checkout.read(entry.node).map_err(unreadable)?;
                }
            }
            EntryKind::File { .. } | EntryKind::Folder | EntryKind::Symlink => {}
        }
        Ok(())
    });
    match walked {
        Ok(()) => found.named(|| remote.check()),
        Err(WalkError::Read(error)) => Err(unreadable(error)),
        Err(WalkError::Visit(Halt::Failed(error))) => Err(error),
        Err(WalkError::Visit(Halt::Submodules(submodules))) => Ok(submodules),
    }
}

impl Found {
    fn add(&mut self, path: &[u8], commit: &str) -> Result<(), Submodules> {
        let Ok(path) = String::from_utf8(path.to_vec()) else {
            let text = format!("the path '{}' of a submodule is no UTF-8", BStr::new(path));
            return Err(unknown(&text));
        };
        self.bytes += path.len() + commit.len();
        if self.submodules.len() >= MAX_SUBMODULES || self.bytes > MAX_TEXT_BYTES {
            return Err(Submodules::TooMany);
        }
        self.submodules.push((path, commit.to_owned()));
        Ok(())
    }

    /// The submodules with what `.gitmodules` says of them, as long as there is time.
    fn named(self, check: impl Fn() -> Result<(), GitError>) -> Result<Submodules, GitError> {
        if self.submodules.is_empty() {
            return Ok(Submodules::Known(Vec::new()));
        }
        let modules = match read(&self.modules) {
            Ok(modules) => modules,
            Err(text) => return Ok(unknown(&text)),
        };
        let mut by_path = HashMap::new();
        for module in modules {
            check()?;
            if let Module { path: Some(path), url, is_left_out } = module {
                by_path.entry(path).or_insert((url, is_left_out));
            }
        }
        let (mut submodules, mut bytes) = (Vec::new(), self.bytes);
        for (path, commit) in self.submodules {
            let (url, is_left_out) = by_path.remove(&path).unwrap_or_default();
            bytes += url.as_ref().map_or(0, String::len);
            if bytes > MAX_TEXT_BYTES {
                return Ok(Submodules::TooMany);
            }
            submodules.push(Submodule { path, commit, url, is_left_out });
        }
        Ok(Submodules::Known(submodules))
    }
}

fn unknown(text: &str) -> Submodules {
    Submodules::Unknown(text.chars().take(MAX_REASON).collect())
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

    /// What is found of so many submodules, each of which is named.
    fn found(count: usize) -> Result<Found, Submodules> {
        let mut found = Found::default();
        for number in 0..count {
            found.add(format!("m/{number}").as_bytes(), &"0".repeat(40))?;
            let module = format!("[submodule \"{number}\"]\n\tpath = m/{number}\n\turl = ../{number}\n");
            found.modules.extend_from_slice(module.as_bytes());
        }
        Ok(found)
    }

    #[test]
    fn so_many_submodules_are_told_of_and_no_more() {
        let most = found(MAX_SUBMODULES).unwrap_or_else(|_| panic!("at the limit"));
        let Ok(Submodules::Known(most)) = most.named(|| Ok(())) else { panic!("at the limit") };
        assert!(most.len() == MAX_SUBMODULES && most.iter().all(|module| module.url.is_some()));
        assert_eq!(found(MAX_SUBMODULES + 1).err(), Some(Submodules::TooMany));
        let mut long = Found::default();
        assert_eq!(long.add(&vec![b'a'; MAX_TEXT_BYTES], "").ok(), Some(()));
        assert_eq!(long.add(b"a", "").err(), Some(Submodules::TooMany));
        // An address counts as well.
        let mut long = found(1).unwrap_or_else(|_| panic!("it is one"));
        long.modules =
            format!("[submodule \"a\"]\npath = m/0\nurl = {}\n", "u".repeat(MAX_TEXT_BYTES)).into_bytes();
        assert_eq!(long.named(|| Ok(())).ok(), Some(Submodules::TooMany));
    }

    #[test]
    fn what_is_told_of_submodules_ends_with_the_time_there_is() {
        let late = || Err(GitError::Empty);
        let found = found(2).unwrap_or_else(|_| panic!("they are two"));
        assert!(matches!(found.named(late), Err(GitError::Empty)));
    }

    #[test]
    fn what_can_not_be_told_is_a_matter_of_who_needs_submodules() {
        let mut broken = found(1).unwrap_or_else(|_| panic!("it is one"));
        broken.modules = b"[submodule".to_vec();
        let Ok(Submodules::Unknown(text)) = broken.named(|| Ok(())) else { panic!("it is broken") };
        assert!(text.starts_with("bad config in .gitmodules: "), "{text}");
        // Without submodules, nobody reads the file.
        let broken = Found { modules: b"[submodule".to_vec(), ..Found::default() };
        assert_eq!(broken.named(|| Ok(())).ok(), Some(Submodules::Known(Vec::new())));
        let mut long = b"\xff".to_vec();
        long.resize(10_000, b'a');
        let Err(Submodules::Unknown(text)) = Found::default().add(&long, "") else { panic!("no UTF-8") };
        assert!(text.starts_with("the path '\u{fffd}aaa") && text.len() < 600, "{text}");
    }
}
