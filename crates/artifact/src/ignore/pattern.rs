//! One line of an ignore file.

use super::glob::Glob;

/// What a pattern says about a path that it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Exclude,
    Include,
}

/// A parsed line. Its strange corners are the original's, and repositories rely on them.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    verdict: Verdict,
    /// The folder of the ignore file; the pattern knows nothing outside.
    domain: Vec<Box<[u8]>>,
    /// The line ended in `/`.
    folders_only: bool,
    shape: Shape,
}

#[derive(Debug, Clone)]
enum Shape {
    /// No `/`: any component of the path may match.
    AnyComponent(Glob),
    /// Matched from the domain downwards, segment by segment.
    Anchored(Vec<Segment>),
}

#[derive(Debug, Clone)]
enum Segment {
    Name(Glob),
    /// `**`: any number of folders.
    Folders,
    /// Two stars among other characters never match.
    GluedStars,
    /// Before a leading `/` or between two of them.
    Empty,
}

impl Pattern {
    /// Parses a line that is neither blank nor a comment. Every line is a pattern; a malformed one matches nothing.
    pub(super) fn parse(line: &[u8], domain: &[&[u8]]) -> Self {
        let (verdict, mut text) = match line.strip_prefix(b"!") {
            Some(rest) => (Verdict::Include, rest),
            None => (Verdict::Exclude, line),
        };
        if !text.ends_with(b"\\ ") {
            while let Some(rest) = text.strip_suffix(b" ") {
                text = rest;
            }
        }
        let (text, folders_only) = match text.strip_suffix(b"/") {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        let shape = if text.contains(&b'/') {
            Shape::Anchored(text.split(|byte| *byte == b'/').map(Segment::parse).collect())
        } else {
            Shape::AnyComponent(Glob::parse(text))
        };
        let domain = domain.iter().map(|part| Box::from(*part)).collect();
        Self { verdict, domain, folders_only, shape }
    }

    /// Returns the verdict if the pattern matches the path.
    pub(super) fn judge(&self, path: &[&[u8]], is_folder: bool) -> Option<Verdict> {
        let inside = path.len() > self.domain.len()
            && self.domain.iter().zip(path).all(|(part, component)| **part == **component);
        if !inside {
            return None;
        }
        let path = &path[self.domain.len()..];
        let matches = match &self.shape {
            Shape::AnyComponent(glob) => self.matches_component(glob, path, is_folder),
            Shape::Anchored(segments) => self.matches_anchored(segments, path, is_folder),
        };
        matches.then_some(self.verdict)
    }

    fn matches_component(&self, glob: &Glob, path: &[&[u8]], is_folder: bool) -> bool {
        // The first component that fits decides: a file called like an excluded folder is kept.
        match path.iter().position(|name| glob.matches(name)) {
            Some(at) => !(self.folders_only && !is_folder && at == path.len() - 1),
            None => false,
        }
    }

    fn matches_anchored(&self, segments: &[Segment], path: &[&[u8]], is_folder: bool) -> bool {
        let mut rest = path;
        let mut matched = false;
        let mut skips_folders = false;
        for (at, segment) in segments.iter().enumerate() {
            match segment {
                Segment::Empty => skips_folders = false,
                Segment::Folders if at == segments.len() - 1 => break,
                Segment::Folders => skips_folders = true,
                Segment::GluedStars => return false,
                Segment::Name(glob) if skips_folders => {
                    skips_folders = false;
                    // No way back: the first component that fits is taken.
                    match rest.iter().position(|name| glob.matches(name)) {
                        Some(at) => {
                            rest = &rest[at + 1..];
                            matched = true;
                        }
                        None if rest.is_empty() => return false,
                        None => {
                            rest = &[];
                            matched = false;
                        }
                    }
                }
                Segment::Name(glob) => match rest {
                    [name, further @ ..] if glob.matches(name) => {
                        rest = further;
                        matched = true;
                    }
                    _ => return false,
                },
            }
        }
        matched && !(self.folders_only && !is_folder && rest.is_empty())
    }
}

impl Segment {
    fn parse(text: &[u8]) -> Self {
        match text {
            b"" => Self::Empty,
            b"**" => Self::Folders,
            _ if text.windows(2).any(|pair| pair == b"**") => Self::GluedStars,
            _ => Self::Name(Glob::parse(text)),
        }
    }
}
