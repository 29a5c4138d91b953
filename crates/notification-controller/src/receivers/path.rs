//! Where a Receiver is called.

use sha2::{Digest as _, Sha256};

use crate::hex;

/// Returns the path of a Receiver's webhook.
///
/// The three parts are hashed without separators: changing that would move every webhook in use.
///
/// Contract: notification-controller §4.3.
pub fn webhook_path(token: &[u8], name: &str, namespace: &str) -> String {
    let digest = Sha256::new().chain_update(token).chain_update(name).chain_update(namespace).finalize();
    format!("/hook/{}", hex::encode(&digest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_that_of_the_contract() {
        for (token, path) in [
            (&b"s3cr3t"[..], "/hook/605dbd4976c3504a20afec155a68122702621389b3b29f71feb118008a1696a1"),
            (b"", "/hook/d9c6bac01b84166b25cc5beaa8bc0d10807c6ec7c12e73ee81880689f8ed8538"),
        ] {
            assert_eq!(webhook_path(token, "github-receiver", "flux-system"), path);
        }
    }
}
