//! Moving through text with lines and columns.

/// A place in text, all from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::read) struct Mark {
    /// In characters.
    pub(in crate::read) index: usize,
    pub(in crate::read) line: usize,
    /// In characters.
    pub(in crate::read) column: usize,
}

/// The place up to which text has been read.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    mark: Mark,
    /// Whether line breaks other than LF may occur; without them a faster search does.
    exotic: bool,
}

/// The first character that YAML doesn't allow, if any.
pub(in crate::read) fn first_control_character(text: &str) -> Option<char> {
    let suspicious = |byte: u8| {
        (byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r')) || matches!(byte, 0x7f | 0xc2 | 0xef)
    };
    if !any(text, suspicious) {
        return None;
    }
    text.chars().find(|character| {
        matches!(
            character,
            '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}'
        )
    })
}

/// Whether any byte is such; looks at many at once.
fn any(text: &str, wanted: impl Fn(u8) -> bool) -> bool {
    text.as_bytes().chunks(256).any(|chunk| chunk.iter().fold(false, |found, byte| found | wanted(*byte)))
}

/// How many characters the bytes are.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| (**byte & 0xc0) != 0x80).count()
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let exotic = any(text, |byte| matches!(byte, b'\r' | 0xc2 | 0xe2));
        // A byte order mark at the start belongs to no line; anywhere else it is text.
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { text, at, mark: Mark::default(), exotic }
    }

    pub(super) fn mark(&self) -> Mark {
        self.mark
    }

    /// The byte offset.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    /// The text between two byte offsets.
    pub(super) fn slice(&self, start: usize, end: usize) -> &'a str {
        &self.text[start..end]
    }

    /// The next byte; `None` at the end of the text.
    pub(super) fn first(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The byte that many bytes ahead; 0, which no text holds, beyond the end.
    pub(super) fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    /// The length in bytes of the line break that starts that many bytes ahead; 0 where there is none.
    pub(super) fn break_length(&self, ahead: usize) -> usize {
        match self.byte(ahead) {
            b'\r' if self.byte(ahead + 1) == b'\n' => 2,
            b'\n' | b'\r' => 1,
            0xc2 if self.byte(ahead + 1) == 0x85 => 2,
            0xe2 if self.byte(ahead + 1) == 0x80 && matches!(self.byte(ahead + 2), 0xa8 | 0xa9) => 3,
            _ => 0,
        }
    }

    pub(super) fn is_blank(&self) -> bool {
        matches!(self.byte(0), b' ' | b'\t')
    }

    pub(super) fn is_break(&self) -> bool {
        self.break_length(0) > 0
    }

    pub(super) fn is_break_or_end(&self) -> bool {
        self.first().is_none() || self.is_break()
    }

    /// Whether a blank, a line break or the end lies that many bytes ahead.
    pub(super) fn is_blank_or_end(&self, ahead: usize) -> bool {
        matches!(self.byte(ahead), b' ' | b'\t' | 0) || self.break_length(ahead) > 0
    }

    /// Whether a line starts here with `---` or `...` and nothing attached to it.
    pub(super) fn at_document_indicator(&self) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        self.mark.column == 0
            && (rest.starts_with(b"---") || rest.starts_with(b"..."))
            && self.is_blank_or_end(3)
    }

    /// Moves over bytes of ASCII characters on this line.
    pub(super) fn skip_ascii(&mut self, count: usize) {
        self.at += count;
        self.mark.index += count;
        self.mark.column += count;
    }

    /// Moves to a byte offset on this line.
    pub(super) fn skip_to(&mut self, offset: usize) {
        let count = characters(&self.text.as_bytes()[self.at..offset]);
        self.at = offset;
        self.mark.index += count;
        self.mark.column += count;
    }

    /// Moves over ASCII characters of this line that `wanted` accepts.
    pub(super) fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) {
        let rest = &self.text.as_bytes()[self.at..];
        self.skip_ascii(rest.iter().take_while(|byte| wanted(**byte)).count());
    }

    pub(super) fn skip_blanks(&mut self) {
        self.skip_while(|byte| matches!(byte, b' ' | b'\t'));
    }

    /// Moves to the end of the line if a comment starts here.
    pub(super) fn skip_comment(&mut self) {
        if self.byte(0) == b'#' {
            self.skip_to(self.line_end());
        }
    }

    /// Moves over a line break, if there is one.
    pub(super) fn skip_break(&mut self) -> bool {
        let length = self.break_length(0);
        if length > 0 {
            self.mark.index += characters(&self.text.as_bytes()[self.at..self.at + length]);
            self.at += length;
            self.mark.line += 1;
            self.mark.column = 0;
        }
        length > 0
    }

    /// Moves over a line break and returns what it means in a scalar.
    pub(super) fn read_break(&mut self) -> &'a str {
        let start = self.at;
        if !self.skip_break() {
            return "";
        }
        let text = self.slice(start, self.at);
        if matches!(text, "\u{2028}" | "\u{2029}") { text } else { "\n" }
    }

    /// How many line breaks stand behind the cursor with nothing but blanks between them.
    pub(super) fn breaks_behind(&self) -> usize {
        let mut behind = &self.text.as_bytes()[..self.at];
        let mut breaks = 0;
        loop {
            let (length, is_break) = match behind {
                [.., b' ' | b'\t'] => (1, false),
                [.., b'\r', b'\n'] | [.., 0xc2, 0x85] => (2, true),
                [.., b'\r' | b'\n'] => (1, true),
                [.., 0xe2, 0x80, 0xa8 | 0xa9] => (3, true),
                _ => return breaks,
            };
            breaks += usize::from(is_break);
            behind = &behind[..behind.len() - length];
        }
    }

    /// At the end of the text: as if a line break stood there.
    pub(super) fn force_new_line(&mut self) {
        if self.mark.column != 0 {
            self.mark.column = 0;
            self.mark.line += 1;
        }
    }

    /// The byte offset of this line's end.
    pub(super) fn line_end(&self) -> usize {
        if !self.exotic {
            let rest = &self.text[self.at..];
            return self.at + rest.find('\n').unwrap_or(rest.len());
        }
        let mut ahead = 0;
        while !(self.byte(ahead) == 0 || self.break_length(ahead) > 0) {
            ahead += 1;
        }
        self.at + ahead
    }
}
