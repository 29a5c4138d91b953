//! Whether a CRD's conversion webhook has a usable CA.

use super::base64;

/// Whether `bundle` is base64 of PEM with at least one certificate, or of nothing.
///
/// The API server checks what a certificate says; here its outer form is enough: a sequence of a sequence, an
/// algorithm and a signature.
pub(super) fn is_usable(bundle: &str) -> bool {
    base64::decode(bundle).is_some_and(|pem| pem.is_empty() || holds_certificate(&pem))
}

fn holds_certificate(pem: &[u8]) -> bool {
    const BEGIN: &str = "-----BEGIN CERTIFICATE-----";
    const END: &str = "-----END CERTIFICATE-----";
    let Ok(text) = std::str::from_utf8(pem) else { return false };
    text.split(BEGIN).skip(1).filter_map(|block| block.split_once(END)).any(|(body, _)| {
        let packed: String = body.split_ascii_whitespace().collect();
        base64::decode(&packed).is_some_and(|der| is_certificate(&der))
    })
}

/// `SEQUENCE { SEQUENCE, SEQUENCE, BIT STRING }`, and nothing behind it.
fn is_certificate(der: &[u8]) -> bool {
    const SEQUENCE: u8 = 0x30;
    const BIT_STRING: u8 = 0x03;
    let Some((body, [])) = element(der, SEQUENCE) else { return false };
    let parts = element(body, SEQUENCE)
        .and_then(|(_, rest)| element(rest, SEQUENCE))
        .and_then(|(_, rest)| element(rest, BIT_STRING));
    matches!(parts, Some((_, [])))
}

/// The content of the DER element that `bytes` starts with, and what follows it.
fn element(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (&found, rest) = bytes.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = if first < 0x80 {
        (usize::from(first), rest)
    } else {
        let (octets, rest) =
            rest.split_at_checked(usize::from(first & 0x7f)).filter(|(octets, _)| octets.len() <= 4)?;
        (octets.iter().fold(0, |length, octet| length << 8 | usize::from(*octet)), rest)
    };
    if found == tag { rest.split_at_checked(length) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle(der: &[u8]) -> String {
        let pem =
            format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", base64::encode(der));
        base64::encode(pem.as_bytes())
    }

    #[test]
    fn a_bundle_needs_a_certificate() {
        assert!(is_usable(""));
        assert!(is_usable(&bundle(&[0x30, 7, 0x30, 0, 0x30, 0, 0x03, 1, 0])));
        for bad in
            ["Cg==", "not base64!", &bundle(&[0x30, 0]), &bundle(b"x"), &base64::encode(b"-----BEGIN X-----")]
        {
            assert!(!is_usable(bad), "{bad}");
        }
    }
}
