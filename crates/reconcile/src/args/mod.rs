//! Flags that several controllers share, with upstream's names and defaults.
//!
//! Owners flatten the groups they have into their own `clap::Args`; `pflag` reads the command line. Values are checked once,
//! at start, and a bad one is a [`ConfigError`] that ends the process before its first watch. This is also the only place
//! that reads the environment. Contract: cli §B1.5.

mod selector;

use std::path::Path;

use clap::ArgAction;
use millrace_api::meta::GoDuration;

pub use selector::{Selector, SelectorError};

use crate::gates::{Gate, Gates, Setting};
use crate::pflag::Environment;

/// Where a pod finds the namespace it runs in.
const POD_NAMESPACE_FILE: &str = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

/// A flag, gate or variable with which the process can't start; it exits with status 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}: {reason}")]
pub struct ConfigError {
    /// What can't be done, as upstream logs it.
    pub message: &'static str,
    /// Why.
    pub reason: String,
    /// The flag or variable.
    pub flag: &'static str,
    /// Its value.
    pub value: String,
}

impl ConfigError {
    /// Logs it as the last line before the process exits.
    pub fn log(&self) {
        self.log_as(self.flag);
    }

    /// Logs it under the name that the command line has for the flag.
    pub fn log_as(&self, flag: &str) {
        tracing::error!(logger = "setup", flag, value = self.value, error = self.reason, "{}", self.message);
    }

    /// Logs that the value is put up with, because upstream's programs start with it.
    pub fn warn(&self) {
        let Self { message: _, reason, flag, value } = self;
        tracing::warn!(logger = "setup", flag, value, error = reason, "value means the default");
    }
}

/// Reads the environment of the process.
pub fn environment() -> Environment {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// The name of this host, which is the pod's in a cluster.
pub fn host_name(environment: &Environment) -> String {
    let read = |path: &str| std::fs::read_to_string(path).ok().map(|name| name.trim().to_owned());
    read("/proc/sys/kernel/hostname")
        .filter(|name| !name.is_empty())
        .or_else(|| environment.get("HOSTNAME").cloned())
        .unwrap_or_else(|| "localhost".to_owned())
}

/// The namespace of the process, where its leases live: the pod's, or else `RUNTIME_NAMESPACE`.
pub fn own_namespace(environment: &Environment) -> Option<String> {
    let of_pod = std::fs::read_to_string(Path::new(POD_NAMESPACE_FILE)).ok();
    of_pod
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
        .or_else(|| runtime_namespace(environment))
}

/// The namespace in `RUNTIME_NAMESPACE`, unless that is empty.
pub fn runtime_namespace(environment: &Environment) -> Option<String> {
    environment.get("RUNTIME_NAMESPACE").filter(|name| !name.is_empty()).cloned()
}

/// Flags of the process as a whole, whichever controllers run in it.
#[derive(clap::Args, Clone, Debug)]
pub struct ProcessArgs {
    /// The address the metric endpoint binds to; 0 turns it off.
    #[arg(long, default_value = ":8080", env = "METRICS_ADDR", value_name = "string")]
    pub metrics_addr: String,
    /// The address the health endpoint binds to; 0 turns it off.
    #[arg(long, default_value = ":9440", value_name = "string")]
    pub health_addr: String,
    /// Log verbosity level: trace, debug, info or error.
    #[arg(long, default_value = "info", value_name = "string")]
    pub log_level: String,
    /// Log encoding format: json or console.
    #[arg(long, default_value = "json", value_name = "string")]
    pub log_encoding: String,
    /// Leader election.
    #[command(flatten)]
    pub leader_election: LeaderElectionArgs,
    /// Limits on requests to the API server.
    #[command(flatten)]
    pub kube_api: KubeApiArgs,
}

/// Flags of leader election.
#[derive(clap::Args, Clone, Debug)]
pub struct LeaderElectionArgs {
    /// Work only while holding the controllers' leases, so that one process is active at a time.
    #[arg(long)]
    pub enable_leader_election: bool,
    /// Give the lease up on shutdown instead of letting it expire.
    #[arg(long, default_value_t = true, action = ArgAction::Set)]
    pub leader_election_release_on_cancel: bool,
    /// How long others wait before they take over a lease that is no longer renewed.
    #[arg(long, default_value = "35s", value_name = "duration")]
    pub leader_election_lease_duration: GoDuration,
    /// How long the leader tries to renew its lease before it gives up.
    #[arg(long, default_value = "30s", value_name = "duration")]
    pub leader_election_renew_deadline: GoDuration,
    /// How long to wait between tries.
    #[arg(long, default_value = "5s", value_name = "duration")]
    pub leader_election_retry_period: GoDuration,
}

/// Limits on requests to the API server.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct KubeApiArgs {
    /// Requests per second to the API server, unless it has priority and fairness.
    #[arg(long, default_value_t = 50.0, value_name = "float")]
    pub kube_api_qps: f64,
    /// Requests in a burst to the API server, unless it has priority and fairness.
    #[arg(long, default_value_t = 300, value_name = "int")]
    pub kube_api_burst: u32,
}

