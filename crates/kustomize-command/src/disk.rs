//! Files on the disk, for programs that build where a person stands.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Component, Path, PathBuf};

use millrace_kustomize::{Broken, FileKind, FileSystem, ReadError};

/// Links followed before a path counts as a loop.
const MAX_LINKS: usize = 255;

/// The tree below a folder of the disk.
///
/// Links are followed inside of the folder; what a link makes of the outside counts as missing.
#[derive(Clone, Debug)]
pub struct DiskFiles {
    root: PathBuf,
    /// The most that is read of one file, in bytes.
    longest: u64,
}

impl DiskFiles {
    /// The tree below `root`, an absolute path without links, of files up to `longest` bytes.
    pub fn new(root: impl Into<PathBuf>, longest: u64) -> Self {
        Self { root: root.into(), longest }
    }

    fn real(&self, path: &str) -> Option<PathBuf> {
        let real = fs::canonicalize(self.root.join(path)).ok()?;
        real.starts_with(&self.root).then_some(real)
    }
}

impl FileSystem for DiskFiles {
    fn kind(&self, path: &str) -> Option<FileKind> {
        let metadata = fs::metadata(self.real(path)?).ok()?;
        Some(if metadata.is_dir() { FileKind::Folder } else { FileKind::File })
    }

    fn read(&self, path: &str) -> Result<Cow<'_, [u8]>, ReadError> {
        let place = fs::canonicalize(self.root.join(path)).map_err(|error| unopened(&error))?;
        if !place.starts_with(&self.root) {
            return Err(ReadError::NotFound);
        }
        let file = File::open(place).map_err(|error| unopened(&error))?;
        let mut content = Vec::new();
        match file.take(self.longest.saturating_add(1)).read_to_end(&mut content) {
            Ok(_) => Ok(Cow::Owned(content)),
            Err(error) if error.kind() == ErrorKind::IsADirectory => Err(ReadError::IsFolder),
            Err(error) => Err(ReadError::Other(os_words(&error))),
        }
    }

    fn list(&self, path: &str) -> Option<Vec<String>> {
        let entries = fs::read_dir(self.real(path)?).ok()?;
        Some(entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect())
    }

    fn canonical(&self, path: &str) -> Option<String> {
        Some(self.real(path)?.strip_prefix(&self.root).ok()?.to_str()?.to_owned())
    }

    fn broken(&self, path: &str) -> Broken {
        self.follow(path).err().unwrap_or_else(|| Broken::missing(path))
    }
}

impl DiskFiles {
    /// Follows a path part by part, as the reference does.
    fn follow(&self, path: &str) -> Result<(), Broken> {
        let mut at = self.root.clone();
        let mut pending = parts(Path::new(path));
        let mut links = 0;
        while let Some(part) = pending.pop() {
            if part == ".." {
                at.pop();
                continue;
            }
            at.push(part);
            let metadata = fs::symlink_metadata(&at)
                .map_err(|error| Broken { at: Some(self.relative(&at)), why: os_words(&error) })?;
            if metadata.is_symlink() {
                links += 1;
                if links > MAX_LINKS {
                    return Err(Broken::too_many_links());
                }
                let unread =
                    |error: io::Error| Broken { at: Some(self.relative(&at)), why: os_words(&error) };
                let target = fs::read_link(&at).map_err(unread)?;
                if target.is_absolute() {
                    at = PathBuf::from("/");
                } else {
                    at.pop();
                }
                pending.extend(parts(&target));
            } else if !metadata.is_dir() && !pending.is_empty() {
                return Err(Broken::below_a_file());
            }
        }
        Ok(())
    }

    fn relative(&self, place: &Path) -> String {
        place.strip_prefix(&self.root).unwrap_or(place).to_string_lossy().into_owned()
    }
}

/// The parts of a path, the last one first.
fn parts(path: &Path) -> Vec<String> {
    let mut parts: Vec<String> = path
        .components()
        .filter_map(|component| match component {
            Component::Normal(part) => Some(part.to_string_lossy().into_owned()),
            Component::ParentDir => Some("..".to_owned()),
            Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
        })
        .collect();
    parts.reverse();
    parts
}

fn unopened(error: &io::Error) -> ReadError {
    match error.kind() {
        ErrorKind::NotFound => ReadError::NotFound,
        _ => ReadError::Unopened(os_words(error)),
    }
}

/// An error in the words of the operating system, without its number.
pub(crate) fn os_words(error: &io::Error) -> String {
    // A path with a zero byte never gets there.
    if error.kind() == ErrorKind::InvalidInput && error.raw_os_error().is_none() {
        return "invalid argument".to_owned();
    }
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A folder that goes when the test ends.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let place = std::env::temp_dir().join(format!("millrace-disk-{name}-{}", std::process::id()));
            fs::create_dir_all(&place).expect("a folder");
            Self(fs::canonicalize(place).expect("it is there"))
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn links_are_followed_inside_and_lead_nowhere_outside() {
        let folder = Folder::new("links");
        let inside = folder.0.join("inside");
        fs::create_dir_all(inside.join("base")).expect("a folder");
        fs::write(inside.join("base/a.yaml"), "a").expect("a file");
        fs::write(folder.0.join("secret"), "s").expect("a file");
        symlink("base/a.yaml", inside.join("link")).expect("a link");
        symlink("../secret", inside.join("out")).expect("a link");
        symlink("loop", inside.join("loop")).expect("a link");
        symlink("gone", inside.join("dangling")).expect("a link");
        let files = DiskFiles::new(&inside, 10);
        assert_eq!(files.canonical("link").as_deref(), Some("base/a.yaml"));
        assert_eq!(files.read("link").as_deref(), Ok(&b"a"[..]));
        assert_eq!((files.kind("out"), files.read("out")), (None, Err(ReadError::NotFound)));
        assert_eq!(files.read("base"), Err(ReadError::IsFolder));
        assert_eq!(files.read("link/x"), Err(ReadError::Unopened("not a directory".to_owned())));
        assert_eq!(files.broken("dangling"), Broken::missing("gone"));
        assert_eq!(files.broken("loop"), Broken::too_many_links());
        assert_eq!(files.broken("link/x"), Broken::below_a_file());
        assert_eq!(files.broken("base/b/c"), Broken::missing("base/b"));
        assert_eq!(files.list("base"), Some(vec!["a.yaml".to_owned()]));
    }

    #[test]
    fn a_file_without_end_is_read_up_to_the_bound() {
        let files = DiskFiles::new("/", 10);
        assert_eq!(files.read("dev/zero").map(|content| content.len()), Ok(11));
    }
}
