//! A file on a web server.

use std::time::Duration;

use http::Method;
use millrace_kustomize::remote::{FileFailure, Repository};
use millrace_net::{HttpClient, HttpError, RedactedUrl};
use tokio::time::{Instant, timeout, timeout_at};

/// How long a server may say nothing.
const SILENCE: Duration = Duration::from_secs(30);
/// What Go says when time is over.
const LATE: &str = "context deadline exceeded";

/// Fetches up to `longest` bytes until `deadline`.
pub(super) async fn fetch(
    client: &HttpClient,
    address: &str,
    longest: usize,
    deadline: Instant,
) -> Result<Vec<u8>, FileFailure> {
    let shown = RedactedUrl::new(address);
    let unreached = |error: String| FileFailure::Unreached(format!("Get \"{shown}\": {error}"));
    let url = address.parse().map_err(|error: url::ParseError| unreached(error.to_string()))?;
    // Of a repository, the address says how long to wait.
    let silence = Repository::parse(address).map_or(SILENCE, |repository| repository.timeout.min(SILENCE));
    let fetched = timeout_at(deadline, content(client, url, longest, silence)).await;
    match fetched.unwrap_or_else(|_| Err(Failure::Silent)) {
        Ok(content) => Ok(content),
        Err(Failure::Status(code, name)) => Err(FileFailure::Status { code, name }),
        Err(Failure::Silent) => Err(unreached(LATE.to_owned())),
        Err(Failure::Http(error)) => Err(unreached(error.to_string())),
    }
}

enum Failure {
    Status(u16, String),
    Silent,
    Http(HttpError),
}

async fn content(
    client: &HttpClient,
    url: url::Url,
    longest: usize,
    silence: Duration,
) -> Result<Vec<u8>, Failure> {
    let sent = timeout(silence, client.send(client.request(Method::GET, url))).await;
    let mut response = sent.map_err(|_| Failure::Silent)?.map_err(Failure::Http)?;
    let status = response.status();
    if !status.is_success() {
        let name = status.canonical_reason().unwrap_or_default().to_owned();
        return Err(Failure::Status(status.as_u16(), name));
    }
    let mut content = Vec::new();
    while let Some(chunk) =
        timeout(silence, response.chunk()).await.map_err(|_| Failure::Silent)?.map_err(Failure::Http)?
    {
        if content.len() + chunk.len() > longest {
            return Err(Failure::Http(HttpError::BodyTooLarge { limit: longest }));
        }
        content.extend_from_slice(&chunk);
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use millrace_net::{Options, Proxy};

    use super::*;

    /// Answers every request so; without an answer, not at all.
    fn server(answer: Option<&'static str>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://me:geheim@{}/a.yaml", listener.local_addr().expect("bound"));
        std::thread::spawn(move || {
            let mut kept = Vec::new();
            for mut stream in listener.incoming().filter_map(Result::ok) {
                if let Some(answer) = answer {
                    let _ = stream.read(&mut [0; 4096]);
                    let _ = stream.write_all(answer.as_bytes());
                } else {
                    kept.push(stream);
                }
            }
        });
        address
    }

    async fn fetched(address: &str, longest: usize, time: Duration) -> Result<Vec<u8>, FileFailure> {
        millrace_net::install_crypto_provider();
        let client =
            HttpClient::new(&Options { proxy: Proxy::Direct, ..Options::default() }).expect("a client");
        fetch(&client, address, longest, Instant::now() + time).await
    }

    #[tokio::test]
    async fn a_file_is_taken_up_to_the_limit_whether_its_length_is_told_or_not() {
        let whole = Duration::from_secs(20);
        for answer in [
            "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\n12345",
            "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n12345",
        ] {
            let address = server(Some(answer));
            assert_eq!(fetched(&address, 5, whole).await, Ok(b"12345".to_vec()));
            let host = address.rsplit_once('@').expect("a login").1;
            let text = format!("Get \"http://***@{host}\": response body exceeds 4 bytes");
            assert_eq!(fetched(&address, 4, whole).await, Err(FileFailure::Unreached(text)));
        }
    }

    #[tokio::test]
    async fn a_server_that_says_nothing_is_waited_for_as_long_as_the_run_has_time() {
        let Err(FileFailure::Unreached(text)) = fetched(&server(None), 5, Duration::from_millis(50)).await
        else {
            panic!("it was reached")
        };
        assert!(
            text.starts_with("Get \"http://***@") && text.ends_with(": context deadline exceeded"),
            "{text}"
        );
    }
}