/// Flags that every controller has for itself.
#[derive(clap::Args, Clone, Debug)]
pub struct ControllerArgs {
    /// Watch objects in all namespaces; if false, only those in the namespace of the process.
    #[arg(long, default_value_t = true, action = ArgAction::Set)]
    pub watch_all_namespaces: bool,
    /// The label selector of ConfigMaps and Secrets whose changes wake the objects that use them.
    #[arg(long, default_value = "reconcile.fluxcd.io/watch=Enabled", value_name = "string")]
    pub watch_configs_label_selector: String,
    /// The delay before the first retry of a failed object.
    #[arg(long, default_value = "750ms", value_name = "duration")]
    pub min_retry_delay: GoDuration,
    /// The longest delay between retries of a failed object.
    #[arg(long, default_value = "15m", value_name = "duration")]
    pub max_retry_delay: GoDuration,
    /// A list of Name=bool pairs that open or close feature gates.
    #[arg(long, value_delimiter = ',', action = ArgAction::Append, value_name = "mapStringBool")]
    pub feature_gates: Vec<Setting>,
    /// The greatest number of tokens in the cache; 0 turns it off.
    #[arg(long, default_value_t = 100, value_name = "int")]
    pub token_cache_max_size: u32,
    /// The longest time a token is cached, at most an hour.
    #[arg(long, default_value = "1h", value_name = "duration")]
    pub token_cache_max_duration: GoDuration,
    /// The ServiceAccount for objects that name none.
    #[arg(long, default_value = "", value_name = "string")]
    pub default_service_account: String,
}

/// Flags of the controllers whose objects can be shared out between processes: source and kustomize.
#[derive(clap::Args, Clone, Debug)]
pub struct ShardArgs {
    /// Work only on objects with these labels.
    #[arg(long, default_value = "", value_name = "string")]
    pub watch_label_selector: String,
    /// How far intervals vary, in percent.
    #[arg(long, default_value_t = 5, value_name = "uint8")]
    pub interval_jitter_percentage: u8,
    /// The interval at which dependencies that are not ready are looked at again.
    #[arg(long, default_value = "30s", value_name = "duration")]
    pub requeue_dependency: GoDuration,
}

impl ControllerArgs {
    /// The namespace to watch; none means all.
    pub fn watched_namespace(&self, environment: &Environment) -> Option<String> {
        if self.watch_all_namespaces { None } else { runtime_namespace(environment) }
    }

    /// The selector of ConfigMaps and Secrets that wake objects; an empty one selects all.
    ///
    /// # Errors
    /// The text is no selector.
    pub fn configs_selector(&self) -> Result<Selector, ConfigError> {
        parse_selector(
            &self.watch_configs_label_selector,
            "watch-configs-label-selector",
            "unable to configure watch configs label selector for manager",
        )
    }

    /// The gates, for a controller that knows `known`.
    ///
    /// # Errors
    /// A gate is unknown.
    pub fn gates(&self, known: &[Gate]) -> Result<Gates, ConfigError> {
        Gates::resolve(known, &self.feature_gates).map_err(|error| ConfigError {
            message: "unable to load feature gates",
            reason: error.to_string(),
            flag: "feature-gates",
            value: error.name,
        })
    }

    /// The name in `--default-service-account`, unless that is empty.
    pub fn default_service_account(&self) -> Option<&str> {
        Some(self.default_service_account.as_str()).filter(|name| !name.is_empty())
    }
}

