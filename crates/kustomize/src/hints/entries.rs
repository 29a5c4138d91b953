//! What is wrong with an entry that names a file or a folder.

use std::collections::VecDeque;

use super::near::{listed, nearest, quoted};
use super::places::entry_to;
use crate::fs::{FileKind, starts_with};
use crate::kustomization::{self, FILE_NAMES, Kustomization};
use crate::loader::{Loader, Unfetched};
use crate::remote::{FileFailure, Repository, RepositoryFailure, is_file_address};

/// Folders that are searched for a file that isn't where it should be.
const SEARCHED_FOLDERS: usize = 50;
/// Names that are looked at in them.
const SEARCHED_NAMES: usize = 500;
/// What else can be done about a file outside of the target where a command builds.
const UNRESTRICTED: &str = ", or build with --load-restrictor LoadRestrictionsNone";
/// What git says, and what that means.
const GIT_SAYS: [(&str, &str); 8] = [
    ("find remote ref", "the repository has no such branch, tag or commit"),
    ("' not found", "the server has no such repository"),
    ("Authentication failed", "the server refuses the login"),
    ("could not read Username", "the server wants a login"),
    ("returned error: ", "the server answers with an error"),
    ("connection refused", "the server was not reached"),
    ("Failed to connect", "the server was not reached"),
    ("Could not resolve host", "the server was not reached"),
];
/// Folders above the target in which the rest of an entry is looked for.
const SEARCHED_LEVELS: usize = 4;
/// How deep they are searched.
const SEARCHED_DEPTH: usize = 2;
/// How many targets lie between one and a target that it builds, as far as that is looked for.
const DEPTH_OF_CYCLES: usize = 2;

/// What an entry is to lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wants {
    /// A file of objects, or a folder with a kustomization file.
    Objects,
    File,
    Folder,
}

/// What is wrong with where an entry leads, and what to do; nothing where its content is what is wrong.
pub(super) fn explain(loader: &Loader<'_>, entry: &str, wants: Wants) -> Option<String> {
    let name = quoted(entry);
    if is_remote(entry) {
        if loader.has_remotes() {
            return loader.unfetched(entry).map(unfetched);
        }
        return Some(format!(
            "{name} is on another host, and remote bases are off: keep a copy among your own files, or allow them"
        ));
    }
    let path = loader.display(entry);
    if entry.is_empty() {
        return Some("an entry is empty".to_owned());
    }
    if !loader.holds(&path) {
        return Some(format!("{name} leads out of the tree that is built from"));
    }
    let is_absolute = entry.starts_with('/');
    match (loader.kind_at(&path), wants) {
        (None, _) if entry.contains('*') => {
            Some(format!("{name} is not there: patterns are not expanded, list each file"))
        }
        (None, _) if is_absolute => {
            Some(format!("{name} is an absolute path, and nothing is there: name it by its way from here"))
        }
        (None, _) if entry == "~" || entry.starts_with("~/") => {
            Some(format!("{name} is not there: '~' is not expanded, name it by its way from here"))
        }
        (None, _) if entry.contains('\\') => Some(with_slashes(loader, entry)),
        (None, _) => {
            let instead = instead(loader, entry, &path, wants);
            let instead = instead.map(|instead| format!(": {instead}")).unwrap_or_default();
            Some(format!("{name} is not there{instead}"))
        }
        (Some(FileKind::Folder), Wants::File) => Some(format!("{name} is a folder, not a file")),
        (Some(FileKind::File), Wants::Folder) => Some(format!("{name} is a file: a folder is to stand here")),
        (Some(FileKind::File), _) if !loader.admits(&path) && is_absolute => {
            Some(format!("{name} is an absolute path: copy the file here, and name it by its way from here"))
        }
        (Some(FileKind::File), _) if !loader.admits(&path) => Some(outside(loader, entry, &path, wants)),
        (Some(FileKind::Folder), _) if is_absolute => {
            let way = quoted(&entry_to(&path, &loader.root_display()));
            Some(format!("{name} is an absolute path: name the folder by its way from here, {way}"))
        }
        (Some(FileKind::File), _) => {
            let failed = loader.load_bytes(entry).err();
            let is_denied = failed.is_some_and(|error| error.reference.ends_with("permission denied"));
            is_denied.then(|| format!("{name} may not be read: permission denied"))
        }
        (Some(FileKind::Folder), _) => None,
    }
}

