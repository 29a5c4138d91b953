//! Checksums while bytes pass by.

use std::io::{self, Read, Write};

use millrace_api::meta::{Algorithm, Digest};
use sha1::Sha1;
use sha2::{Digest as _, Sha256, Sha384, Sha512};

/// Computes a [`Digest`] piece by piece.
pub struct Hasher(Inner);

enum Inner {
    Sha1(Sha1),
    Sha256(Sha256),
    Sha384(Box<Sha384>),
    Sha512(Box<Sha512>),
    Blake3(Box<blake3::Hasher>),
}

impl Hasher {
    /// Starts with no bytes seen.
    pub fn new(algorithm: Algorithm) -> Self {
        Self(match algorithm {
            Algorithm::Sha1 => Inner::Sha1(Sha1::new()),
            Algorithm::Sha256 => Inner::Sha256(Sha256::new()),
            Algorithm::Sha384 => Inner::Sha384(Box::default()),
            Algorithm::Sha512 => Inner::Sha512(Box::default()),
            Algorithm::Blake3 => Inner::Blake3(Box::default()),
        })
    }

    /// Takes further bytes in.
    pub fn update(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            Inner::Sha1(hasher) => hasher.update(bytes),
            Inner::Sha256(hasher) => hasher.update(bytes),
            Inner::Sha384(hasher) => hasher.update(bytes),
            Inner::Sha512(hasher) => hasher.update(bytes),
            Inner::Blake3(hasher) => {
                hasher.update(bytes);
            }
        }
    }

    /// Returns the digest of everything taken in.
    pub fn finish(self) -> Digest {
        let (algorithm, bytes): (_, Vec<u8>) = match self.0 {
            Inner::Sha1(hasher) => (Algorithm::Sha1, hasher.finalize().to_vec()),
            Inner::Sha256(hasher) => (Algorithm::Sha256, hasher.finalize().to_vec()),
            Inner::Sha384(hasher) => (Algorithm::Sha384, hasher.finalize().to_vec()),
            Inner::Sha512(hasher) => (Algorithm::Sha512, hasher.finalize().to_vec()),
            Inner::Blake3(hasher) => (Algorithm::Blake3, hasher.finalize().as_bytes().to_vec()),
        };
        Digest::from_bytes(algorithm, &bytes).expect("a finished checksum has its algorithm's length")
    }
}

/// Returns the digest of everything that `reader` yields.
///
/// # Errors
/// Those of the reader.
pub fn of_reader(algorithm: Algorithm, mut reader: impl Read) -> io::Result<Digest> {
    let mut hasher = Hasher::new(algorithm);
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(hasher.finish()),
            Ok(count) => hasher.update(&buffer[..count]),
            Err(err) if err.kind() == io::ErrorKind::Interrupted => {}
            Err(err) => return Err(err),
        }
    }
}

/// A writer that hashes and counts what it passes on.
pub struct HashingWriter<W> {
    inner: W,
    hasher: Hasher,
    written: u64,
}

impl<W: Write> HashingWriter<W> {
    /// Wraps `inner`.
    pub fn new(inner: W, algorithm: Algorithm) -> Self {
        Self { inner, hasher: Hasher::new(algorithm), written: 0 }
    }

    /// Returns the writer, the digest and the number of bytes that passed.
    pub fn finish(self) -> (W, Digest, u64) {
        (self.inner, self.hasher.finish(), self.written)
    }
}

impl<W: Write> Write for HashingWriter<W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(buf)?;
        self.hasher.update(&buf[..count]);
        self.written += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_gives_its_known_answer_for_abc() {
        let rows = [
            (Algorithm::Sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (Algorithm::Sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                Algorithm::Sha384,
                "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
            ),
            (
                Algorithm::Sha512,
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd\
                 454d4423643ce80e2a9ac94fa54ca49f",
            ),
            (Algorithm::Blake3, "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85"),
        ];
        for (algorithm, hex) in rows {
            assert_eq!(of_reader(algorithm, &b"abc"[..]).unwrap().hex(), hex, "{algorithm}");
            let mut writer = HashingWriter::new(Vec::new(), algorithm);
            writer.write_all(b"ab").unwrap();
            writer.write_all(b"c").unwrap();
            let (bytes, digest, written) = writer.finish();
            assert_eq!((bytes.as_slice(), digest.hex(), written), (&b"abc"[..], hex, 3), "{algorithm}");
        }
    }
}
