//! The usage text: every flag with its help and default, in alphabetical order, and the gates.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use clap::Arg;

use super::FlagSet;
use super::value::is_switch;

/// A flag of the usage: the first set that has it describes it, and each has its default.
struct Shown<'a> {
    flag: &'a Arg,
    defaults: Vec<(Option<&'static str>, String)>,
}

/// The text that a mistake on the command line prints.
pub(super) fn usage(program: &str, sets: &[FlagSet]) -> String {
    let flags = shown(sets);
    let width =
        flags.iter().map(|(name, shown)| name.len() + type_name(shown.flag).len()).max().unwrap_or_default();
    let prefixes: Vec<_> = sets.iter().filter_map(|set| set.prefix).collect();
    let mut text = format!("Usage of {program}:\n");
    for (name, shown) in &flags {
        let kind = type_name(shown.flag);
        let gap = width - name.len() - kind.len();
        let help = shown.flag.get_help().map(ToString::to_string).unwrap_or_default();
        let (default, owners) = (shown.default(), shown.owners(&prefixes));
        writeln!(text, "      --{name}{kind}{:gap$}   {help}{default}{owners}", "")
            .expect("writing to a string can't fail");
    }
    if prefixes.len() > 1 {
        let list = prefixes.iter().map(|prefix| format!("--{prefix}-…")).collect::<Vec<_>>().join(", ");
        writeln!(text, "\nA flag sets every controller that has it; {list} set one controller alone.")
            .expect("writing to a string can't fail");
    }
    text.push_str(&gates(sets));
    text
}

fn shown(sets: &[FlagSet]) -> BTreeMap<String, Shown<'_>> {
    let mut flags: BTreeMap<String, Shown<'_>> = BTreeMap::new();
    for set in sets {
        for flag in set.command.get_arguments().filter(|flag| !flag.is_hide_set()) {
            let Some(name) = flag.get_long() else { continue };
            let own = set.prefix.filter(|_| set.own.contains(&name));
            let name = own.map_or_else(|| name.to_owned(), |prefix| format!("{prefix}-{name}"));
            let default = flag.get_default_values().first();
            let default = default.map(|value| value.to_string_lossy().into_owned()).unwrap_or_default();
            let shown = flags.entry(name).or_insert_with(|| Shown { flag, defaults: Vec::new() });
            shown.defaults.push((set.prefix, default));
        }
    }
    flags
}

impl Shown<'_> {
    /// ` (default 4)`, or ` (default 2 for source, 4 for kustomize, notification)` where the sets differ.
    fn default(&self) -> String {
        let mut values: Vec<(&str, Vec<&str>)> = Vec::new();
        for (prefix, default) in &self.defaults {
            match values.iter_mut().find(|(value, _)| value == default) {
                Some((_, who)) => who.extend(prefix),
                None => values.push((default, prefix.iter().copied().collect())),
            }
        }
        match values.as_slice() {
            [] | [("" | "false" | "0", _)] => String::new(),
            [(value, _)] => format!(" (default {value})"),
            several => {
                let each = several.iter().map(|(value, who)| format!("{value} for {}", who.join(", ")));
                format!(" (default {})", each.collect::<Vec<_>>().join("; "))
            }
        }
    }

    /// ` [source, kustomize]` if not every controller has the flag.
    fn owners(&self, prefixes: &[&str]) -> String {
        let owners: Vec<_> = self.defaults.iter().filter_map(|(prefix, _)| *prefix).collect();
        if owners.is_empty() || owners.len() == prefixes.len() {
            return String::new();
        }
        format!(" [{}]", owners.join(", "))
    }
}

/// The gates with their defaults, and who knows them if there are several controllers.
fn gates(sets: &[FlagSet]) -> String {
    let mut known: BTreeMap<&str, (bool, Vec<&str>)> = BTreeMap::new();
    for set in sets {
        for gate in set.gates {
            known.entry(gate.name).or_insert((gate.default, Vec::new())).1.extend(set.prefix);
        }
    }
    if known.is_empty() {
        return String::new();
    }
    let width = known.keys().map(|name| name.len()).max().unwrap_or_default();
    let mut text = "\nFeature gates, set by --feature-gates=NAME=true,…:\n".to_owned();
    for (name, (default, who)) in known {
        let who = if who.is_empty() { String::new() } else { format!(" [{}]", who.join(", ")) };
        writeln!(text, "      {name:<width$}   (default {default}){who}")
            .expect("writing to a string can't fail");
    }
    text
}

fn type_name(flag: &Arg) -> String {
    if is_switch(flag) {
        return String::new();
    }
    let name = flag.get_value_names().and_then(|names| names.first());
    format!(" {}", name.map_or("value", |name| name.as_str()))
}