/// What to do about an entry whose folders are parted as on Windows.
fn with_slashes(loader: &Loader<'_>, entry: &str) -> String {
    let (name, meant) = (quoted(entry), entry.replace('\\', "/"));
    if loader.kind_at(&loader.display(&meant)).is_some() {
        format!("{name} is not there: did you mean {}?", quoted(&meant))
    } else {
        format!("{name} is not there: '/' stands between folders, not '\\'")
    }
}

/// The same entry from more or fewer folders up, if that leads to what can be taken in.
fn from_elsewhere(loader: &Loader<'_>, entry: &str, wants: Wants) -> Option<String> {
    let mut rest = entry;
    while let Some(behind) = rest.strip_prefix("../").or_else(|| rest.strip_prefix("./")) {
        rest = behind;
    }
    let is_there = |meant: &String| {
        let path = loader.display(meant);
        let is_near = path.rsplit_once('/').is_some_and(|(folder, _)| loader.may_list(folder));
        is_near
            && match loader.kind_at(&path) {
                Some(FileKind::Folder) => {
                    let is_around = starts_with(&loader.root_display(), &path)
                        || leads_here(loader, meant, DEPTH_OF_CYCLES);
                    wants != Wants::File && kustomization_in(loader, &path).is_some() && !is_around
                }
                Some(FileKind::File) => wants != Wants::Folder && loader.admits(&path),
                None => false,
            }
    };
    if rest.is_empty() {
        return None;
    }
    (0..=SEARCHED_LEVELS).map(|levels| format!("{}{rest}", "../".repeat(levels))).find(is_there)
}

/// Why something on another host was not fetched. Who failed has said so in words of its own, which quote the address.
fn unfetched(failure: Unfetched<'_>) -> String {
    let says = match failure {
        Unfetched::File(FileFailure::Status { code: 404, .. }) => "the server has no such file",
        Unfetched::File(FileFailure::Status { code, .. }) => {
            return format!("the server answers with status {code}");
        }
        Unfetched::File(FileFailure::Unreached(_)) => "the server was not reached",
        Unfetched::Repository(RepositoryFailure::TimedOut { .. }) => "git was not done in time",
        Unfetched::Repository(RepositoryFailure::Failed(text) | RepositoryFailure::Refused { text, .. }) => {
            let known = GIT_SAYS.iter().find(|(said, _)| text.contains(said));
            known.map_or("git cannot fetch the repository", |(_, says)| says)
        }
        Unfetched::Folder => "the repository has no such folder",
    };
    says.to_owned()
}

/// What to do about a file that the load restrictions forbid.
fn outside(loader: &Loader<'_>, entry: &str, path: &str, wants: Wants) -> String {
    let name = quoted(entry);
    let folder = path.rsplit_once('/').map_or("/", |(folder, _)| folder);
    let otherwise = if loader.may_be_unrestricted() { UNRESTRICTED } else { "" };
    if starts_with(path, &loader.root_display()) {
        return format!("{name} leads out of this folder through a link: copy the file here{otherwise}");
    }
    let way = entry_to(folder, &loader.root_display());
    if wants == Wants::Objects {
        let is_around = leads_here(loader, &way, DEPTH_OF_CYCLES);
        let way = quoted(&way);
        return match kustomization_in(loader, folder) {
            Some(_) if is_around => format!(
                "{name} lies outside of this folder, in one that builds this one: move or copy it here{otherwise}"
            ),
            Some(_) => format!("{name} lies outside of this folder: name its folder {way} instead"),
            None => format!(
                "{name} lies outside of this folder: put a kustomization.yaml that names it into {way} and name that folder, or move it here"
            ),
        };
    }
    format!("{name} lies outside of this folder: move or copy it here{otherwise}")
}

