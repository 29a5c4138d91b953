//! The kill matrix: the program is killed at every step of its work, and started again.
//!
//! A step is a write to the API server, or something that appears or goes in the program's storage. Every write is tried in
//! two flavours, *lost* (the server has not seen it) and *unanswered* (the server has done it), and in two stories: Git stays
//! as it is, or drops an object while the program is down. Afterwards everything converges, nothing that Git holds was
//! deleted, no object is untracked, and no artifact is advertised that can't be fetched; the last two are true at the
//! moment of the kill, too.
//!
//! By default some rows of each case are tried, told of tenants fewer; [`ALL_VARIABLE`] asks for all of them.

mod files;
mod kustomization;
mod source;

use std::time::Duration;

use anyhow::Result;
use millrace_e2e::tenants;
use millrace_harness::proxy::{Fault, Seen, Side};
use millrace_matrix::Matrix;

use super::world::{RECOVERY, World, steps};

/// The name of the matrix.
const MATRIX: &str = "kill matrix";

/// From the server's work to the proxy's note of it.
const MOMENT: Duration = Duration::from_secs(1);

/// Set to anything to try all rows.
const ALL_VARIABLE: &str = "MILLRACE_KILLS";

/// Where a run is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cut {
    /// The write, counted from one.
    step: usize,
    side: Side,
    /// Whether Git drops an object while the program is down.
    git_moves: bool,
}

impl Cut {
    fn name(self, case: &str) -> String {
        let flavour = match self.side {
            Side::Before => "lost",
            Side::After => "unanswered",
        };
        let moves = if self.git_moves { ", Git moves" } else { "" };
        format!("{case}, step {} {flavour}{moves}", self.step)
    }

    /// Puts the cut into force.
    fn arm(self, world: &World) -> Fault {
        world.proxy.on(steps()).nth(self.step).hold(self.side)
    }
}

/// The cuts to try of a case with so many steps.
fn cuts(steps: usize, git_may_move: bool) -> Vec<Cut> {
    let mut cuts = Vec::new();
    for step in 1..=steps {
        for side in [Side::Before, Side::After] {
            for git_moves in [false, true].into_iter().filter(|moves| git_may_move || !moves) {
                cuts.push(Cut { step, side, git_moves });
            }
        }
    }
    if wants_all() { cuts } else { shortened(some(cuts, steps, git_may_move)) }
}

/// Two cuts, in the middle of the work: both flavours are among them, and both stories if there are two.
fn some(cuts: Vec<Cut>, steps: usize, git_may_move: bool) -> Vec<Cut> {
    let middle = steps.div_ceil(2);
    let is_taken = |cut: &Cut| {
        (cut.step == middle && cut.side == Side::Before && !cut.git_moves)
            || (cut.step == (middle + 1).min(steps)
                && cut.side == Side::After
                && cut.git_moves == git_may_move)
    };
    cuts.into_iter().filter(is_taken).collect()
}

/// What is left of a selection that has been tried already, without tenants: the last row.
fn shortened<T>(mut rows: Vec<T>) -> Vec<T> {
    if tenants::are_wanted() {
        rows.drain(..rows.len().saturating_sub(1));
    }
    rows
}

#[expect(clippy::disallowed_methods, reason = "the one setting of the matrix")]
fn wants_all() -> bool {
    std::env::var_os(ALL_VARIABLE).is_some_and(|value| !value.is_empty())
}

/// Waits until a cut has been reached; `None` if the work was done without.
async fn reached(fault: &Fault, done: impl Future<Output = Result<()>>) -> Result<Option<Seen>> {
    tokio::select! {
        biased;
        seen = fault.reached(RECOVERY * 2) => seen.map(Some),
        done = done => {
            done?;
            // Where the server has done the last step, the work looks done a moment before the answer is held.
            Ok(fault.reached(MOMENT).await.ok())
        }
    }
}

/// Counts a row, or says why it was not tried.
fn record(matrix: &mut Matrix, row: &str, outcome: Result<Option<Seen>>) {
    match outcome {
        Ok(Some(seen)) => matrix.row(&format!("{row} ({seen})"), Ok::<_, anyhow::Error>(())),
        Ok(None) => matrix.untried(row, "this time the work took fewer steps"),
        Err(error) => matrix.row(row, Err::<(), _>(error)),
    }
}
