//! Fetches what a build needs from other hosts: files over HTTP, repositories with the `git` program.
//!
//! The reference runs `git`, and so does this command: whoever builds at a terminal has logins, keys and proxies set up for
//! that program. No controller comes here.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::io::{self, Read as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use millrace_kustomize::DiskFiles;
use millrace_kustomize::remote::{Checkout, FileFailure, Need, Remotes, Repository, RepositoryFailure};
use millrace_net::{HttpClient, Options};
use millrace_reconcile::pflag::Environment;

/// Names tried for a temporary folder.
const ATTEMPTS: u32 = 10_000;
/// What is read of what Git says, in bytes.
const SAID: u64 = 64 << 10;

/// Fetches, and keeps checkouts for as long as it lives.
pub(super) struct Fetcher<'e> {
    environment: &'e Environment,
    longest: u64,
    checkouts: Vec<TemporaryFolder>,
}

/// A folder that goes when this is dropped.
struct TemporaryFolder(PathBuf);

impl<'e> Fetcher<'e> {
    /// A fetcher of files up to `longest` bytes.
    pub(super) fn new(environment: &'e Environment, longest: u64) -> Self {
        Self { environment, longest, checkouts: Vec::new() }
    }

    /// Fetches and adds the outcome, whatever it is.
    pub(super) fn fetch(&mut self, need: &Need, remotes: &mut Remotes) {
        match need {
            Need::File(address) => {
                let content = self.file(address);
                remotes.add_file(address, content);
            }
            Need::Repository(repository) => {
                super::warn(&repository.warning().map(str::to_owned).into_iter().collect::<Vec<_>>());
                let checkout = self.check_out(repository);
                remotes.add_repository(repository, checkout);
            }
        }
    }

    fn file(&self, address: &str) -> Result<Vec<u8>, FileFailure> {
        let unreached =
            |error: &dyn std::fmt::Display| FileFailure::Unreached(format!("Get \"{address}\": {error}"));
        millrace_net::install_crypto_provider();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| unreached(&error))?;
        let client = HttpClient::new(&Options::default()).map_err(|error| unreached(&error))?;
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
        let missing = || {
            let text = "no 'git' program on path: exec: \"git\": executable file not found in $PATH";
            RepositoryFailure::Failed(text.to_owned())
        };
        let path = self.environment.get("PATH").map(String::as_str).unwrap_or_default();
        let program =
            std::env::split_paths(path).map(|folder| folder.join("git")).find(|file| file.is_file());
        let program = program.ok_or_else(missing)?;
        let failed = |error: io::Error| RepositoryFailure::Failed(error.to_string());
        let folder = TemporaryFolder::new(&self.temporary()).map_err(failed)?;
        let git = |words: &[&str]| run(&program, words, &folder.0, repository.timeout);
        git(&["init"])?;
        git(&["remote", "add", "origin", &repository.url])?;
        let reference = repository.reference.as_deref().unwrap_or("HEAD");
        git(&["fetch", "--depth=1", &repository.url, reference])?;
        git(&["checkout", "FETCH_HEAD"])?;
        if repository.submodules {
            git(&["submodule", "update", "--init", "--recursive"])?;
        }
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

/// Runs Git to its end, or as long as it may take.
fn run(program: &Path, words: &[&str], folder: &Path, timeout: Duration) -> Result<(), RepositoryFailure> {
    let line = format!("{} {}", program.display(), words.join(" "));
    let failed = |said: &str, error: &dyn std::fmt::Display| {
        RepositoryFailure::Failed(format!("failed to run '{line}': {said}: {error}"))
    };
    let start = || -> io::Result<_> {
        let (reader, writer) = io::pipe()?;
        let mut command = Command::new(program);
        command.args(words.iter().map(OsStr::new)).current_dir(folder).stdin(Stdio::null());
        command.stdout(writer.try_clone()?).stderr(writer);
        Ok((command.spawn()?, reader))
    };
    let (mut child, reader) = start().map_err(|error| failed("", &error))?;
    let (sender, receiver) = sync_channel(1);
    std::thread::spawn(move || {
        let mut said = Vec::new();
        let mut kept = reader.take(SAID);
        // What cannot be read is not shown; what is too long is read and thrown away, so that Git goes on.
        let _ = kept.read_to_end(&mut said);
        let _ = io::copy(&mut kept.into_inner(), &mut io::sink());
        let _ = sender.send(said);
    });
    let said = match receiver.recv_timeout(timeout) {
        Ok(said) => String::from_utf8_lossy(&said).into_owned(),
        Err(RecvTimeoutError::Timeout) => {
            // It may have ended by itself meanwhile.
            let _ = child.kill().and_then(|()| child.wait());
            return Err(RepositoryFailure::TimedOut { after: timeout, line });
        }
        Err(RecvTimeoutError::Disconnected) => String::new(),
    };
    match child.wait() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(failed(&said, &status.to_string().replace("exit status: ", "exit status "))),
        Err(error) => Err(failed(&said, &error)),
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
