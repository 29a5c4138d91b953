//! Command lines, one argument a line.

use std::collections::BTreeMap;

use clap::Args;
use millrace_reconcile::pflag::{FlagSet, parse};

/// Flags of every kind.
#[derive(Args, Clone, Debug)]
struct Flags {
    #[arg(long, default_value_t = 4)]
    concurrent: usize,
    #[arg(long)]
    watch: bool,
    #[arg(long, value_delimiter = ',')]
    namespaces: Vec<String>,
    #[arg(long, env = "EVENTS_ADDR", default_value = "")]
    events_addr: String,
}

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let arguments: Vec<String> = text.lines().take(40).map(str::to_owned).collect();
    let sets = vec![FlagSet::of::<Flags>(None), FlagSet::of::<Flags>(Some("source"))];
    let parsed = match parse("millrace", &arguments, sets) {
        Ok(parsed) => parsed,
        Err(stop) => {
            assert!(!stop.text().is_empty() && matches!(stop.exit_code(), 0 | 2));
            return;
        }
    };
    let environment = BTreeMap::from([("EVENTS_ADDR".to_owned(), "http://events".to_owned())]);
    for set in 0..2 {
        match parsed.values::<Flags>(set, &environment) {
            Ok(Flags { concurrent, watch, namespaces, events_addr }) => {
                let _ = (concurrent, watch, namespaces, events_addr);
            }
            Err(stop) => assert_eq!(stop.exit_code(), 2, "{stop:?}"),
        }
    }
}
