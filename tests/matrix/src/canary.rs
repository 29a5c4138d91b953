//! Credentials that are recognized wherever they turn up.
//!
//! A test puts one in every place where users keep secrets, makes everything succeed and fail, and hands over all that was
//! said. Each place is a row: it passes if its credential was used and nobody said it.

use std::collections::HashSet;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::{Failed, Matrix};

/// What every credential contains that is made of text.
pub const MARK: &str = "canary";

/// Places where secrets are put, and what was said of them.
#[derive(Debug)]
pub struct Canaries {
    name: String,
    places: Vec<Place>,
    /// The first text that shows a mark of no place in particular.
    stray: Option<String>,
    /// What has been searched: the log says the same again and again.
    heard: HashSet<String>,
}

#[derive(Debug)]
struct Place {
    name: String,
    credential: String,
    is_used: bool,
    /// The first text that shows it.
    shown: Option<String>,
}

impl Canaries {
    /// Places by name, each with its credential; `name` is what the summary calls the matrix.
    pub fn new<'a>(name: &str, places: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut canaries =
            Self { name: name.to_owned(), places: Vec::new(), stray: None, heard: HashSet::new() };
        for (place, credential) in places {
            canaries.add(place, credential);
        }
        canaries
    }

    /// Adds a place whose credential is made at run time.
    pub fn add(&mut self, place: &str, credential: &str) {
        let (name, credential) = (place.to_owned(), credential.to_lowercase());
        self.places.push(Place { name, credential, is_used: false, shown: None });
    }

    /// Notes which credentials stand in something that is given to the program under test.
    pub fn give(&mut self, text: &str) {
        let readings = readings(text);
        for place in &mut self.places {
            place.is_used |= readings.contains(&place.credential);
        }
    }

    /// Looks for credentials in what was said on some occasion: a log line, an event, a status, metrics, an answer.
    pub fn search(&mut self, occasion: &str, said: impl IntoIterator<Item = impl AsRef<str>>) {
        for text in said {
            let text = text.as_ref();
            if !self.heard.insert(text.to_owned()) {
                continue;
            }
            let readings = readings(text);
            let found =
                |credential: &str| readings.contains(credential).then(|| format!("{occasion}: {text}"));
            let mut is_known = false;
            for place in &mut self.places {
                let shown = found(&place.credential);
                is_known |= shown.is_some();
                place.shown = place.shown.take().or(shown);
            }
            if !is_known {
                self.stray = self.stray.take().or_else(|| found(MARK));
            }
        }
    }

    /// Reports the line.
    ///
    /// # Errors
    /// When a credential was shown or never used; the error says which, and where it was seen first.
    pub fn finish(self) -> Result<(), Failed> {
        self.matrix().finish()
    }

    fn matrix(self) -> Matrix {
        let mut matrix = Matrix::new(&self.name);
        for Place { name, is_used, shown, .. } in self.places {
            matrix.row(
                &name,
                match shown {
                    Some(text) => Err(format!("it shows in {text}")),
                    None if !is_used => Err("nothing was put there".to_owned()),
                    None => Ok(()),
                },
            );
        }
        let searched = if self.heard.is_empty() { Err("nothing was searched".to_owned()) } else { Ok(()) };
        matrix.row("any other", self.stray.map_or(searched, |text| Err(format!("it shows in {text}"))));
        matrix
    }
}

/// A text in lower case, followed by what the words in it say in base64.
fn readings(text: &str) -> String {
    let mut readings = text.to_lowercase();
    let is_base64 = |letter: char| letter.is_ascii_alphanumeric() || "+/=".contains(letter);
    for word in text.split(|letter| !is_base64(letter)).filter(|word| word.len() >= 8) {
        readings.push('\n');
        readings.push_str(&decoded(word).to_lowercase());
    }
    readings
}

/// What a word says in base64, as far as it is.
fn decoded(word: &str) -> String {
    let whole_groups = &word[..word.len() / 4 * 4];
    let bytes = BASE64_STANDARD.decode(whole_groups).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(used: &[&str], said: &[&str]) -> String {
        let places = [("token", "canary-token"), ("password", "canary-password")];
        let mut canaries = Canaries::new("secret canary", places);
        for text in used {
            canaries.give(text);
        }
        canaries.search("success", said);
        canaries.matrix().to_string()
    }

    #[test]
    fn a_credential_is_recognized_in_every_form() {
        let encoded = |text: &str| BASE64_STANDARD.encode(text);
        for text in
            ["x Canary-Token", &encoded("me:canary-token"), &format!("Basic {}", encoded("a:canary-token"))]
        {
            assert!(readings(text).contains("canary-token"), "{text}");
        }
        for text in ["nothing", "canary", &encoded("me:canoe")] {
            assert!(!readings(text).contains("canary-token"), "{text}");
        }
    }

    #[test]
    fn a_place_passes_if_its_credential_was_used_and_is_shown_nowhere() {
        let both = ["canary-token", &BASE64_STANDARD.encode("canary-password")];
        assert_eq!(outcome(&both, &["fine"]), "secret canary: 3 rows tried, 3 passed");
        assert_eq!(
            outcome(&both[..1], &["fine"]),
            "secret canary: 3 rows tried, 2 passed",
            "one was never used"
        );
        assert_eq!(outcome(&both, &["a canary-token"]), "secret canary: 3 rows tried, 2 passed");
        assert_eq!(outcome(&both, &["a canary of another place"]), "secret canary: 3 rows tried, 2 passed");
        assert_eq!(outcome(&both, &[]), "secret canary: 3 rows tried, 2 passed", "nothing was searched");
    }
}
