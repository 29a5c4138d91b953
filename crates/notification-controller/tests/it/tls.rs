//! A certificate authority, what it has signed, and a server that shows it.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use rcgen::{BasicConstraints, Certificate, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::{
    RootCertStore, ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, pem::PemObject as _},
    server::WebPkiClientVerifier,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};
use tokio_rustls::TlsAcceptor;

/// A certificate authority, and a client's certificate of it.
pub(crate) struct Authority {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
    client: (String, String),
}

impl Authority {
    pub(crate) fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).unwrap().pem();
        let issuer = Issuer::new(params, key);
        let (certificate, key) = sign(&issuer, "client");
        Self { pem, issuer, client: (certificate.pem(), key.serialize_pem()) }
    }

    /// Its own certificate, as PEM.
    pub(crate) fn certificate(&self) -> &str {
        &self.pem
    }

    /// The client's certificate and key, as PEM.
    pub(crate) fn client(&self) -> (&str, &str) {
        (&self.client.0, &self.client.1)
    }

    fn server(&self, demand: bool) -> ServerConfig {
        let (certificate, key) = sign(&self.issuer, "127.0.0.1");
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let builder = ServerConfig::builder();
        let builder = if demand {
            let mut roots = RootCertStore::empty();
            roots.add(CertificateDer::from_pem_slice(self.pem.as_bytes()).unwrap()).unwrap();
            builder.with_client_cert_verifier(WebPkiClientVerifier::builder(Arc::new(roots)).build().unwrap())
        } else {
            builder.with_no_client_auth()
        };
        builder.with_single_cert(vec![certificate.der().clone()], key).unwrap()
    }
}

fn sign(issuer: &Issuer<'static, KeyPair>, name: &str) -> (Certificate, KeyPair) {
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    (params.signed_by(&key, issuer).unwrap(), key)
}

/// A TLS server on a loopback port that says yes.
pub(crate) struct TlsServer {
    address: SocketAddr,
    served: Arc<AtomicUsize>,
}

impl TlsServer {
    /// Starts it; with `demand`, it serves only clients of the authority.
    pub(crate) async fn start(authority: &Authority, demand: bool) -> Self {
        millrace_net::install_crypto_provider();
        let acceptor = TlsAcceptor::from(Arc::new(authority.server(demand)));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let served = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&served);
        let serving = async move {
            while let Ok((stream, _)) = listener.accept().await {
                let Ok(mut stream) = acceptor.accept(stream).await else { continue };
                let mut buffer = [0; 4096];
                let read = stream.read(&mut buffer).await.unwrap_or_default();
                count.fetch_add(usize::from(read > 0), Ordering::Relaxed);
                let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
                let _ = stream.write_all(answer).await;
                let _ = stream.shutdown().await;
            }
        };
        #[expect(clippy::disallowed_methods, reason = "the server lives as long as the test's runtime")]
        tokio::spawn(serving);
        Self { address, served }
    }

    pub(crate) fn url(&self) -> String {
        format!("https://{}", self.address)
    }

    /// How many requests it has answered.
    pub(crate) fn served(&self) -> usize {
        self.served.load(Ordering::Relaxed)
    }
}
