//! Causes that the two places of a flaw in the grammar of a text give away.

use millrace_yaml::read::{Flaw, Place, Resolver, continued};

use super::syntax_errors::{Cause, is_template};

/// The words of a quote that nothing closes.
const UNCLOSED: [&str; 2] = ["found unexpected end of stream", "found unexpected document indicator"];

/// A text and its flaw.
pub(super) struct Broken<'b> {
    flaw: &'b Flaw,
    text: &'b str,
    lines: Vec<&'b str>,
}

impl<'b> Broken<'b> {
    pub(super) fn new(flaw: &'b Flaw, text: &'b str) -> Self {
        Self { flaw, text, lines: text.lines().collect() }
    }

    /// The line on which the flaw was met: the last one with content, where that is the end of the text.
    pub(super) fn line(&self) -> usize {
        let met = if self.is("could not find expected ':'") { self.flaw.within } else { self.flaw.met };
        let is_blank = |number: usize| self.line_at(number).trim().is_empty();
        let mut line = met.line.min(self.lines.len());
        while line > 1 && is_blank(line) {
            line -= 1;
        }
        line
    }

    /// What is wrong with quotes.
    pub(super) fn quotes(&self) -> Option<Cause> {
        if UNCLOSED.contains(&self.flaw.problem.as_str()) {
            return Some(Cause::at(self.flaw.within.line, "a quote that is opened here is never closed"));
        }
        let open = self.flaw.quoted.filter(|open| !is_template(self.line_at(open.line)))?;
        let from = self.rest(open);
        let quote = from.chars().next().filter(|first| matches!(first, '"' | '\''))?;
        let length = 1 + closing(&from[1..], quote)?;
        let lines = from[..length].matches('\n').count();
        let behind = from[length + 1..].lines().next().unwrap_or_default();
        let is_free = behind.starts_with([' ', '\t']);
        let next = behind.trim_start().chars().next()?;
        if matches!(next, ',' | ']' | '}' | ':') || next == '#' && is_free {
            return None;
        }
        let last = open.line + lines;
        Some(match (lines, quote) {
            (0, '\'') if !(is_free && self.flaw.open.is_some()) => Cause::at(
                last,
                "text stands behind the quote that ends a value: inside of single quotes, ' is written twice",
            ),
            (0, _) if is_free && self.flaw.open.is_some() => {
                Cause::at(last, "a ',' is missing behind the quote that ends a value")
            }
            (0, _) => Cause::at(
                last,
                "text stands behind the quote that ends a value: a quote is missing, or one inside wants a '\\'",
            ),
            _ => Cause::at(
                open.line,
                format!("the quote that is opened here is closed in line {last}, and text follows there"),
            ),
        })
    }

    /// That a text begins with what may begin nothing.
    pub(super) fn start(&self) -> Option<Cause> {
        let met = self.flaw.met;
        let (before, at) = split_at(self.line_at(met.line), met.column);
        if !self.is("found character that cannot start any token") {
            return None;
        }
        if before.ends_with('{') && at.starts_with('%') {
            return Some(Cause::at(met.line, "'{' begins a map in YAML: render the template first"));
        }
        if at.starts_with("```") {
            return Some(Cause::at(met.line, "this line is of Markdown, not of YAML: leave it out"));
        }
        let first = at.chars().next().filter(|first| matches!(first, '@' | '`' | '%'))?;
        Some(Cause::at(met.line, format!("text that begins with '{first}' wants quotes")))
    }

