//! What was fetched for one run.

use std::sync::Arc;
use std::time::Duration;

use millrace_api::meta::GoDuration;
use millrace_kustomize::remote::{Checkout, FileFailure, Need, ObservedCheckout, Remotes, Repository};
use millrace_net::addresses::secrets_of;
use millrace_net::{RedactedUrl, Secret};
use millrace_reconcile::Run;
use tokio::time::Instant;

use super::held::Held;
use super::{Bases, file, repository};
use crate::masking::SecretValues;

/// Files and repositories that one run may fetch.
const MAX_FETCHES: usize = 500;
/// Bytes of all files from web servers that one run may fetch; they are in memory while it builds.
const MAX_FILE_BYTES: usize = 64 << 20;

/// What was fetched for one run so far, and how much more may be.
pub(crate) struct Collected {
    remotes: Arc<Remotes>,
    /// The folder in which the original would check out.
    temp_folder: String,
    timeout: Duration,
    deadline: Instant,
    fetches: usize,
    held: Held,
    file_bytes: usize,
    /// Repositories with their commits.
    checkouts: Vec<(Repository, String)>,
    /// Addresses that were taken for those of repositories because they were before.
    assumed: Vec<String>,
    secrets: Vec<Secret<String>>,
}

impl Collected {
    /// Nothing so far; all has to be there within `timeout`.
    pub(crate) fn new(temp_folder: &str, timeout: Duration) -> Self {
        Self {
            remotes: Arc::default(),
            temp_folder: temp_folder.to_owned(),
            timeout,
            deadline: Instant::now() + timeout,
            fetches: 0,
            held: Held::default(),
            file_bytes: 0,
            checkouts: Vec::new(),
            assumed: Vec::new(),
            secrets: Vec::new(),
        }
    }

    /// What a build is to be given.
    pub(crate) fn remotes(&self) -> Arc<Remotes> {
        Arc::clone(&self.remotes)
    }

    /// Fetches what a build needs, whatever comes of it.
    ///
    /// # Errors
    /// The run has fetched too much, or its time is over; the text says what to do.
    pub(crate) async fn fetch(&mut self, bases: &Bases, run: &Run, need: &Need) -> Result<(), String> {
        self.begin()?;
        match need {
            Need::File(address) => {
                self.secrets.extend(secrets_of(address));
                let may_be_repository = Repository::parse(address).is_some();
                if may_be_repository && bases.known.is_repository(address) {
                    self.assumed.push(address.clone());
                    let name = "Not Found".to_owned();
                    self.add_file(address, Err(FileFailure::Status { code: 404, name }));
                } else {
                    self.fetch_file(bases, address).await;
                }
            }
            Need::Repository(repository) => self.check_out(bases, run, repository).await,
        }
        Ok(())
    }

    /// Whether one more may be fetched.
    fn begin(&mut self) -> Result<(), String> {
        // What came too late is told by the build that it was fetched for. Another one would be built beyond that time.
        if Instant::now() >= self.deadline {
            return Err(format!(
                "what a build needs from other hosts has to be there within the timeout of {}: raise spec.timeout, or keep a \
                 copy of some of it among the files of the source",
                GoDuration::from(self.timeout)
            ));
        }
        self.fetches += 1;
        if self.fetches > MAX_FETCHES {
            return Err(format!(
                "one Kustomization fetches at most {MAX_FETCHES} files and repositories: keep a copy of some among the files of \
                 the source"
            ));
        }
        Ok(())
    }

    /// Whether something was only assumed, so that a build that has failed may do better.
    pub(crate) fn has_assumed(&self) -> bool {
        !self.assumed.is_empty()
    }

    /// Fetches what was only assumed.
    pub(crate) async fn make_sure(&mut self, bases: &Bases) {
        for address in std::mem::take(&mut self.assumed) {
            bases.known.forget(&address);
            self.fetch_file(bases, &address).await;
        }
    }

    /// Notes that a build has succeeded with what was fetched.
    pub(crate) fn succeeded(&self, bases: &Bases, observed: &[ObservedCheckout]) {
        for (repository, commit) in &self.checkouts {
            bases.known.was_repository(&repository.raw);
            let used = observed.iter().find(|checkout| {
                (&checkout.url, &checkout.reference, checkout.submodules)
                    == (&repository.url, &repository.reference, repository.submodules)
            });
            let files = used.map_or(0, |checkout| checkout.observed.read.len());
            tracing::debug!(url = %RedactedUrl::new(&repository.url), commit, files, "built with a remote base");
        }
    }

    /// What must not be shown of addresses.
    pub(crate) fn secrets(&self) -> SecretValues {
        let mut secrets = SecretValues::default();
        self.secrets.iter().for_each(|secret| secrets.add(secret.expose().as_bytes()));
        secrets
    }

    async fn fetch_file(&mut self, bases: &Bases, address: &str) {
        let longest = MAX_FILE_BYTES.saturating_sub(self.file_bytes);
        let content = match bases.client() {
            Ok(client) => file::fetch(&client, address, longest, self.deadline).await,
            Err(error) => Err(FileFailure::Unreached(error.to_string())),
        };
        self.file_bytes += content.as_ref().map_or(0, Vec::len);
        self.add_file(address, content);
    }

    fn add_file(&mut self, address: &str, content: Result<Vec<u8>, FileFailure>) {
        Arc::make_mut(&mut self.remotes).add_file(address, content);
    }

    async fn check_out(&mut self, bases: &Bases, run: &Run, repository: &Repository) {
        self.secrets.extend(secrets_of(&repository.raw));
        if let Some(warning) = repository.warning() {
            tracing::debug!(warning, "an entry has a prefix that does nothing");
        }
        let checked_out = repository::check_out(bases, run, repository, &mut self.held, self.deadline).await;
        let checkout = checked_out.map(|checked_out| {
            self.checkouts.push((repository.clone(), checked_out.commit));
            // Numbered, so that equal failures read alike.
            let folder = format!("{}/kustomize-{}", self.temp_folder, self.checkouts.len());
            Checkout { folder, files: checked_out.files }
        });
        Arc::make_mut(&mut self.remotes).add_repository(repository, checkout);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_build_is_given_more_once_the_time_of_the_run_is_over() {
        let mut late = Collected::new("/tmp", Duration::ZERO);
        let error = late.begin().expect_err("it is late");
        assert!(error.contains("the timeout of 0s: raise spec.timeout"), "{error}");
        let mut early = Collected::new("/tmp", Duration::from_hours(1));
        assert!((0..MAX_FETCHES).all(|_| early.begin().is_ok()));
        let error = early.begin().expect_err("it is too much");
        assert!(error.starts_with("one Kustomization fetches at most 500 files"), "{error}");
    }
}
