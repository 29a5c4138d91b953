//! Flags of the process, beside those of its controllers.

use clap::ArgAction;
use millrace_net::{Cidr, EgressPolicy};
use millrace_reconcile::args::{ConfigError, ProcessArgs};
use millrace_reconcile::pflag::FlagSet;

use crate::parts::Kind;
use crate::program::Request;

/// Flags that every process has, however many controllers run in it.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct CommonArgs {
    /// Those that upstream's programs have.
    #[command(flatten)]
    pub(crate) process: ProcessArgs,
    /// Addresses (CIDRs) that URLs in objects may lead to although they are link-local or of a metadata service.
    #[arg(long, value_delimiter = ',', action = ArgAction::Append, value_name = "strings")]
    pub(crate) allow_egress_cidr: Vec<Cidr>,
    /// Refuse URLs in objects that lead to this host or to the API server.
    #[arg(long)]
    pub(crate) lockdown_egress: bool,
}

/// Which controllers run in a process that may hold several.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct ChoiceArgs {
    /// The controllers to run: source, kustomize, notification.
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

impl CommonArgs {
    /// Where URLs in objects may lead.
    pub(crate) fn egress(&self, api_server: &kube::Config) -> EgressPolicy {
        let host = api_server.cluster_url.host().unwrap_or_default();
        let api_server = host.trim_matches(['[', ']']).parse().into_iter().collect();
        EgressPolicy { allow: self.allow_egress_cidr.clone(), lockdown: self.lockdown_egress, api_server }
    }
}

/// The controllers that a request is for, in the order of their leases.
///
/// # Errors
/// A name is unknown, or this build lacks that controller.
pub(crate) fn chosen(request: &Request, choice: &ChoiceArgs) -> Result<Vec<Kind>, ConfigError> {
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
        let chosen = |names: &[&str]| chosen(&request(None), &choice(names));
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
        assert_eq!(chosen(&request(Some(Kind::Kustomize)), &choice(&[])), Ok(vec![Kind::Kustomize]));
    }

    #[test]
    fn the_api_servers_address_is_known_to_the_egress_policy() {
        let args = CommonArgs::of(&["--allow-egress-cidr=169.254.0.0/16,fd00::/8", "--lockdown-egress"]);
        let config = kube::Config::new("https://[fd00::1]:6443".parse().expect("url"));
        let policy = args.egress(&config);
        assert_eq!(policy.api_server, ["fd00::1".parse::<std::net::IpAddr>().expect("address")]);
        assert_eq!((policy.allow.len(), policy.lockdown), (2, true));
    }

    impl CommonArgs {
        fn of(line: &[&str]) -> Self {
            let line: Vec<_> = line.iter().map(ToString::to_string).collect();
            let parsed = millrace_reconcile::pflag::parse("test", &line, vec![FlagSet::of::<Self>(None)]);
            parsed.expect("flags").values(0, &millrace_reconcile::pflag::Environment::new()).expect("values")
        }
    }
}
