//! The chart's values: what they change, and what they can't break.

use std::process::Command;

use serde_json::{Value, json};

use crate::chart::{Objects, helm, notes, render};

/// The definitions take most of the time, and no value here changes them.
const WITHOUT_DEFINITIONS: &str = "crds.install=false";

fn deployment<'o>(objects: &'o Objects, name: &str) -> &'o Value {
    &objects[&("Deployment".to_owned(), name.to_owned())]
}

fn pod<'o>(objects: &'o Objects, name: &str) -> &'o Value {
    &deployment(objects, name)["spec"]["template"]
}

fn arguments(objects: &Objects, name: &str) -> Vec<String> {
    let arguments = pod(objects, name)["spec"]["containers"][0]["args"].as_array().expect("arguments");
    arguments.iter().map(|argument| argument.as_str().expect("text").to_owned()).collect()
}

#[test]
fn values_reach_the_flags() {
    let values = [
        WITHOUT_DEFINITIONS,
        "watchAllNamespaces=false",
        "logLevel=debug",
        "extraArgs={--kube-api-qps=100}",
        "kustomize.extraArgs={--concurrent=20}",
        "notification.enabled=false",
        "eventsAddr=http://elsewhere/",
    ];
    let Some(ours) = render(&values) else { return };
    assert!(!ours.keys().any(|(_, name)| name == "notification-controller" || name == "webhook-receiver"));
    assert_eq!(
        arguments(&ours, "kustomize-controller"),
        [
            "--events-addr=http://elsewhere/",
            "--watch-all-namespaces=false",
            "--log-level=debug",
            "--log-encoding=json",
            "--enable-leader-election",
            "--kube-api-qps=100",
            "--concurrent=20",
        ]
    );
    are_known_to_the_program(&ours);
}

#[test]
fn the_arguments_of_every_form_are_ones_that_the_program_knows() {
    for values in [&[][..], &["topology=single"], &["topology=single", "notification.enabled=false"]] {
        for tenancy in ["multitenancy.enabled=false", "multitenancy.enabled=true"] {
            let values = [values, &[WITHOUT_DEFINITIONS, tenancy]].concat();
            let Some(ours) = render(&values) else { return };
            are_known_to_the_program(&ours);
        }
    }
}

/// The program complains about a flag that it doesn't know before it prints its help.
fn are_known_to_the_program(objects: &Objects) {
    for (_, name) in objects.keys().filter(|(kind, _)| kind == "Deployment") {
        let mut command = Command::new(env!("CARGO_BIN_EXE_millrace"));
        if name != "millrace" {
            command.arg(name);
        }
        let output = command.args(arguments(objects, name)).arg("--help").env_clear().output();
        let output = output.expect("the program starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {}", said.lines().last().unwrap_or_default());
    }
}

#[test]
fn tenants_are_kept_apart_by_the_flags_of_upstreams_lockdown() {
    let lockdown =
        ["multitenancy.enabled=true", "multitenancy.defaultServiceAccount=nobody", WITHOUT_DEFINITIONS];
    let Some(split) = render(&lockdown) else { return };
    let tail = |name: &str, count: usize| {
        let arguments = arguments(&split, name);
        arguments[arguments.len() - count..].to_vec()
    };
    let kustomize = [
        "--no-cross-namespace-refs=true",
        "--no-remote-bases=true",
        "--default-service-account=nobody",
        "--lockdown-egress",
    ];
    assert_eq!(tail("kustomize-controller", 4), kustomize);
    assert_eq!(tail("notification-controller", 2), ["--no-cross-namespace-refs=true", "--lockdown-egress"]);
    assert_eq!(tail("source-controller", 1), ["--lockdown-egress"]);

    let single = render(&[&lockdown[..], &["topology=single"]].concat()).expect("helm is there");
    let single = arguments(&single, "millrace");
    let expected = [
        "--kustomize-no-cross-namespace-refs=true",
        "--kustomize-no-remote-bases=true",
        "--kustomize-default-service-account=nobody",
        "--notification-no-cross-namespace-refs=true",
        "--lockdown-egress",
    ];
    assert_eq!(single[single.len() - expected.len()..], expected);
}

/// Values that are the same when they are null.
const NULLS: [&str; 20] = [
    "image.registry",
    "image.name",
    "watchAllNamespaces",
    "logLevel",
    "logEncoding",
    "leaderElection",
    "clusterDomain",
    "eventsAddr",
    "extraArgs",
    "podAnnotations",
    "networkPolicies",
    "criticalPodsQuota",
    "extraObjects",
    "source.enabled",
    "source.storage",
    "source.serviceAccount",
    "source.terminationGracePeriodSeconds",
    "kustomize.extraEnv",
    "notification.webhookReceiver",
    "single.command",
];

