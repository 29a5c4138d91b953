//! Rows of the contract's table that end in `adm`: the API server refuses such objects, because the CRDs tell it to.

use serde_json::Value;

/// The schema of a kind's spec.
fn schema(kind: &str) -> Value {
    let file =
        format!("{}/../../crds/notification.toolkit.fluxcd.io_{kind}.yaml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let crd: Value = serde_yaml::from_str(&text).expect("the CRD is YAML");
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"].clone()
}

fn values(schema: &Value) -> Vec<&str> {
    schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn required(schema: &Value) -> Vec<&str> {
    schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn rules(schema: &Value) -> Vec<&str> {
    let rules = schema["x-kubernetes-validations"].as_array().into_iter().flatten();
    rules.filter_map(|rule| rule["message"].as_str()).collect()
}

fn matches(schema: &Value, text: &str) -> bool {
    let pattern = schema["pattern"].as_str().expect("a pattern");
    regex::Regex::new(pattern).expect("it compiles").is_match(text)
}

/// Row: Alert: unknown kind / missing providerRef / summary 256 chars / eventSeverity `warn`.
#[test]
fn alerts_that_can_not_work_are_not_admitted() {
    let spec = schema("alerts");
    let kinds = values(&spec["properties"]["eventSources"]["items"]["properties"]["kind"]).len();
    assert_eq!(kinds, 12);
    assert!(required(&spec).contains(&"providerRef"));
    assert_eq!(spec["properties"]["summary"]["maxLength"], 255);
    assert_eq!(values(&spec["properties"]["eventSeverity"]), ["info", "error"]);
}

/// Row: Provider: unknown type, `timeout: 1h`, `proxy: ftp://x`, address 2049 chars, commitStatusExpr on slack.
///
/// Part of NC-149.
#[test]
fn providers_that_can_not_work_are_not_admitted() {
    let spec = schema("providers");
    let fields = &spec["properties"];
    let types = values(&fields["type"]);
    assert!(["generic", "generic-hmac", "msteams", "slack"].iter().all(|type_| types.contains(type_)));
    assert!(!types.contains(&"nope"));
    assert!(!matches(&fields["timeout"], "1h") && matches(&fields["timeout"], "1m30s"));
    assert!(!matches(&fields["proxy"], "ftp://x") && matches(&fields["proxy"], "http://x"));
    assert_eq!(fields["address"]["maxLength"], 2048);
    assert_eq!(
        rules(&spec),
        [
            "spec.commitStatusExpr is only supported for the 'github', 'gitlab', 'gitea', 'bitbucketserver', 'bitbucket', \
          'azuredevops' provider types"
        ]
    );
}

/// Row: Receiver: no secretRef on github; secretRef on oidc; oidcProviders on github; none on oidc.
///
/// Part of NC-149.
#[test]
fn receivers_that_can_not_work_are_not_admitted() {
    assert_eq!(
        rules(&schema("receivers")),
        [
            "generic-oidc receivers must define at least one oidcProvider",
            "oidcProviders can only be set when type is generic-oidc",
            "secretRef cannot be set when type is generic-oidc",
            "secretRef is required when type is not generic-oidc",
        ]
    );
}
