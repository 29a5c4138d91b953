//! What members say of the member after them: a name or a link target that does not fit its header.

use std::io::{self, Read};

use tar::{Entry, EntryType};

use super::read::ExtractError;

/// What may stand before one member: long names and attributes, all of which are read into memory.
const MAX_BYTES: u64 = 1 << 20;

/// What each header takes, however little it says.
const HEADER: u64 = 512;

/// What was said of the next member so far.
#[derive(Debug, Default)]
pub(super) struct Extensions {
    pax_path: Option<Vec<u8>>,
    pax_link: Option<Vec<u8>>,
    pax_size: Option<u64>,
    gnu_path: Option<Vec<u8>>,
    gnu_link: Option<Vec<u8>>,
    bytes: u64,
}

impl Extensions {
    /// Whether `member` only says something of the next one, which is then kept, or of all, which nobody needs.
    ///
    /// # Errors
    /// When it is damaged, or together with those before it too large.
    pub(super) fn take(&mut self, member: &mut Entry<'_, impl Read>) -> Result<bool, ExtractError> {
        match member.header().entry_type() {
            EntryType::XHeader => {
                let records = self.content(member)?;
                self.read_records(&records)?;
            }
            EntryType::XGlobalHeader => drop(self.content(member)?),
            EntryType::GNULongName => self.gnu_path = Some(until_nul(self.content(member)?)),
            EntryType::GNULongLink => self.gnu_link = Some(until_nul(self.content(member)?)),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The name of the member that follows.
    pub(super) fn name(&self, member: &Entry<'_, impl Read>) -> Vec<u8> {
        let long = self.gnu_path.as_ref().or(self.pax_path.as_ref());
        long.cloned().unwrap_or_else(|| member.path_bytes().into_owned())
    }

    /// The link target of the member that follows.
    pub(super) fn link(&self, member: &Entry<'_, impl Read>) -> Vec<u8> {
        let long = self.gnu_link.as_ref().or(self.pax_link.as_ref());
        long.cloned().unwrap_or_else(|| member.link_name_bytes().unwrap_or_default().into_owned())
    }

    /// The size of the member that follows, as the last word on it.
    ///
    /// # Errors
    /// When its header has another one, by which it cannot be read.
    pub(super) fn size(&self, member: &Entry<'_, impl Read>, limit: u64) -> Result<u64, ExtractError> {
        let size = member.size();
        match self.pax_size {
            // Sizes that do not fit a header are far beyond the limit.
            Some(stated) if stated != size && stated <= limit => {
                Err(damaged("the size of a member differs between its headers"))
            }
            Some(stated) => Ok(stated),
            None => Ok(size),
        }
    }

    fn content(&mut self, member: &mut Entry<'_, impl Read>) -> Result<Vec<u8>, ExtractError> {
        self.bytes = self.bytes.saturating_add(HEADER).saturating_add(member.size());
        if self.bytes > MAX_BYTES {
            return Err(damaged(&format!("headers of one member exceed the limit of {MAX_BYTES} bytes")));
        }
        let mut content = Vec::new();
        member.read_to_end(&mut content).map_err(ExtractError::Damaged)?;
        Ok(content)
    }

    /// `<length> <key>=<value>\n`, again and again. The length counts all of it: a value may hold line ends.
    fn read_records(&mut self, mut records: &[u8]) -> Result<(), ExtractError> {
        let malformed = || damaged("malformed pax extension");
        while !records.is_empty() {
            let (key, value, rest) = first_record(records).ok_or_else(malformed)?;
            // Nothing means that the header's own is right after all.
            let text = (!value.is_empty()).then(|| value.to_vec());
            match key {
                b"path" => self.pax_path = text,
                b"linkpath" => self.pax_link = text,
                b"size" if text.is_none() => self.pax_size = None,
                b"size" => self.pax_size = Some(number(value).ok_or_else(malformed)?),
                _ => {}
            }
            records = rest;
        }
        Ok(())
    }
}

/// Key, value, and what follows the first record.
fn first_record(records: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let blank = records.iter().position(|byte| *byte == b' ')?;
    let length = usize::try_from(number(&records[..blank])?).ok()?;
    let record = records.get(blank + 1..length)?.strip_suffix(b"\n")?;
    let equals = record.iter().position(|byte| *byte == b'=')?;
    Some((&record[..equals], &record[equals + 1..], &records[length..]))
}

fn number(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn until_nul(mut name: Vec<u8>) -> Vec<u8> {
    if let Some(end) = name.iter().position(|byte| *byte == 0) {
        name.truncate(end);
    }
    name
}

fn damaged(text: &str) -> ExtractError {
    ExtractError::Damaged(io::Error::new(io::ErrorKind::InvalidData, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_a_record_may_hold_line_ends() {
        let mut extensions = Extensions::default();
        extensions.read_records(b"25 path=a\n12 path=evil\nb\n12 size=007\n").unwrap();
        assert_eq!(extensions.pax_path.as_deref(), Some(b"a\n12 path=evil\nb".as_slice()));
        assert_eq!(extensions.pax_size, Some(7));
    }

    #[test]
    fn records_that_are_cut_or_lie_about_their_length_are_refused() {
        for records in [
            "7",
            "7 ",
            "8 path=a\n",
            "11 path=a\n",
            "10 path=a",
            "x path=a\n",
            "8 path\n",
            "0 a=b\n",
            "-6 a=b\n",
            "3 a=b\n",
        ] {
            let error = Extensions::default().read_records(records.as_bytes()).unwrap_err();
            assert!(matches!(error, ExtractError::Damaged(_)), "{records:?}: {error:?}");
        }
    }

    #[test]
    fn an_empty_value_leaves_it_to_the_header() {
        let mut extensions = Extensions::default();
        extensions.read_records(b"10 path=a\n8 path=\n").unwrap();
        assert_eq!(extensions.pax_path, None);
    }
}
