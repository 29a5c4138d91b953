//! Clients that are shared by everything with the same settings.

use std::sync::{Mutex, PoisonError};

use crate::{HttpClient, HttpError, Options};

/// Hands out one [`HttpClient`] per distinct [`Options`], most recently used first.
///
/// Two hundred objects without special settings share one client, its connections and its trust store.
pub struct Clients {
    capacity: usize,
    entries: Mutex<Vec<(Options, HttpClient)>>,
}

impl Clients {
    /// Keeps at most `capacity` clients; a client in use outlives its place here.
    pub fn new(capacity: usize) -> Self {
        Self { capacity: capacity.max(1), entries: Mutex::new(Vec::new()) }
    }

    /// Returns the client with these settings, made on first use.
    ///
    /// # Errors
    /// As [`HttpClient::new`].
    pub fn get(&self, options: &Options) -> Result<HttpClient, HttpError> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = entries.iter().position(|(known, _)| known == options) {
            let entry = entries.remove(at);
            let client = entry.1.clone();
            entries.insert(0, entry);
            return Ok(client);
        }
        let client = HttpClient::new(options)?;
        entries.insert(0, (options.clone(), client.clone()));
        entries.truncate(self.capacity);
        Ok(client)
    }
}

impl Default for Clients {
    fn default() -> Self {
        Self::new(32)
    }
}
