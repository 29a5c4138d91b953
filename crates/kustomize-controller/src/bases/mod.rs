//! Remote bases: files on web servers and repositories that builds need.
//!
//! The engine says what it needs and is run again with it. Repositories are fetched into bare object stores that all
//! Kustomizations share, and read from there: an unchanged one costs a listing of its references, a commit that is named by its
//! hash nothing. No program is started, and no file of a repository is written to a folder.
//!
//! Contract: kustomize-build §1.7, kustomize-controller §3.4.

mod collected;
mod file;
mod files;
mod held;
mod known;
mod repository;
mod words;

use std::path::Path;
use std::sync::Arc;

use millrace_git::Stores;
use millrace_git::stores::Limits;
use millrace_net::{Clients, EgressPolicy, HttpClient, HttpError, Options};
use millrace_reconcile::threads::Threads;

pub(crate) use collected::Collected;
use known::Known;

/// What object stores may take on disk. The folder for temporary files is the pod's own.
const LIMITS: Limits =
    Limits { store_bytes: 256 << 20, total_bytes: 1 << 30, live_bytes: 3 << 30, stores: 200 };

/// What all runs share that need something from other hosts.
pub(crate) struct Bases {
    threads: Threads,
    stores: Stores,
    clients: Clients,
    egress: Arc<EgressPolicy>,
    known: Known,
}

impl Bases {
    /// Nothing is fetched, and no folder made below `temp_folder`, before a build needs something. As many runs as there are
    /// worker slots wait for one host at a time.
    pub(crate) fn new(temp_folder: &Path, egress: Arc<EgressPolicy>, concurrent: usize) -> Self {
        Self {
            threads: Threads::new(concurrent),
            stores: Stores::new(temp_folder, LIMITS),
            clients: Clients::new(1),
            egress,
            known: Known::default(),
        }
    }

    /// The client for all requests: what objects name may lead anywhere.
    fn client(&self) -> Result<HttpClient, HttpError> {
        self.clients.get(&Options { egress: Arc::clone(&self.egress), ..Options::default() })
    }
}
