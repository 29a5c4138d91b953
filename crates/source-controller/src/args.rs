//! The flags of the source-controller. Contract: source-controller §6.1.

use std::path::PathBuf;
use std::time::Duration;

use clap::ArgAction;
use millrace_api::meta::{Algorithm, GoDuration};
use millrace_artifact::storage::{self, Storage};
use millrace_reconcile::args::{ConfigError, ControllerArgs, Selector, ShardArgs};
use millrace_reconcile::failure::chain;
use millrace_reconcile::gates::{CACHE_SECRETS_AND_CONFIG_MAPS, Gate, Gates, OBJECT_LEVEL_WORKLOAD_IDENTITY};
use millrace_reconcile::pflag::Environment;
use millrace_reconcile::queue::Backoff;
use millrace_reconcile::runner;

/// Old manifests set this gate, which upstream no longer knows and refuses (trap T34). It changes nothing.
const OPTIMIZED_GIT_CLONES: Gate = Gate::new("OptimizedGitClones", true);

/// The gates that the controller knows.
pub const GATES: [Gate; 3] =
    [CACHE_SECRETS_AND_CONFIG_MAPS, OBJECT_LEVEL_WORKLOAD_IDENTITY, OPTIMIZED_GIT_CLONES];

/// The gates that users are told about.
pub const LISTED_GATES: [Gate; 2] = [CACHE_SECRETS_AND_CONFIG_MAPS, OBJECT_LEVEL_WORKLOAD_IDENTITY];

/// Flags of the source-controller.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// What every controller has.
    #[command(flatten)]
    pub controller: ControllerArgs,
    /// What controllers have whose objects can be shared out.
    #[command(flatten)]
    pub shard: ShardArgs,
    /// The artifact store.
    #[command(flatten)]
    pub storage: StorageArgs,
    /// Helm repositories and charts.
    #[command(flatten)]
    pub helm: HelmArgs,
    /// The number of objects of each kind that are reconciled at the same time.
    #[arg(long, default_value_t = 2, value_name = "int")]
    pub concurrent: usize,
    /// The key exchange algorithms that SSH connections may use, most wanted first.
    #[arg(long, value_delimiter = ',', action = ArgAction::Append, value_name = "strings")]
    pub ssh_kex_algos: Vec<String>,
    /// The host key algorithms that SSH connections may use, most wanted first.
    #[arg(long, value_delimiter = ',', action = ArgAction::Append, value_name = "strings")]
    pub ssh_hostkey_algos: Vec<String>,
    /// The folder for fetched Git objects, which may be lost at any time; one among the temporary files if empty.
    #[arg(long, default_value = "", value_name = "string")]
    pub git_cache_path: String,
}

/// Flags of the artifact store.
#[derive(clap::Args, Clone, Debug)]
pub struct StorageArgs {
    /// The folder for artifacts.
    #[arg(long, default_value = "/data", env = "STORAGE_PATH", value_name = "string")]
    pub storage_path: PathBuf,
    /// The address the artifact server binds to.
    #[arg(long, default_value = ":9090", env = "STORAGE_ADDRESS", value_name = "string")]
    pub storage_addr: String,
    /// The address of the artifact server as others reach it, in artifact URLs; made from --storage-addr if empty.
    #[arg(long, default_value = "", env = "STORAGE_ADV_ADDR", value_name = "string")]
    pub storage_adv_addr: String,
    /// How long artifacts are kept that are no longer current.
    #[arg(long, default_value = "1m", value_name = "duration")]
    pub artifact_retention_ttl: GoDuration,
    /// The number of artifacts that are kept of each object.
    #[arg(long, default_value_t = 2, value_name = "int")]
    pub artifact_retention_records: usize,
    /// The algorithm of artifact digests.
    #[arg(long, default_value = "sha256", value_name = "string")]
    pub artifact_digest_algo: String,
}

