//! Values, words and gates that can't be meant, and where the program says so.

use std::process::Command;

use crate::program::{MILLRACE, Running, STORAGE, errors, is_built_in, last_log, run, text};

/// What can't be done if a value of the process means nothing.
const START: &str = "unable to start manager";

/// Whatever is wrong with a value is said in one line, before anybody looks for a cluster.
#[test]
fn values_that_mean_nothing_are_refused_before_the_cluster_is_looked_for() {
    let address = ":PORT and HOST:PORT are accepted";
    for (controller, flag, value, message, accepted) in [
        ("notification", "log-level", "foo", START, "trace, debug, info, error are accepted"),
        ("notification", "log-encoding", "foo", START, "json, console are accepted"),
        ("notification", "metrics-addr", "8080", START, address),
        ("notification", "health-addr", ":http", START, address),
        ("notification", "kube-api-qps", "NaN", START, "0 and less mean no limit"),
        ("notification", "notification-events-addr", "x", "Event server crashed", address),
        ("notification", "receiverAddr", "9292", "Receiver server crashed", address),
        (
            "notification",
            "default-service-account",
            "x",
            "unable to set default service account",
            "the feature gate ObjectLevelWorkloadIdentity is not enabled",
        ),
        ("source", "storage-addr", "http://a", "artifact server error", address),
        (
            "source",
            "artifact-digest-algo",
            "md5",
            "unable to configure canonical digest algorithm",
            "sha256, sha384, sha512, sha1 and blake3 are accepted",
        ),
        (
            "source",
            "storage-path",
            "/nowhere",
            "unable to configure artifact storage",
            "invalid dir path: /nowhere",
        ),
        ("source", "watch-label-selector", "a in b", &selector("watch label"), "a in (b,c)"),
        ("kustomize", "watch-configs-label-selector", "=", &selector("watch configs label"), "a in (b,c)"),
        (
            "kustomize",
            "events-addr",
            "notification",
            "unable to create event recorder",
            "URLs with http or https",
        ),
        (
            "kustomize",
            "kustomize-interval-jitter-percentage",
            "100",
            "unable to set global jitter",
            "between 0 and 99",
        ),
    ] {
        if !is_built_in(&format!("{controller}-controller"), &[]) {
            continue;
        }
        let (chosen, given) = (format!("--controllers={controller}"), format!("--{flag}={value}"));
        let mut arguments = vec!["controllers", chosen.as_str()];
        arguments.extend((controller == "source").then_some(STORAGE));
        arguments.push(&given);
        let output = run("millrace", &arguments);
        assert_eq!(output.status.code(), Some(1), "{given}: {}", errors(&output));
        assert_eq!(errors(&output).lines().count(), 1, "{given}: {}", errors(&output));
        let line = last_log(&output);
        let told = (&line["msg"], &line["flag"], &line["value"]);
        assert_eq!(told, (&message.into(), &flag.into(), &value.into()), "{given}");
        assert!(line["error"].as_str().is_some_and(|text| text.contains(accepted)), "{given}: {line}");
    }
}

fn selector(what: &str) -> String {
    format!("unable to configure {what} selector for manager")
}

#[test]
fn a_choice_of_no_controller_is_refused() {
    let output = run("millrace", &["controllers", "--controllers="]);
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    let line = last_log(&output);
    assert_eq!((&line["flag"], &line["value"]), (&"controllers".into(), &"".into()));
    let told = line["error"].as_str().expect("text");
    assert!(told.starts_with("there is no name, there are "), "{told}");
}

