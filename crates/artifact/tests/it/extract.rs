use flate2::{Compression, write::GzEncoder};
use millrace_artifact::{
    archive::{self, EntryKind, ExtractError, Limits, Links},
    tree::{Kind, Tree},
};
use tar::{Builder, EntryType, Header};

use crate::{archive_of, tree_of};

/// A hand-made archive, which may break every rule.
struct Maker(Builder<GzEncoder<Vec<u8>>>);

impl Maker {
    fn new() -> Self {
        Self(Builder::new(GzEncoder::new(Vec::new(), Compression::fast())))
    }

    fn add(mut self, kind: EntryType, name: &str, link: &str, mode: u32, content: &str) -> Self {
        let mut header = Header::new_ustar();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.as_old_mut().linkname[..link.len()].copy_from_slice(link.as_bytes());
        header.set_entry_type(kind);
        header.set_mode(mode);
        header.set_size(content.len() as u64);
        header.set_cksum();
        self.0.append(&header, content.as_bytes()).unwrap();
        self
    }

    fn file(self, name: &str, content: &str) -> Self {
        self.add(EntryType::Regular, name, "", 0o644, content)
    }

    fn bytes(self) -> Vec<u8> {
        self.0.into_inner().unwrap().finish().unwrap()
    }
}

fn unpack(bytes: &[u8]) -> Result<Tree, ExtractError> {
    Tree::unpack(bytes, &std::env::temp_dir(), &Limits::default())
}

fn text(err: &dyn std::error::Error) -> String {
    let mut text = err.to_string();
    let mut source = err.source();
    while let Some(err) = source {
        text = format!("{text}: {err}");
        source = err.source();
    }
    text
}

#[test]
fn what_is_no_gzip_is_refused_as_such() {
    for bytes in [&b""[..], b"plain text", b"\x1f\x8b"] {
        let Err(err) = unpack(bytes) else { panic!("{bytes:?}") };
        assert_eq!(text(&err), "requires gzip-compressed body: gzip: invalid header", "{bytes:?}");
    }
}

#[test]
fn a_damaged_archive_is_a_tar_error() {
    let whole = archive_of(&tree_of(&[("a", &"0123456789".repeat(1000)), ("b", "y")]));
    for cut in [15, whole.len() / 2, whole.len() - 60] {
        let Err(err) = unpack(&whole[..cut]) else { panic!("cut at {cut}") };
        assert!(text(&err).starts_with("tar error: "), "cut at {cut}: {}", text(&err));
    }
}

#[test]
fn names_that_could_leave_the_root_are_refused() {
    for name in ["../x", "/etc/passwd", "a/../../x", "a\\b", "..", "a/.."] {
        let Err(err) = unpack(&Maker::new().file(name, "x").bytes()) else { panic!("{name}") };
        assert_eq!(text(&err), format!("tar contained invalid name error {name:?}"));
    }
}

#[test]
fn symlinks_are_dropped_or_refused_as_the_caller_says() {
    let bytes = Maker::new().add(EntryType::Symlink, "link", "/etc/passwd", 0o777, "").file("a", "1").bytes();
    let tree = unpack(&bytes).unwrap();
    assert!(tree.get("link").is_none());
    assert_eq!(tree.read("a").unwrap(), b"1");
    let err = archive::read(bytes.as_slice(), Links::Refuse, &Limits::default(), |_| Ok(())).unwrap_err();
    assert_eq!(err.to_string(), "tar file entry link is a symlink, which is not allowed in this context");
}

#[test]
fn devices_and_pipes_are_refused() {
    let rows =
        [(EntryType::Fifo, "prw-r--r--"), (EntryType::Char, "Dcrw-r--r--"), (EntryType::Block, "Drw-r--r--")];
    for (kind, mode) in rows {
        let Err(err) = unpack(&Maker::new().add(kind, "x", "", 0o644, "").bytes()) else { panic!("{mode}") };
        assert_eq!(err.to_string(), format!("tar file entry x contained unsupported file type {mode}"));
    }
}

#[test]
fn hard_links_share_content_and_never_reach_outside() {
    let tree = unpack(
        &Maker::new()
            .file("d/a", "content")
            .add(EntryType::Link, "b", "d/a", 0o644, "")
            .add(EntryType::Link, "c", "nowhere", 0o644, "")
            .bytes(),
    )
    .unwrap();
    assert_eq!(tree.read("b").unwrap(), b"content");
    assert_eq!(tree.read("c").unwrap(), b"");
    let bytes = Maker::new().add(EntryType::Link, "x", "../../etc/passwd", 0o644, "").bytes();
    assert!(matches!(unpack(&bytes), Err(ExtractError::InvalidName(_))));
}

#[test]
fn a_later_file_replaces_an_earlier_one_but_never_a_folder() {
    let tree = unpack(&Maker::new().file("a", "1").file("./a", "22").bytes()).unwrap();
    assert_eq!(tree.read("a").unwrap(), b"22");
    assert_eq!(tree.get("a").unwrap().kind(), Kind::File { executable: false, size: 2 });
    for names in [["a/b", "a"], ["a", "a/b"]] {
        let bytes = Maker::new().file(names[0], "1").file(names[1], "2").bytes();
        assert!(matches!(unpack(&bytes), Err(ExtractError::Store { .. })), "{names:?}");
    }
}

#[test]
fn limits_hold_before_anything_is_stored() {
    let bytes = archive_of(&tree_of(&[("a", "12345"), ("b", "12345")]));
    let rows = [
        (Limits { members: 2, ..Limits::default() }, "tar exceeds the limit of 2 members"),
        (Limits { file_bytes: 4, ..Limits::default() }, "tar exceeds the limit of 4 bytes in one file"),
        (Limits { total_bytes: 9, ..Limits::default() }, "tar exceeds the limit of 9 bytes"),
    ];
    for (limits, expected) in rows {
        let Err(err) = Tree::unpack(bytes.as_slice(), &std::env::temp_dir(), &limits) else {
            panic!("{expected}")
        };
        assert_eq!(err.to_string(), expected);
    }
}

#[test]
fn a_long_name_of_either_kind_is_read() {
    let long = format!("{}/{}", "d".repeat(140), "f".repeat(140));
    let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let mut header = Header::new_gnu();
    header.set_size(1);
    header.set_mode(0o755);
    archive.append_data(&mut header, &long, &b"x"[..]).unwrap();
    let gnu = archive.into_inner().unwrap().finish().unwrap();
    for bytes in [gnu, archive_of(&tree_of(&[(&long, "x")]))] {
        let mut names = Vec::new();
        archive::read(bytes.as_slice(), Links::Skip, &Limits::default(), |entry| {
            if let EntryKind::File { .. } = entry.kind {
                names.push(entry.path);
            }
            Ok(())
        })
        .unwrap();
        assert_eq!(names, [long.as_str()]);
    }
}
