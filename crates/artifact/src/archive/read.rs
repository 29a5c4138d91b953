//! Reads archives that others wrote.

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;
use tar::EntryType;

use super::extensions::Extensions;

/// What an archive may contain before it is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Members.
    pub members: u64,
    /// Bytes of one file.
    pub file_bytes: u64,
    /// Bytes of all files.
    pub total_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { members: 1_000_000, file_bytes: 2 << 30, total_bytes: 8 << 30 }
    }
}

/// What symbolic links in an archive mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// They are left out.
    Skip,
    /// The archive is refused.
    Refuse,
}

/// An archive that can't be read. The texts are the contract's.
#[derive(Debug, thiserror::Error)]
pub enum ExtractError {
    /// The stream isn't gzip.
    #[error("requires gzip-compressed body")]
    NotGzip(#[source] io::Error),
    /// The stream is damaged.
    #[error("tar error")]
    Damaged(#[source] io::Error),
    /// A name could leave the root.
    #[error("tar contained invalid name error {0:?}")]
    InvalidName(String),
    /// A link where none is allowed.
    #[error("tar file entry {0} is a symlink, which is not allowed in this context")]
    Symlink(String),
    /// A device or pipe.
    #[error("tar file entry {name} contained unsupported file type {mode}")]
    UnsupportedType {
        /// The member.
        name: String,
        /// Its mode as `ls` would show it.
        mode: String,
    },
    /// More than the limits allow.
    #[error("tar exceeds the limit of {limit} {what}")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much is allowed.
        limit: u64,
    },
    /// The receiver of the members failed.
    #[error("failed to store {name}")]
    Store {
        /// The member.
        name: String,
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// A member of an archive.
pub struct Entry<'a> {
    /// The path: relative, its components joined by `/`, none of them empty, `.` or `..`. Empty for the root itself.
    pub path: String,
    /// What it is.
    pub kind: EntryKind<'a>,
}

/// What a member is.
pub enum EntryKind<'a> {
    /// A folder.
    Folder,
    /// A regular file.
    File {
        /// Somebody may execute it.
        executable: bool,
        /// Its length in bytes.
        size: u64,
        /// Its content.
        content: &'a mut dyn Read,
    },
    /// Another name of a file earlier in the archive.
    HardLink {
        /// The path of that file, checked like every path.
        target: String,
    },
}

/// Reads a `tar.gz` and hands each member to `store`.
///
/// # Errors
/// [`ExtractError`]; members handed over before the error stay with the receiver.
pub fn read(
    archive: impl Read,
    links: Links,
    limits: &Limits,
    mut store: impl FnMut(Entry<'_>) -> io::Result<()>,
) -> Result<(), ExtractError> {
    let decoder = MultiGzDecoder::new(archive);
    if decoder.header().is_none() {
        let err = io::Error::new(io::ErrorKind::InvalidData, "gzip: invalid header");
        return Err(ExtractError::NotGzip(err));
    }
    let mut archive = tar::Archive::new(decoder);
    let (mut members, mut total) = (0, 0);
    let mut extensions = Extensions::default();
    for member in archive.entries().map_err(ExtractError::Damaged)?.raw(true) {
        let mut member = member.map_err(ExtractError::Damaged)?;
        if extensions.take(&mut member)? {
            continue;
        }
        members += 1;
        within("members", members, limits.members)?;
        let said = std::mem::take(&mut extensions);
        let size = said.size(&member, limits.file_bytes)?;
        let name = String::from_utf8_lossy(&said.name(&member)).into_owned();
        let kind = match member.header().entry_type() {
            // Before there was a type for folders, a trailing slash marked them.
            EntryType::Regular if name.ends_with('/') => EntryType::Directory,
            kind => kind,
        };
        let path = safe_path(&name)?;
        let target = match kind {
            EntryType::Link => Some(safe_path(&String::from_utf8_lossy(&said.link(&member)))?),
            _ => None,
        };
        let mode = member.header().mode().unwrap_or(0);
        let content = match kind {
            EntryType::Regular | EntryType::Continuous => {
                within("bytes in one file", size, limits.file_bytes)?;
                total = size.saturating_add(total);
                within("bytes", total, limits.total_bytes)?;
                EntryKind::File { executable: mode & 0o111 != 0, size, content: &mut member }
            }
            EntryType::Directory => EntryKind::Folder,
            EntryType::Link => EntryKind::HardLink { target: target.unwrap_or_default() },
            EntryType::Symlink if links == Links::Skip => continue,
            EntryType::Symlink => return Err(ExtractError::Symlink(name)),
            other => {
                return Err(ExtractError::UnsupportedType { name, mode: mode_text(other, mode) });
            }
        };
        store(Entry { path, kind: content }).map_err(|source| classify(name, source))?;
    }
    Ok(())
}

/// Tells an archive that breaks off in the middle of a file from a receiver that can't take it.
fn classify(name: String, source: io::Error) -> ExtractError {
    match source.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            ExtractError::Damaged(source)
        }
        _ => ExtractError::Store { name, source },
    }
}

fn within(what: &'static str, value: u64, limit: u64) -> Result<(), ExtractError> {
    if value > limit { Err(ExtractError::TooLarge { what, limit }) } else { Ok(()) }
}

/// Normalises the name of a member, or refuses it.
fn safe_path(name: &str) -> Result<String, ExtractError> {
    let invalid = || ExtractError::InvalidName(name.to_owned());
    if name.is_empty() || name.starts_with('/') || name.contains(['\\', '\0']) || name.contains("../") {
        return Err(invalid());
    }
    let parts: Vec<&str> = name.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if parts.contains(&"..") { Err(invalid()) } else { Ok(parts.join("/")) }
}

/// The mode of something that is neither file nor folder nor link, as the original prints it.
fn mode_text(kind: EntryType, mode: u32) -> String {
    let kind = match kind {
        EntryType::Char => "Dc",
        EntryType::Block => "D",
        EntryType::Fifo => "p",
        _ => "?",
    };
    let bits =
        (0..9).rev().zip("rwxrwxrwx".chars()).map(|(bit, c)| if mode & (1 << bit) != 0 { c } else { '-' });
    kind.chars().chain(bits).collect()
}

#[cfg(test)]
mod tests {
    use super::safe_path;

    #[test]
    fn names_are_normalised_or_refused() {
        for (name, path) in
            [("a", "a"), ("./a//b/", "a/b"), (".", ""), ("./", ""), ("a/..b", "a/..b"), ("...", "...")]
        {
            assert_eq!(safe_path(name).unwrap(), path, "{name}");
        }
        for name in ["", "/a", "a\\b", "../a", "a/../b", "..", "a/..", "a\0b"] {
            assert_eq!(
                safe_path(name).unwrap_err().to_string(),
                format!("tar contained invalid name error {name:?}"),
                "{name}"
            );
        }
    }
}
