//! Shell patterns, over bytes as the original matches them.

/// A pattern: `*` (slashes included), `?`, classes, escapes.
#[derive(Debug)]
pub(crate) struct Pattern(Vec<Element>);

#[derive(Debug)]
enum Element {
    /// Any bytes.
    Star,
    /// One character.
    Any,
    Byte(u8),
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

/// The first character and its length; a byte that starts none counts as U+FFFD of one byte.
pub(crate) fn decode(bytes: &[u8]) -> Option<(char, usize)> {
    let head = &bytes[..bytes.len().min(4)];
    let chunk = head.utf8_chunks().next()?;
    Some(
        chunk
            .valid()
            .chars()
            .next()
            .map_or((char::REPLACEMENT_CHARACTER, 1), |character| (character, character.len_utf8())),
    )
}

impl Pattern {
    /// `None` where a class or an escape is malformed.
    pub(crate) fn parse(pattern: &[u8]) -> Option<Self> {
        let mut elements = Vec::new();
        let mut rest = pattern;
        while let [first, tail @ ..] = rest {
            rest = tail;
            elements.push(match first {
                b'*' => Element::Star,
                b'?' => Element::Any,
                b'[' => class(&mut rest)?,
                b'\\' => {
                    let (escaped, tail) = rest.split_first()?;
                    rest = tail;
                    Element::Byte(*escaped)
                }
                byte => Element::Byte(*byte),
            });
        }
        Some(Self(elements))
    }

    /// Lengths, from 1 on, of the prefixes that match as a whole. Takes time proportional to value and pattern.
    pub(crate) fn matching_prefixes<'v>(&'v self, value: &'v [u8]) -> impl Iterator<Item = usize> + 'v {
        // Sets of states that are reached at this position and at the next ones: no character is longer than four bytes.
        let mut ahead: [States; 5] = std::array::from_fn(|_| self.no_states());
        self.enter(&mut ahead[0], 0);
        let mut partial = self.no_states();
        let mut at = 0;
        std::iter::from_fn(move || {
            while at < value.len() {
                let here = &value[at..];
                if starts_character(value, at) {
                    partial.clone_from(&ahead[0]);
                }
                // A prefix that ends inside a character sees its bytes one by one.
                partial = self.step_byte(&partial, here[0]);
                self.step(&mut ahead, here);
                ahead.rotate_left(1);
                ahead[4] = self.no_states();
                at += 1;
                let ends_character = at == value.len() || starts_character(value, at);
                let states = if ends_character { &ahead[0] } else { &partial };
                if states[self.0.len()] {
                    return Some(at);
                }
            }
            None
        })
    }

    fn no_states(&self) -> States {
        vec![false; self.0.len() + 1]
    }

    /// Adds a state and those reached from it without reading.
    fn enter(&self, states: &mut States, mut state: usize) {
        states[state] = true;
        while let Some(Element::Star) = self.0.get(state) {
            state += 1;
            states[state] = true;
        }
    }

    /// Reads on from the first set into the later ones.
    fn step(&self, ahead: &mut [States; 5], rest: &[u8]) {
        let Some((character, length)) = decode(rest) else { return };
        for state in 0..self.0.len() {
            if !ahead[0][state] {
                continue;
            }
            match &self.0[state] {
                Element::Star => self.enter(&mut ahead[1], state),
                Element::Byte(byte) if *byte == rest[0] => self.enter(&mut ahead[1], state + 1),
                Element::Any => self.enter(&mut ahead[length], state + 1),
                Element::Class { negated, ranges } if in_class(ranges, character) != *negated => {
                    self.enter(&mut ahead[length], state + 1);
                }
                Element::Byte(_) | Element::Class { .. } => {}
            }
        }
    }

    /// Reads one byte of a character that is cut off.
    fn step_byte(&self, states: &States, byte: u8) -> States {
        let mut next = self.no_states();
        let character = if byte.is_ascii() { char::from(byte) } else { char::REPLACEMENT_CHARACTER };
        for state in (0..self.0.len()).filter(|state| states[*state]) {
            match &self.0[state] {
                Element::Star => self.enter(&mut next, state),
                Element::Byte(expected) if *expected == byte => self.enter(&mut next, state + 1),
                Element::Any => self.enter(&mut next, state + 1),
                Element::Class { negated, ranges } if in_class(ranges, character) != *negated => {
                    self.enter(&mut next, state + 1);
                }
                Element::Byte(_) | Element::Class { .. } => {}
            }
        }
        next
    }
}

/// One flag per element, and one for the end.
type States = Vec<bool>;

/// Whether a character, or a byte that belongs to none, starts at that place.
fn starts_character(value: &[u8], at: usize) -> bool {
    if !matches!(value[at], 0x80..=0xbf) {
        return true;
    }
    // A continuation byte belongs to the character that starts up to three bytes before it, if that is whole.
    (1..=3.min(at)).all(|back| decode(&value[at - back..]).is_none_or(|(_, length)| length <= back))
}

fn in_class(ranges: &[(char, char)], character: char) -> bool {
    ranges.iter().any(|(low, high)| (*low..=*high).contains(&character))
}

/// A class after its `[`, up to and with its `]`.
fn class(rest: &mut &[u8]) -> Option<Element> {
    let negated = rest.first() == Some(&b'^');
    if negated {
        *rest = &rest[1..];
    }
    let mut ranges = Vec::new();
    while ranges.is_empty() || *rest.first()? != b']' {
        let low = class_character(rest)?;
        let mut high = low;
        if *rest.first()? == b'-' {
            *rest = &rest[1..];
            high = class_character(rest)?;
        }
        ranges.push((low, high));
    }
    *rest = &rest[1..];
    Some(Element::Class { negated, ranges })
}

/// A character of a class; something must follow it.
fn class_character(rest: &mut &[u8]) -> Option<char> {
    match rest.first()? {
        b'-' | b']' => return None,
        b'\\' => *rest = &rest[1..],
        _ => {}
    }
    let (character, length) = decode(rest)?;
    if character == char::REPLACEMENT_CHARACTER && length == 1 {
        return None;
    }
    *rest = &rest[length..];
    (!rest.is_empty()).then_some(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(pattern: &str, value: &str) -> Option<Vec<usize>> {
        Some(Pattern::parse(pattern.as_bytes())?.matching_prefixes(value.as_bytes()).collect())
    }

    #[test]
    fn prefixes_match_patterns() {
        for (pattern, value, expected) in [
            ("a*", "abc", Some(vec![1, 2, 3])),
            ("*/", "a/b/c", Some(vec![2, 4])),
            ("?", "abc", Some(vec![1])),
            ("[a-c]b", "abc", Some(vec![2])),
            ("[^a]", "abc", Some(vec![])),
            ("[]", "abc", None),
            ("[a", "abc", None),
            ("a\\", "abc", None),
            ("\\*", "*", Some(vec![1])),
            ("a**c*", "abcc", Some(vec![3, 4])),
            ("?", "é", Some(vec![1, 2])),
            ("é", "éa", Some(vec![2])),
            ("*", "", Some(vec![])),
            ("", "a", Some(vec![])),
        ] {
            assert_eq!(lengths(pattern, value), expected, "{pattern} {value}");
        }
    }

    #[test]
    fn long_values_take_time_in_proportion() {
        let value = "a".repeat(200_000);
        assert_eq!(lengths("*a*a*a*a*b", &value), Some(vec![]));
    }
}