/// Whether the folder that an entry names, or one that this builds, builds the folder at `loader`.
fn leads_here(loader: &Loader<'_>, entry: &str, depth: usize) -> bool {
    fn builds(folder: &Loader<'_>, target: &str, depth: usize) -> bool {
        let Ok(read) = kustomization::load(folder, &mut Vec::new()) else { return false };
        let Kustomization { resources, components, .. } = &read.kustomization;
        let entries = resources.iter().chain(components).flatten().take(SEARCHED_FOLDERS);
        entries.filter(|entry| !is_remote(entry)).any(|entry| {
            let path = folder.display(entry);
            let is_folder = folder.kind_at(&path) == Some(FileKind::Folder);
            path == target
                || (is_folder && depth > 0)
                    && folder.below(entry).is_ok_and(|below| builds(&below, target, depth - 1))
        })
    }
    match loader.below(entry) {
        Ok(folder) => builds(&folder, &loader.root_display(), depth),
        Err(error) => error.reference.starts_with("cycle detected"),
    }
}

fn is_remote(entry: &str) -> bool {
    is_file_address(entry) || Repository::parse(entry).is_some()
}

/// What to do about an entry that names a kustomization file instead of the folder of it.
pub(super) fn kustomization_file(entry: &str) -> Option<String> {
    let (folder, file) = entry.rsplit_once('/').unwrap_or((".", entry));
    FILE_NAMES.contains(&file).then(|| match folder {
        "." | "" => format!("{} is a kustomization file: leave it out", quoted(entry)),
        folder => {
            format!("{} is a kustomization file: name its folder {} instead", quoted(entry), quoted(folder))
        }
    })
}

fn kustomization_in(loader: &Loader<'_>, folder: &str) -> Option<&'static str> {
    FILE_NAMES.into_iter().find(|name| {
        loader.kind_at(&format!("{}/{name}", folder.trim_end_matches('/'))) == Some(FileKind::File)
    })
}

/// That the folder at `loader`, which an entry names, has no kustomization file, and what it has instead.
///
/// What else it has is told where it is near the target at `from` that names it.
pub(super) fn without_kustomization(loader: &Loader<'_>, entry: &str, from: Option<&str>) -> Option<String> {
    let folder = loader.root_display();
    if kustomization_in(loader, &folder).is_some() {
        return None;
    }
    let missing = format!("{} has no kustomization file", quoted(entry));
    if from.is_some_and(|from| !loader.may_list_from(from, &folder)) {
        return Some(missing);
    }
    let names = loader.names_at(&folder).unwrap_or_default();
    if let Some(name) = FILE_NAMES.into_iter().find(|known| names.iter().any(|name| name == known)) {
        let is = match loader.kind_at(&format!("{}/{name}", folder.trim_end_matches('/'))) {
            Some(FileKind::Folder) => "a folder",
            Some(FileKind::File) | None => "a link that leads nowhere",
        };
        return Some(format!("{missing}: '{name}' is {is}"));
    }
    let is_file = |name: &&str| {
        loader.kind_at(&format!("{}/{name}", folder.trim_end_matches('/'))) == Some(FileKind::File)
    };
    let files = || names.iter().map(String::as_str).filter(is_file);
    let near = nearest(FILE_NAMES[0], files())
        .or_else(|| files().find(|name| name.to_lowercase().starts_with("kustom")));
    Some(match (near, names.len()) {
        (Some(near), _) => format!("{missing}: {} is to be called '{}'", quoted(near), FILE_NAMES[0]),
        (None, 0) => format!("{missing}: it is empty"),
        (None, _) => format!("{missing}: it has {}", listed(names.iter().map(String::as_str))),
    })
}

/// What stands where an entry was looked for, or where else it is.
fn instead(loader: &Loader<'_>, entry: &str, path: &str, wants: Wants) -> Option<String> {
    let mut words = entry.split_whitespace();
    if let (Some(first), Some(_)) = (words.next(), words.next())
        && loader.kind_at(&loader.display(first)).is_some()
    {
        let says = if entry.contains(" - ") {
            "these are two entries read as one: indent each '- ' alike"
        } else {
            "these are two entries read as one: begin each with '- '"
        };
        return Some(says.to_owned());
    }
    // As far as the path leads.
    let mut folder = path;
    let mut name = "";
    while loader.kind_at(folder).is_none() {
        let Some((above, last)) = folder.rsplit_once('/') else { break };
        (folder, name) = (if above.is_empty() { "/" } else { above }, last);
        if folder == "/" {
            break;
        }
    }
    let shown = |path: &str| quoted(&entry_to(path, &loader.root_display()));
    let place = if folder == loader.root_display() { "the folder".to_owned() } else { shown(folder) };
    if !loader.may_list(folder) {
        return None;
    }
    let Some(mut names) = loader.names_at(folder) else {
        return Some(format!("{place} is a file"));
    };
    if names.iter().any(|there| there == name) {
        let link = format!("{}/{name}", folder.trim_end_matches('/'));
        return Some(match shown(&link) {
            link if link == quoted(entry) => "the link leads nowhere".to_owned(),
            link => format!("{link} is a link that leads nowhere"),
        });
    }
    if let Some(meant) = from_elsewhere(loader, entry, wants) {
        return Some(format!("did you mean {}?", quoted(&meant)));
    }
    names.retain(|name| !FILE_NAMES.contains(&name.as_str()));
    let rest = &path[path.len().min(folder.trim_end_matches('/').len() + 1 + name.len())..];
    if let Some(near) = alike(name, &names) {
        let meant = format!("{}/{near}{rest}", folder.trim_end_matches('/'));
        let known = if loader.kind_at(&meant).is_some() {
            meant
        } else {
            format!("{}/{near}", folder.trim_end_matches('/'))
        };
        return Some(format!("did you mean {}?", shown(&known)));
    }
    let wanted = entry.rsplit('/').next().unwrap_or_default();
    if let Some(found) = search(loader, wanted) {
        return Some(format!("did you mean {}?", shown(&found)));
    }
    let visible: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.starts_with('.')).collect();
    (!visible.is_empty()).then(|| format!("{place} has {}", listed(visible)))
}

