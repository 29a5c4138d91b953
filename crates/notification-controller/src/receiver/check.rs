//! What a Receiver's spec allows, before anything is read.
//!
//! Pure. Contract: notification-controller §1.6, steps 3 to 8.

use millrace_api::notification::v1::{OidcProvider, Receiver, ReceiverSpec};
use millrace_reconcile::Reason;

use super::Observed;
use crate::{
    go::quote::Quoted,
    hook::{filter_field, unsupported_filter},
    receivers,
};

const INVALID_CEL_EXPRESSION: Reason = Reason::new("InvalidCELExpression");
const VALIDATION_FAILED: Reason = Reason::new("ValidationFailed");

/// Why nothing is to be read for a Receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is suspended.
    Suspended,
    /// Only an edit can help.
    Invalid { reason: Reason, message: String },
}

impl From<Verdict> for Observed {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Suspended => Self::Suspended,
            Verdict::Invalid { reason, message } => Self::Invalid { reason, message },
        }
    }
}

/// Checks the spec in the contract's order.
pub(super) fn check(receiver: &Receiver) -> Result<(), Verdict> {
    let spec = &receiver.spec;
    if spec.suspend {
        return Err(Verdict::Suspended);
    }
    if let Some(field) = filter_field(receiver) {
        let what = if field == "resourceFilter" { "resourceFilter" } else { "filter" };
        let message = format!("invalid {what} expression: {}", unsupported_filter(&field));
        return Err(Verdict::Invalid { reason: INVALID_CEL_EXPRESSION, message });
    }
    check_fields(spec)
        .and_then(|()| check_oidc(&spec.oidc_providers))
        .and_then(|()| check_type(&spec.type_))
        .map_err(|message| Verdict::Invalid { reason: VALIDATION_FAILED, message })
}

fn check_fields(spec: &ReceiverSpec) -> Result<(), String> {
    let oidc = spec.type_ == "generic-oidc";
    let broken = match (oidc, spec.oidc_providers.is_empty(), spec.secret_ref.is_some()) {
        (true, true, _) => "generic-oidc receiver requires at least one oidcProvider",
        (false, false, _) => "oidcProviders can only be set when type is generic-oidc",
        (true, _, true) => "secretRef cannot be set when type is generic-oidc",
        (false, _, false) => "secretRef is required when type is not generic-oidc",
        (true, false, false) | (false, true, true) => return Ok(()),
    };
    Err(broken.to_owned())
}

fn check_oidc(providers: &[OidcProvider]) -> Result<(), String> {
    for (at, provider) in providers.iter().enumerate() {
        let url = &provider.issuer_url;
        let shown = Quoted(url);
        if url.is_empty() {
            return Err(format!("oidcProviders[{at}]: issuerURL is required"));
        }
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Err(format!(
                "oidcProviders[{at}]: issuerURL {shown} must start with http:// or https://"
            ));
        }
        if providers[..at].iter().any(|earlier| earlier.issuer_url == *url) {
            return Err(format!("oidcProviders[{at}]: duplicate issuerURL {shown}"));
        }
        check_oidc_provider(provider)
            .map_err(|text| format!("oidcProviders[{at}] (issuerURL={shown}): {text}"))?;
    }
    Ok(())
}

fn check_oidc_provider(provider: &OidcProvider) -> Result<(), String> {
    if provider.validations.is_empty() {
        return Err("at least one validation is required; without validations any caller able to obtain a token from \
                    this issuer can trigger the Receiver"
            .to_owned());
    }
    for (at, variable) in provider.variables.iter().enumerate() {
        if variable.name.is_empty() {
            return Err(format!("variables[{at}]: name is required"));
        }
        if variable.expression.is_empty() {
            let name = Quoted(&variable.name);
            return Err(format!("variables[{at}] (name={name}): expression is required"));
        }
    }
    for (at, validation) in provider.validations.iter().enumerate() {
        if validation.expression.is_empty() {
            return Err(format!("validations[{at}]: expression is required"));
        }
        if validation.message.is_empty() {
            return Err(format!("validations[{at}]: message is required"));
        }
    }
    Ok(())
}