/// Flags of Helm repositories and charts.
#[derive(clap::Args, Clone, Debug)]
pub struct HelmArgs {
    /// The largest index of a chart repository, in bytes.
    #[arg(long, default_value_t = 52_428_800, value_name = "int")]
    pub helm_index_max_size: u64,
    /// The largest chart, in bytes.
    #[arg(long, default_value_t = 10_485_760, value_name = "int")]
    pub helm_chart_max_size: u64,
    /// The largest file in a chart, in bytes.
    #[arg(long, default_value_t = 5_242_880, value_name = "int")]
    pub helm_chart_file_max_size: u64,
    /// The number of parsed indexes that are kept in memory; 0 keeps none.
    #[arg(long, default_value_t = 0, value_name = "int")]
    pub helm_cache_max_size: usize,
    /// How long a parsed index is kept.
    #[arg(long, default_value = "15m", value_name = "string")]
    pub helm_cache_ttl: String,
    /// How often old indexes are looked for.
    #[arg(long, default_value = "1m", value_name = "string")]
    pub helm_cache_purge_interval: String,
}

/// Checked flags.
#[derive(Clone, Debug)]
pub struct Config {
    /// The artifact store, opened.
    pub storage: Storage,
    /// Where the artifact server listens.
    pub storage_addr: String,
    /// The namespace to watch; none means all.
    pub namespace: Option<String>,
    /// The objects to work on.
    pub selector: Selector,
    /// How the controllers pace themselves.
    pub pace: runner::Options,
    /// The gates.
    pub gates: Gates,
    /// Where fetched Git objects are.
    pub git_cache_path: PathBuf,
    /// The folder for temporary files.
    pub temp_path: PathBuf,
    /// How long an object waits at most for what it includes.
    pub requeue_dependency: Duration,
}

impl Args {
    /// Checks the flags, and opens the store, which only looks whether its folder is there.
    ///
    /// # Errors
    /// The first flag that can't work.
    pub fn check(&self, environment: &Environment, host_name: &str) -> Result<Config, ConfigError> {
        let gates = self.controller.gates(&GATES)?;
        self.check_default_service_account(&gates)?;
        self.helm.check()?;
        Ok(Config {
            storage: self.storage.open(host_name)?,
            storage_addr: self.storage.storage_addr.clone(),
            namespace: self.controller.watched_namespace(environment),
            selector: self.shard.selector()?,
            pace: runner::Options {
                concurrent: self.concurrent,
                backoff: Backoff {
                    base: self.controller.min_retry_delay.as_std(),
                    cap: self.controller.max_retry_delay.as_std(),
                },
                interval_jitter_percentage: self.shard.jitter()?,
            },
            gates,
            git_cache_path: self.git_cache_path(environment),
            temp_path: temp_path(environment),
            requeue_dependency: self.shard.requeue_dependency.as_std(),
        })
    }

    /// Logs the gates that were given.
    pub fn announce_gates(&self) {
        Gates::announce(&self.controller.feature_gates);
        if self.controller.feature_gates.iter().any(|gate| gate.name == OPTIMIZED_GIT_CLONES.name) {
            tracing::warn!(
                logger = "setup",
                gate = OPTIMIZED_GIT_CLONES.name,
                "feature gate has no effect any more"
            );
        }
    }

    fn check_default_service_account(&self, gates: &Gates) -> Result<(), ConfigError> {
        match self.controller.default_service_account() {
            Some(account) if !gates.is_open(OBJECT_LEVEL_WORKLOAD_IDENTITY) => Err(ConfigError {
                message: "invalid configuration",
                reason: format!(
                    "cannot set default service accounts when the feature gate {} is not enabled",
                    OBJECT_LEVEL_WORKLOAD_IDENTITY.name
                ),
                flag: "default-service-account",
                value: account.to_owned(),
            }),
            Some(_) | None => Ok(()),
        }
    }

    fn git_cache_path(&self, environment: &Environment) -> PathBuf {
        match self.git_cache_path.as_str() {
            "" => temp_path(environment).join("millrace-git"),
            path => PathBuf::from(path),
        }
    }
}

fn temp_path(environment: &Environment) -> PathBuf {
    let named = environment.get("TMPDIR").filter(|folder| !folder.is_empty());
    PathBuf::from(named.map_or("/tmp", String::as_str))
}

