use std::sync::Arc;

use http::Method;
use millrace_net::{HttpClient, HttpError, Identity, Options, Proxy, Tls, Trust, install_crypto_provider};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::{RootCertStore, ServerConfig, server::WebPkiClientVerifier};

use crate::server::{Server, respond};

/// A certificate authority and what it signs.
struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    fn pem(&self) -> Vec<u8> {
        self.0.pem().into_bytes()
    }

    fn issue(&self, name: &str) -> (rcgen::Certificate, KeyPair) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        (params.signed_by(&key, &self.0).unwrap(), key)
    }

    async fn serve(&self, asks_for_client: bool) -> Server {
        install_crypto_provider();
        let (certificate, key) = self.issue("localhost");
        let builder = ServerConfig::builder();
        let builder = if asks_for_client {
            let mut roots = RootCertStore::empty();
            roots.add(self.0.der().clone()).unwrap();
            builder.with_client_cert_verifier(WebPkiClientVerifier::builder(Arc::new(roots)).build().unwrap())
        } else {
            builder.with_no_client_auth()
        };
        let config = builder
            .with_single_cert(vec![certificate.der().clone()], key.serialize_der().try_into().unwrap())
            .unwrap();
        Server::start_with(Some(Arc::new(config).into()), |_| respond("200 OK", "", "secure")).await
    }
}

async fn get(server: &Server, tls: Tls) -> Result<(), HttpError> {
    let client = HttpClient::new(&Options { tls, proxy: Proxy::Direct, ..Options::default() })?;
    let url = format!("https://localhost:{}/", server.port).parse().unwrap();
    let response = client.send(client.request(Method::GET, url)).await?;
    assert_eq!(response.bytes(10).await?, "secure");
    Ok(())
}

#[tokio::test]
async fn a_private_authority_is_trusted_only_when_given() {
    let authority = Authority::new();
    let server = authority.serve(false).await;
    let err = get(&server, Tls::default()).await.unwrap_err();
    assert_eq!(
        err.to_string(),
        "tls: failed to verify certificate: x509: certificate signed by unknown authority"
    );
    assert!(!err.is_retryable());
    get(&server, Tls { ca: Some(authority.pem()), ..Tls::default() }).await.unwrap();
    get(&server, Tls { insecure_skip_verify: true, ..Tls::default() }).await.unwrap();
}

/// Tells the second half of the test below where the server is. What the system trusts comes from the environment, which
/// a process can only give to another one.
const PORT: &str = "MILLRACE_TEST_TLS_PORT";

#[tokio::test]
async fn a_given_authority_stands_for_itself_or_adds_to_the_systems() {
    let authority = Authority::new();
    let server = authority.serve(false).await;
    let bundle = std::env::temp_dir().join(format!("millrace-net-{}.pem", std::process::id()));
    std::fs::write(&bundle, authority.pem()).unwrap();
    let mut child = tokio::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "tls::where_the_system_trusts_the_server", "--nocapture"]);
    child.env("SSL_CERT_FILE", &bundle).env(PORT, server.port.to_string());
    let output = child.output().await.unwrap();
    std::fs::remove_file(&bundle).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the environment is how one half of a test talks to the other")]
async fn where_the_system_trusts_the_server() {
    let Ok(port) = std::env::var(PORT) else { return };
    install_crypto_provider();
    let url: url::Url = format!("https://localhost:{port}/").parse().unwrap();
    let other = Authority::new();
    let rows = [
        ("no authority", Tls::default(), true),
        ("only another", Tls { ca: Some(other.pem()), ..Tls::default() }, false),
        ("another, too", Tls { ca: Some(other.pem()), trust: Trust::Additional, ..Tls::default() }, true),
    ];
    for (what, tls, trusted) in rows {
        let options = Options { tls, proxy: Proxy::Direct, ..Options::default() };
        let client = HttpClient::new(&options).unwrap();
        let answer = client.send(client.request(Method::GET, url.clone())).await;
        assert_eq!(answer.is_ok(), trusted, "{what}");
    }
}

#[tokio::test]
async fn a_client_certificate_is_shown_to_a_server_that_asks() {
    let authority = Authority::new();
    let server = authority.serve(true).await;
    let ca = Some(authority.pem());
    let err = get(&server, Tls { ca: ca.clone(), ..Tls::default() }).await.unwrap_err();
    assert_eq!(err.to_string(), "remote error: tls: certificate required");
    let (certificate, key) = authority.issue("client");
    let identity = Identity {
        certificate: certificate.pem().into_bytes(),
        key: key.serialize_pem().into_bytes().into(),
    };
    get(&server, Tls { ca, identity: Some(identity), ..Tls::default() }).await.unwrap();
}

#[test]
fn settings_that_do_not_parse_are_told_apart() {
    install_crypto_provider();
    let ca = Tls { ca: Some(b"no certificate".to_vec()), ..Tls::default() };
    let identity = Identity { certificate: b"no".to_vec(), key: b"no".to_vec().into() };
    let pair = Tls { identity: Some(identity), ..Tls::default() };
    for (tls, text) in
        [(ca, "failed to parse CA certificate"), (pair, "failed to parse TLS certificate and key")]
    {
        let Err(err) = HttpClient::new(&Options { tls, ..Options::default() }) else {
            panic!("{text}");
        };
        assert_eq!(err.to_string(), text);
    }
}
