//! Expressions that are plain words.
//!
//! Nearly all are, and compiling one costs more time and memory than the rest of a small build.

/// Whether each character stands for itself, or is a dot, which stands for any.
pub(crate) fn is_plain(pattern: &str) -> bool {
    pattern.chars().all(|letter| letter.is_ascii_alphanumeric() || "/-_:@.".contains(letter))
}

/// What comes in `text` after that which a plain expression stands for, if `text` begins with it.
pub(crate) fn strip<'t>(pattern: &str, text: &'t str) -> Option<&'t str> {
    let mut letters = text.chars();
    for wanted in pattern.chars() {
        letters.next().filter(|found| *found == wanted || (wanted == '.' && *found != '\n'))?;
    }
    Some(letters.as_str())
}
