//! Anchors, aliases, tags and directives.

use super::{Fault, Mark, Scanner, TokenKind};

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn is_uri(byte: u8) -> bool {
    is_word(byte) || b";/?:@&=+$,.!~*'()[]%".contains(&byte)
}

impl<'a> Scanner<'a> {
    pub(super) fn anchor(&mut self, defines: bool) -> Result<(), Fault> {
        self.save_key()?;
        self.keys.allowed = false;
        let start = self.cursor.mark();
        self.cursor.skip_ascii(1);
        let name = self.word();
        let ended = self.cursor.is_blank_or_end(0) || b"?:,]}%@`".contains(&self.cursor.byte(0));
        if name.is_empty() || !ended {
            return Err(self.fault(Some(start), "did not find expected alphabetic or numeric character"));
        }
        self.push(if defines { TokenKind::Anchor(name) } else { TokenKind::Alias(name) }, start);
        Ok(())
    }

    pub(super) fn tag(&mut self) -> Result<(), Fault> {
        self.save_key()?;
        self.keys.allowed = false;
        let start = self.cursor.mark();
        let (handle, suffix) = if self.cursor.byte(1) == b'<' {
            self.cursor.skip_ascii(2);
            let uri = self.tag_uri("", start)?;
            if self.cursor.byte(0) != b'>' {
                return Err(self.fault(Some(start), "did not find the expected '>'"));
            }
            self.cursor.skip_ascii(1);
            ("", uri)
        } else {
            let handle = self.tag_handle(false, start)?;
            if handle.len() > 1 && handle.ends_with('!') {
                (handle, self.tag_uri("", start)?)
            } else {
                let suffix = self.tag_uri(handle, start)?;
                if suffix.is_empty() { ("", "!".to_owned()) } else { ("!", suffix) }
            }
        };
        if !self.cursor.is_blank_or_end(0) {
            return Err(self.fault(Some(start), "did not find expected whitespace or line break"));
        }
        self.push(TokenKind::Tag { handle, suffix: suffix.into() }, start);
        Ok(())
    }

    /// `!`, `!!` or `!word!`; without its last `!` it is the start of a local tag.
    fn tag_handle(&mut self, directive: bool, start: Mark) -> Result<&'a str, Fault> {
        let from = self.cursor.offset();
        if self.cursor.byte(0) != b'!' {
            return Err(self.fault(Some(start), "did not find expected '!'"));
        }
        self.cursor.skip_ascii(1);
        let word = self.word();
        if self.cursor.byte(0) == b'!' {
            self.cursor.skip_ascii(1);
        } else if directive && !word.is_empty() {
            return Err(self.fault(Some(start), "did not find expected '!'"));
        }
        Ok(self.cursor.slice(from, self.cursor.offset()))
    }

    /// A tag after its handle; `head` is what was taken for a handle and was none.
    fn tag_uri(&mut self, head: &str, start: Mark) -> Result<String, Fault> {
        let mut uri = head.get(1..).unwrap_or_default().as_bytes().to_vec();
        let from = self.cursor.offset();
        while is_uri(self.cursor.byte(0)) {
            if self.cursor.byte(0) == b'%' {
                uri.push(self.uri_octet(start)?);
            } else {
                uri.push(self.cursor.byte(0));
                self.cursor.skip_ascii(1);
            }
        }
        if head.is_empty() && self.cursor.offset() == from {
            return Err(self.fault(Some(start), "did not find expected tag URI"));
        }
        String::from_utf8(uri).map_err(|_| self.fault(Some(start), "found an incorrect trailing UTF-8 octet"))
    }

    fn uri_octet(&mut self, start: Mark) -> Result<u8, Fault> {
        let digit = |ahead| char::from(self.cursor.byte(ahead)).to_digit(16);
        let octet = digit(1).zip(digit(2)).and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
        let octet = octet.ok_or_else(|| self.fault(Some(start), "did not find URI escaped octet"))?;
        self.cursor.skip_ascii(3);
        Ok(octet)
    }

    pub(super) fn scan_directive(&mut self) -> Result<(), Fault> {
        let start = self.cursor.mark();
        self.cursor.skip_ascii(1);
        let name = self.word();
        if name.is_empty() {
            return Err(self.fault(Some(start), "could not find expected directive name"));
        }
        if !self.cursor.is_blank_or_end(0) {
            return Err(self.fault(Some(start), "found unexpected non-alphabetical character"));
        }
        self.cursor.skip_blanks();
        let kind = match name {
            "YAML" => self.version(start)?,
            "TAG" => self.tag_directive(start)?,
            _ => return Err(self.fault(Some(start), "found unknown directive name")),
        };
        self.cursor.skip_blanks();
        self.cursor.skip_comment();
        if !self.cursor.is_break_or_end() {
            return Err(self.fault(Some(start), "did not find expected comment or line break"));
        }
        self.cursor.skip_break();
        self.push(kind, start);
        Ok(())
    }

    fn version(&mut self, start: Mark) -> Result<TokenKind<'a>, Fault> {
        let major = self.version_number(start)?;
        if self.cursor.byte(0) != b'.' {
            return Err(self.fault(Some(start), "did not find expected digit or '.' character"));
        }
        self.cursor.skip_ascii(1);
        let minor = self.version_number(start)?;
        Ok(TokenKind::VersionDirective { major, minor })
    }

    fn version_number(&mut self, start: Mark) -> Result<u32, Fault> {
        let from = self.cursor.offset();
        self.cursor.skip_while(|byte| byte.is_ascii_digit());
        let digits = self.cursor.slice(from, self.cursor.offset());
        if digits.len() > 2 {
            return Err(self.fault(Some(start), "found extremely long version number"));
        }
        digits.parse().map_err(|_| self.fault(Some(start), "did not find expected version number"))
    }

    fn tag_directive(&mut self, start: Mark) -> Result<TokenKind<'a>, Fault> {
        let handle = self.tag_handle(true, start)?;
        if !self.cursor.is_blank() {
            return Err(self.fault(Some(start), "did not find expected whitespace"));
        }
        self.cursor.skip_blanks();
        let prefix = self.tag_uri("", start)?.into();
        if !self.cursor.is_blank_or_end(0) {
            return Err(self.fault(Some(start), "did not find expected whitespace or line break"));
        }
        Ok(TokenKind::TagDirective { handle, prefix })
    }

    fn word(&mut self) -> &'a str {
        let from = self.cursor.offset();
        self.cursor.skip_while(is_word);
        self.cursor.slice(from, self.cursor.offset())
    }
}
