//! What the user reads: one line at a time, on standard output.

use std::fmt::Arguments;
use std::io::Write;
use std::time::Duration;

/// Prints one line. A reader that has gone away (`| head`) is no error.
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

/// Writes a duration the way people say it: `0.4 s`, `12 s`, `3 min 05 s`.
pub(crate) fn spell(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..10 => format!("{:.1} s", duration.as_secs_f64()),
        10..60 => format!("{seconds} s"),
        _ => format!("{} min {:02} s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_like_speech() {
        let cases = [
            (Duration::from_millis(420), "0.4 s"),
            (Duration::from_secs(59), "59 s"),
            (Duration::from_secs(185), "3 min 05 s"),
        ];
        for (duration, text) in cases {
            assert_eq!(spell(duration), text);
        }
    }
}
