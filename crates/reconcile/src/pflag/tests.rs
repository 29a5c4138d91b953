use clap::ArgAction;
use millrace_api::meta::GoDuration;

use super::*;
use crate::gates;

#[derive(clap::Args, Debug, PartialEq)]
struct One {
    /// How many at a time.
    #[arg(long, default_value_t = 2)]
    concurrent: u32,
    #[arg(long, default_value_t = 5)]
    percentage: u8,
    #[arg(long, default_value_t = 50.0)]
    qps: f64,
    #[arg(long, default_value = "30s")]
    wait: GoDuration,
    #[arg(long, default_value = "", env = "ADDR_ENV")]
    addr: String,
    #[arg(long)]
    strict: bool,
    #[arg(long, default_value_t = true, action = ArgAction::Set)]
    all: bool,
    #[arg(long, value_delimiter = ',', action = ArgAction::Append)]
    list: Vec<String>,
    #[arg(long, value_delimiter = ',', action = ArgAction::Append)]
    feature_gates: Vec<gates::Setting>,
}

#[derive(clap::Args, Debug, PartialEq)]
struct Two {
    #[arg(long, default_value_t = 4)]
    concurrent: u32,
    #[arg(long, default_value = "x")]
    only_here: String,
}

fn arguments(line: &[&str]) -> Vec<String> {
    line.iter().map(ToString::to_string).collect()
}

fn one_with(line: &[&str], environment: &[(&str, &str)]) -> Result<One, Stop> {
    let environment = environment.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    parse("program", &arguments(line), vec![FlagSet::of::<One>(None)])?.values(0, &environment)
}

fn one(line: &[&str]) -> One {
    one_with(line, &[]).expect("a valid line")
}

fn mistake(line: &[&str]) -> String {
    match one_with(line, &[]).expect_err("a mistake") {
        Stop::Usage { message, .. } => message,
        Stop::Help { .. } => "help".to_owned(),
    }
}

#[test]
fn values_come_joined_or_apart_and_the_last_repeat_wins() {
    assert_eq!(one(&["--concurrent=3", "--concurrent", "5"]).concurrent, 5);
    assert_eq!(one(&["--concurrent=0x10", "--percentage=0b11"]).concurrent, 16);
    assert_eq!(one(&["--addr", "--strict"]).addr, "--strict");
    assert_eq!(one(&["--addr=a=b"]).addr, "a=b");
    assert_eq!(one(&["--addr="]).addr, "");
    assert_eq!(one(&["--wait=1h30m"]).wait, "1h30m".parse().expect("duration"));
}

#[test]
fn switches_stand_alone_or_with_a_joined_value() {
    assert!(one(&["--strict"]).strict);
    assert!(!one(&["--strict", "--strict=false"]).strict);
    assert!(!one(&["--all=F"]).all);
    assert!(one(&["--all=false", "--all"]).all);
    // A value that stands apart is no value of a switch, and no flag either.
    assert!(one(&["--strict", "false"]).strict);
}

#[test]
fn lists_and_gates_merge() {
    let one = one(&["--list=a,b", "--list=c", "--feature-gates=A=true,B=false", "--feature-gates", "A=0"]);
    assert_eq!(one.list, ["a", "b", "c"]);
    let gates: Vec<_> = one.feature_gates.iter().map(ToString::to_string).collect();
    assert_eq!(gates, ["A=true", "B=false", "A=false"]);
}

#[test]
fn what_is_no_flag_is_ignored_and_two_dashes_end_the_flags() {
    assert_eq!(one(&["word", "-", "--concurrent=3", "--", "--concurrent=9"]).concurrent, 3);
}

#[test]
fn defaults_come_from_variables_that_are_not_empty() {
    let addr = |line: &[&str], value| one_with(line, &[("ADDR_ENV", value)]).expect("valid").addr;
    assert_eq!(addr(&[], "from-env"), "from-env");
    assert_eq!(addr(&[], ""), "");
    assert_eq!(addr(&["--addr=given"], "from-env"), "given");
}

