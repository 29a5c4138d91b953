//! The build engine beside the reference program: the same projects, one after the other, on the same machine.

mod growth;
mod measure;
mod projects;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use millrace_harness::tools;

use self::measure::{Cost, Program, middle};
use self::projects::{GROWTH, Project};
use crate::say::say;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The program to measure
    #[arg(long, env = "MILLRACE_BIN")]
    millrace: PathBuf,
    /// The program that starts the others and says what they used
    #[arg(long, env = "MILLRACE_LAUNCH")]
    launch: PathBuf,
    /// How often each project is built by each program; the middle counts
    #[arg(long, default_value_t = 7)]
    runs: usize,
    /// Only projects whose name contains this
    #[arg(long)]
    only: Option<String>,
    /// The program that builds many side by side within one process
    #[arg(long, env = "MILLRACE_SIDE_BY_SIDE")]
    side_by_side: Option<PathBuf>,
}

/// One project, by both.
struct Row {
    name: String,
    objects: usize,
    ours: Cost,
    reference: Cost,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let program =
        |name, path, words| Program { name, path, arguments: words, launch: arguments.launch.clone() };
    let ours = program("millrace", arguments.millrace.clone(), &["kustomize", "build"]);
    let reference = program("kustomize", tools::program("kustomize")?, &["build"]);
    let place = tempfile::tempdir()?;
    let mut rows = Vec::new();
    say!(
        "{:<28} {:>7}  {:>22} {:>7}  {:>22} {:>7}  {:>23} {:>6}",
        "project",
        "objects",
        "wall, kustomize",
        "times",
        "CPU, kustomize",
        "times",
        "memory, kustomize",
        "part"
    );
    for project in projects::all() {
        if arguments.only.as_ref().is_some_and(|part| !project.name.contains(part.as_str())) {
            continue;
        }
        let row = measure(&project, place.path(), [&ours, &reference], arguments.runs.max(1))?;
        row.show();
        rows.push(row);
    }
    ensure!(!rows.is_empty(), "no project has {:?} in its name", arguments.only);
    if show_growth_of_reference(&rows) {
        growth::show(&ours, place.path())?;
    }
    match &arguments.side_by_side {
        Some(program) => show_side_by_side(program, place.path()),
        None => Ok(()),
    }
}

/// Builds `project` with both programs in turns, so that what else the machine does hits both.
fn measure(project: &Project, place: &Path, programs: [&Program; 2], runs: usize) -> Result<Row> {
    project.write(place)?;
    let folder = project.folder(place);
    let outputs = programs.map(|program| place.join(format!("{}.yaml", program.name)));
    let mut costs = [Vec::new(), Vec::new()];
    // The first round finds cold caches and is not counted.
    for round in 0..=runs {
        for ((program, output), costs) in programs.iter().zip(&outputs).zip(&mut costs) {
            let cost = program.run(&folder, output)?;
            if round > 0 {
                costs.push(cost);
            }
        }
    }
    let [ours, reference] = outputs.map(std::fs::read);
    let ours = ours?;
    ensure!(ours == reference?, "{}: the programs print different objects", project.name);
    let objects = String::from_utf8_lossy(&ours).split("\n---\n").count();
    Ok(Row { name: project.name.clone(), objects, ours: middle(&costs[0])?, reference: middle(&costs[1])? })
}

impl Row {
    fn show(&self) {
        let (ours, reference) = (&self.ours, &self.reference);
        say!(
            "{:<28} {:>7}  {:>22} {:>6.1}x  {:>22} {:>6.1}x  {:>23} {:>5.0}%",
            self.name,
            self.objects,
            format!("{}, {}", milliseconds(ours.wall), milliseconds(reference.wall)),
            ratio(reference.wall, ours.wall),
            format!("{}, {}", milliseconds(ours.cpu), milliseconds(reference.cpu)),
            ratio(reference.cpu, ours.cpu),
            format!("{:.1}, {:.1} MiB", mib(ours.memory), mib(reference.memory)),
            mib(ours.memory) / mib(reference.memory) * 100.0,
        );
    }
}

/// How the reference's time grows with four times the objects; whether both sizes were measured.
fn show_growth_of_reference(rows: &[Row]) -> bool {
    let find = |count: usize| rows.iter().find(|row| row.name == format!("{count} ConfigMaps"));
    let (Some(few), Some(many)) = (find(GROWTH.0), find(GROWTH.1)) else { return false };
    say!(
        "kustomize from {} to {} ConfigMaps, middle: wall {:.1}x, CPU {:.1}x",
        GROWTH.0,
        GROWTH.1,
        ratio(many.reference.wall, few.reference.wall),
        ratio(many.reference.cpu, few.reference.cpu)
    );
    true
}

fn show_side_by_side(program: &Path, place: &Path) -> Result<()> {
    let project = projects::deployments();
    project.write(place)?;
    let output = Command::new(program).arg(project.folder(place)).output();
    let output = output.with_context(|| format!("cannot start {}", program.display()))?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    say!("{}", String::from_utf8_lossy(&output.stdout).trim_end());
    Ok(())
}

fn ratio(large: Duration, small: Duration) -> f64 {
    large.as_secs_f64() / small.as_secs_f64()
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}

fn mib(bytes: u64) -> f64 {
    // Exact for anything a machine can hold.
    u32::try_from(bytes / 1024).map_or(f64::INFINITY, f64::from) / 1024.0
}