impl StorageArgs {
    fn open(&self, host_name: &str) -> Result<Storage, ConfigError> {
        let algorithm: Algorithm = self.artifact_digest_algo.parse().map_err(|error| ConfigError {
            message: "unable to configure canonical digest algorithm",
            reason: format!("{}\nsha256, sha384, sha512, sha1 and blake3 are accepted", chain(&error)),
            flag: "artifact-digest-algo",
            value: self.artifact_digest_algo.clone(),
        })?;
        let advertised = match self.storage_adv_addr.as_str() {
            "" => storage::advertised_address(&self.storage_addr, host_name),
            address => address.to_owned(),
        };
        let options = storage::Options {
            root: self.storage_path.clone(),
            advertised,
            algorithm,
            retention_ttl: self.artifact_retention_ttl.as_std(),
            retention_records: self.artifact_retention_records,
        };
        Storage::open(options).map_err(|error| ConfigError {
            message: "unable to configure artifact storage",
            reason: format!("{error}\nthe folder has to be there; --storage-path names another"),
            flag: "storage-path",
            value: self.storage_path.display().to_string(),
        })
    }
}

impl HelmArgs {
    /// Durations count only while the cache is on, as upstream.
    fn check(&self) -> Result<(), ConfigError> {
        if self.helm_cache_max_size == 0 {
            return Ok(());
        }
        let durations = [
            (
                &self.helm_cache_purge_interval,
                "helm-cache-purge-interval",
                "unable to parse Helm index cache purge interval",
            ),
            (&self.helm_cache_ttl, "helm-cache-ttl", "unable to parse Helm index cache item TTL"),
        ];
        for (text, flag, message) in durations {
            text.parse::<GoDuration>().map_err(|error| ConfigError {
                message,
                reason: error.to_string(),
                flag,
                value: text.clone(),
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use millrace_reconcile::pflag::{FlagSet, parse};

    use super::*;

    fn args(line: &[&str]) -> Args {
        let line: Vec<_> = line.iter().map(ToString::to_string).collect();
        let parsed = parse("source-controller", &line, vec![FlagSet::of::<Args>(None)]).unwrap();
        parsed.values(0, &Environment::new()).unwrap()
    }

    fn refused(line: &[&str]) -> (&'static str, String) {
        let error = args(line).check(&Environment::new(), "host").unwrap_err();
        (error.message, error.reason)
    }

    #[test]
    fn defaults_are_upstreams() {
        let args = args(&[]);
        assert_eq!(args.concurrent, 2);
        assert_eq!(args.storage.storage_path, PathBuf::from("/data"));
        assert_eq!(args.storage.storage_addr, ":9090");
        assert_eq!(args.storage.artifact_retention_ttl.to_string(), "1m0s");
        assert_eq!(args.storage.artifact_retention_records, 2);
        assert_eq!(args.helm.helm_index_max_size, 52_428_800);
        assert_eq!(args.helm.helm_cache_max_size, 0);
        assert!(args.ssh_kex_algos.is_empty());
    }

    // SC-107, but for what the shared flags prove themselves.
    #[test]
    fn flags_that_cannot_work_are_refused_with_upstreams_words() {
        let storage = "--storage-path=/nowhere/at/all";
        assert_eq!(
            refused(&[storage]),
            (
                "unable to configure artifact storage",
                "invalid dir path: /nowhere/at/all\nthe folder has to be there; --storage-path names another"
                    .to_owned()
            )
        );
        let (message, _) = refused(&["--artifact-digest-algo=md5"]);
        assert_eq!(message, "unable to configure canonical digest algorithm");
        let (message, reason) = refused(&["--feature-gates=Nope=true"]);
        assert_eq!(
            (message, reason.as_str()),
            ("unable to load feature gates", "feature-gate 'Nope' not supported")
        );
        let (message, _) = refused(&["--default-service-account=x"]);
        assert_eq!(message, "invalid configuration");
        let (message, _) = refused(&["--helm-cache-max-size=1", "--helm-cache-ttl=1d"]);
        assert_eq!(message, "unable to parse Helm index cache item TTL");
    }

    #[test]
    fn a_gate_of_old_manifests_is_accepted() {
        let folder = tempfile::tempdir().unwrap();
        let path = format!("--storage-path={}", folder.path().display());
        let args = args(&[&path, "--feature-gates=OptimizedGitClones=true", "--storage-adv-addr=sc.test"]);
        let config = args.check(&Environment::new(), "host").unwrap();
        assert_eq!(config.storage.root(), folder.path());
        assert_eq!(config.git_cache_path, PathBuf::from("/tmp/millrace-git"));
    }
}