/// A type that can't be verified would refuse every call, so it never becomes ready.
fn check_type(type_: &str) -> Result<(), String> {
    match receivers::find(type_) {
        Some(_) => Ok(()),
        None => Err(format!(
            "receiver type {} is not supported by this version\nspec.type must be one of: {}",
            Quoted(type_),
            receivers::known()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(spec: &str) -> Result<(), (&'static str, String)> {
        let json = format!(r#"{{"metadata":{{"namespace":"apps","name":"rcv"}},"spec":{{{spec}}}}}"#);
        match check(&serde_json::from_str(&json).unwrap()) {
            Ok(()) => Ok(()),
            Err(Verdict::Suspended) => Err(("suspended", String::new())),
            Err(Verdict::Invalid { reason, message }) => Err((reason.as_str(), message)),
        }
    }

    const SECRET: &str = r#""secretRef":{"name":"token"},"resources":[]"#;

    #[test]
    fn a_built_in_type_with_a_secret_is_fine() {
        for type_ in ["generic", "generic-hmac", "github"] {
            assert_eq!(verdict(&format!(r#""type":"{type_}",{SECRET}"#)), Ok(()));
        }
    }

    #[test]
    fn a_filter_stalls_the_receiver_and_is_named() {
        let top = verdict(&format!(r#""type":"github","resourceFilter":"true",{SECRET}"#)).unwrap_err();
        let text = "invalid resourceFilter expression: spec.resourceFilter is set, but CEL expressions are not supported \
                    by this version";
        assert_eq!(top, ("InvalidCELExpression", text.to_owned()));
        let entry = r#""type":"github","secretRef":{"name":"token"},
            "resources":[{"kind":"Bucket","name":"a"},{"kind":"Bucket","name":"b","filter":"true"}]"#;
        let (reason, message) = verdict(entry).unwrap_err();
        assert_eq!(reason, "InvalidCELExpression");
        assert!(message.contains("spec.resources[1].filter"), "{message}");
    }

    #[test]
    fn fields_that_exclude_each_other_are_refused() {
        let provider = r#""oidcProviders":[{"issuerURL":"https://i","validations":[{"expression":"true","message":"m"}]}]"#;
        for (spec, expected) in [
            (
                r#""type":"generic-oidc","resources":[]"#.to_owned(),
                "generic-oidc receiver requires at least one oidcProvider",
            ),
            (
                format!(r#""type":"github",{provider},{SECRET}"#),
                "oidcProviders can only be set when type is generic-oidc",
            ),
            (
                format!(r#""type":"generic-oidc",{provider},{SECRET}"#),
                "secretRef cannot be set when type is generic-oidc",
            ),
            (
                r#""type":"github","resources":[]"#.to_owned(),
                "secretRef is required when type is not generic-oidc",
            ),
            (
                format!(r#""type":"gitlab",{SECRET}"#),
                "receiver type \"gitlab\" is not supported by this version\nspec.type must be one of: generic, \
                 generic-hmac, github",
            ),
        ] {
            assert_eq!(verdict(&spec), Err(("ValidationFailed", expected.to_owned())), "{spec}");
        }
    }

    #[test]
    fn the_fields_of_oidc_providers_are_checked_in_order() {
        let valid = r#"{"issuerURL":"https://i","validations":[{"expression":"e","message":"m"}]}"#;
        let second_of_two = format!("{valid},{valid}");
        for (providers, expected) in [
            (r#"{"issuerURL":"","validations":[]}"#, "oidcProviders[0]: issuerURL is required"),
            (
                r#"{"issuerURL":"ftp://i","validations":[]}"#,
                "oidcProviders[0]: issuerURL \"ftp://i\" must start with http:// or https://",
            ),
            (&second_of_two, "oidcProviders[1]: duplicate issuerURL \"https://i\""),
            (
                r#"{"issuerURL":"https://i","validations":[]}"#,
                "oidcProviders[0] (issuerURL=\"https://i\"): at least one validation is required; without validations \
                 any caller able to obtain a token from this issuer can trigger the Receiver",
            ),
            (
                r#"{"issuerURL":"https://i","variables":[{"name":"n","expression":""}],"validations":[{"expression":"e","message":"m"}]}"#,
                "oidcProviders[0] (issuerURL=\"https://i\"): variables[0] (name=\"n\"): expression is required",
            ),
            (
                r#"{"issuerURL":"https://i","validations":[{"expression":"e","message":""}]}"#,
                "oidcProviders[0] (issuerURL=\"https://i\"): validations[0]: message is required",
            ),
        ] {
            let spec = format!(r#""type":"generic-oidc","resources":[],"oidcProviders":[{providers}]"#);
            assert_eq!(verdict(&spec), Err(("ValidationFailed", expected.to_owned())));
        }
    }
}
