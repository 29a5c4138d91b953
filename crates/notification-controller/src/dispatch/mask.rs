//! Keeps a provider's secrets out of texts that go to logs and events.
//!
//! Contract: notification-controller §2.10.

use millrace_api::notification::v1beta3::ProviderSpec;
use millrace_net::{
    Masker, Secret,
    mask::{ANYWHERE, Style},
};
use millrace_reconcile::secrets::SecretData;
use url::Url;

use crate::secret::{self, Secrets};

/// What stands for a secret.
const MASK: &str = "*****";

/// Texts of our own are masked, too: short values would hide ordinary words in them.
const STYLE: Style = Style { hidden: MASK, shortest: ANYWHERE };

/// Segments of a secret path that are at least this long are hidden by themselves, too: one of them is the secret.
const MIN_SEGMENT_BYTES: usize = 16;

/// The secrets of one provider.
#[derive(Clone)]
pub struct Masks {
    token: Secret<String>,
    masker: Masker,
}

impl Masks {
    /// The secrets in a Provider's spec and in the Secrets it refers to, whatever else is wrong with them.
    pub fn of(spec: &ProviderSpec, secrets: &Secrets) -> Self {
        let mut masks = Self { token: Secret::new(String::new()), masker: Masker::in_style(STYLE) };
        // Whoever may read Providers may read the spec; a login or a key in it is not for the log all the same.
        for url in [&spec.address, &spec.proxy].into_iter().flatten() {
            masks.add_url(url);
        }
        if let Some(reference) = &spec.secret_ref
            && let Ok(data) = secrets.get(&reference.name)
        {
            masks.add_credentials(data);
        }
        if let Some(reference) = &spec.proxy_secret_ref
            && let Ok(data) = secrets.get(&reference.name)
        {
            let text = |key| secret::text(data, key).unwrap_or_default();
            masks.add_login(&text("username"), &text("password"));
            masks.add_secret_url(&text("address"));
        }
        masks
    }

    /// Returns `text` without the secrets and without what looks like the token: for what came back from a server.
    pub fn apply(&self, text: &str) -> String {
        self.hide(&mask(text, self.token.expose()))
    }

    /// Returns `text` without the secrets: for texts of our own, which may quote settings.
    pub fn hide(&self, text: &str) -> String {
        self.masker.mask(text)
    }

    fn add_credentials(&mut self, data: &SecretData) {
        let text = |key| secret::text(data, key).unwrap_or_default();
        self.token = Secret::new(text("token").trim().to_owned());
        self.add(&text("token"));
        self.add_login(&text("username"), &text("password"));
        self.add_headers(&text("headers"));
        self.add_secret_url(&text("address"));
        self.add_secret_url(&text("proxy"));
    }

    /// Hides a password, also where it is sent together with the user name.
    fn add_login(&mut self, username: &str, password: &str) {
        if !password.is_empty() {
            self.add(password);
            self.add(&format!("{username}:{password}"));
        }
    }

    /// Hides what headers are set to, whether they can be read or not.
    fn add_headers(&mut self, text: &str) {
        for line in text.lines() {
            let value = line.split_once(':').map_or(line, |(_, value)| value);
            let value = value.trim().trim_matches(['"', '\'']);
            if value.contains('/') && line.to_ascii_lowercase().starts_with("content-type") {
                continue;
            }
            self.add(value);
            // What YAML takes for an alias or a tag is named without its sign.
            self.add(value.trim_matches(|c: char| c.is_ascii_punctuation()));
            // `Bearer` and the like are no secret, and a server may quote what follows alone.
            if let Some((_, credential)) = value.split_once(' ') {
                self.add(credential);
            }
        }
    }

    /// Hides the login and the query of a URL.
    fn add_url(&mut self, url: &str) {
        let (before, query) = url.split_once('?').unwrap_or((url, ""));
        self.add(query);
        for pair in query.split('&') {
            self.add(pair.split_once('=').map_or(pair, |(_, value)| value));
        }
        let rest = before.split_once("://").map_or(before, |(_, rest)| rest);
        if let Some((login, _)) = rest.rsplit_once('@') {
            let (username, password) = login.split_once(':').unwrap_or((login, ""));
            self.add(login);
            self.add(username);
            self.add_login(username, password);
        }
        if let Ok(parsed) = Url::parse(url) {
            self.add(parsed.query().unwrap_or_default());
            self.add(parsed.username());
            self.add_login(parsed.username(), parsed.password().unwrap_or_default());
        }
    }

