//! Builds one folder eight times: one after the other, then side by side in threads, and says how long each took.
//!
//!     cargo run --release --example side_by_side -- DIR
//!
//! Shows how to embed the engine as well: a build is a function of files and options, and shares nothing with another.

use std::error::Error;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use millrace_kustomize::{BuildError, DiskFiles, Options, build};

const BUILDS: usize = 8;
const LONGEST_FILE: u64 = 50 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("which folder?")?;
    let folder = PathBuf::from(folder).canonicalize()?;
    // What the disk costs at first is not what is measured.
    let objects = once(&folder)?;
    let start = Instant::now();
    for _ in 0..BUILDS {
        once(&folder)?;
    }
    let in_turn = start.elapsed();
    let start = Instant::now();
    thread::scope(|scope| {
        let builds: Vec<_> = (0..BUILDS).map(|_| scope.spawn(|| once(&folder))).collect();
        builds
            .into_iter()
            .try_for_each(|build| build.join().map_err(|_| "a build panicked".to_owned())?.map(drop))
    })?;
    let side_by_side = start.elapsed();
    writeln!(
        io::stdout(),
        "{BUILDS} builds of {objects} objects within one process: {:.0} ms in turn, {:.0} ms side by side, {:.2} of the time",
        milliseconds(in_turn),
        milliseconds(side_by_side),
        side_by_side.as_secs_f64() / in_turn.as_secs_f64()
    )?;
    Ok(())
}

/// Builds once; how many objects there are.
fn once(folder: &Path) -> Result<usize, String> {
    let (root, name) = (folder.parent().unwrap_or(folder), folder.file_name().unwrap_or_default());
    let files = DiskFiles::new(root, LONGEST_FILE);
    let options = Options::cli(root.to_string_lossy());
    let output =
        build(&files, &name.to_string_lossy(), &options).map_err(|error: BuildError| error.to_string())?;
    // Printing is part of what a caller waits for.
    std::hint::black_box(output.to_yaml());
    Ok(output.resources.len())
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
