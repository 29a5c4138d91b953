//! What the process takes from itself before it does anything else.

use rustix::fs::Mode;
use rustix::process::{Resource, Rlimit, setrlimit, umask};

/// Files are for this user alone, and a crash leaves no image of memory that may hold secrets.
pub(crate) fn process() {
    umask(Mode::RWXG | Mode::RWXO);
    // A limit may only be lowered, which no system refuses.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
}
