//! Differences that were found, made small and kept.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::compare::{Answer, Difference, Pair, difference};
use crate::project::Project;

/// Builds that one finding may cost.
const BUILDS: usize = 600;

/// The smallest project found that differs in the same way, and the answers to it.
pub(crate) fn shrink(pair: &Pair<'_>, project: &Project, kind: Difference) -> Result<(Project, [Answer; 2])> {
    let mut best = project.clone();
    best.write(&pair.project())?;
    let mut answers = pair.build(&best.root)?;
    let mut left = BUILDS;
    'shrinking: loop {
        for smaller in best.smaller() {
            if left == 0 {
                break 'shrinking;
            }
            left -= 1;
            smaller.write(&pair.project())?;
            let found = pair.build(&smaller.root)?;
            if difference(&found) == Some(kind) {
                (best, answers) = (smaller, found);
                continue 'shrinking;
            }
        }
        break;
    }
    Ok((best, answers))
}

/// Writes a finding to a folder of its own, and returns where.
pub(crate) fn keep(folder: &Path, seed: u64, project: &Project, answers: &[Answer; 2]) -> Result<PathBuf> {
    let place = folder.join(format!("seed-{seed}"));
    project.write(&place.join("project"))?;
    for (name, answer) in ["millrace", "kustomize"].into_iter().zip(answers) {
        fs::write(place.join(format!("{name}.yaml")), &answer.objects)?;
        fs::write(place.join(format!("{name}.txt")), &answer.words)?;
    }
    Ok(place)
}

/// The first lines in which two texts differ.
pub(crate) fn first_lines<'a>(ours: &'a str, reference: &'a str) -> (&'a str, &'a str) {
    let (mut ours, mut reference) = (ours.lines(), reference.lines());
    loop {
        match (ours.next(), reference.next()) {
            (None, None) => return ("", ""),
            (ours, reference) if ours == reference => {}
            (ours, reference) => return (ours.unwrap_or("(nothing)"), reference.unwrap_or("(nothing)")),
        }
    }
}
