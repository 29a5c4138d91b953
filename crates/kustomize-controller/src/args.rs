//! Flags and gates of this controller, with upstream's names and defaults. Contract: kustomize-controller §8.1, §8.2.

use clap::ArgAction;
use millrace_api::meta::GoDuration;
use millrace_reconcile::args::{ConfigError, ControllerArgs, ShardArgs};
use millrace_reconcile::gates::{
    CACHE_SECRETS_AND_CONFIG_MAPS, DISABLE_CONFIG_WATCHERS, Gate, OBJECT_LEVEL_WORKLOAD_IDENTITY,
};
use millrace_ssa::stages::GroupKind;

/// The list reads of the health poller come from a cache; ours watches, and ignores it.
const DISABLE_STATUS_POLLER_CACHE: Gate = Gate::new("DisableStatusPollerCache", true);
/// A wait goes on although something it waits for has failed.
const DISABLE_FAIL_FAST_BEHAVIOR: Gate = Gate::new("DisableFailFastBehavior", false);
/// A variable without a value fails the build.
const STRICT_POST_BUILD_SUBSTITUTIONS: Gate = Gate::new("StrictPostBuildSubstitutions", true);
/// The log groups what was applied by action.
const GROUP_CHANGE_LOG: Gate = Gate::new("GroupChangeLog", false);
/// `readyExpr` comes on top of the built-in check.
const ADDITIVE_CEL_DEPENDENCY_CHECK: Gate = Gate::new("AdditiveCELDependencyCheck", false);
/// Sources may be `ExternalArtifact`s.
const EXTERNAL_ARTIFACT: Gate = Gate::new("ExternalArtifact", false);
/// Whatever wakes an object ends the health check it is in.
const CANCEL_HEALTH_CHECK_ON_NEW_REVISION: Gate = Gate::new("CancelHealthCheckOnNewRevision", false);
/// Sources are read from the API server, not from the cache.
const DIRECT_SOURCE_FETCH: Gate = Gate::new("DirectSourceFetch", false);
/// Managed fields move to the manifest's API version.
const MIGRATE_API_VERSION: Gate = Gate::new("MigrateAPIVersion", false);

/// The gates that `--feature-gates` accepts.
pub const GATES: &[Gate] = &[
    CACHE_SECRETS_AND_CONFIG_MAPS,
    DISABLE_STATUS_POLLER_CACHE,
    DISABLE_FAIL_FAST_BEHAVIOR,
    STRICT_POST_BUILD_SUBSTITUTIONS,
    GROUP_CHANGE_LOG,
    ADDITIVE_CEL_DEPENDENCY_CHECK,
    EXTERNAL_ARTIFACT,
    CANCEL_HEALTH_CHECK_ON_NEW_REVISION,
    DISABLE_CONFIG_WATCHERS,
    DIRECT_SOURCE_FETCH,
    MIGRATE_API_VERSION,
    OBJECT_LEVEL_WORKLOAD_IDENTITY,
];

/// The flags of the kustomize-controller.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Flags that every controller has.
    #[command(flatten)]
    pub controller: ControllerArgs,
    /// Flags of controllers whose objects can be shared out.
    #[command(flatten)]
    pub shard: ShardArgs,
    /// The number of Kustomizations that are worked on at a time.
    #[arg(long, default_value_t = 4, value_name = "int")]
    pub concurrent: usize,
    /// The number of objects of one Kustomization that are checked at a time.
    #[arg(long, default_value_t = 4, value_name = "int")]
    pub concurrent_ssa: i64,
    /// Refuse bases that are not in the artifact.
    #[arg(long)]
    pub no_remote_bases: bool,
    /// Refuse sources of other namespaces.
    #[arg(long)]
    pub no_cross_namespace_refs: bool,
    /// How often a failed download of an artifact is tried again.
    #[arg(long, default_value_t = 9, value_name = "int")]
    pub http_retry: u32,
    /// The ServiceAccount for decryption of objects that name none.
    #[arg(long, default_value = "", value_name = "string")]
    pub default_decryption_service_account: String,
    /// The ServiceAccount for kubeConfig of objects that name none.
    #[arg(long, default_value = "", value_name = "string")]
    pub default_kubeconfig_service_account: String,
    /// The Secret with age keys for decryption of objects that name none.
    #[arg(long, default_value = "", value_name = "string")]
    pub sops_age_secret: String,
    /// The ConfigMap with Vault settings for decryption.
    #[arg(long, default_value = "", value_name = "string")]
    pub sops_vault_configmap: String,
    /// A field manager whose fields are taken over, besides kubectl.
    #[arg(long, action = ArgAction::Append, value_delimiter = ',', value_name = "stringArray")]
    pub override_manager: Vec<String>,
    /// Kinds (`group/Kind`, comma separated) that are applied after definitions and classes, before everything else.
    #[arg(long, default_value = "", value_name = "string")]
    pub custom_apply_stage_kinds: String,
    /// Allow kubeconfigs to run programs.
    #[arg(long)]
    pub insecure_kubeconfig_exec: bool,
    /// Allow kubeconfigs to skip certificate checks.
    #[arg(long)]
    pub insecure_kubeconfig_tls: bool,
}

