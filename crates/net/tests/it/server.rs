//! A server that answers from a table and remembers what it was asked.

use std::sync::{Arc, Mutex};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::TcpListener,
};

/// Every request head that was received, in order.
pub(crate) type Seen = Arc<Mutex<Vec<String>>>;

/// A server on loopback; it ends with the test's runtime.
pub(crate) struct Server {
    pub(crate) port: u16,
    pub(crate) seen: Seen,
}

impl Server {
    /// Answers each request with what `answer` returns for its head.
    pub(crate) async fn start(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::start_with(None, answer).await
    }

    pub(crate) async fn start_with(
        tls: Option<tokio_rustls::TlsAcceptor>,
        answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Seen::default();
        let answer = Arc::new(answer);
        let log = Arc::clone(&seen);
        spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let (tls, answer, log) = (tls.clone(), Arc::clone(&answer), Arc::clone(&log));
                spawn(async move {
                    match tls {
                        None => serve(socket, &*answer, &log).await,
                        Some(tls) => {
                            if let Ok(socket) = tls.accept(socket).await {
                                serve(socket, &*answer, &log).await;
                            }
                        }
                    }
                });
            }
        });
        Self { port, seen }
    }

    pub(crate) fn url(&self, path: &str) -> url::Url {
        format!("http://127.0.0.1:{}{path}", self.port).parse().unwrap()
    }

    pub(crate) fn heads(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

#[expect(clippy::disallowed_methods, reason = "the server's tasks end with the test's runtime")]
fn spawn(task: impl Future<Output = ()> + Send + 'static) {
    tokio::spawn(task);
}

async fn serve(
    mut socket: impl AsyncRead + AsyncWrite + Unpin,
    answer: &(dyn Fn(&str) -> Vec<u8> + Send + Sync),
    log: &Seen,
) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match socket.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let head = String::from_utf8(head).unwrap().to_lowercase();
    let response = answer(&head);
    log.lock().unwrap().push(head);
    socket.write_all(&response).await.ok();
    socket.shutdown().await.ok();
}

/// A complete answer that closes the connection.
pub(crate) fn respond(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
        .into_bytes()
}