    /// That a key has no ':', or no space behind that.
    pub(super) fn colons(&self) -> Option<Cause> {
        let Flaw { met, within, scalar, quoted, .. } = self.flaw;
        let start = if self.is("could not find expected ':'") {
            *within
        } else if self.is("mapping values are not allowed") || self.is("did not find expected key") {
            scalar.filter(|start| start.line < met.line && *quoted != Some(*start))?
        } else {
            return None;
        };
        if let Some(cause) = self.block_text(start.line) {
            return Some(cause);
        }
        let (before, line) = split_at(self.line_at(start.line), start.column);
        let is_entry = before.contains('-');
        // An entry may be complete, and then the line below is what is wrong.
        let is_key = before.chars().all(|letter| matches!(letter, ' ' | '-'))
            && !(is_entry && self.is("did not find expected key"))
            && !(is_entry && line.starts_with(|first: char| !first.is_alphabetic()));
        let says = without_colon(line, is_entry).filter(|_| is_key)?;
        let is_last = !self.lines.iter().skip(start.line).any(|line| !line.trim().is_empty());
        let goes_on = !self.is("did not find expected key") && !is_last;
        Some(Cause::at(start.line, if goes_on { says } else { without_consequence(says) }))
    }

    /// What is wrong with braces and brackets.
    pub(super) fn brackets(&self) -> Option<Cause> {
        let Flaw { met, within, .. } = *self.flaw;
        if self.is("did not find expected node content") {
            return self.bracket_at(met);
        }
        if !self.is("did not find expected ',' or ") {
            return None;
        }
        let rest = self.rest(within);
        let bracket = rest.chars().next().filter(|first| matches!(first, '[' | '{'))?;
        let is_outside = met.line > within.line && self.indent(met.line) <= self.indent(within.line);
        let is_json = self.text.trim_start().starts_with(['[', '{']);
        if !is_balanced(rest) {
            return Some(Cause::at(
                within.line,
                format!("a '{bracket}' that is opened here is never closed"),
            ));
        }
        let (before, at) = split_at(self.line_at(met.line), met.column);
        if at.starts_with(['[', '{']) && before.ends_with(is_of_key) {
            let first = if at.starts_with('[') { '[' } else { '{' };
            return Some(Cause::at(
                met.line,
                format!("a value with '{first}' in it wants quotes where it stands between brackets"),
            ));
        }
        if at.starts_with(':') && met.line == within.line {
            let says = "a ',' is missing in this line, or a value with ': ' in it wants quotes";
            return Some(Cause::at(met.line, says));
        }
        let is_first = before.trim().is_empty() || self.flaw.scalar.is_some_and(|at| at.line < met.line);
        let last = (within.line..met.line).rev().find(|line| !self.line_at(*line).trim().is_empty())?;
        let is_complete = !self.line_at(last).trim_end().ends_with([',', '{', '[', ':']);
        let is_comment = self.line_at(last).contains('#');
        (is_first && is_complete && !is_comment && (is_json || !is_outside) && !at.starts_with([']', '}']))
            .then(|| Cause::at(last, "a ',' is missing at the end of this line"))
    }

    /// That a value was wanted where a bracket closes nothing, or where the text ends behind one that was opened.
    fn bracket_at(&self, met: Place) -> Option<Cause> {
        let (_, at) = split_at(self.line_at(met.line), met.column);
        if let Some(bracket) = at.chars().next().filter(|_| !self.is_end(met)) {
            let closes = matches!(bracket, ']' | '}');
            return closes.then(|| {
                Cause::at(met.line, format!("the '{bracket}' in this line closes nothing that is open"))
            });
        }
        let open = self.flaw.open?;
        let bracket = self.rest(open).chars().next().filter(|first| matches!(first, '[' | '{'))?;
        Some(Cause::at(open.line, format!("a '{bracket}' that is opened here is never closed")))
    }

