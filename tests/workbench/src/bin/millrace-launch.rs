//! Runs a program and says what it used: `millrace-launch OUTPUT ERRORS PROGRAM [ARGUMENT…]`.
//!
//! Prints wall time and CPU time in nanoseconds and the most resident memory in bytes, and fails where the program fails.
//!
//! It is a program of its own because it is small. A process begins its highest resident memory (`ru_maxrss`) with what it
//! held before it became the program, and that is the memory of whoever started it: the workbench's would hide that of any
//! smaller program. What this one holds, some two megabytes, is less than any program that is measured.

use std::env::args_os;
use std::error::Error;
use std::fs::File;
use std::io::{self, Write as _};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use wait4::Wait4 as _;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut words = args_os().skip(1);
    let (Some(output), Some(errors), Some(program)) = (words.next(), words.next(), words.next()) else {
        return Err("usage: millrace-launch OUTPUT ERRORS PROGRAM [ARGUMENT…]".into());
    };
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null());
    command.stdout(File::create(output)?).stderr(File::create(errors)?);
    let start = Instant::now();
    let used = command.spawn()?.wait4()?;
    let wall = start.elapsed();
    if !used.status.success() {
        return Ok(ExitCode::FAILURE);
    }
    let cpu = used.rusage.utime + used.rusage.stime;
    writeln!(io::stdout(), "{} {} {}", wall.as_nanos(), cpu.as_nanos(), used.rusage.maxrss)?;
    Ok(ExitCode::SUCCESS)
}
