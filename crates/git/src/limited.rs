//! A pack as it arrives, up to a limit.

use std::io::{self, BufRead, Read};

use crate::{error::TransportError, http::Connection};

/// Reads on as long as the limit isn't passed.
pub(crate) struct Limited<'p> {
    pack: &'p mut dyn BufRead,
    limit: u64,
    read: u64,
    connection: &'p Connection,
}

impl<'p> Limited<'p> {
    pub(crate) fn new(pack: &'p mut dyn BufRead, limit: u64, connection: &'p Connection) -> Self {
        Self { pack, limit, read: 0, connection }
    }
}

impl Read for Limited<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let count = available.len().min(buf.len());
        buf[..count].copy_from_slice(&available[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Limited<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.read > self.limit {
            return Err(self.connection.fail(TransportError::TooLarge { limit: self.limit }));
        }
        self.pack.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.read = self.read.saturating_add(amount as u64);
        self.pack.consume(amount);
    }
}