    /// What is wrong with the indentation of the line on which a key or an entry was wanted.
    pub(super) fn indentation(&self) -> Option<Cause> {
        if !self.is("did not find expected key") && !self.is("did not find expected '-'") {
            return None;
        }
        let Flaw { met, within, .. } = *self.flaw;
        let (before, at) = split_at(self.line_at(met.line), met.column);
        if at.starts_with(',') {
            return Some(Cause::at(met.line, "a ',' stands behind a value that is in no brackets"));
        }
        if let Some(bracket) = at.chars().next().filter(|first| matches!(first, ']' | '}')) {
            let says = format!("the '{bracket}' in this line closes nothing that is open");
            return Some(Cause::at(met.line, says));
        }
        if !before.trim().is_empty() {
            return None;
        }
        if let Some(cause) = self.block_text(met.line).or_else(|| self.uneven_text(met.line)) {
            return Some(cause);
        }
        if is_misaligned(&self.lines, met.line) {
            let says = "the line is indented less than the one above it, and like none before";
            return Some(Cause::at(met.line, says));
        }
        let is_entry = at.starts_with("- ") || at.trim_end() == "-";
        let is_at_list = self.is("did not find expected '-'") && met.column == within.column;
        let is_at_map = self.is("did not find expected key") && met.column == within.column;
        if is_at_list && !is_entry {
            let list = within.line;
            let says = format!(
                "this line stands in the column of the list that begins in line {list}, and does not begin with '- '"
            );
            return Some(Cause::at(met.line, says));
        }
        if is_at_map && is_entry {
            let map = within.line;
            let says = format!(
                "this '- ' stands in the column of the map that begins in line {map}, among its keys"
            );
            return Some(Cause::at(met.line, says));
        }
        let above = self.above(met.line)?;
        (self.indent(met.line) > self.indent(above) && !is_comment(self.line_at(above)))
            .then(|| Cause::at(met.line, "this line is indented further than the one it belongs to"))
    }

    /// That a line belongs to a text whose first line is indented further.
    fn uneven_text(&self, line: usize) -> Option<Cause> {
        let head = (1..line).rev().find(|above| block_mark(self.line_at(*above)).is_some())?;
        let mark = block_mark(self.line_at(head))?;
        let mut text = (head + 1..line).filter(|above| !self.line_at(*above).trim().is_empty());
        let first = text.next()?;
        let is_text = text.all(|other| self.indent(other) >= self.indent(first));
        let is_within = self.indent(head) < self.indent(line) && self.indent(line) < self.indent(first);
        (is_text && is_within).then(|| {
            let says = format!(
                "this line is indented less than line {first}, the first of the text behind '{mark}'"
            );
            Cause::at(line, says)
        })
    }

    /// That a line is to be text that the one above it leaves to those below, and is not indented for that.
    fn block_text(&self, line: usize) -> Option<Cause> {
        let mark = block_mark(self.line_at(self.above(line)?))?;
        Some(Cause::at(line, format!("indent this text further than the line of its '{mark}'")))
    }

    /// Whether a document ends at a place.
    fn is_end(&self, place: Place) -> bool {
        let line = self.line_at(place.line);
        line.is_empty() || place.column == 0 && line.starts_with("---")
    }

    /// The last line with content above one.
    fn above(&self, line: usize) -> Option<usize> {
        (1..line).rev().find(|line| !self.line_at(*line).trim().is_empty())
    }

    fn is(&self, problem: &str) -> bool {
        self.flaw.problem.starts_with(problem)
    }

    fn line_at(&self, number: usize) -> &'b str {
        number.checked_sub(1).and_then(|index| self.lines.get(index)).copied().unwrap_or_default()
    }

    fn indent(&self, number: usize) -> usize {
        let line = self.line_at(number);
        line.len() - line.trim_start_matches(' ').len()
    }

    /// The text from a place on.
    fn rest(&self, place: Place) -> &'b str {
        let start: usize = self.text.split_inclusive('\n').take(place.line - 1).map(str::len).sum();
        let rest = &self.text[start..];
        let rest = if start == 0 { rest.strip_prefix('\u{feff}').unwrap_or(rest) } else { rest };
        split_at(rest, place.column).1
    }
}

/// A text before and behind so many letters.
fn split_at(text: &str, letters: usize) -> (&str, &str) {
    text.split_at(text.char_indices().nth(letters).map_or(text.len(), |(at, _)| at))
}

/// Of what [`without_colon`] says, what is so whether or not the next line goes on with the text.
pub(super) fn without_consequence(says: &str) -> &str {
    says.split_once(", so").map_or(says, |(says, _)| says)
}

