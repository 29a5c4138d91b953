//! The Millrace program: the GitOps Toolkit's controllers in one executable.
//!
//! Decides from its name and first argument what it is, reads flags, and wires the chosen controllers to one cluster. What
//! the controllers do is theirs; here is only what they share. See the design's "one binary, two topologies".

mod args;
mod crews;
mod harden;
mod lifecycle;
mod parts;
mod program;
mod runtime;
mod services;
mod work;

use std::io::Write as _;
use std::process::ExitCode;

use millrace_reconcile::args::environment;

use program::Program;

#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    // A command for a person's terminal: what it writes has the permissions that this person asks for.
    #[cfg(feature = "kustomize")]
    if let Some(rest) = millrace_kustomize_command::called(&words) {
        return millrace_kustomize_command::main(rest, &environment());
    }
    harden::process();
    match Program::of(&words) {
        Program::Controllers(request) => lifecycle::main(&request, &environment()),
        Program::Say(text) => {
            // Nobody reads it if the pipe is closed.
            let _ = std::io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Program::Refuse(text) => {
            let _ = std::io::stderr().write_all(text.as_bytes());
            ExitCode::from(2)
        }
    }
}
