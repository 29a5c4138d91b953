//! What the user reads.

use std::fmt::Arguments;
use std::io::Write as _;

/// Prints one line on standard output. A reader that has gone away is no error.
pub(crate) fn line(text: Arguments<'_>) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{text}");
    let _ = out.flush();
}

/// Prints a formatted line on standard output.
macro_rules! say {
    ($($arg:tt)*) => { $crate::say::line(format_args!($($arg)*)) };
}
pub(crate) use say;