/// The settings of the controller, checked.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag or gate of its own; any combination is valid"
)]
pub struct Settings {
    pub(crate) no_cross_namespace_refs: bool,
    pub(crate) remote_bases: bool,
    pub(crate) external_artifacts: bool,
    pub(crate) direct_source_fetch: bool,
    pub(crate) strict_substitution: bool,
    pub(crate) fail_fast: bool,
    pub(crate) group_change_log: bool,
    pub(crate) cancel_health_check: bool,
    pub(crate) watch_configs: bool,
    pub(crate) workload_identity: bool,
    pub(crate) migrate_api_version: bool,
    pub(crate) requeue_dependency: GoDuration,
    pub(crate) concurrent_ssa: usize,
    pub(crate) override_managers: Vec<String>,
    pub(crate) custom_stage_kinds: Vec<GroupKind>,
}

impl Args {
    /// Checks the flags and resolves the gates.
    ///
    /// # Errors
    /// A gate is unknown, or a flag needs a gate that is closed.
    pub fn settings(&self) -> Result<Settings, ConfigError> {
        let gates = self.controller.gates(GATES)?;
        let workload_identity = gates.is_open(OBJECT_LEVEL_WORKLOAD_IDENTITY);
        for (flag, value) in [
            ("default-decryption-service-account", &self.default_decryption_service_account),
            ("default-kubeconfig-service-account", &self.default_kubeconfig_service_account),
        ] {
            if !value.is_empty() && !workload_identity {
                return Err(ConfigError {
                    message: "unable to configure default service accounts",
                    reason: "cannot set default service accounts when the feature gate ObjectLevelWorkloadIdentity is \
                             not enabled"
                        .to_owned(),
                    flag,
                    value: value.clone(),
                });
            }
        }
        Ok(Settings {
            no_cross_namespace_refs: self.no_cross_namespace_refs,
            remote_bases: !self.no_remote_bases,
            external_artifacts: gates.is_open(EXTERNAL_ARTIFACT),
            direct_source_fetch: gates.is_open(DIRECT_SOURCE_FETCH),
            strict_substitution: gates.is_open(STRICT_POST_BUILD_SUBSTITUTIONS),
            fail_fast: !gates.is_open(DISABLE_FAIL_FAST_BEHAVIOR),
            group_change_log: gates.is_open(GROUP_CHANGE_LOG),
            cancel_health_check: gates.is_open(CANCEL_HEALTH_CHECK_ON_NEW_REVISION),
            watch_configs: !gates.is_open(DISABLE_CONFIG_WATCHERS),
            workload_identity,
            migrate_api_version: gates.is_open(MIGRATE_API_VERSION),
            requeue_dependency: self.shard.requeue_dependency,
            concurrent_ssa: usize::try_from(self.concurrent_ssa).unwrap_or(1).max(1),
            override_managers: self.override_manager.clone(),
            custom_stage_kinds: stage_kinds(&self.custom_apply_stage_kinds),
        })
    }
}

/// Reads a comma separated list of `group/Kind`; without a slash the group is the core's.
fn stage_kinds(text: &str) -> Vec<GroupKind> {
    let kinds = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    kinds
        .map(|item| {
            let (group, kind) = item.split_once('/').unwrap_or(("", item));
            GroupKind { group: group.trim().to_owned(), kind: kind.trim().to_owned() }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use millrace_reconcile::pflag::{Environment, FlagSet, parse};

    use super::*;

    fn args(line: &[&str]) -> Args {
        let line: Vec<_> = line.iter().map(ToString::to_string).collect();
        let parsed = parse("kustomize-controller", &line, vec![FlagSet::of::<Args>(None)]).expect("flags");
        parsed.values(0, &Environment::new()).expect("values")
    }

    #[test]
    fn defaults_are_upstreams() {
        let args = args(&[]);
        let settings = args.settings().expect("settings");
        assert_eq!((args.concurrent, settings.concurrent_ssa, args.http_retry), (4, 4, 9));
        assert!(settings.strict_substitution && settings.fail_fast && settings.watch_configs);
        assert!(
            !settings.external_artifacts
                && !settings.cancel_health_check
                && !settings.no_cross_namespace_refs
        );
        assert_eq!(settings.requeue_dependency.to_string(), "30s");
    }

    #[test]
    fn stage_kinds_are_group_and_kind_with_blanks_trimmed() {
        let settings =
            args(&["--custom-apply-stage-kinds= example.com/Foo , Secret"]).settings().expect("settings");
        let kind = |group: &str, kind: &str| GroupKind { group: group.to_owned(), kind: kind.to_owned() };
        assert_eq!(settings.custom_stage_kinds, [kind("example.com", "Foo"), kind("", "Secret")]);
    }

    #[test]
    fn a_default_service_account_needs_its_gate() {
        let error = args(&["--default-kubeconfig-service-account=x"]).settings().expect_err("gate closed");
        assert_eq!((error.flag, error.value.as_str()), ("default-kubeconfig-service-account", "x"));
        assert!(
            args(&[
                "--default-kubeconfig-service-account=x",
                "--feature-gates=ObjectLevelWorkloadIdentity=true"
            ])
            .settings()
            .is_ok()
        );
    }

    #[test]
    fn fewer_than_one_check_at_a_time_means_one() {
        assert_eq!(args(&["--concurrent-ssa=0"]).settings().expect("settings").concurrent_ssa, 1);
    }
}
