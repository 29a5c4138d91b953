//! `generic-hmac`: the body is signed in `X-Signature`.

use super::{Accepted, Call, ReceiverType, Rejection};
use crate::signature;

pub(super) const TYPE: ReceiverType = ReceiverType { name: "generic-hmac", verify };

fn verify(call: &Call<'_>) -> Result<Accepted, Rejection> {
    signature::verify(call.header("X-Signature").trim(), call.token, call.body)
        .map_err(|err| Rejection(format!("unable to validate HMAC signature: {err}")))?;
    Ok(Accepted { note: None })
}

#[cfg(test)]
mod tests {
    use super::{super::fixtures::*, *};

    /// NC-127
    #[test]
    fn the_signature_may_be_in_upper_case() {
        let shouted = SHA256.to_uppercase().replace("SHA256", "sha256");
        for signature in [SHA1, SHA256, SHA512, &shouted] {
            assert!(call(&TYPE, &[("X-Signature", signature)], BODY, &[]).is_ok(), "{signature}");
        }
    }

    #[test]
    fn an_unsigned_call_is_refused() {
        let refusal = call(&TYPE, &[], BODY, &[]).unwrap_err();
        assert_eq!(refusal.0, "unable to validate HMAC signature: missing signature");
    }
}
