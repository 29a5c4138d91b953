//! Feature gates of a process that may hold several controllers.

use millrace_reconcile::args::{ConfigError, ControllerArgs};
use millrace_reconcile::gates::{Gate, Gates};

use super::Kind;

/// Leaves a controller the gates that it knows, and refuses one that nobody in the process knows: a bare `--feature-gates`
/// names gates of all controllers in the process.
///
/// # Errors
/// A gate is unknown; what else it may mean follows on a second line.
pub(super) fn keep_own(
    controller: &mut ControllerArgs,
    own: &[Gate],
    neighbours: &[Kind],
) -> Result<Gates, ConfigError> {
    let settings = &mut controller.feature_gates;
    settings.retain(|setting| {
        knows(own, &setting.name) || !neighbours.iter().any(|kind| knows(kind.gates(), &setting.name))
    });
    controller.gates(own).map_err(|mut error| {
        error.reason = format!("{}\n{}", error.reason, hint(&error.value, neighbours));
        error
    })
}

fn knows(gates: &[Gate], name: &str) -> bool {
    gates.iter().any(|gate| gate.name == name)
}

/// What to do about a gate that nobody among `present` knows.
fn hint(name: &str, present: &[Kind]) -> String {
    let others = Kind::ALL.into_iter().filter(|kind| knows(kind.gates(), name)).map(Kind::name);
    let others: Vec<_> = others.collect();
    if !others.is_empty() {
        return format!(
            "it is a gate of the {}, which does not run in this process",
            others.join(" and the ")
        );
    }
    let mut known: Vec<_> =
        present.iter().flat_map(|kind| kind.listed_gates()).map(|gate| gate.name).collect();
    known.sort_unstable();
    known.dedup();
    format!("the gates are {}", known.join(", "))
}
