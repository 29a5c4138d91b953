//! The usage text: every flag with its help and default, in alphabetical order.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use clap::Arg;

use super::FlagSet;
use super::value::is_switch;

/// The text that a mistake on the command line prints.
pub(super) fn usage(program: &str, sets: &[FlagSet]) -> String {
    let mut flags: BTreeMap<String, &Arg> = BTreeMap::new();
    for set in sets {
        for flag in set.command.get_arguments().filter(|flag| !flag.is_hide_set()) {
            let Some(name) = flag.get_long() else { continue };
            let own = set.prefix.filter(|_| set.own.contains(&name));
            let name = own.map_or_else(|| name.to_owned(), |prefix| format!("{prefix}-{name}"));
            flags.entry(name).or_insert(flag);
        }
    }
    let width = flags.iter().map(|(name, flag)| name.len() + type_name(flag).len()).max().unwrap_or_default();
    let mut text = format!("Usage of {program}:\n");
    for (name, flag) in flags {
        let kind = type_name(flag);
        let gap = width - name.len() - kind.len();
        let help = flag.get_help().map(ToString::to_string).unwrap_or_default();
        let default = flag.get_default_values().first().map(|value| value.to_string_lossy().into_owned());
        let default = match default.as_deref() {
            None | Some("" | "false" | "0") => String::new(),
            Some(value) => format!(" (default {value})"),
        };
        writeln!(text, "      --{name}{kind}{:gap$}   {help}{default}", "")
            .expect("writing to a string can't fail");
    }
    let prefixes: Vec<_> = sets.iter().filter_map(|set| set.prefix).collect();
    if prefixes.len() > 1 {
        let list = prefixes.iter().map(|prefix| format!("--{prefix}-…")).collect::<Vec<_>>().join(", ");
        writeln!(text, "\nA flag sets every controller that has it; {list} set one controller alone.")
            .expect("writing to a string can't fail");
    }
    text
}

fn type_name(flag: &Arg) -> String {
    if is_switch(flag) {
        return String::new();
    }
    let name = flag.get_value_names().and_then(|names| names.first()).map(|name| name.to_ascii_lowercase());
    format!(" {}", name.as_deref().unwrap_or("value"))
}