/// `source:` with nothing below it, which Helm takes for `null`.
#[test]
fn a_block_that_is_null_counts_as_if_it_were_not_there() {
    for topology in ["topology=split", "topology=single"] {
        let Some(usual) = render(&[WITHOUT_DEFINITIONS, topology]) else { return };
        for block in
            ["source", "kustomize", "notification", "single", "image", "rbac", "multitenancy", "podMonitor"]
        {
            let ours =
                render(&[WITHOUT_DEFINITIONS, topology, &format!("{block}=null")]).expect("helm is there");
            assert!(ours.keys().eq(usual.keys()), "{block}: {:?}", ours.keys());
        }
        let nulls = NULLS.map(|value| format!("{value}=null"));
        let nulls: Vec<&str> = nulls.iter().map(String::as_str).collect();
        let ours = render(&[&nulls[..], &[WITHOUT_DEFINITIONS, topology]].concat()).expect("helm is there");
        assert_eq!(ours, usual, "{topology}");
    }
}

#[test]
fn what_cannot_work_is_refused_in_one_sentence() {
    let none = ["source.enabled=false", "kustomize.enabled=false", "notification.enabled=false"];
    let no_controller =
        "no controller is enabled: set source.enabled, kustomize.enabled or notification.enabled";
    for (values, expected) in [
        (&none[..], no_controller),
        (&["topology=single", none[0], none[1], none[2]], no_controller),
        (&["topology=triple"], "at '/topology': value must be one of 'split', 'single'"),
        (&["kustomise.enabled=false"], "additional properties 'kustomise' not allowed"),
        (&["source.storge.emptyDir=null"], "at '/source': additional properties 'storge' not allowed"),
        (&["extraArgs=--kube-api-qps=100"], "at '/extraArgs': got string, want null or array"),
        (&["image.registry="], "image.registry is empty: name the registry that holds the images"),
        (
            &["source.storage.emptyDir.sizeLimit=1Gi", "source.storage.persistentVolumeClaim.claimName=a"],
            "source.storage names more than one kind of volume: emptyDir, persistentVolumeClaim",
        ),
    ] {
        let Some(output) = helm(values) else { return };
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(expected), "{values:?}: {said}");
    }
}

#[test]
fn a_claim_takes_the_place_of_the_empty_folder() {
    for (topology, name) in [("split", "source-controller"), ("single", "millrace")] {
        let claim = ["source.storage.persistentVolumeClaim.claimName=artifacts", WITHOUT_DEFINITIONS];
        let Some(ours) = render(&[&claim[..], &[&format!("topology={topology}")]].concat()) else { return };
        let expected = json!({ "name": "data", "persistentVolumeClaim": { "claimName": "artifacts" } });
        assert_eq!(pod(&ours, name)["spec"]["volumes"][0], expected);
    }
}

#[test]
fn a_controllers_own_settings_win_over_those_of_all() {
    let values = [
        WITHOUT_DEFINITIONS,
        "podLabels.team=all",
        "tolerations[0].key=all",
        "kustomize.podLabels.shard=one",
        "kustomize.tolerations[0].key=own",
        "kustomize.envFrom[0].secretRef.name=proxy",
        "kustomize.volumes[0].name=keys",
        "kustomize.volumeMounts[0].name=keys",
        "securityContext.runAsUser=65532",
    ];
    let Some(ours) = render(&values) else { return };
    let (kustomize, source) = (pod(&ours, "kustomize-controller"), pod(&ours, "source-controller"));
    assert_eq!(kustomize["spec"]["tolerations"], json!([{ "key": "own" }]));
    assert_eq!(source["spec"]["tolerations"], json!([{ "key": "all" }]));
    let labels =
        |pod: &Value| (pod["metadata"]["labels"]["team"].clone(), pod["metadata"]["labels"]["shard"].clone());
    assert_eq!(labels(kustomize), (json!("all"), json!("one")));
    assert_eq!(labels(source), (json!("all"), Value::Null));
    let container = &kustomize["spec"]["containers"][0];
    assert_eq!(container["envFrom"], json!([{ "secretRef": { "name": "proxy" } }]));
    assert_eq!(container["volumeMounts"][1]["name"], "keys");
    assert_eq!(container["securityContext"]["runAsUser"], 65532);
    assert_eq!(container["securityContext"]["runAsNonRoot"], true);
    assert_eq!(kustomize["spec"]["volumes"][1]["name"], "keys");
}

#[test]
fn the_notes_warn_of_images_that_nobody_has_published() {
    let Some(plain) = notes(&[WITHOUT_DEFINITIONS]) else { return };
    assert!(plain.contains("\nWARNING: there are no published images in ghcr.io/millrace yet."), "{plain}");
    let own = notes(&["image.registry=registry.example.com"]).expect("helm is there");
    assert!(own.contains("\nIt serves the API of Flux ") && !own.contains("WARNING"), "{own}");
}
