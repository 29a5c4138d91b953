//! Archives that are made to break their reader: each ends in a tree within its limits or in the error it should.

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use millrace_artifact::archive::Limits;
use millrace_artifact::tree::Tree;
use millrace_matrix::Matrix;
use tar::EntryType;

type Outcome = Result<(), String>;

const LIMITS: Limits = Limits { members: 100, file_bytes: 1 << 20, total_bytes: 4 << 20 };
const BLOCK: u64 = 512;
/// What an archive ends with: two empty blocks.
const END: [u8; 1024] = [0; 1024];

/// What reading an archive ends in.
#[derive(Clone, Copy, Debug)]
enum Expected {
    /// A tree whose files hold so many bytes.
    Bytes(u64),
    /// An error that says this.
    Error(&'static str),
}
use Expected::{Bytes, Error};

/// An archive in the making, compressed as it grows, so that it may stand for far more than memory holds.
struct Maker(GzEncoder<Vec<u8>>);

impl Maker {
    fn new() -> Self {
        Self(GzEncoder::new(Vec::new(), Compression::best()))
    }

    /// A header that promises `size` bytes.
    fn header(mut self, kind: EntryType, name: &str, link: &str, size: u64) -> Self {
        let mut header = tar::Header::new_gnu();
        let old = header.as_old_mut();
        old.name[..name.len()].copy_from_slice(name.as_bytes());
        old.linkname[..link.len()].copy_from_slice(link.as_bytes());
        header.set_entry_type(kind);
        header.set_mode(0o644);
        header.set_size(size);
        header.set_cksum();
        self.0.write_all(header.as_bytes()).unwrap();
        self
    }

    /// So many bytes, filled up to the block.
    fn content(mut self, size: u64) -> Self {
        std::io::copy(&mut std::io::repeat(b'x').take(size), &mut self.0).unwrap();
        let rest = size.next_multiple_of(BLOCK) - size;
        std::io::copy(&mut std::io::repeat(0).take(rest), &mut self.0).unwrap();
        self
    }

    fn file(self, name: &str, size: u64) -> Self {
        self.header(EntryType::Regular, name, "", size).content(size)
    }

    fn link(self, kind: EntryType, name: &str, target: &str) -> Self {
        self.header(kind, name, target, 0)
    }

