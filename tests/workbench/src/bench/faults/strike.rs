//! Faults between the program and the API server, one at a time, chosen at random.

use std::time::Duration;

use millrace_harness::proxy::{ApiProxy, Fault, Match, Refusal, Side, Verb};
use rand::Rng;

/// Requests that a loss hits before it is over.
const LOST: std::ops::Range<usize> = 1..40;
const DELAY_MS: std::ops::Range<u64> = 50..2_000;
const KINDS: u32 = 13;

/// Breaks something. What it returns ends the fault when it is dropped; some need no end.
pub(super) fn strike(proxy: &ApiProxy, rng: &mut impl Rng) -> Option<Fault> {
    let any = || proxy.on(Match::any());
    let writes = || proxy.on(Match::writes());
    let only = |verb| proxy.on(Match::any().verb(verb));
    let lost = rng.random_range(LOST);
    let delay = Duration::from_millis(rng.random_range(DELAY_MS));
    let fault = match rng.random_range(0..KINDS) {
        0 => any().refuse(Refusal::too_many_requests(1)),
        1 => any().refuse(Refusal::unavailable()),
        2 => writes().refuse(Refusal::internal_error()),
        3 => only(Verb::Patch).refuse(Refusal::conflict()),
        4 => only(Verb::List).refuse(Refusal::gone()),
        5 => only(Verb::Watch).refuse(Refusal::expired()),
        6 => writes().first(lost).lose(Side::Before),
        7 => writes().first(lost).lose(Side::After),
        8 => any().delay(delay),
        9 => writes().hold(Side::Before),
        10 => writes().nth(lost).freeze(),
        11 => {
            proxy.freeze();
            return None;
        }
        _ => {
            proxy.cut();
            proxy.end_watches(&Match::any());
            return None;
        }
    };
    Some(fault)
}
