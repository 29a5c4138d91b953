//! Reading artifacts: a tar stream, which is packed with gzip here, since no fuzzer gets past its checksum.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use millrace_artifact::archive::{self, Limits};
use millrace_artifact::files::FileTree;
use millrace_artifact::ignore::Rules;
use millrace_artifact::tree::{Entry, Kind, Tree};

/// Small, so that input comes near them.
const LIMITS: Limits = Limits { members: 50, file_bytes: 4096, total_bytes: 16_384 };
const BLOCK: usize = 512;

pub(crate) fn run(data: &[u8]) {
    // As it came: what is no gzip is an error.
    assert!(data.starts_with(&[0x1f, 0x8b]) || unpack(data).is_err());
    check(data);
    check(&with_checksums(data));
}

fn unpack(bytes: &[u8]) -> Result<Tree, archive::ExtractError> {
    Tree::unpack(bytes, &std::env::temp_dir(), &LIMITS)
}

fn check(tar: &[u8]) {
    let Ok(tree) = unpack(&gzip(tar)) else { return };
    assert!(tree.spooled_bytes() <= LIMITS.total_bytes);
    check_folder(&tree.root(), "", &tree);
    let (bytes, _) = archive::write(&tree, &Rules::none(), Vec::new()).expect("a tree is archived");
    let limits = Limits { members: 100_000, ..Limits::default() };
    let again = Tree::unpack(bytes.as_slice(), &std::env::temp_dir(), &limits);
    let again = again.expect("an archive that was written is read");
    assert_eq!(again.root().hash(), tree.root().hash(), "the archive holds another tree");
    let (rewritten, _) = archive::write(&again, &Rules::none(), Vec::new()).expect("a tree is archived");
    assert_eq!(rewritten, bytes, "equal trees give different archives");
}

fn check_folder(folder: &Entry<'_>, path: &str, tree: &Tree) {
    for entry in folder.children() {
        let name = entry.name();
        assert!(!matches!(name, "" | "." | "..") && !name.contains(['/', '\\', '\0']), "{name:?}");
        let path = format!("{path}/{name}");
        assert!(tree.get(&path).is_some(), "{path:?} is not found");
        match entry.kind() {
            Kind::File { size, .. } => {
                let content = entry.read().expect("a file is read");
                assert_eq!(content.len() as u64, size);
                assert!(size <= LIMITS.file_bytes);
            }
            Kind::Folder => check_folder(&entry, &path, tree),
        }
    }
    assert!(tree.list(&0).is_ok());
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory takes every byte")
}

/// The stream with right checksums in its headers, where headers would stand.
fn with_checksums(tar: &[u8]) -> Vec<u8> {
    let mut tar = tar.to_vec();
    tar.resize(tar.len().next_multiple_of(BLOCK) + 2 * BLOCK, 0);
    let mut at = 0;
    while let Some(header) = tar.get_mut(at..at + BLOCK) {
        if header.iter().all(|byte| *byte == 0) {
            break;
        }
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        let size = std::str::from_utf8(&header[124..135]).ok();
        let size = size.and_then(|digits| usize::from_str_radix(digits.trim(), 8).ok()).unwrap_or(0);
        at = at.saturating_add(BLOCK).saturating_add(size.next_multiple_of(BLOCK));
    }
    tar
}
