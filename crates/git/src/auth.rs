//! How to authenticate, from a Secret and from the URL.

use ::http::HeaderValue;
use base64::{Engine as _, prelude::BASE64_STANDARD};
use millrace_net::{Masker, Secret};
use url::Url;

/// How to authenticate.
#[derive(Clone, Default)]
pub enum Auth {
    /// Not at all, unless the URL has credentials.
    #[default]
    None,
    /// User name and password; empty ones are filled from the URL.
    Basic {
        /// The user name.
        username: String,
        /// The password.
        password: Secret<String>,
    },
    /// A token.
    Bearer(Secret<String>),
}

/// The credentials of a URL.
pub(crate) struct UserInfo {
    username: String,
    password: Secret<String>,
}

impl UserInfo {
    /// Takes the credentials out of a URL.
    pub(crate) fn take(url: &mut Url) -> Result<Self, ()> {
        let username = percent_decode(url.username());
        let password = Secret::new(percent_decode(url.password().unwrap_or_default()));
        url.set_username("")?;
        url.set_password(None)?;
        Ok(Self { username, password })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.username.is_empty() && self.password.expose().is_empty()
    }
}

/// The header of every request; its secrets go to the masker.
pub(crate) fn authorization(auth: Auth, user: UserInfo, masker: &mut Masker) -> Option<HeaderValue> {
    let text = match auth {
        Auth::Bearer(token) => {
            masker.add(token.expose());
            format!("Bearer {}", token.expose())
        }
        Auth::None if user.is_empty() => return None,
        Auth::None => basic(&user.username, user.password.expose(), masker),
        Auth::Basic { username, password } => {
            let username = if username.is_empty() { user.username } else { username };
            let password = if password.expose().is_empty() { user.password } else { password };
            basic(&username, password.expose(), masker)
        }
    };
    let mut value = HeaderValue::try_from(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn basic(username: &str, password: &str, masker: &mut Masker) -> String {
    let encoded = BASE64_STANDARD.encode(format!("{username}:{password}"));
    masker.add(password);
    masker.add(&encoded);
    format!("Basic {encoded}")
}

fn percent_decode(text: &str) -> String {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) if *first == b'%' => {
                decoded.push(byte);
                rest = &tail[2..];
            }
            _ => {
                decoded.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}
