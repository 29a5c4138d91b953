//! Flags of the process, beside those of its controllers.

use std::net::IpAddr;

use clap::ArgAction;
use millrace_net::{Cidr, EgressPolicy, NamedHost};
use millrace_reconcile::args::{ConfigError, ProcessArgs};
use millrace_reconcile::http;
use millrace_reconcile::pflag::FlagSet;

use crate::parts::Kind;
use crate::program::Request;

/// Flags that every process has, however many controllers run in it.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct CommonArgs {
    /// Those that upstream's programs have.
    #[command(flatten)]
    pub(crate) process: ProcessArgs,
    /// Addresses (CIDRs) that URLs in objects may lead to although they are link-local, of a metadata service, or closed by
    /// --lockdown-egress.
    #[arg(long, value_delimiter = ',', action = ArgAction::Append, value_name = "strings")]
    pub(crate) allow_egress_cidr: Vec<Cidr>,
    /// Refuse URLs in objects that lead to this host or to the API server.
    #[arg(long)]
    pub(crate) lockdown_egress: bool,
}

/// Which controllers run in a process that may hold several.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct ChoiceArgs {
    /// The controllers to run: source, kustomize, notification; all without this flag.
    #[arg(long, value_delimiter = ',', action = ArgAction::Append, value_name = "strings")]
    pub(crate) controllers: Vec<String>,
}

/// Where a controller's events go.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct EventsArgs {
    /// The address of the notification-controller; none are sent if empty and it doesn't run in this process.
    #[arg(long, default_value = "", env = "EVENTS_ADDR", value_name = "string")]
    pub(crate) events_addr: String,
}

/// What `--log-level` means something by.
const LOG_LEVELS: [&str; 4] = ["trace", "debug", "info", "error"];

/// What `--log-encoding` means something by.
const LOG_ENCODINGS: [&str; 2] = ["json", "console"];

impl CommonArgs {
    /// Checks the values.
    ///
    /// Upstream's programs take any `--log-level` and `--log-encoding`, so under their names a wrong one is only warned of.
    ///
    /// # Errors
    /// The first value that can't work.
    pub(crate) fn check(&self, is_upstreams: bool) -> Result<(), ConfigError> {
        let process = &self.process;
        for (flag, value, known) in [
            ("log-level", &process.log_level, &LOG_LEVELS[..]),
            ("log-encoding", &process.log_encoding, &LOG_ENCODINGS),
        ] {
            let Some(error) = unknown_word(flag, value, known) else { continue };
            if !is_upstreams {
                return Err(error);
            }
            error.warn();
        }
        check_listen("metrics-addr", &process.metrics_addr, START)?;
        check_listen("health-addr", &process.health_addr, START)?;
        let qps = process.kube_api.kube_api_qps;
        if qps.is_finite() {
            return Ok(());
        }
        Err(ConfigError {
            message: START,
            reason: "it is no number of requests; 0 and less mean no limit".to_owned(),
            flag: "kube-api-qps",
            value: qps.to_string(),
        })
    }

    /// Where URLs in objects may lead.
    pub(crate) fn egress(&self, api_server: &kube::Config) -> EgressPolicy {
        let host = api_server.cluster_url.host().unwrap_or_default();
        let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
        EgressPolicy {
            allow: self.allow_egress_cidr.clone(),
            lockdown: self.lockdown_egress,
            api_server_host: address.is_err().then(|| NamedHost::new(host)),
            api_server: address.into_iter().collect(),
        }
    }
}

/// What can't be done if a value of the process doesn't work.
const START: &str = "unable to start manager";

fn unknown_word(flag: &'static str, value: &str, known: &[&str]) -> Option<ConfigError> {
    let error = || ConfigError {
        message: START,
        reason: format!("{} are accepted", known.join(", ")),
        flag,
        value: value.to_owned(),
    };
    (!known.contains(&value)).then(error)
}

/// Checks an address to listen on; `message` is what upstream says if that fails.
///
/// # Errors
/// It is no address.
pub(crate) fn check_listen(
    flag: &'static str,
    address: &str,
    message: &'static str,
) -> Result<(), ConfigError> {
    http::check_address(address).map_err(|error| ConfigError {
        message,
        reason: format!("{error}\n:PORT and HOST:PORT are accepted, 0 means none"),
        flag,
        value: address.to_owned(),
    })
}

