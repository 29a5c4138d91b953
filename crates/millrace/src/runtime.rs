//! The threads that everything runs on.

use std::io;

use millrace_yaml::read::Limits;
use tokio::runtime::{Builder, Runtime};

/// Threads that drive I/O; what needs the CPU runs on a pool of its own.
const IO_THREADS: usize = 2;

/// Threads for blocking work at most: the CPU pool and calls into the file system.
const BLOCKING_THREADS: usize = 64;

/// The runtime of the process.
///
/// Its threads read, merge, print and drop trees as deep as the readers let them be, by plain recursion. So they have the
/// stack on which that is tested, whatever the default of a system or a library is: one that is too small would end the
/// process.
pub(crate) fn start() -> io::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(IO_THREADS)
        .max_blocking_threads(BLOCKING_THREADS)
        .thread_stack_size(Limits::STACK_BYTES)
        .enable_all()
        .build()
}

#[cfg(test)]
mod tests {
    use millrace_yaml::read::{ReadErrorKind, Resolver, one};
    use millrace_yaml::{canonicalize, json, print};

    use super::*;

    fn nested(depth: usize) -> String {
        format!("{}x{}", "{a: [".repeat(depth / 2), "]}".repeat(depth / 2))
    }

    /// Reads the deepest input that any limits let through, does to it what runs do, and drops it; more is refused.
    fn deepest_input() {
        let limits = Limits { depth: usize::MAX, ..Limits::default() };
        for resolver in [Resolver::Kubernetes, Resolver::Kustomize] {
            let mut node = one(&nested(Limits::MAX_DEPTH), resolver, &limits).expect("at the limit").node;
            let copy = node.clone();
            assert_eq!(copy, node);
            canonicalize(&mut node).expect("has a canonical form");
            assert!(!print::to_yaml(&node).is_empty());
            assert!(json::from_str(&json::to_string(&node)).is_err(), "answers may not be as deep");
            let error = one(&nested(Limits::MAX_DEPTH + 2), resolver, &limits).expect_err("over the limit");
            assert_eq!(error.kind(), ReadErrorKind::Limit);
        }
        let deepest_answer = nested(Limits::default().depth).replace('a', "\"a\"").replace('x', "1");
        json::from_str(&deepest_answer).expect("at the limit of answers");
    }

    #[test]
    fn the_deepest_input_fits_on_the_stack_of_every_thread() {
        let runtime = start().expect("threads start");
        runtime.block_on(async {
            runtime.spawn_blocking(deepest_input).await.expect("on a thread for blocking work");
            runtime.spawn(async { deepest_input() }).await.expect("on a thread that drives I/O");
        });
    }
}
