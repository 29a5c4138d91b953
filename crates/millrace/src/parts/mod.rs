//! The controllers as parts of a process: their flags, their leases, and how they are put together.

mod gates;
#[cfg(feature = "kustomize")]
mod kustomize;
#[cfg(feature = "notification")]
mod notification;
#[cfg(feature = "source")]
mod source;

use std::sync::Arc;

use futures::future::BoxFuture;
use millrace_reconcile::args::{ConfigError, Selector};
use millrace_reconcile::events::{Destination, EventSink};
use millrace_reconcile::gates::Gate;
use millrace_reconcile::pflag::{Environment, FlagSet, Parsed, Stop};

use crate::args::EventsArgs;
use crate::crews::Stage;
use crate::services::Services;

/// A controller; the order is that in which leases are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Fetches sources.
    Source,
    /// Applies Kustomizations.
    Kustomize,
    /// Sends notifications and receives webhooks.
    Notification,
}

impl Kind {
    /// All of them.
    pub(crate) const ALL: [Self; 3] = [Self::Source, Self::Kustomize, Self::Notification];

    /// The name of upstream's program, which is also that of the lease and of who writes.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Source => "source-controller",
            Self::Kustomize => "kustomize-controller",
            Self::Notification => "notification-controller",
        }
    }

    /// What stands before the names of its flags in a process of several.
    pub(crate) fn prefix(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Kustomize => "kustomize",
            Self::Notification => "notification",
        }
    }

    /// When it ends: whoever delivers events outlives those who record them.
    pub(crate) fn stage(self) -> Stage {
        match self {
            Self::Source | Self::Kustomize => Stage::Control,
            Self::Notification => Stage::Delivery,
        }
    }

    /// The controller of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether this build has it.
    pub(crate) fn is_built_in(self) -> bool {
        match self {
            Self::Source => cfg!(feature = "source"),
            Self::Kustomize => cfg!(feature = "kustomize"),
            Self::Notification => cfg!(feature = "notification"),
        }
    }

    /// The gates that it knows.
    fn gates(self) -> &'static [Gate] {
        match self {
            #[cfg(feature = "source")]
            Self::Source => &millrace_source_controller::args::GATES,
            #[cfg(feature = "kustomize")]
            Self::Kustomize => millrace_kustomize_controller::args::GATES,
            #[cfg(feature = "notification")]
            Self::Notification => &millrace_notification_controller::args::GATES,
            #[cfg(not(all(feature = "source", feature = "kustomize", feature = "notification")))]
            _ => &[],
        }
    }

    /// The gates that users are told about: without those of the past, which change nothing.
    fn listed_gates(self) -> &'static [Gate] {
        match self {
            #[cfg(feature = "source")]
            Self::Source => &millrace_source_controller::args::LISTED_GATES,
            _ => self.gates(),
        }
    }

    /// Its flags; prefixed ones only where it isn't alone in the process.
    pub(crate) fn flag_set(self, alone: bool) -> FlagSet {
        let prefix = (!alone).then(|| self.prefix());
        let set = match self {
            #[cfg(feature = "source")]
            Self::Source => source::flag_set(prefix),
            #[cfg(feature = "kustomize")]
            Self::Kustomize => kustomize::flag_set(prefix),
            #[cfg(feature = "notification")]
            Self::Notification => notification::flag_set(prefix),
            #[cfg(not(all(feature = "source", feature = "kustomize", feature = "notification")))]
            _ => FlagSet::of::<EventsArgs>(prefix),
        };
        set.with_gates(self.listed_gates())
    }
}

/// Why a part can't be made of a command line.
#[derive(Debug)]
pub(crate) enum Unfit {
    /// The flags don't parse.
    Flags(Stop),
    /// There is something beside flags.
    Word(String),
    /// A value can't work.
    Value {
        /// Why.
        error: ConfigError,
        /// The flag as the command line names it.
        flag: String,
    },
}

impl Unfit {
    /// A value of the set at `index` can't work.
    pub(crate) fn value(error: ConfigError, parsed: &Parsed, index: usize) -> Self {
        let flag = parsed.spelled(index, error.flag, &error.value).to_owned();
        Self::Value { error, flag }
    }
}

impl From<Stop> for Unfit {
    fn from(stop: Stop) -> Self {
        Self::Flags(stop)
    }
}

/// A part broke while the process was to go on.
pub(crate) type Broken = Box<dyn std::error::Error + Send + Sync>;

/// A controller that is ready to run.
pub(crate) struct Part {
    /// With whom it ends.
    pub(crate) stage: Stage,
    /// What every replica does.
    pub(crate) serve: BoxFuture<'static, Result<(), Broken>>,
    /// What only the leader does.
    pub(crate) lead: BoxFuture<'static, Result<(), Broken>>,
}