    /// Hides a URL that is a secret itself, as webhooks are: all that follows its host.
    fn add_secret_url(&mut self, url: &str) {
        self.add_url(url);
        let Some((_, rest)) = url.split_once("://") else { return self.add(url) };
        if let Some(path) = rest.find(['/', '?']) {
            self.add(&rest[path..]);
            for segment in rest[path..].split(['/', '?']).filter(|part| part.len() >= MIN_SEGMENT_BYTES) {
                self.add(segment);
            }
        }
        if let Ok(parsed) = Url::parse(url.trim()) {
            self.add(parsed.path());
        }
    }

    fn add(&mut self, value: &str) {
        self.masker.add(value.trim());
    }
}

/// Replaces every occurrence of `token`, also without its last character or with that character repeated.
///
/// The looser match hides tokens that a service echoes cut or padded, as the original does.
fn mask(text: &str, token: &str) -> String {
    let token = token.trim();
    let Some(last) = token.chars().next_back() else { return text.to_owned() };
    let stem = &token[..token.len() - last.len_utf8()];
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(stem) {
        let after = &rest[at + stem.len()..];
        let tail = after.trim_start_matches(last);
        out.push_str(&rest[..at]);
        out.push_str(MASK);
        if stem.is_empty() && tail.len() == after.len() {
            // A token of one character matches between any two characters, as its pattern does.
            let mut chars = after.chars();
            let Some(c) = chars.next() else { return out };
            out.push(c);
            rest = chars.as_str();
            continue;
        }
        rest = tail;
        if rest.is_empty() {
            break;
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use base64::{Engine as _, prelude::BASE64_STANDARD};

    use super::*;

    fn masks(spec: &str, entries: &[(&str, &str)]) -> Masks {
        let spec = format!(
            r#"{{"type":"generic","secretRef":{{"name":"s"}},"proxySecretRef":{{"name":"p"}}{spec}}}"#
        );
        let data =
            || SecretData::from_entries(entries.iter().map(|(key, value)| (*key, value.as_bytes().to_vec())));
        let secrets = ["s", "p"].map(|name| (name.to_owned(), data())).into_iter().collect();
        Masks::of(&serde_json::from_str(&spec).unwrap(), &secrets)
    }

    #[test]
    fn other_secrets_are_hidden_when_they_are_long_enough() {
        let masks = masks(
            "",
            &[("token", "token\n"), ("password", "pass"), ("address", "https://h/services/T0/B0/x")],
        );
        let text = "POST https://hooks.example.com/services/T0/B0/x: pass, token";
        assert_eq!(masks.apply(text), "POST https://hooks.example.com*****: pass, *****");
        assert_eq!(masks.hide("the token is short"), "the token is short");
    }

    #[test]
    fn every_field_that_may_hold_a_secret_is_hidden_however_it_is_sent() {
        let spec = r#","address":"http://u:in-address@h/plain?key=in-query","proxy":"http://u:in-proxy@p""#;
        let entries = [
            ("token", " in-token-\"q\"\n"),
            ("username", "me"),
            ("password", "in-password"),
            (
                "headers",
                "Authorization: Bearer in-header\nX: 'in-quotes'\nContent-Type: application/x\nbroken",
            ),
            ("address", " https://us-er-in-secret:p@h/in-path-of-secret/x?in-secret-query\n"),
        ];
        let masks = masks(spec, &entries);
        let basic = BASE64_STANDARD.encode("me:in-password");
        for text in [
            "in-address",
            "in-query",
            "in-proxy",
            "in-token-\"q\"",
            "in-token-\\\"q\\\"",
            "in-password",
            &basic,
            "Bearer in-header",
            "in-header",
            "in-quotes",
            "us-er-in-secret",
            "in-path-of-secret",
            "/in-path-of-secret/x?in-secret-query",
            "in-secret-query",
        ] {
            assert_eq!(masks.hide(&format!("a {text} b")), format!("a {MASK} b"));
        }
        for text in ["application/x", "/plain", "Authorization", "Bearer ", "https://h/"] {
            assert_eq!(masks.hide(text), text);
        }
    }

    /// NC-058
    #[test]
    fn tokens_are_hidden_also_when_cut_or_padded() {
        for (text, token, expected) in [
            ("bad abc", "abc", "bad *****"),
            ("bad abc", " abc\n", "bad *****"),
            ("ab abccc abd", "abc", "***** ***** *****d"),
            ("nothing here", "abc", "nothing here"),
            ("no token", "", "no token"),
            ("xy", "z", "*****x*****y*****"),
            ("é-token-é", "token-é", "é-*****"),
        ] {
            assert_eq!(mask(text, token), expected, "{text:?} {token:?}");
        }
    }
}
