//! In which order the reference notes what an object is called.

/// What the reference notes of an object's names, in annotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Note {
    Prefixes,
    Ids,
    Suffixes,
}

/// Where among the annotations the reference has these notes, which it adds to the end as they come.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Noted {
    order: [Option<Note>; 3],
    behind: u32,
}

impl Noted {
    /// The place of a note among the others.
    pub(super) fn place(self, note: Note) -> Option<usize> {
        self.order.iter().position(|noted| *noted == Some(note))
    }

    /// How many annotations stood before the first of them.
    pub(super) fn behind(self) -> Option<usize> {
        (self.order != [None; 3]).then(|| usize::try_from(self.behind).unwrap_or(usize::MAX))
    }

    pub(super) fn add(&mut self, note: Note, annotations: usize) {
        if self.place(note).is_some() {
            return;
        }
        if self.behind().is_none() {
            self.behind = u32::try_from(annotations).unwrap_or(u32::MAX);
        }
        if let Some(free) = self.order.iter_mut().find(|noted| noted.is_none()) {
            *free = Some(note);
        }
    }
}
