//! Properties: whatever an archive contains, nothing leaves the root and nothing panics.

use flate2::{Compression, write::GzEncoder};
use millrace_artifact::{
    archive::{self, Limits, Links},
    files::MemoryTree,
    ignore::Rules,
    tree::{Entry, Kind, Tree},
};
use proptest::prelude::*;
use tar::{Builder, EntryType, Header};

use crate::archive_of;

fn hostile_name() -> impl Strategy<Value = String> {
    let part =
        prop_oneof![Just("..".to_owned()), Just(".".to_owned()), Just(String::new()), "[a-c\\\\é]{1,3}"];
    prop::collection::vec(part, 1..5).prop_map(|parts| parts.join("/"))
}

fn kind() -> impl Strategy<Value = EntryType> {
    prop_oneof![
        4 => Just(EntryType::Regular),
        2 => Just(EntryType::Directory),
        1 => Just(EntryType::Link),
        1 => Just(EntryType::Symlink),
    ]
}

proptest! {
    #[test]
    fn every_member_has_a_safe_path(members in prop::collection::vec((hostile_name(), hostile_name(), kind()), 0..6)) {
        let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (name, link, kind) in &members {
            let mut header = Header::new_ustar();
            header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
            header.as_old_mut().linkname[..link.len()].copy_from_slice(link.as_bytes());
            header.set_entry_type(*kind);
            header.set_mode(0o644);
            header.set_size(0);
            header.set_cksum();
            builder.append(&header, std::io::empty()).unwrap();
        }
        let bytes = builder.into_inner().unwrap().finish().unwrap();
        let result = archive::read(bytes.as_slice(), Links::Skip, &Limits::default(), |entry| {
            let safe = |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains('\\');
            assert!(entry.path.is_empty() || entry.path.split('/').all(safe), "{:?}", entry.path);
            Ok(())
        });
        let hostile = members.iter().any(|(name, _, _)| name.contains("../") || name.starts_with('/'));
        if hostile {
            prop_assert!(result.is_err());
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(mut bytes in prop::collection::vec(any::<u8>(), 0..2000), gzip: bool) {
        if gzip {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            std::io::Write::write_all(&mut encoder, &bytes).unwrap();
            bytes = encoder.finish().unwrap();
        }
        let _ = Tree::unpack(bytes.as_slice(), &std::env::temp_dir(), &Limits::default());
    }

    #[test]
    fn a_tree_reads_back_what_was_archived(
        files in prop::collection::btree_map("[a-cé]{1,2}(/[a-cé-]{1,80}){0,3}", (any::<Vec<u8>>(), any::<bool>()), 0..8)
    ) {
        let mut memory = MemoryTree::default();
        // A name that is a folder elsewhere can't be a file as well.
        let folder = |path: &str| files.keys().any(|other| other.starts_with(&format!("{path}/")));
        let files: Vec<_> = files.iter().filter(|(path, _)| !folder(path)).collect();
        for (path, (content, executable)) in &files {
            memory.add_file(path, content.clone(), *executable);
        }
        let bytes = archive_of(&memory);
        let tree = Tree::unpack(bytes.as_slice(), &std::env::temp_dir(), &Limits::default()).unwrap();
        for (path, (content, executable)) in &files {
            let entry = tree.get(path).unwrap();
            prop_assert_eq!(entry.kind(), Kind::File { executable: *executable, size: content.len() as u64 });
            prop_assert_eq!(&entry.read().unwrap(), content);
        }
        prop_assert_eq!(count(tree.root()), files.len());
        // An artifact is a source again, and gives the same archive.
        let (again, _) = archive::write(&tree, &Rules::none(), Vec::new()).unwrap();
        prop_assert_eq!(again, bytes);
    }

    #[test]
    fn any_pattern_judges_any_path(pattern in "\\PC{0,12}", path in "[a-c*\\[\\]é]{1,3}(/[a-c]{1,2}){0,3}") {
        let mut rules = Rules::none();
        rules.add("", &pattern);
        rules.add("a", &pattern);
        rules.excludes(path.as_bytes(), false);
        rules.excludes(path.as_bytes(), true);
    }
}

fn count(entry: Entry<'_>) -> usize {
    match entry.kind() {
        Kind::File { .. } => 1,
        Kind::Folder => entry.children().map(count).sum(),
    }
}
