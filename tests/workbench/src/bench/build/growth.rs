//! How the time of a build grows with four times the objects.

use std::path::Path;

use anyhow::Result;

use super::measure::{Cost, Program, fastest, middle};
use super::projects::{self, GROWTH};
use super::ratio;
use crate::say::say;

/// The projects take turns this many times.
const ROUNDS: usize = 40;

/// Measures and prints how `program` grows.
///
/// A run of few objects is in large part the start of the process, which does not grow and so flatters the figure. It is
/// measured as well, as a build of a single object, and the growth is printed with and without it: the second is that of
/// the engine.
pub(super) fn show(program: &Program, place: &Path) -> Result<()> {
    let projects = [projects::start(), projects::config_maps(GROWTH.0), projects::config_maps(GROWTH.1)];
    projects.iter().try_for_each(|project| project.write(place))?;
    let output = place.join("growth.yaml");
    let mut costs = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        for (project, costs) in projects.iter().zip(&mut costs) {
            costs.push(program.run(&project.folder(place), &output)?);
        }
    }
    say!("{} from {} to {} ConfigMaps, {ROUNDS} rounds:", program.name, GROWTH.0, GROWTH.1);
    for (what, of) in [("fastest", fastest as fn(&[Cost]) -> Result<Cost>), ("middle", middle)] {
        let [start, few, many] = [of(&costs[0])?, of(&costs[1])?, of(&costs[2])?];
        say!(
            "  {what}: {}; without the start of the process: {}",
            growth(few, many),
            growth(few.without(start), many.without(start))
        );
    }
    Ok(())
}

fn growth(few: Cost, many: Cost) -> String {
    format!("wall {:.1}x, CPU {:.1}x", ratio(many.wall, few.wall), ratio(many.cpu, few.cpu))
}