#[test]
fn mistakes_are_told_in_pflags_words() {
    for (line, message) in [
        (&["--nope"][..], "unknown flag: --nope"),
        (&["--nope=1"], "unknown flag: --nope"),
        (&["--concurrent"], "flag needs an argument: --concurrent"),
        (&["-x"], "unknown shorthand flag: 'x' in -x"),
        (&["---x"], "bad flag syntax: ---x"),
        (&["--=x"], "bad flag syntax: --=x"),
        (
            &["--strict=maybe"],
            "invalid argument \"maybe\" for \"--strict\" flag: strconv.ParseBool: parsing \"maybe\": invalid syntax",
        ),
        (&["--wait=5"], "invalid argument \"5\" for \"--wait\" flag: time: missing unit in duration \"5\""),
        (
            &["--feature-gates=A"],
            "invalid argument \"A\" for \"--feature-gates\" flag: A must be formatted as key=value",
        ),
        (
            &["--concurrent=x"],
            "invalid argument \"x\" for \"--concurrent\" flag: strconv.ParseInt: parsing \"x\": invalid syntax",
        ),
        (
            &["--concurrent="],
            "invalid argument \"\" for \"--concurrent\" flag: strconv.ParseInt: parsing \"\": invalid syntax",
        ),
        (
            &["--concurrent=99999999999999999999"],
            "invalid argument \"99999999999999999999\" for \"--concurrent\" flag: strconv.ParseInt: parsing \
             \"99999999999999999999\": value out of range",
        ),
        (
            &["--percentage=300"],
            "invalid argument \"300\" for \"--percentage\" flag: strconv.ParseUint: parsing \"300\": value out of range",
        ),
        (
            &["--qps=fast"],
            "invalid argument \"fast\" for \"--qps\" flag: strconv.ParseFloat: parsing \"fast\": invalid syntax",
        ),
        (&["--wait=x"], "invalid argument \"x\" for \"--wait\" flag: time: invalid duration \"x\""),
        (
            &["--wait=5y"],
            "invalid argument \"5y\" for \"--wait\" flag: time: unknown unit \"y\" in duration \"5y\"",
        ),
    ] {
        assert_eq!(mistake(line), message, "{line:?}");
    }
}

#[test]
fn a_mistake_prints_the_usage_and_exits_2_and_help_exits_0() {
    let stop = one_with(&["--nope"], &[]).expect_err("unknown");
    assert_eq!(stop.exit_code(), 2);
    let text = stop.text();
    assert!(text.starts_with("Usage of program:\n"), "{text}");
    assert!(text.contains("How many at a time (default 2)\n"), "{text}");
    assert!(text.ends_with("\nunknown flag: --nope\n"), "{text}");
    for line in ["-h", "--help"] {
        assert_eq!(one_with(&[line], &[]).expect_err("help").exit_code(), 0);
    }
}

#[test]
fn a_shared_flag_sets_every_controller_and_a_prefixed_one_its_own() {
    let sets = || vec![FlagSet::of::<One>(Some("source")), FlagSet::of::<Two>(Some("notification"))];
    let line = arguments(&[
        "--source-concurrent=7",
        "--concurrent=3",
        "--only-here=y",
        "--source-list=b",
        "--list=a",
    ]);
    let parsed = parse("millrace", &line, sets()).expect("valid");
    let one: One = parsed.values(0, &Environment::new()).expect("one");
    let two: Two = parsed.values(1, &Environment::new()).expect("two");
    assert_eq!((one.concurrent, two.concurrent), (7, 3));
    assert_eq!(two.only_here, "y");
    assert_eq!(one.list, ["a", "b"]);
    let unknown =
        parse("millrace", &arguments(&["--source-only-here=1"]), sets()).expect_err("not of source");
    assert!(unknown.text().ends_with("unknown flag: --source-only-here\n"));
}

#[test]
fn flags_of_past_releases_are_accepted_and_named() {
    let parsed =
        parse("program", &arguments(&["--log-json"]), vec![FlagSet::of::<One>(None)]).expect("accepted");
    assert_eq!(parsed.retired(), ["log-json"]);
}