/// What a line lacks that is to begin with a key, if it lacks a ':' or the space behind that.
pub(super) fn without_colon(line: &str, is_entry: bool) -> Option<&'static str> {
    let line = line.split_once(" #").map_or(line, |(line, _)| line).trim_end_matches(' ');
    let end = line.find(|letter: char| !is_of_key(letter)).unwrap_or(line.len());
    if end == 0 {
        let is_command = line.starts_with(['$', '(', '/', '<', '=', '+', '~']) && !line.contains(':');
        return is_command.then_some("this line has no ':', so the next one goes on with its text");
    }
    let behind = line[end..].strip_prefix(':');
    match behind.and_then(|behind| behind.chars().next()) {
        Some('/') | None if line.contains(": ") || line.ends_with(':') => None,
        // What is an entry may be complete, and the next line is to be indented less.
        Some('/') | None if is_entry && !line.contains(' ') => None,
        Some('/') | None => Some("this line has no ':', so the next one goes on with its text"),
        Some(' ' | '\t') => None,
        Some(letter) if letter.is_whitespace() => {
            Some("a no-break space stands behind the ':': YAML wants a plain one")
        }
        Some(_) => Some("a space is missing behind the ':' of this line"),
    }
}

fn is_of_key(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | '/')
}

/// Where the quote stands that closes a text in quotes.
fn closing(text: &str, quote: char) -> Option<usize> {
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' if quote == '"' => drop(letters.next()),
            '\'' if quote == '\'' && letters.next_if(|(_, next)| *next == '\'').is_some() => {}
            letter if letter == quote => return Some(at),
            _ => {}
        }
    }
    None
}

/// Whether the bracket that a text begins with is closed in it.
fn is_balanced(text: &str) -> bool {
    let mut depth = 0_usize;
    let mut at = 0;
    let mut before = ' ';
    while let Some(letter) = text[at..].chars().next() {
        at += letter.len_utf8();
        match letter {
            '"' | '\'' if !before.is_alphanumeric() => match closing(&text[at..], letter) {
                Some(end) => at += end + 1,
                None => return false,
            },
            '#' if before.is_whitespace() => at += text[at..].find('\n').unwrap_or(text.len() - at),
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return true;
        }
        before = letter;
    }
    false
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with('#')
}

/// What begins the text that a line leaves to those below it.
fn block_mark(line: &str) -> Option<char> {
    let (before, mark) = line.trim_end().rsplit_once(' ').filter(|(before, _)| !is_comment(before))?;
    let first = mark.chars().next().filter(|first| matches!(first, '|' | '>'))?;
    let is_mark = mark[1..].chars().all(|letter| matches!(letter, '-' | '+' | '1'..='9'));
    let is_place = before.trim_end().ends_with([':', '-']);
    (is_mark && is_place).then_some(first)
}

/// The lines of a text, numbered from 0, without those of texts behind `|` and `>`, and of others of several lines.
pub(super) fn outside_of_block_text(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut within = None;
    let continued = continued(text, Resolver::Kustomize);
    let is_text = move |index: &usize| continued.binary_search(&(index + 1)).is_ok();
    let outside = text.lines().enumerate().filter(move |(_, line)| {
        let indent = line.len() - line.trim_start_matches(' ').len();
        if within.is_some_and(|above| indent > above || line.trim().is_empty()) {
            return false;
        }
        within = block_mark(line).map(|_| indent);
        true
    });
    outside.filter(move |(index, _)| !is_text(index))
}

/// Whether a line ends what is indented further, and goes on with nothing that was begun.
fn is_misaligned(lines: &[&str], number: usize) -> bool {
    let mut open: Vec<usize> = Vec::new();
    for (index, line) in lines.iter().enumerate().take(number) {
        let (indent, line) = (line.len() - line.trim_start().len(), line.trim());
        if line.is_empty() || is_comment(line) {
            continue;
        }
        let ended = open.pop_if(|above| *above > indent).is_some();
        while open.pop_if(|above| *above > indent).is_some() {}
        if index + 1 == number {
            return ended && open.last().is_none_or(|above| *above < indent);
        }
        // What stands behind a dash is indented as well.
        let begins = line.len() - line.trim_start_matches("- ").len();
        for place in [indent, indent + begins] {
            if open.last().is_none_or(|above| *above < place) {
                open.push(place);
            }
        }
    }
    false
}