/// The controllers that a request is for, in the order of their leases.
///
/// # Errors
/// A name is unknown, this build lacks that controller, or the flag is given and names none.
pub(crate) fn chosen(
    request: &Request,
    choice: &ChoiceArgs,
    is_given: bool,
) -> Result<Vec<Kind>, ConfigError> {
    if let Some(only) = request.only {
        return Ok(vec![only]);
    }
    let wrong = |name: &str, reason: String| ConfigError {
        message: "unable to choose controllers",
        reason,
        flag: "controllers",
        value: name.to_owned(),
    };
    let known = || {
        let built_in = Kind::ALL.into_iter().filter(|kind| kind.is_built_in());
        built_in.map(Kind::prefix).collect::<Vec<_>>().join(", ")
    };
    let mut kinds = Vec::new();
    for name in &choice.controllers {
        let kind = Kind::ALL.into_iter().find(|kind| kind.prefix() == name || kind.name() == name);
        let kind = kind.ok_or_else(|| wrong(name, format!("no such controller, there are {}", known())))?;
        if !kind.is_built_in() {
            return Err(wrong(name, format!("this build doesn't have it, there are {}", known())));
        }
        kinds.push(kind);
    }
    if choice.controllers.is_empty() && is_given {
        return Err(wrong("", format!("there is no name, there are {}", known())));
    }
    if choice.controllers.is_empty() {
        kinds = Kind::ALL.into_iter().filter(|kind| kind.is_built_in()).collect();
    }
    kinds.sort();
    kinds.dedup();
    Ok(kinds)
}

/// The flag sets to read a command line for: the process's two, then one per controller.
pub(crate) fn flag_sets(kinds: &[Kind], alone: bool) -> Vec<FlagSet> {
    let mut sets = vec![FlagSet::of::<CommonArgs>(None)];
    if !alone {
        sets.push(FlagSet::of::<ChoiceArgs>(None));
    }
    sets.extend(kinds.iter().map(|kind| kind.flag_set(alone)));
    sets
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(only: Option<Kind>) -> Request {
        Request { only, name: "test".to_owned(), flags: Vec::new() }
    }

    fn choice(names: &[&str]) -> ChoiceArgs {
        ChoiceArgs { controllers: names.iter().map(ToString::to_string).collect() }
    }

    #[test]
    fn controllers_are_chosen_by_short_or_full_name_and_keep_the_order_of_their_leases() {
        let chosen = |names: &[&str]| chosen(&request(None), &choice(names), false);
        assert_eq!(
            chosen(&["notification", "source-controller", "source"]),
            Ok(vec![Kind::Source, Kind::Notification])
        );
        let all: Vec<_> = Kind::ALL.into_iter().filter(|kind| kind.is_built_in()).collect();
        assert_eq!(chosen(&[]), Ok(all));
        let error = chosen(&["helm"]).expect_err("unknown");
        assert_eq!((error.flag, error.value.as_str()), ("controllers", "helm"));
        let built_in: Vec<_> =
            Kind::ALL.into_iter().filter(|kind| kind.is_built_in()).map(Kind::prefix).collect();
        assert_eq!(error.reason, format!("no such controller, there are {}", built_in.join(", ")));
    }

    #[test]
    fn an_upstream_name_chooses_alone() {
        assert_eq!(chosen(&request(Some(Kind::Kustomize)), &choice(&[]), false), Ok(vec![Kind::Kustomize]));
    }

    #[test]
    fn the_api_servers_address_is_known_to_the_egress_policy() {
        let args = CommonArgs::of(&["--allow-egress-cidr=169.254.0.0/16,fd00::/8", "--lockdown-egress"]);
        let config = kube::Config::new("https://[fd00::1]:6443".parse().expect("url"));
        let policy = args.egress(&config);
        assert_eq!(policy.api_server, ["fd00::1".parse::<IpAddr>().expect("address")]);
        assert_eq!((policy.allow.len(), policy.lockdown, policy.api_server_host), (2, true, None));
    }

    #[test]
    fn an_api_server_with_a_name_is_known_to_the_egress_policy_by_it() {
        let config = kube::Config::new("https://api.example.com:6443".parse().expect("url"));
        let policy = CommonArgs::of(&["--lockdown-egress"]).egress(&config);
        let name = policy.api_server_host.map(|host| host.name().to_owned());
        assert_eq!((name.as_deref(), policy.api_server), (Some("api.example.com"), Vec::new()));
    }

    impl CommonArgs {
        fn of(line: &[&str]) -> Self {
            let line: Vec<_> = line.iter().map(ToString::to_string).collect();
            let parsed = millrace_reconcile::pflag::parse("test", &line, vec![FlagSet::of::<Self>(None)]);
            parsed.expect("flags").values(0, &millrace_reconcile::pflag::Environment::new()).expect("values")
        }
    }
}
