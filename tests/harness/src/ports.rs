//! Loopback ports that no other harness on this machine takes.

use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::sync::Mutex;

use anyhow::bail;

use crate::Result;

/// Below what the kernel hands to outgoing connections, so that none of those is ever in the way.
const FIRST: u16 = 20_000;
const COUNT: u16 = 12_000;

/// The locks of this process's ports; a port is given back when the process ends.
static TAKEN: Mutex<Vec<File>> = Mutex::new(Vec::new());

/// Takes a free loopback port and keeps it for the life of this process.
///
/// Nobody listens on it yet. A lock file per port keeps test processes that run at the same time apart, also while a server
/// is restarted.
pub(crate) fn take() -> Result<u16> {
    let folder = folder();
    fs::create_dir_all(&folder)?;
    let start = uuid::Uuid::new_v4().as_u128() % u128::from(COUNT);
    for step in 0..u128::from(COUNT) {
        let port = FIRST + u16::try_from((start + step) % u128::from(COUNT)).expect("less than COUNT");
        let Ok(lock) = File::create(folder.join(port.to_string())) else { continue };
        if lock.try_lock().is_err() || TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_err() {
            continue;
        }
        TAKEN.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(lock);
        return Ok(port);
    }
    bail!("no free loopback port between {FIRST} and {}", FIRST + COUNT)
}

fn folder() -> PathBuf {
    let user =
        crate::environment::variable("USER").and_then(|name| name.into_string().ok()).unwrap_or_default();
    std::env::temp_dir().join(format!("millrace-ports-{user}"))
}