/// The same name in other letters or with another ending, or one whose part before the ending is near.
fn alike<'n>(wanted: &str, names: &'n [String]) -> Option<&'n str> {
    fn parts(name: &str) -> (&str, &str) {
        name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).unwrap_or((name, ""))
    }
    fn stem(name: &str) -> &str {
        parts(name).0
    }
    let same = names.iter().map(String::as_str).find(|name| name.to_lowercase() == wanted.to_lowercase());
    let names =
        || names.iter().map(String::as_str).filter(|name| mean_the_same(parts(wanted).1, parts(name).1));
    let other_ending = || names().find(|name| stem(name).to_lowercase() == stem(wanted).to_lowercase());
    let near = || {
        let near = nearest(stem(wanted), names().map(stem))?;
        names().find(|name| stem(name) == near)
    };
    same.or_else(other_ending).or_else(near)
}

/// Whether files with these endings may hold the same: a key is no certificate, whatever both are called.
fn mean_the_same(wanted: &str, there: &str) -> bool {
    const SETTINGS: [&str; 14] = [
        "",
        "yaml",
        "yml",
        "json",
        "toml",
        "ini",
        "cfg",
        "cnf",
        "conf",
        "config",
        "properties",
        "env",
        "txt",
        "xml",
    ];
    let is_of_settings = |ending: &str| SETTINGS.contains(&ending.to_lowercase().as_str());
    (is_of_settings(wanted) && is_of_settings(there)) || nearest(wanted, [there]).is_some()
}

/// A file of that name in the folders below the target, or beside it.
fn search(loader: &Loader<'_>, name: &str) -> Option<String> {
    let root = loader.root_display();
    let above = root.rsplit_once('/').map(|(above, _)| above).filter(|above| !above.is_empty());
    let mut folders = VecDeque::from([(root.clone(), 0)]);
    let (mut folders_left, mut names_left) = (SEARCHED_FOLDERS, SEARCHED_NAMES);
    while let Some((folder, depth)) = folders.pop_front() {
        for child in loader.names_at(&folder).unwrap_or_default() {
            let path = format!("{}/{child}", folder.trim_end_matches('/'));
            names_left = names_left.checked_sub(1)?;
            match loader.kind_at(&path) {
                Some(FileKind::File) if child == name => return Some(path),
                Some(FileKind::Folder)
                    if depth < SEARCHED_DEPTH && folders_left > 0 && !child.starts_with('.') =>
                {
                    folders_left -= 1;
                    folders.push_back((path, depth + 1));
                }
                Some(FileKind::File | FileKind::Folder) | None => {}
            }
        }
    }
    let beside = format!("{}/{name}", above?);
    (loader.kind_at(&beside) == Some(FileKind::File) && loader.admits(&beside)).then_some(beside)
}
