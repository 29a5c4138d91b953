//! Fetches what a build needs from other hosts: files over HTTP, repositories with the `git` program.
//!
//! The reference runs `git`, and so does this command: whoever builds at a terminal has logins, keys and proxies set up for
//! that program. No controller comes here.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use millrace_kustomize::remote::{Checkout, FileFailure, Need, Remotes, Repository, RepositoryFailure};
use millrace_net::addresses::{self, secrets_of};
use millrace_net::{HttpClient, Masker, Options, RedactedUrl};

use crate::{DiskFiles, Environment, git, run};

/// Names tried for a temporary folder.
const ATTEMPTS: u32 = 10_000;
/// How long a web server may say nothing.
const SILENCE: Duration = Duration::from_secs(30);
/// How long a file may take as a whole.
const FILE_TIMEOUT: Duration = Duration::from_mins(5);

/// Fetches, and keeps checkouts for as long as it lives.
pub(crate) struct Fetcher<'e> {
    environment: &'e Environment,
    longest: u64,
    silence: Duration,
    checkouts: Vec<TemporaryFolder>,
    /// Knows the logins and tokens in the addresses that were asked for.
    secrets: Masker,
}

/// A folder that goes when this is dropped.
struct TemporaryFolder(PathBuf);

impl<'e> Fetcher<'e> {
    /// A fetcher of files up to `longest` bytes.
    pub(crate) fn new(environment: &'e Environment, longest: u64) -> Self {
        Self { environment, longest, silence: SILENCE, checkouts: Vec::new(), secrets: Masker::new() }
    }

    /// Fetches and adds the outcome, whatever it is.
    pub(crate) fn fetch(&mut self, need: &Need, remotes: &mut Remotes) {
        let (Need::File(address) | Need::Repository(Repository { raw: address, .. })) = need;
        for secret in secrets_of(address) {
            self.secrets.add(secret.expose());
        }
        match need {
            Need::File(address) => {
                let content = self.file(address);
                remotes.add_file(address, content);
            }
            Need::Repository(repository) => {
                run::warn(&repository.warning().map(str::to_owned).into_iter().collect::<Vec<_>>());
                let checkout = self.check_out(repository);
                remotes.add_repository(repository, checkout);
            }
        }
    }

    /// The text without the logins and the tokens of addresses.
    pub(crate) fn shown(&self, text: &str) -> String {
        addresses::shown(&self.secrets.mask(text))
    }

    fn file(&self, address: &str) -> Result<Vec<u8>, FileFailure> {
        let shown = RedactedUrl::new(address);
        let unreached =
            |error: &dyn std::fmt::Display| FileFailure::Unreached(format!("Get \"{shown}\": {error}"));
        millrace_net::install_crypto_provider();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| unreached(&error))?;
        let options =
            Options { timeout: Some(FILE_TIMEOUT), read_timeout: Some(self.silence), ..Options::default() };
        let client = HttpClient::new(&options).map_err(|error| unreached(&error))?;
        let url = address.parse().map_err(|error| unreached(&error))?;
        let method = "GET".parse().map_err(|error| unreached(&error))?;
        let longest = usize::try_from(self.longest).unwrap_or(usize::MAX);
        runtime.block_on(async {
            let response =
                client.send(client.request(method, url)).await.map_err(|error| unreached(&error))?;
            let status = response.status();
            if !status.is_success() {
                let name = status.canonical_reason().unwrap_or_default().to_owned();
                return Err(FileFailure::Status { code: status.as_u16(), name });
            }
            Ok(response.bytes(longest).await.map_err(|error| unreached(&error))?.to_vec())
        })
    }

    fn check_out(&mut self, repository: &Repository) -> Result<Checkout, RepositoryFailure> {
        git::check(repository)?;
        let failed = |error: io::Error| RepositoryFailure::Failed(error.to_string());
        let folder = TemporaryFolder::new(&self.temporary()).map_err(failed)?;
        git::check_out(repository, &folder.0, self.environment)?;
        let files = DiskFiles::new(&folder.0, self.longest);
        let checkout = Checkout { folder: folder.0.to_string_lossy().into_owned(), files: Arc::new(files) };
        self.checkouts.push(folder);
        Ok(checkout)
    }

    /// Where temporary folders are made.
    fn temporary(&self) -> PathBuf {
        let named = self.environment.get("TMPDIR").filter(|path| !path.is_empty());
        named.map_or_else(|| PathBuf::from("/tmp"), PathBuf::from)
    }
}

impl TemporaryFolder {
    fn new(parent: &Path) -> io::Result<Self> {
        let parent = fs::canonicalize(parent)?;
        for attempt in 0..ATTEMPTS {
            let folder = parent.join(format!("kustomize-{}-{attempt}", std::process::id()));
            match DirBuilder::new().mode(0o700).create(&folder) {
                Ok(()) => return Ok(Self(folder)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // Left behind if it cannot be removed, as the system's own cleaning expects.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_web_server_that_says_nothing_is_not_waited_for() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}/a.yaml", listener.local_addr().expect("bound"));
        let environment = Environment::new();
        let fetcher = Fetcher { silence: Duration::from_millis(50), ..Fetcher::new(&environment, 1000) };
        let Err(FileFailure::Unreached(text)) = fetcher.file(&address) else { panic!("it was reached") };
        assert!(text.starts_with(&format!("Get \"{address}\": ")), "{text}");
    }
}
