//! Tar headers as the original writes them, byte for byte.

/// The size of headers and of padding.
pub(super) const BLOCK: usize = 512;

/// The largest file that a header can describe: eleven octal digits.
pub(super) const MAX_FILE_SIZE: u64 = 0o777_7777_7777;

const NAME_LEN: usize = 100;
const PREFIX_LEN: usize = 155;

/// What a header describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Member {
    File { executable: bool, size: u64 },
    Folder,
}

/// Returns the blocks that stand before the content of the member at `path`.
pub(super) fn blocks(path: &[u8], member: Member) -> Vec<u8> {
    let (kind, mode, size) = match member {
        Member::File { executable: true, size } => (b'0', 0o700, size),
        Member::File { executable: false, size } => (b'0', 0o600, size),
        Member::Folder => (b'5', 0o750, 0),
    };
    if path.is_ascii() && path.len() <= NAME_LEN {
        return header(path, b"", kind, mode, size, true).to_vec();
    }
    if let Some((prefix, name)) = split(path) {
        return header(name, prefix, kind, mode, size, true).to_vec();
    }
    let mut blocks = extended(path);
    blocks.extend_from_slice(&header(&short(path), b"", kind, mode, size, true));
    blocks
}

/// Splits a path at a `/` so that both parts fit, the first as long as possible.
fn split(path: &[u8]) -> Option<(&[u8], &[u8])> {
    if !path.is_ascii() {
        return None;
    }
    let head = &path[..path.len().min(PREFIX_LEN + 1)];
    let at = head.iter().rposition(|byte| *byte == b'/').filter(|at| *at > 0)?;
    let (prefix, name) = (&path[..at], &path[at + 1..]);
    (!name.is_empty() && name.len() <= NAME_LEN).then_some((prefix, name))
}

/// The name that stands in the header next to an extended one: ASCII, cut to what fits.
fn short(path: &[u8]) -> Vec<u8> {
    let mut name: Vec<u8> = path.iter().copied().filter(u8::is_ascii).collect();
    if name.len() > NAME_LEN {
        name.truncate(NAME_LEN);
        while name.last() == Some(&b'/') {
            name.pop();
        }
    }
    name
}

/// An extended header that carries the whole path.
fn extended(path: &[u8]) -> Vec<u8> {
    let name = match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => [&path[..=at], b"PaxHeaders.0/", &path[at + 1..]].concat(),
        None => [b"PaxHeaders.0/", path].concat(),
    };
    let record = record(b"path", path);
    let mut blocks = header(&short(&name), b"", b'x', 0, record.len() as u64, false).to_vec();
    blocks.extend_from_slice(&record);
    blocks.resize(blocks.len().next_multiple_of(BLOCK), 0);
    blocks
}

/// `<length> <key>=<value>\n`, where the length counts itself.
fn record(key: &[u8], value: &[u8]) -> Vec<u8> {
    let rest = key.len() + value.len() + 3;
    let mut length = rest;
    while length != rest + length.to_string().len() {
        length = rest + length.to_string().len();
    }
    [length.to_string().as_bytes(), b" ", key, b"=", value, b"\n"].concat()
}

fn header(name: &[u8], prefix: &[u8], kind: u8, mode: u64, size: u64, has_device: bool) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    block[..name.len()].copy_from_slice(name);
    octal(&mut block[100..108], mode);
    octal(&mut block[108..116], 0);
    octal(&mut block[116..124], 0);
    octal(&mut block[124..136], size);
    octal(&mut block[136..148], 0);
    block[156] = kind;
    block[257..265].copy_from_slice(b"ustar\x0000");
    if has_device {
        octal(&mut block[329..337], 0);
        octal(&mut block[337..345], 0);
    }
    block[345..345 + prefix.len()].copy_from_slice(prefix);
    // The sum counts its own field as blanks.
    block[148..156].fill(b' ');
    let sum: u32 = block.iter().copied().map(u32::from).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

/// Fills a field with zero-padded octal digits and a NUL.
fn octal(field: &mut [u8], value: u64) {
    let width = field.len() - 1;
    let digits = format!("{value:0width$o}");
    debug_assert_eq!(digits.len(), width, "{value} doesn't fit");
    field[..width].copy_from_slice(digits.as_bytes());
}