    fn bytes(mut self) -> Vec<u8> {
        self.0.write_all(&END).unwrap();
        self.0.finish().unwrap()
    }
}

fn judge(archive: &[u8], expected: Expected) -> Outcome {
    let read = Tree::unpack(archive, &std::env::temp_dir(), &LIMITS);
    match (read, expected) {
        (Ok(tree), Bytes(bytes)) if tree.spooled_bytes() == bytes => Ok(()),
        (Ok(tree), _) => Err(format!("a tree of {} bytes, not {expected:?}", tree.spooled_bytes())),
        (Err(error), expected) => {
            let mut text = error.to_string();
            let mut source = std::error::Error::source(&error);
            while let Some(error) = source {
                text = format!("{text}: {error}");
                source = error.source();
            }
            match expected {
                Error(part) if text.contains(part) => Ok(()),
                Error(_) | Bytes(_) => Err(format!("{text}, not {expected:?}")),
            }
        }
    }
}

fn many(count: u64, size: u64) -> Vec<u8> {
    (0..count).fold(Maker::new(), |maker, number| maker.file(&format!("f{number}"), size)).bytes()
}

fn rows() -> Vec<(&'static str, Vec<u8>, Expected)> {
    let mib = 1 << 20;
    let name = "tar contained invalid name error";
    let deep = |depth: usize| {
        let mut maker = Maker::new();
        let path = "d/".repeat(depth) + "f";
        maker = maker.header(EntryType::GNULongName, "././@LongLink", "", path.len() as u64);
        maker.0.write_all(path.as_bytes()).unwrap();
        let rest = (path.len() as u64).next_multiple_of(BLOCK) - path.len() as u64;
        std::io::copy(&mut std::io::repeat(0).take(rest), &mut maker.0).unwrap();
        maker.file("f", 1).bytes()
    };
    let named = |length: u64| {
        let maker = Maker::new().header(EntryType::GNULongName, "././@LongLink", "", length);
        maker.content(length).file("f", 1).bytes()
    };
    let attributes = Maker::new().header(EntryType::XHeader, "x", "", 64 << 20).content(64 << 20);
    let headers = "headers of one member exceed the limit of 1048576 bytes";
    let sparse = Maker::new().header(EntryType::GNUSparse, "s", "", 1 << 40).bytes();
    let symlink = EntryType::Symlink;
    vec![
        ("a file at the limit", many(1, mib), Bytes(mib)),
        ("a file over the limit", many(1, mib + 1), Error("limit of 1048576 bytes in one file")),
        ("files at the limit", many(4, mib), Bytes(4 * mib)),
        ("files over the limit", many(5, mib), Error("limit of 4194304 bytes")),
        ("members at the limit", many(100, 1), Bytes(100)),
        ("members over the limit", many(101, 1), Error("limit of 100 members")),
        ("sixty-four megabytes in a few kilobytes", many(1, 64 << 20), Error("bytes in one file")),
        (
            "a size beyond all numbers",
            Maker::new().header(EntryType::Regular, "f", "", u64::MAX).bytes(),
            Error("tar"),
        ),
        (
            "more than is there",
            Maker::new().header(EntryType::Regular, "f", "", 5000).bytes(),
            Error("tar error"),
        ),
        ("a sparse file of a terabyte", sparse, Error("unsupported file type")),
        ("a path out of the root", Maker::new().file("../f", 1).bytes(), Error(name)),
        ("a path out of the root and back", Maker::new().file("a/../../f", 1).bytes(), Error(name)),
        ("an absolute path", Maker::new().file("/etc/passwd", 1).bytes(), Error(name)),
        ("a path with backslashes", Maker::new().file("..\\f", 1).bytes(), Error(name)),
        ("a link out of the root", Maker::new().link(symlink, "l", "/etc").file("l/f", 1).bytes(), Bytes(1)),
        (
            "a hard link out of the root",
            Maker::new().link(EntryType::Link, "l", "../../etc/passwd").bytes(),
            Error(name),
        ),
        ("a hard link to itself", Maker::new().link(EntryType::Link, "l", "l").bytes(), Bytes(0)),
        ("a device", Maker::new().link(EntryType::Char, "c", "").bytes(), Error("unsupported file type")),
        ("a pipe", Maker::new().link(EntryType::Fifo, "p", "").bytes(), Error("unsupported file type")),
        ("a file in a file", Maker::new().file("f", 1).file("f/g", 1).bytes(), Error("failed to store f/g")),
        (
            "a file over a folder",
            Maker::new().file("f/g", 1).file("f", 1).bytes(),
            Error("failed to store f"),
        ),
        ("a name within the limit of headers", named(mib - 4 * BLOCK), Bytes(1)),
        ("a name over the limit of headers", named(mib), Error(headers)),
        ("attributes over the limit of headers", attributes.file("f", 1).bytes(), Error(headers)),
        ("headers without end", headers_only(3_000), Error(headers)),
        ("folders at the limit of depth", deep(256), Bytes(1)),
        ("folders over the limit of depth", deep(257), Error("folders are nested too deeply")),
        ("no gzip", b"plain".to_vec(), Error("requires gzip-compressed body")),
        ("no tar", gzip(b"plain text, and nothing of an archive in it"), Error("tar error")),
        ("nothing", Vec::new(), Error("requires gzip-compressed body")),
    ]
}

/// Long names that say nothing, and no member.
fn headers_only(count: usize) -> Vec<u8> {
    let maker = (0..count)
        .fold(Maker::new(), |maker, _| maker.header(EntryType::GNULongName, "././@LongLink", "", 0));
    maker.bytes()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).unwrap()
}

#[test]
fn hostile_archives_stay_within_their_limits() {
    let mut matrix = Matrix::new("hostile inputs (artifact)");
    for (row, archive, expected) in rows() {
        matrix.row(row, judge(&archive, expected));
    }
    matrix.finish().unwrap();
}