/// A controller whose flags have been checked.
pub(crate) struct Checked {
    pub(crate) kind: Kind,
    /// The objects it works on, which its lease's name depends on.
    pub(crate) selector: Selector,
    flags: Flags,
}

enum Flags {
    #[cfg(feature = "source")]
    Source(Box<source::Checked>),
    #[cfg(feature = "kustomize")]
    Kustomize(Box<kustomize::Checked>),
    #[cfg(feature = "notification")]
    Notification(Box<notification::Checked>),
}

/// What the parts of one process have of each other.
#[derive(Default)]
pub(crate) struct Neighbours {
    /// The way into the notification-controller.
    pub(crate) sink: Option<Arc<dyn EventSink>>,
    /// The artifact store: what its URLs begin with, and the folder behind them.
    pub(crate) store: Option<(String, std::path::PathBuf)>,
}

impl Neighbours {
    /// Where events go that are addressed like this: to the address, else to the controller next door, else nowhere.
    fn destination(&self, events: &EventsArgs) -> Result<Destination, ConfigError> {
        match &self.sink {
            Some(sink) if events.events_addr.is_empty() => Ok(Destination::Sink(Arc::clone(sink))),
            _ => Destination::of_address(&events.events_addr),
        }
    }
}

/// Checks where events go.
///
/// Upstream's programs start with most addresses that nothing can be posted to, so under their names such a one is only warned
/// of, and events go nowhere.
#[cfg(any(feature = "source", feature = "kustomize"))]
fn check_events(events: &mut EventsArgs, is_upstreams: bool) -> Result<(), ConfigError> {
    let Err(error) = Destination::url(&events.events_addr) else { return Ok(()) };
    if !(is_upstreams && Destination::is_taken_by_upstream(&error.value)) {
        return Err(error);
    }
    error.warn();
    events.events_addr.clear();
    Ok(())
}

/// The command line that controllers are checked against.
pub(crate) struct Line<'l> {
    /// What it says.
    pub(crate) parsed: &'l Parsed,
    /// The controllers that it is for.
    pub(crate) kinds: &'l [Kind],
    /// Whether it is one of upstream's programs.
    pub(crate) is_upstreams: bool,
    /// The variables of the process.
    pub(crate) environment: &'l Environment,
}

/// Checks the flags of a controller, whose set is the one at `index`.
pub(crate) fn check(kind: Kind, line: &Line<'_>, index: usize) -> Result<Checked, Unfit> {
    let Line { parsed, kinds: _, is_upstreams: _, environment } = *line;
    let told = |error| Unfit::value(error, parsed, index);
    let (selector, flags) = match kind {
        #[cfg(feature = "source")]
        Kind::Source => {
            let checked = source::check(parsed.values(index, environment)?, line);
            let checked = checked.map_err(told)?;
            (checked.selector.clone(), Flags::Source(Box::new(checked)))
        }
        #[cfg(feature = "kustomize")]
        Kind::Kustomize => {
            let checked = kustomize::check(parsed.values(index, environment)?, line).map_err(told)?;
            (checked.selector.clone(), Flags::Kustomize(Box::new(checked)))
        }
        #[cfg(feature = "notification")]
        Kind::Notification => {
            let checked = notification::check(parsed.values(index, environment)?, line);
            let checked = checked.map_err(told)?;
            (Selector::default(), Flags::Notification(Box::new(checked)))
        }
        #[cfg(not(all(feature = "source", feature = "kustomize", feature = "notification")))]
        absent => {
            return Err(told(ConfigError {
                message: "unable to choose controllers",
                reason: "this build doesn't have it".to_owned(),
                flag: "controllers",
                value: absent.name().to_owned(),
            }));
        }
    };
    Ok(Checked { kind, selector, flags })
}

/// Makes all parts; those that others need come first.
pub(crate) async fn build(mut checked: Vec<Checked>, services: &Services) -> Result<Vec<Part>, Broken> {
    checked.sort_by_key(|part| match part.kind {
        Kind::Notification => 0,
        Kind::Source => 1,
        Kind::Kustomize => 2,
    });
    let mut neighbours = Neighbours::default();
    let mut parts = Vec::new();
    for part in checked {
        parts.push(match part.flags {
            #[cfg(feature = "source")]
            Flags::Source(checked) => checked.build(services, &mut neighbours)?,
            #[cfg(feature = "kustomize")]
            Flags::Kustomize(checked) => checked.build(services, &neighbours)?,
            #[cfg(feature = "notification")]
            Flags::Notification(checked) => checked.build(services, &mut neighbours).await?,
        });
    }
    Ok(parts)
}
