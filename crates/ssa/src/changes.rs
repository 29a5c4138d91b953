//! What was done to which object, and how that is told.

use std::fmt;

use crate::id::ObjectId;

/// What became of an object. There is no action for corrected drift: that is [`Action::Configured`].
///
/// Contract: kustomize-controller §4.9.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// It did not exist.
    Created,
    /// It differed, or its metadata was cleaned up.
    Configured,
    /// It was as wanted; nothing was written.
    Unchanged,
    /// A policy says to leave it alone.
    Skipped,
    /// It is gone, or going.
    Deleted,
    /// Deleting it failed.
    Unknown,
}

impl Action {
    /// Reads the printed form.
    pub fn parse(text: &str) -> Option<Self> {
        const ALL: [Action; 6] = [
            Action::Created,
            Action::Configured,
            Action::Unchanged,
            Action::Skipped,
            Action::Deleted,
            Action::Unknown,
        ];
        ALL.into_iter().find(|action| action.as_str() == text)
    }

    /// The printed form.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Configured => "configured",
            Self::Unchanged => "unchanged",
            Self::Skipped => "skipped",
            Self::Deleted => "deleted",
            Self::Unknown => "unknown",
        }
    }

    /// Whether the object was written: what makes a run's change event.
    pub fn is_write(self) -> bool {
        match self {
            Self::Created | Self::Configured => true,
            Self::Unchanged | Self::Skipped | Self::Deleted | Self::Unknown => false,
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// One object and what became of it; printed `<subject> <action>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The object.
    pub id: ObjectId,
    /// The API version used, without the group.
    pub version: String,
    /// What became of it.
    pub action: Action,
}

impl fmt::Display for Change {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.id.subject(), self.action)
    }
}

/// Changes in the order they were made; printed one a line, joined by newlines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeSet {
    changes: Vec<Change>,
}

impl ChangeSet {
    /// The changes in order.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Adds one change.
    pub fn push(&mut self, change: Change) {
        self.changes.push(change);
    }

    /// Adds the changes of a later step.
    pub fn append(&mut self, other: Self) {
        self.changes.extend(other.changes);
    }

    /// Only created and configured objects: the text of a run's change event.
    #[must_use]
    pub fn writes(&self) -> Self {
        self.changes.iter().filter(|change| change.action.is_write()).cloned().collect()
    }

    /// Subjects and actions, for the log.
    pub fn by_subject(&self) -> impl Iterator<Item = (String, Action)> {
        self.changes.iter().map(|change| (change.id.subject(), change.action))
    }

    /// Actions with their subjects, each in the order of its first use, for the log in its grouped form.
    pub fn by_action(&self) -> Vec<(Action, Vec<String>)> {
        let mut groups: Vec<(Action, Vec<String>)> = Vec::new();
        for (subject, action) in self.by_subject() {
            match groups.iter_mut().find(|(known, _)| *known == action) {
                Some((_, subjects)) => subjects.push(subject),
                None => groups.push((action, vec![subject])),
            }
        }
        groups
    }
}

impl fmt::Display for ChangeSet {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, change) in self.changes.iter().enumerate() {
            if index > 0 {
                out.write_str("\n")?;
            }
            write!(out, "{change}")?;
        }
        Ok(())
    }
}

impl FromIterator<Change> for ChangeSet {
    fn from_iter<I: IntoIterator<Item = Change>>(changes: I) -> Self {
        Self { changes: changes.into_iter().collect() }
    }
}
