//! What the API server quotes of secret values is not passed on.

use millrace_ssa::client::Mask;

use crate::api::{Api, Refusal};
use crate::apply::{apply, config_map};

const PATH: &str = "/api/v1/namespaces/ns/configmaps/a";

fn refusal(message: &str) -> Refusal {
    Refusal { code: 422, reason: "Invalid".to_owned(), message: message.to_owned() }
}

/// The object has the value's name: only what the server says is masked.
#[tokio::test]
async fn a_value_that_the_api_server_quotes_is_hidden_and_our_own_words_stay() {
    let mask = || Mask::new(|text| text.replace("configured", "***").replace("hunter2", "***"));
    let rows = [("dry-run apply", "dry-run failed (Invalid)"), ("apply", "apply failed")];
    for (kind, said) in rows {
        let api = Api::new();
        let message = "ConfigMap \"a\" is invalid: Invalid value: \"hunter2\": is configured";
        api.state().refusals.insert((kind, PATH.to_owned()), refusal(message));
        let error =
            apply(&api.engine_masked(mask()), &config_map("a", "hunter2")).await.expect_err("refused");
        assert_eq!(
            error.to_string(),
            format!("ConfigMap/ns/a {said}: ConfigMap \"a\" is invalid: Invalid value: \"***\": is ***\n")
        );
    }
}
