//! Ends a program together with everything it has started.
//!
//! Git leaves talking to helpers such as `git-remote-https` and `ssh`, which live on when it is killed. They have no process group
//! of their own: only the group in the foreground of a terminal may ask for a password there and is ended by Ctrl-C.

use std::fs;
use std::process::Child;

use rustix::process::{Pid, Signal, kill_process};

/// Looks at the system before what goes on being started is left alone.
const ROUNDS: usize = 20;

/// Kills a program that nobody has waited for yet, and whatever it and its children have started.
pub(crate) fn end(program: &Child) {
    let Ok(root) = i32::try_from(program.id()) else { return };
    let mut stopped: Vec<i32> = Vec::new();
    // Who is stopped starts nothing, so that sooner or later all are known.
    for _ in 0..ROUNDS {
        let mut found = tree(root, &parents());
        found.retain(|id| !stopped.contains(id));
        if found.is_empty() {
            break;
        }
        signal(&found, Signal::STOP);
        stopped.extend(found);
    }
    signal(&stopped, Signal::KILL);
}

fn signal(ids: &[i32], signal: Signal) {
    for id in ids.iter().filter_map(|id| Pid::from_raw(*id)) {
        // It may have ended by itself.
        let _ = kill_process(id, signal);
    }
}

/// A process and all below it.
fn tree(root: i32, parents: &[(i32, i32)]) -> Vec<i32> {
    let mut found = vec![root];
    let mut at = 0;
    while let Some(parent) = found.get(at).copied() {
        for (child, _) in parents.iter().filter(|(_, of)| *of == parent) {
            if !found.contains(child) {
                found.push(*child);
            }
        }
        at += 1;
    }
    found
}

/// Every process of the system, with its parent; none where the system does not say.
fn parents() -> Vec<(i32, i32)> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let parent_of = |id: i32| parent(&fs::read(format!("/proc/{id}/stat")).ok()?);
    let ids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    ids.filter_map(|id| Some((id, parent_of(id)?))).collect()
}

/// Reads `ID (NAME) STATE PARENT …`; a name may hold anything.
fn parent(stat: &[u8]) -> Option<i32> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    std::str::from_utf8(&stat[end + 1..]).ok()?.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_its_parent_whatever_its_name() {
        assert_eq!(parent(b"12 (a) R 7 (\xff)) S 5 12 12 0"), Some(5));
        assert_eq!(parent(b"12 (a"), None);
        assert_eq!(tree(1, &[(4, 3), (2, 1), (3, 2), (6, 5), (1, 3)]), [1, 2, 3, 4]);
    }
}
