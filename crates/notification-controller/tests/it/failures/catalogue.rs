//! Counts rows, and searches what was said while they were tried.

use std::{any::Any, panic::AssertUnwindSafe};

use futures::FutureExt as _;
use millrace_matrix::{Matrix, canary::Canaries};

use super::canary::Places;

/// The part of both matrices that one test goes through.
pub(super) struct Catalogue {
    matrix: Matrix,
    canaries: Canaries,
}

impl Catalogue {
    /// No rows yet, which are going to put secrets into `places`.
    pub(super) fn new(places: Places) -> Self {
        let canaries = Canaries::new("secret canary notification", places.iter().copied());
        Self { matrix: Matrix::new("failures notification"), canaries }
    }

    /// Adds a place whose secret is made at run time.
    pub(super) fn add_place(&mut self, name: &str, credential: &str) {
        self.canaries.add(name, credential);
    }

    /// Tries a row, whose checks are assertions; the others are worth trying, whatever comes of it.
    pub(super) async fn row(&mut self, name: &str, play: impl AsyncFnOnce(&mut Canaries)) {
        let played = AssertUnwindSafe(play(&mut self.canaries)).catch_unwind().await;
        self.matrix.row(name, played.map_err(|panic| text_of(&*panic)));
    }

    pub(super) fn untried(&mut self, rows: &[(&str, &str)]) {
        for (row, why) in rows {
            self.matrix.untried(row, why);
        }
    }

    /// Reports both lines, and fails if anything in them did.
    pub(super) fn finish(self) {
        let outcomes = [self.matrix.finish(), self.canaries.finish()];
        let failed: Vec<_> =
            outcomes.into_iter().filter_map(Result::err).map(|error| error.to_string()).collect();
        assert!(failed.is_empty(), "{}", failed.join("\n"));
    }
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a text").to_owned()
}
