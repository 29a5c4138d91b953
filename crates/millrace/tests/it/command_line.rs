//! What the program says and how it exits before it needs a cluster.

use crate::program::{STORAGE, errors, is_built_in, last_log, run, text};

#[test]
fn an_unknown_flag_prints_the_usage_and_exits_2_under_every_name() {
    for (name, arguments) in [
        ("source-controller", &["--nope=1"][..]),
        ("/usr/local/bin/kustomize-controller", &["--nope"]),
        ("notification-controller", &["--watch-label-selector=a=b", "--nope"]),
        ("millrace", &["source-controller", "--nope"]),
        ("millrace", &["controllers", "--nope"]),
    ] {
        if !is_built_in(name, arguments) {
            continue;
        }
        let output = run(name, arguments);
        let text = errors(&output);
        assert_eq!(output.status.code(), Some(2), "{name}: {text}");
        assert!(text.starts_with("Usage of "), "{name}: {text}");
        let last = text.lines().last().expect("a line");
        let expected = if name.starts_with("notification") { "--watch-label-selector" } else { "--nope" };
        assert_eq!(last, format!("unknown flag: {expected}"), "{name}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_value_that_does_not_parse_exits_2_and_help_exits_0() {
    let output = run("source-controller", &["--artifact-retention-ttl=5"]);
    assert_eq!(output.status.code(), Some(2));
    let last = errors(&output);
    let last = last.lines().last().expect("a line");
    let reason = "time: missing unit in duration \"5\"";
    assert_eq!(last, format!("invalid argument \"5\" for \"--artifact-retention-ttl\" flag: {reason}"));
    let help = run("source-controller", &["--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(text(&help).contains("--storage-adv-addr"));
}

/// Part of SC-107: the texts stand in the log, with flag and value, and the exit status is 1.
#[test]
fn a_value_that_cannot_work_is_logged_and_exits_1_before_any_cluster_is_needed() {
    for (name, arguments, message, error, flag) in [
        (
            "source-controller",
            &["--feature-gates=Foo=true"][..],
            "unable to load feature gates",
            "feature-gate 'Foo' not supported",
            "feature-gates",
        ),
        (
            "kustomize-controller",
            &["--interval-jitter-percentage=100"],
            "unable to set global jitter",
            "percentage must be between 0 and 99",
            "interval-jitter-percentage",
        ),
        (
            "notification-controller",
            &["--feature-gates=DirectSourceFetch=true"],
            "unable to load feature gates",
            "feature-gate 'DirectSourceFetch' not supported",
            "feature-gates",
        ),
        (
            "millrace",
            &["controllers", "--controllers=helm"],
            "unable to choose controllers",
            "no such controller, there are ",
            "controllers",
        ),
    ] {
        if !is_built_in(name, arguments) {
            continue;
        }
        let output = run(name, arguments);
        assert_eq!(output.status.code(), Some(1), "{name}: {}", errors(&output));
        let line = last_log(&output);
        assert_eq!(
            (&line["level"], &line["msg"], &line["flag"]),
            (&"error".into(), &message.into(), &flag.into()),
            "{name}"
        );
        let told = line["error"].as_str().expect("text");
        // The names that are known are those of the build; what they say on a second line has a test of its own.
        let first = told.lines().next();
        assert!(first == Some(error) || (error.ends_with(' ') && told.starts_with(error)), "{name}: {told}");
    }
}

#[test]
fn a_bare_gate_is_for_whichever_controller_of_the_process_knows_it() {
    let quiet = ["controllers", "--metrics-addr=0", "--health-addr=0", STORAGE];
    let with = |gate: &'static str| run("millrace", &[&quiet[..], &[gate]].concat());
    let refused = last_log(&with("--feature-gates=Foo=true"));
    assert_eq!(
        refused["error"].as_str().and_then(|text| text.lines().next()),
        Some("feature-gate 'Foo' not supported")
    );
    if is_built_in("kustomize-controller", &[]) {
        let accepted = last_log(&with("--feature-gates=DirectSourceFetch=true"));
        let error = accepted["error"].as_str().expect("text");
        assert!(error.starts_with("no configuration has been provided"), "{error}");
    }
}

#[test]
fn without_a_cluster_it_says_so_and_exits_1() {
    let output = run("notification-controller", &["--metrics-addr=0", "--health-addr=0"]);
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    assert!(
        last_log(&output)["error"].as_str().expect("text").starts_with("no configuration has been provided")
    );
}

#[test]
fn prefixed_flags_exist_only_where_several_controllers_share_a_process() {
    let alone = run("source-controller", &["--source-concurrent=3"]);
    assert!(errors(&alone).ends_with("unknown flag: --source-concurrent\n"));
    let shared = run(
        "millrace",
        &["controllers", "--source-concurrent=3", "--notification-events-addr=:9091", "--help"],
    );
    assert_eq!(shared.status.code(), Some(0), "{}", errors(&shared));
    let other = run("millrace", &["controllers", "--controllers=source", "--notification-events-addr=:9091"]);
    assert_eq!(other.status.code(), Some(2));
}

#[test]
fn the_version_names_the_flux_it_stands_in_for() {
    let output = run("millrace", &["version"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        concat!("millrace: v", env!("CARGO_PKG_VERSION"), "\nflux: v2.9.4\n")
    );
}
