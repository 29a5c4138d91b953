//! Builds: what the engine makes of some files, as the command and as the controllers call it.

mod case;
mod deviations;
mod expected;

use millrace_kustomize::{BuildError, Mode, Output, build, survey};

use super::Verdict;
use crate::cases::{Case, File};
use case::Recorded;
use deviations::Deviation;
use expected::Expected;

/// Runs a case in each mode of which a result was recorded.
pub(super) fn check(file: &File, case: &Case) -> Vec<Verdict> {
    let recorded = match Recorded::read(file, case) {
        Ok(recorded) => recorded,
        Err(reason) => return vec![Verdict::Failed(reason)],
    };
    recorded.modes().map(|mode| judge(&recorded, mode, deviations::of(case.id(), mode))).collect()
}

fn judge(recorded: &Recorded, mode: Mode, listed: Option<&Deviation>) -> Verdict {
    let options = recorded.options(mode);
    let result = build(&recorded.files, &recorded.folder, &options);
    // What builds has nothing wrong with it.
    let told = if result.is_ok() { survey(&recorded.files, &recorded.folder, &options) } else { Vec::new() };
    if !told.is_empty() {
        return failed(mode, &format!("builds, and is told to be wrong: {}", told.join("; ")));
    }
    let difference = recorded
        .expected(mode)
        .difference(&result)
        .or_else(|| (mode == Mode::Cli).then(|| recorded.warning_difference(&result)).flatten());
    let as_listed = |deviation: &Deviation| deviation.outcome.difference(&result);
    match (difference, listed) {
        (None, None) => Verdict::Passed,
        (None, Some(_)) => failed(mode, "passes: it is to be taken off the list of deviations"),
        (Some(difference), None) => failed(mode, &difference),
        (Some(_), Some(deviation)) => match as_listed(deviation) {
            None => Verdict::Deviating(format!("({}) {}", name(mode), deviation.reason)),
            Some(difference) => {
                failed(mode, &format!("deviates in another way than the list says\n{difference}"))
            }
        },
    }
}

fn failed(mode: Mode, text: &str) -> Verdict {
    Verdict::Failed(format!("({}) {text}", name(mode)))
}

fn name(mode: Mode) -> &'static str {
    match mode {
        Mode::Cli => "command",
        Mode::Flux => "flux",
    }
}

/// What a build came to.
type Built = Result<Output, BuildError>;

#[cfg(test)]
mod tests;
