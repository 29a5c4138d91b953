//! Feature gates: named switches with a default, set by `--feature-gates A=true,B=false`.
//!
//! Each controller lists the gates it knows; another name is a configuration error, as upstream. Contract: cli §B1.5.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::pflag::{GoBoolError, parse_go_bool};

/// A gate that a controller knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    /// The name, as upstream's.
    pub name: &'static str,
    /// Whether it is open when nobody says anything.
    pub default: bool,
}

impl Gate {
    /// A gate of this name and default.
    pub const fn new(name: &'static str, default: bool) -> Self {
        Self { name, default }
    }
}

/// Secrets and ConfigMaps come from a cache instead of live reads; every controller knows it.
pub const CACHE_SECRETS_AND_CONFIG_MAPS: Gate = Gate::new("CacheSecretsAndConfigMaps", false);
/// Objects may name the ServiceAccount for workload identity; every controller knows it.
pub const OBJECT_LEVEL_WORKLOAD_IDENTITY: Gate = Gate::new("ObjectLevelWorkloadIdentity", false);
/// ConfigMaps and Secrets with the watch label wake nobody; kustomize and notification know it.
pub const DISABLE_CONFIG_WATCHERS: Gate = Gate::new("DisableConfigWatchers", false);

/// One `Name=bool` of `--feature-gates`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The gate's name as given.
    pub name: String,
    /// Whether it is to be open.
    pub enabled: bool,
}

/// An entry of `--feature-gates` that is no `Name=bool`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// There is no `=`.
    #[error("{0} must be formatted as key=value")]
    NoValue(String),
    /// The value is no truth value.
    #[error(transparent)]
    Value(#[from] GoBoolError),
}

impl FromStr for Setting {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, value) = text.split_once('=').ok_or_else(|| SettingError::NoValue(text.to_owned()))?;
        Ok(Self { name: name.to_owned(), enabled: parse_go_bool(value)? })
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.enabled)
    }
}

/// A gate that the controller doesn't know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("feature-gate '{name}' not supported")]
pub struct UnknownGate {
    /// The name as given.
    pub name: String,
}

/// The gates of one controller, as they stand for the life of the process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gates {
    open: BTreeMap<&'static str, bool>,
}

impl Gates {
    /// Applies `settings` to the defaults of `known`; a later setting of a name wins.
    ///
    /// # Errors
    /// A setting's name is not among `known`.
    pub fn resolve(known: &[Gate], settings: &[Setting]) -> Result<Self, UnknownGate> {
        let mut open: BTreeMap<_, _> = known.iter().map(|gate| (gate.name, gate.default)).collect();
        for Setting { name, enabled } in settings {
            match open.get_mut(name.as_str()) {
                Some(state) => *state = *enabled,
                None => return Err(UnknownGate { name: name.clone() }),
            }
        }
        Ok(Self { open })
    }

    /// Logs one line per gate that was given, as upstream does at start.
    pub fn announce(settings: &[Setting]) {
        for Setting { name, enabled } in settings {
            // The gate's name is the key of the line, and keys of log fields are fixed at compile time.
            let gate = serde_json::json!({ name: enabled }).to_string();
            tracing::info!(logger = "setup", json.flat = gate, "loading feature gate");
        }
    }

    /// Whether `gate` is open; one that the controller doesn't know has its default.
    pub fn is_open(&self, gate: Gate) -> bool {
        self.open.get(gate.name).copied().unwrap_or(gate.default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [Gate; 2] = [Gate::new("Alpha", false), Gate::new("Beta", true)];

    fn settings(texts: &[&str]) -> Vec<Setting> {
        texts.iter().map(|text| text.parse().expect("setting")).collect()
    }

    #[test]
    fn settings_change_the_defaults_and_the_last_one_wins() {
        let gates =
            Gates::resolve(&KNOWN, &settings(&["Alpha=true", "Alpha=false", "Beta=0"])).expect("known");
        assert!(!gates.is_open(KNOWN[0]));
        assert!(!gates.is_open(KNOWN[1]));
        assert!(Gates::resolve(&KNOWN, &[]).expect("none").is_open(KNOWN[1]));
    }

    /// Part of SC-107.
    #[test]
    fn an_unknown_gate_is_refused_by_name() {
        let error = Gates::resolve(&KNOWN, &settings(&["Gamma=true"])).expect_err("unknown");
        assert_eq!(error.to_string(), "feature-gate 'Gamma' not supported");
    }

    #[test]
    fn a_setting_without_a_truth_value_is_refused() {
        for (text, message) in [
            ("Alpha", "Alpha must be formatted as key=value"),
            ("Alpha=maybe", "strconv.ParseBool: parsing \"maybe\": invalid syntax"),
        ] {
            assert_eq!(text.parse::<Setting>().expect_err(text).to_string(), message);
        }
    }
}
