//! Every socket of Millrace: HTTP clients with TLS, proxies, redirects, body limits and an egress policy.
//!
//! The crate owns what goes out and what may be said about it: which addresses a URL from an object may reach
//! ([`egress`]), which credentials survive a redirect ([`redirect`]), how much of a body is read ([`Response`]), how
//! text that a server sent is quoted ([`quote`]), and how secrets are hidden in it ([`mask`]). It knows nothing about
//! Kubernetes or Git.

pub mod addresses;
pub mod cause;
pub mod client;
pub mod clients;
pub mod egress;
pub mod mask;
mod named_host;
pub mod quote;
pub mod redacted;
pub mod redirect;
mod resolver;
pub mod response;
pub mod secret;
pub mod tls;

pub use cause::Cause;
pub use client::{HttpClient, HttpError, Options, Proxy};
pub use clients::Clients;
pub use egress::{Cidr, EgressPolicy, EgressRefused};
pub use mask::Masker;
pub use named_host::NamedHost;
pub use redacted::RedactedUrl;
pub use response::Response;
pub use secret::Secret;
pub use tls::{Identity, Tls, Trust};

/// The request type that [`HttpClient::send`] takes, and the builder that makes it.
pub use reqwest::{Request, RequestBuilder};

/// Makes aws-lc-rs the TLS implementation of this process.
///
/// Called first in `main` and in every test binary that opens a TLS connection; further calls do nothing.
pub fn install_crypto_provider() {
    // An error means that a provider is installed already, which is what the caller wants.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
}