impl ShardArgs {
    /// The selector of the objects this process works on; an empty one selects all.
    ///
    /// # Errors
    /// The text is no selector.
    pub fn selector(&self) -> Result<Selector, ConfigError> {
        let message = "unable to configure watch label selector for manager";
        parse_selector(&self.watch_label_selector, "watch-label-selector", message)
    }

    /// The jitter of intervals in percent, below 100.
    ///
    /// # Errors
    /// It is 100 or more.
    pub fn jitter(&self) -> Result<u8, ConfigError> {
        let percentage = self.interval_jitter_percentage;
        if percentage < 100 {
            return Ok(percentage);
        }
        Err(ConfigError {
            message: "unable to set global jitter",
            reason: "percentage must be between 0 and 99".to_owned(),
            flag: "interval-jitter-percentage",
            value: percentage.to_string(),
        })
    }
}

fn parse_selector(text: &str, flag: &'static str, message: &'static str) -> Result<Selector, ConfigError> {
    let wrong = |error: SelectorError| ConfigError {
        message,
        reason: format!(
            "{error}\na=b, a!=b, a in (b,c), a notin (b,c), a and !a are accepted, separated by commas"
        ),
        flag,
        value: text.to_owned(),
    };
    text.parse().map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pflag::{FlagSet, parse};

    #[derive(clap::Args)]
    struct All {
        #[command(flatten)]
        process: ProcessArgs,
        #[command(flatten)]
        controller: ControllerArgs,
        #[command(flatten)]
        shard: ShardArgs,
    }

    fn all(line: &[&str]) -> All {
        let line: Vec<_> = line.iter().map(ToString::to_string).collect();
        let environment = Environment::from([("METRICS_ADDR".to_owned(), ":1234".to_owned())]);
        let parsed = parse("source-controller", &line, vec![FlagSet::of::<All>(None)]).expect("flags");
        parsed.values(0, &environment).expect("values")
    }

    #[test]
    fn defaults_are_upstreams() {
        let all = all(&[]);
        assert_eq!(all.process.metrics_addr, ":1234");
        assert_eq!(all.process.health_addr, ":9440");
        assert!(!all.process.leader_election.enable_leader_election);
        assert!(all.process.leader_election.leader_election_release_on_cancel);
        assert_eq!(all.process.leader_election.leader_election_lease_duration.to_string(), "35s");
        assert!((all.process.kube_api.kube_api_qps - 50.0).abs() < f64::EPSILON);
        assert_eq!(all.controller.max_retry_delay.to_string(), "15m0s");
        assert_eq!(
            all.controller.configs_selector().expect("selector").to_string(),
            "reconcile.fluxcd.io/watch=Enabled"
        );
        assert_eq!(all.shard.jitter(), Ok(5));
        assert!(all.shard.selector().expect("selector").selects_all());
    }

    /// Part of SC-107.
    #[test]
    fn values_that_cannot_work_name_flag_and_value() {
        let all = all(&[
            "--interval-jitter-percentage=100",
            "--watch-label-selector=a in b",
            "--feature-gates=Nope=true",
        ]);
        let jitter = all.shard.jitter().expect_err("too much");
        assert_eq!(
            (jitter.message, jitter.flag, jitter.value.as_str()),
            ("unable to set global jitter", "interval-jitter-percentage", "100")
        );
        let selector = all.shard.selector().expect_err("malformed");
        assert_eq!(selector.message, "unable to configure watch label selector for manager");
        let reason = selector.reason.lines().collect::<Vec<_>>();
        assert_eq!(reason.len(), 2, "what is accepted stands on a line of its own: {reason:?}");
        assert!(reason[1].contains("a in (b,c)"), "{reason:?}");
        let gates = all.controller.gates(&[]).expect_err("unknown");
        assert_eq!(gates.to_string(), "unable to load feature gates: feature-gate 'Nope' not supported");
    }

    #[test]
    fn one_namespace_is_watched_only_where_one_is_known() {
        let environment = Environment::from([("RUNTIME_NAMESPACE".to_owned(), "flux-system".to_owned())]);
        let narrow = all(&["--watch-all-namespaces=false"]).controller;
        assert_eq!(narrow.watched_namespace(&environment).as_deref(), Some("flux-system"));
        assert_eq!(narrow.watched_namespace(&Environment::new()), None);
        assert_eq!(all(&["--watch-all-namespaces"]).controller.watched_namespace(&environment), None);
    }
}
