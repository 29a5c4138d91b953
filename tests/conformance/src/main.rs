//! Runs recorded cases of the original programs through the code that ships.
//!
//! A set is a folder of recorded cases and a module of [`sets`] that says what one case proves. A module knows the rule, never a
//! case: files of the same format from elsewhere run the same way.

mod cases;
mod cluster;
mod compare;
mod diff;
mod run;
mod sets;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

#[derive(Parser)]
#[command(name = "millrace-conformance", about = "Runs recorded cases through the code that ships")]
struct Arguments {
    /// Name of the set, or `all` for what is promised of every set
    set: String,
    /// Only these areas
    #[arg(long, value_delimiter = ',')]
    area: Vec<String>,
    /// Only the cases with these ids
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Files or folders of cases instead of the recorded ones
    paths: Vec<PathBuf>,
}

fn main() -> Result<ExitCode> {
    let Arguments { set, area, only, paths } = Arguments::parse();
    let failed =
        if set == "all" { run::promised()? } else { run::one(&set, &run::Choice { area, only, paths })? };
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
