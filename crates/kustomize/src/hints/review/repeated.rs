//! A key that stands twice in a map, which is an error only once a later step reads the map again.

use super::Review;
use crate::hints::{Draft, quoted};

/// The key that stands twice in a map, as an error names it.
pub(super) fn key(text: &str) -> Option<String> {
    let (before, _) = text.rsplit_once("already defined at line ")?;
    let (_, key) = before.trim_end().rsplit_once("mapping key ")?;
    let key = key.trim_matches(['\\', '"']);
    (!key.is_empty() && !key.contains('\n')).then(|| key.to_owned())
}

impl Review<'_, '_> {
    /// Looks in a file for the key that must not stand twice.
    pub(super) fn keys_of(&mut self, file: &str) {
        let Some(key) = self.repeated_key.as_deref().filter(|_| self.reviewed.cause.is_none()) else {
            return;
        };
        if let Some(line) = self.places.repeated_anywhere(file, key) {
            let says = format!(": the key {} stands a second time in this map", quoted(key));
            self.reviewed.cause = Some(Draft::line(file, Some(line)).and(says).told(self.places));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_read_out_of_the_error_however_often_that_is_quoted() {
        for (text, named) in [
            ("yaml: unmarshal errors:\n  line 11: mapping key \"k\" already defined at line 10", Some("k")),
            (
                "accumulateDirectory: \"line 2: mapping key \\\"a b\\\" already defined at line 1\"",
                Some("a b"),
            ),
            ("mapping key \"k\" is missing", None),
        ] {
            assert_eq!(key(text).as_deref(), named, "{text}");
        }
    }
}
