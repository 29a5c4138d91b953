//! `cargo xtask fuzz TARGET`: the programs in `fuzz/`, built for libFuzzer with stable Rust, and run for some time.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};

use crate::environment;
use crate::job;
use crate::say::{say, spell};
use crate::workspace::Workspace;
use crate::{cargo, tools};

/// The target that compares with the reference program.
const DIFFERENTIAL: &str = "kustomize";
/// Every other target.
const ALL: &str = "all";
/// What `cargo fuzz --sanitizer none` gives rustc: counters on edges and traced comparisons, which guide libFuzzer.
const COVERAGE: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
     -Cllvm-args=-sanitizer-coverage-trace-compares";
/// The targets that need nothing but pure crates, and so are built within a minute.
const PURE: [&str; 7] = [
    "kustomize_build",
    "patch",
    "repository_address",
    "structured_text",
    "substitution",
    "yaml_print",
    "yaml_read",
];
/// Beyond these a single input counts as a finding.
const INPUT_SECONDS: u32 = 10;
const MEMORY_MIB: u32 = 1024;
const INPUT_BYTES: u32 = 1 << 16;

/// What to fuzz.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Name of the target, such as `yaml_read`; `all` runs each in turn; `kustomize` builds made-up projects and compares with
    /// the reference program
    target: String,
    /// For how long, all targets together
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Where to begin with `kustomize`: every project has a number
    #[arg(long)]
    seed: Option<u64>,
    /// Only run the input in this file, once
    #[arg(long)]
    replay: Option<PathBuf>,
}

/// Folders of one workspace that belong to fuzzing.
struct Folders {
    programs: PathBuf,
    host: String,
    target: PathBuf,
    found: PathBuf,
    crashes: PathBuf,
}

/// Builds the programs and runs them.
///
/// # Errors
/// When a program does not build, or an input breaks a target.
pub(crate) fn run(workspace: &Workspace, arguments: &Arguments) -> Result<()> {
    if arguments.target == DIFFERENTIAL {
        return compare(workspace, arguments);
    }
    let folders = Folders::of(workspace)?;
    let known = targets(&folders.programs)?;
    let chosen = if arguments.target == ALL { known.clone() } else { vec![arguments.target.clone()] };
    ensure!(
        chosen.iter().all(|target| known.contains(target)),
        "no target {}; there are {}, {DIFFERENTIAL}, and {ALL}",
        arguments.target,
        known.join(", ")
    );
    build(workspace, &folders, &chosen)?;
    if let Some(input) = &arguments.replay {
        let input = std::path::absolute(input)?;
        return chosen.iter().try_for_each(|target| replay(&folders, target, &input));
    }
    let count = u64::try_from(chosen.len())?;
    let each = Duration::from_secs((arguments.seconds / count).max(1));
    let mut broken = Vec::new();
    for target in &chosen {
        say!("== {target} ({})", spell(each));
        if !fuzz(&folders, target, each)? {
            broken.push(target.as_str());
        }
    }
    let passed = chosen.len() - broken.len();
    say!("{passed} targets without a finding, {} with one", broken.len());
    ensure!(broken.is_empty(), "something was found in {}: see fuzz/README.md", broken.join(", "));
    Ok(())
}

/// Has both programs build made-up projects.
fn compare(workspace: &Workspace, arguments: &Arguments) -> Result<()> {
    tools::ensure(workspace, &["kustomize"])?;
    say!("building millrace");
    // Its speed decides how much is compared.
    let millrace = cargo::build(workspace, "millrace", "millrace", cargo::OPTIMISED)?;
    let program = cargo::build(workspace, "millrace-differential", "millrace-differential", "dev")?;
    let mut command = environment::command(program);
    command.env("MILLRACE_BIN", millrace).env("KUSTOMIZE_BIN", workspace.tool("kustomize"));
    command.arg("--findings").arg(workspace.cache().join("fuzz/differences"));
    command.args(["--seconds", &arguments.seconds.to_string()]);
    if let Some(seed) = arguments.seed {
        command.args(["--seed", &seed.to_string()]);
    }
    let status = command.status().context("cannot start the comparison")?;
    ensure!(status.success(), "the programs differ: see fuzz/README.md");
    Ok(())
}

impl Folders {
    fn of(workspace: &Workspace) -> Result<Self> {
        let cache = workspace.cache().join("fuzz");
        Ok(Self {
            programs: workspace.root().join("fuzz"),
            host: host()?,
            target: cache.join("target"),
            found: cache.join("corpus"),
            crashes: cache.join("crashes"),
        })
    }
}

/// The names of all targets: what has seeds.
fn targets(programs: &Path) -> Result<Vec<String>> {
    let corpus = programs.join("corpus");
    let entries = std::fs::read_dir(&corpus).with_context(|| format!("cannot list {}", corpus.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

fn build(workspace: &Workspace, folders: &Folders, targets: &[String]) -> Result<()> {
    if job::output(environment::command("c++").arg("--version")).is_err() {
        bail!("libFuzzer needs a C++ compiler: install g++ or clang, so that `c++` is there");
    }
    // What is fuzzed is what ships: the same releases of all dependencies.
    std::fs::copy(workspace.root().join("Cargo.lock"), folders.programs.join("Cargo.lock"))?;
    let mut command = environment::command("cargo");
    command
        .current_dir(&folders.programs)
        .env("CARGO_TARGET_DIR", &folders.target)
        .env("RUSTFLAGS", COVERAGE);
    // With a target named, flags don't reach build scripts and macros.
    command.args(["build", "--release", "--quiet", "--target", &folders.host]);
    if !targets.iter().all(|target| PURE.contains(&target.as_str())) {
        command.args(["--features", "io"]);
    }
    for target in targets {
        command.args(["--bin", target]);
    }
    let status = command.status().context("cannot start cargo")?;
    ensure!(status.success(), "the fuzz targets do not build");
    Ok(())
}

/// The platform that rustc builds for by itself.
fn host() -> Result<String> {
    let version = job::output(environment::command("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc does not say what it builds for")
}

/// Whether nothing was found.
fn fuzz(folders: &Folders, target: &str, time: Duration) -> Result<bool> {
    let found = folders.found.join(target);
    std::fs::create_dir_all(&found)?;
    std::fs::create_dir_all(&folders.crashes)?;
    let mut command = program(folders, target);
    command
        .arg(format!("-max_total_time={}", time.as_secs()))
        .arg("-print_final_stats=1")
        .arg("-print_funcs=0")
        .arg("-verbosity=0");
    // New inputs go to the first folder; the others are only read.
    command.arg(&found).arg(folders.programs.join("corpus").join(target));
    let status = command.status().with_context(|| format!("cannot start {target}"))?;
    Ok(status.success())
}

fn replay(folders: &Folders, target: &str, input: &Path) -> Result<()> {
    let status = program(folders, target).arg(input).status()?;
    ensure!(status.success(), "{} breaks {target}", input.display());
    Ok(())
}

fn program(folders: &Folders, target: &str) -> Command {
    let mut command = environment::command(folders.target.join(&folders.host).join("release").join(target));
    command.arg(format!("-artifact_prefix={}/{target}-", folders.crashes.display()));
    command.arg(format!("-timeout={INPUT_SECONDS}"));
    command.arg(format!("-rss_limit_mb={MEMORY_MIB}"));
    command.arg(format!("-max_len={INPUT_BYTES}"));
    command
}
