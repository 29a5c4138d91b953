//! The builds that come out other than recorded on purpose.

use std::sync::LazyLock;

use millrace_kustomize::Mode;
use millrace_yaml::Node;

use super::Expected;
use crate::cases::documents;

/// The one list of them.
const LIST: &str = include_str!("../../../deviations/kustomize.yaml");

/// A case that comes out different, and how.
pub(super) struct Deviation {
    pub(super) id: String,
    /// Only in this mode; in all of them otherwise.
    mode: Option<Mode>,
    pub(super) reason: String,
    /// What comes out instead.
    pub(super) outcome: Expected,
}

static DEVIATIONS: LazyLock<Result<Vec<Deviation>, String>> = LazyLock::new(|| {
    let list = documents(LIST)?.into_iter().next().unwrap_or_else(Node::null);
    list.as_list().unwrap_or_default().iter().map(Deviation::read).collect()
});

/// The entry of the list for a case in a mode. A list that cannot be read excuses nothing.
pub(super) fn of(id: &str, mode: Mode) -> Option<&'static Deviation> {
    let fits = |deviation: &&Deviation| deviation.id == id && deviation.mode.is_none_or(|only| only == mode);
    DEVIATIONS.as_ref().ok()?.iter().find(fits)
}

impl Deviation {
    fn read(node: &Node) -> Result<Self, String> {
        let text = |field: &str| node.str_at(&[field]).map(str::to_owned);
        let id = text("id").ok_or("an entry has no id")?;
        let mode = match text("mode").as_deref() {
            None => None,
            Some("command") => Some(Mode::Cli),
            Some("flux") => Some(Mode::Flux),
            Some(other) => return Err(format!("{id}: there is no mode {other:?}")),
        };
        let reason = text("reason").ok_or_else(|| format!("{id} has no reason"))?;
        let outcome = Expected::read(node)?.ok_or_else(|| format!("{id} says no outcome"))?;
        Ok(Self { id, mode, reason: reason.trim_end().to_owned(), outcome })
    }
}

#[cfg(test)]
pub(super) fn read_for_test(text: &str) -> Deviation {
    Deviation::read(&documents(text).expect("YAML")[0]).expect("an entry")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_readable_short_and_gives_exact_outcomes() {
        let list = DEVIATIONS.as_ref().expect("the list is readable");
        assert!(list.len() <= 10, "{} deviations", list.len());
        for deviation in list {
            let exact = !matches!(deviation.outcome, Expected::ErrorContains(_));
            assert!(exact && !deviation.reason.is_empty(), "{}", deviation.id);
        }
    }

    #[test]
    fn every_entry_is_about_a_recorded_case() {
        let shared = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
        let paths = [shared.join("kustomize/checks.yaml"), shared.join("conformance/kustomize")];
        if let Some(absent) = paths.iter().find(|path| !path.exists()) {
            eprintln!("skipped: {} is absent", absent.display());
            return;
        }
        let files = paths.iter().flat_map(|path| crate::cases::load(path).expect("readable"));
        let recorded: Vec<String> =
            files.flat_map(|file| file.cases).map(|case| case.id().to_owned()).collect();
        for deviation in DEVIATIONS.as_ref().expect("readable") {
            assert!(recorded.contains(&deviation.id), "{} is no recorded case", deviation.id);
        }
    }
}