#[test]
fn a_word_that_is_no_flag_is_refused_by_our_own_command_and_ignored_under_upstreams_names() {
    let output = run("millrace", &["controllers", "source"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        errors(&output),
        "unexpected argument \"source\": this command has only flags, --controllers=NAME,… says which controllers run\n"
    );
    if !is_built_in("notification-controller", &[]) {
        return;
    }
    let upstream = run("notification-controller", &["word", "--metrics-addr=0", "--health-addr=0"]);
    assert!(last_log(&upstream)["error"].as_str().expect("text").starts_with("no configuration"));
}

#[test]
fn a_log_level_that_means_nothing_is_only_warned_of_under_upstreams_names() {
    if !is_built_in("notification-controller", &[]) {
        return;
    }
    let output = run("notification-controller", &["--log-level=warn", "--metrics-addr=0", "--health-addr=0"]);
    let logs = errors(&output);
    let warning: serde_json::Value =
        serde_json::from_str(logs.lines().next().expect("a line")).expect("JSON");
    assert_eq!((&warning["flag"], &warning["value"]), (&"log-level".into(), &"warn".into()), "{logs}");
    assert!(last_log(&output)["error"].as_str().expect("text").starts_with("no configuration"));
}

/// Upstream's programs start with an address that they can post nothing to, and end only where it is no URL at all.
#[test]
fn an_address_of_events_that_is_no_web_address_is_only_warned_of_under_upstreams_names() {
    for name in ["source-controller", "kustomize-controller"] {
        if !is_built_in(name, &[]) {
            continue;
        }
        let given = |address: &str| {
            let flag = format!("--events-addr={address}");
            let mut arguments = vec!["--metrics-addr=0", "--health-addr=0", &flag];
            arguments.extend((name == "source-controller").then_some(STORAGE));
            run(name, &arguments)
        };
        for address in ["localhost:9090", "notification-controller.flux-system:80", "notification-controller"]
        {
            let output = given(address);
            let logs = errors(&output);
            let warning: serde_json::Value =
                serde_json::from_str(logs.lines().next().expect("a line")).expect("JSON");
            assert_eq!(warning["msg"], "value means the default", "{logs}");
            assert_eq!((&warning["flag"], &warning["value"]), (&"events-addr".into(), &address.into()));
            assert!(warning["error"].as_str().expect("text").contains("URLs with http or https"), "{logs}");
            let last = last_log(&output);
            assert!(
                last["error"].as_str().is_some_and(|text| text.starts_with("no configuration")),
                "{logs}"
            );
        }
        for address in ["http://[::1", "127.0.0.1:9090"] {
            let line = last_log(&given(address));
            assert_eq!(line["msg"], "unable to create event recorder", "{address}: {line}");
        }
    }
}

#[test]
fn a_gate_of_another_controller_is_refused_with_its_owners_name() {
    if !(is_built_in("source-controller", &[]) && is_built_in("kustomize-controller", &[])) {
        return;
    }
    let unknown = "feature-gate 'DirectSourceFetch' not supported";
    let owner = "it is a gate of the kustomize-controller, which does not run in this process";
    for arguments in [
        &["source-controller", "--feature-gates=DirectSourceFetch=true"][..],
        &["controllers", "--controllers=source", "--source-feature-gates=DirectSourceFetch=true"],
    ] {
        let line = last_log(&run("millrace", arguments));
        assert_eq!(line["error"], format!("{unknown}\n{owner}"), "{arguments:?}");
        assert!(arguments.last().is_some_and(|flag| flag.contains(line["flag"].as_str().expect("text"))));
    }
    let nobodys = last_log(&run("source-controller", &["--feature-gates=Foo=true"]));
    assert_eq!(
        nobodys["error"],
        "feature-gate 'Foo' not supported\nthe gates are CacheSecretsAndConfigMaps, ObjectLevelWorkloadIdentity"
    );
}

/// Part of cli §B1.5: a gate that is given is logged at start, by every controller.
#[test]
fn a_gate_that_is_given_is_logged_at_start() {
    for name in ["source-controller", "kustomize-controller", "notification-controller"] {
        if !is_built_in(name, &[]) {
            continue;
        }
        let mut arguments = vec!["--metrics-addr=0", "--feature-gates=CacheSecretsAndConfigMaps=true"];
        arguments.extend((name == "source-controller").then_some(STORAGE));
        let logs = errors(&run(name, &arguments));
        let lines = logs.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
        let told: Vec<_> = lines.filter(|line| line["msg"] == "loading feature gate").collect();
        assert_eq!(told.len(), 1, "{name}: {logs}");
        assert_eq!(told[0]["CacheSecretsAndConfigMaps"], true, "{name}");
    }
}

#[test]
fn help_goes_to_standard_output_and_lists_gates_and_every_default() {
    let help = run("millrace", &["controllers", "--help"]);
    assert_eq!((help.status.code(), errors(&help).as_str()), (Some(0), ""));
    let usage = text(&help);
    if cfg!(all(feature = "source", feature = "kustomize", feature = "notification")) {
        for line in [
            "(default 2 for source; 4 for kustomize, notification)",
            "      DirectSourceFetch                (default false) [kustomize]",
            "      ObjectLevelWorkloadIdentity      (default false) [source, kustomize, notification]",
            "      DisableStatusPollerCache         (default true) [kustomize]",
        ] {
            assert!(usage.contains(line), "{line}\n{usage}");
        }
        assert!(!usage.contains("OptimizedGitClones"), "a gate of the past is no news to anybody");
    }
    // Types as upstream's usage names them.
    let types = ["string", "strings", "stringArray", "int", "uint8", "float", "duration", "mapStringBool"];
    for line in usage.lines().filter_map(|line| line.strip_prefix("      --")) {
        let (flag, _) = line.split_once("   ").expect("a help text");
        if let Some((_, kind)) = flag.split_once(' ') {
            assert!(types.contains(&kind.trim()), "{line}");
        }
    }
    let program = run("millrace", &["--help"]);
    assert_eq!((program.status.code(), errors(&program).as_str()), (Some(0), ""));
}

#[test]
fn a_wrong_value_is_reported_for_the_flag_that_was_given() {
    let output = run("millrace", &["controllers", "--source-concurrent=x"]);
    if is_built_in("source-controller", &[]) {
        assert_eq!(output.status.code(), Some(2));
        let expected = "invalid argument \"x\" for \"--source-concurrent\" flag: strconv.ParseInt: parsing \"x\": invalid syntax";
        assert_eq!(errors(&output).lines().last(), Some(expected));
    }
}

#[test]
fn an_api_server_that_cannot_be_reached_is_told_once_and_tried_on() {
    if !is_built_in("notification-controller", &[]) {
        return;
    }
    let port =
        std::net::TcpListener::bind("127.0.0.1:0").expect("port").local_addr().expect("address").port();
    let kubeconfig = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("unreachable.yaml");
    let text = format!(
        "{{apiVersion: v1, kind: Config, current-context: c, contexts: [{{name: c, context: {{cluster: k, user: u}}}}], \
         clusters: [{{name: k, cluster: {{server: 'https://127.0.0.1:{port}'}}}}], users: [{{name: u, user: {{token: t}}}}]}}"
    );
    std::fs::write(&kubeconfig, text).expect("kubeconfig");
    let mut command = Command::new(MILLRACE);
    command
        .args(["notification-controller", "--metrics-addr=0", "--health-addr=0"])
        .args(["--events-addr=127.0.0.1:0", "--receiverAddr=127.0.0.1:0"])
        .env_clear()
        .env("KUBECONFIG", &kubeconfig);
    let mut told = Running::start(&mut command).logs_until("watch failed and will be started again");
    told.pop();
    told.retain(|line| line["level"] == "error");
    let line = told.pop().expect("one line");
    assert_eq!(line["msg"], "unable to reach the API server, trying on");
    assert_eq!(line["server"], format!("127.0.0.1:{port}"));
    assert_eq!(line["error"], "Connection refused (os error 111)");
    assert!(told.is_empty(), "{told:?}");
}