#[test]
fn a_flag_of_one_sets_own_is_set_by_its_prefixed_name_alone() {
    let sets = || {
        let one = FlagSet::of::<One>(Some("source"));
        vec![one, FlagSet::of::<One>(Some("notification")).with_own("addr", ":9091")]
    };
    let values = |line: &[&str]| {
        let parsed = parse("millrace", &arguments(line), sets()).expect("valid");
        let environment = Environment::from([("ADDR_ENV".to_owned(), "from-env".to_owned())]);
        let addr = |at| parsed.values::<One>(at, &environment).expect("values").addr;
        (addr(0), addr(1))
    };
    assert_eq!(values(&[]), ("from-env".to_owned(), ":9091".to_owned()));
    assert_eq!(values(&["--addr=x"]), ("x".to_owned(), ":9091".to_owned()));
    assert_eq!(values(&["--notification-addr=y"]), ("from-env".to_owned(), "y".to_owned()));
}

#[test]
fn a_mistake_names_the_flag_as_it_was_given() {
    let message = |line: &[&str]| {
        let sets = vec![FlagSet::of::<One>(Some("source")), FlagSet::of::<Two>(Some("notification"))];
        let parsed = parse("millrace", &arguments(line), sets).expect("flags");
        let stop = parsed.values::<One>(0, &Environment::new()).expect_err("no value");
        stop.text().lines().last().expect("a line").to_owned()
    };
    for (line, expected) in [
        (
            &["--concurrent=4", "--source-concurrent=x"][..],
            "invalid argument \"x\" for \"--source-concurrent\" flag: strconv.ParseInt: parsing \"x\": invalid syntax",
        ),
        (
            &["--concurrent=x"],
            "invalid argument \"x\" for \"--concurrent\" flag: strconv.ParseInt: parsing \"x\": invalid syntax",
        ),
        (
            &["--source-strict=maybe"],
            "invalid argument \"maybe\" for \"--source-strict\" flag: strconv.ParseBool: parsing \"maybe\": invalid syntax",
        ),
        (
            &["--source-wait=5"],
            "invalid argument \"5\" for \"--source-wait\" flag: time: missing unit in duration \"5\"",
        ),
        (
            &["--feature-gates=A=true", "--source-feature-gates=C=true,B"],
            "invalid argument \"B\" for \"--source-feature-gates\" flag: B must be formatted as key=value",
        ),
    ] {
        assert_eq!(message(line), expected, "{line:?}");
    }
}

#[test]
fn what_a_flag_was_given_and_what_is_no_flag_can_be_asked_for() {
    let line = arguments(&["one", "--list=a,b", "--source-list=", "-", "--", "--two"]);
    let parsed = parse("millrace", &line, vec![FlagSet::of::<One>(Some("source"))]).expect("flags");
    assert_eq!(parsed.words(), ["one", "-", "--two"]);
    assert_eq!(parsed.texts(0, "list").collect::<Vec<_>>(), ["a,b", ""]);
    assert_eq!(parsed.texts(0, "addr").next(), None);
    assert_eq!(parsed.spelled(0, "list", "a"), "list");
    assert_eq!(parsed.spelled(0, "list", ""), "source-list");
    assert_eq!(parsed.spelled(0, "addr", "x"), "addr", "it may come from the environment");
}

#[test]
fn the_usage_tells_each_sets_default_and_who_knows_which_flag_and_gate() {
    const ALPHA: Gate = Gate::new("Alpha", true);
    const OMEGA: Gate = Gate::new("Omega", false);
    let usage = |sets| parse("p", &arguments(&["-h"]), sets).expect_err("help").text();
    let one = FlagSet::of::<One>(Some("source")).with_gates(&[ALPHA, OMEGA]);
    let shared = usage(vec![one, FlagSet::of::<Two>(Some("notification")).with_gates(&[ALPHA])]);
    for line in [
        "How many at a time (default 2 for source; 4 for notification)\n",
        "      --only-here ONLY_HERE            (default x) [notification]\n",
        "      Alpha   (default true) [source, notification]\n",
        "      Omega   (default false) [source]\n",
    ] {
        assert!(shared.contains(line), "{line}{shared}");
    }
    let alone = usage(vec![FlagSet::of::<One>(None).with_gates(&[OMEGA])]);
    assert!(alone.contains("How many at a time (default 2)\n"), "{alone}");
    assert!(
        alone.ends_with(
            "\nFeature gates, set by --feature-gates=NAME=true,…:\n      Omega   (default false)\n"
        )
    );
    assert!(!usage(vec![FlagSet::of::<One>(None)]).contains("Feature gates"));
}
