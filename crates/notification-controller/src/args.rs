//! The flags of the notification controller beyond those all controllers have.
//!
//! Contract: notification-controller §5.2.

use millrace_api::meta::GoDuration;
use millrace_reconcile::{
    args::{ConfigError, ControllerArgs, Selector},
    gates::{CACHE_SECRETS_AND_CONFIG_MAPS, DISABLE_CONFIG_WATCHERS, Gate, OBJECT_LEVEL_WORKLOAD_IDENTITY},
    pflag::Environment,
    queue::Backoff,
};

use crate::dispatch::Policy;

/// The gates this controller knows.
pub const GATES: [Gate; 3] =
    [CACHE_SECRETS_AND_CONFIG_MAPS, DISABLE_CONFIG_WATCHERS, OBJECT_LEVEL_WORKLOAD_IDENTITY];

/// Flags of the notification controller.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The address the event endpoint binds to.
    #[arg(long, default_value = ":9090", value_name = "string")]
    pub events_addr: String,
    /// The address the webhook endpoint binds to.
    #[arg(long = "receiverAddr", default_value = ":9292", value_name = "string")]
    pub receiver_addr: String,
    /// The number of concurrent reconciles of each kind.
    #[arg(long, default_value_t = 4, value_name = "int")]
    pub concurrent: usize,
    /// How long an event that repeats another is held back.
    #[arg(long, default_value = "5m", value_name = "duration")]
    pub rate_limit_interval: GoDuration,
    /// Label HTTP metrics with the path of each request instead of the handler's.
    #[arg(long)]
    pub export_http_path_metrics: bool,
    /// Let no object refer to one of another namespace.
    #[arg(long)]
    pub no_cross_namespace_refs: bool,
    /// Flags that every controller has.
    #[command(flatten)]
    pub controller: ControllerArgs,
}

/// The flags, checked.
#[derive(Clone, Debug)]
pub struct Config {
    /// The one namespace to watch; all without one.
    pub namespace: Option<String>,
    /// Receivers reconciled at a time.
    pub concurrent: usize,
    /// Delays of failing Receivers.
    pub backoff: Backoff,
    /// How long a repeated event is held back.
    pub rate_limit_interval: std::time::Duration,
    /// Whether metrics are labelled with paths.
    pub export_http_path_metrics: bool,
    /// What alerts and Receivers may do.
    pub policy: Policy,
    /// The Secrets whose changes wake Receivers; none at all without one.
    pub watched_secrets: Option<Selector>,
}

impl Args {
    /// Checks the flags.
    ///
    /// # Errors
    ///
    /// If a gate is unknown, a selector malformed, or a default ServiceAccount set without its gate.
    pub fn config(&self, environment: &Environment) -> Result<Config, ConfigError> {
        let gates = self.controller.gates(&GATES)?;
        let object_level_workload_identity = gates.is_open(OBJECT_LEVEL_WORKLOAD_IDENTITY);
        if let Some(account) = self.controller.default_service_account()
            && !object_level_workload_identity
        {
            return Err(ConfigError {
                message: "unable to set default service account",
                reason: "cannot set default service accounts when the feature gate ObjectLevelWorkloadIdentity is not \
                         enabled"
                    .to_owned(),
                flag: "default-service-account",
                value: account.to_owned(),
            });
        }
        let selector = self.controller.configs_selector()?;
        Ok(Config {
            namespace: self.controller.watched_namespace(environment),
            concurrent: self.concurrent,
            backoff: Backoff {
                base: self.controller.min_retry_delay.as_std(),
                cap: self.controller.max_retry_delay.as_std(),
            },
            rate_limit_interval: self.rate_limit_interval.as_std(),
            export_http_path_metrics: self.export_http_path_metrics,
            policy: Policy {
                no_cross_namespace_refs: self.no_cross_namespace_refs,
                object_level_workload_identity,
            },
            watched_secrets: (!gates.is_open(DISABLE_CONFIG_WATCHERS)).then_some(selector),
        })
    }
}

#[cfg(test)]
mod tests {
    use millrace_reconcile::pflag::{FlagSet, parse};

    use super::*;

    fn args(line: &[&str]) -> Args {
        let line: Vec<_> = line.iter().map(ToString::to_string).collect();
        let parsed = parse("notification-controller", &line, vec![FlagSet::of::<Args>(None)]).expect("flags");
        parsed.values(0, &Environment::new()).expect("values")
    }

    #[test]
    fn the_defaults_are_those_of_the_original() {
        let args = args(&[]);
        assert_eq!(
            (args.events_addr.as_str(), args.receiver_addr.as_str(), args.concurrent),
            (":9090", ":9292", 4)
        );
        let config = args.config(&Environment::new()).unwrap();
        assert_eq!(config.rate_limit_interval.as_secs(), 300);
        assert_eq!((config.policy, config.export_http_path_metrics), (Policy::default(), false));
        assert_eq!(config.backoff, Backoff::default());
        assert_eq!(config.watched_secrets.unwrap().as_str(), "reconcile.fluxcd.io/watch=Enabled");
    }

    #[test]
    fn flags_and_gates_reach_the_configuration() {
        let args = args(&[
            "--receiverAddr=:1",
            "--rate-limit-interval=3s",
            "--no-cross-namespace-refs",
            "--feature-gates=DisableConfigWatchers=true,ObjectLevelWorkloadIdentity=true",
            "--default-service-account=x",
        ]);
        assert_eq!(args.receiver_addr, ":1");
        let config = args.config(&Environment::new()).unwrap();
        assert_eq!(config.rate_limit_interval.as_secs(), 3);
        assert_eq!(
            config.policy,
            Policy { no_cross_namespace_refs: true, object_level_workload_identity: true }
        );
        assert_eq!(config.watched_secrets, None);
    }

    #[test]
    fn what_can_not_work_is_refused_by_name() {
        for (line, text) in [
            ("--feature-gates=Foo=true", "feature-gate 'Foo' not supported"),
            (
                "--default-service-account=x",
                "cannot set default service accounts when the feature gate ObjectLevelWorkloadIdentity is not enabled",
            ),
        ] {
            let error = args(&[line]).config(&Environment::new()).unwrap_err();
            assert!(error.to_string().ends_with(text), "{error}");
        }
    }
}
