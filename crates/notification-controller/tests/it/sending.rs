//! Messages on their way: retries, deadlines, redirects, TLS.

use std::{sync::Arc, time::Duration};

use http::Method;
use millrace_net::{Identity, Options, Secret, Tls};
use millrace_notification_controller::{
    dispatch::Sender,
    providers::{Message, Options as ProviderOptions, find},
};
use millrace_reconcile::clock::SystemClock;

use crate::{
    server::{Reply, Server},
    tls::{Authority, TlsServer},
};

fn message(address: &str) -> Message {
    let options = ProviderOptions { address: address.to_owned(), ..ProviderOptions::default() };
    let event = millrace_notification_controller::event::Event::decode(b"{}").unwrap();
    (find("generic").unwrap().build)(&options, &event).ok().unwrap()
}

async fn send(address: &str, transport: &Options, timeout: Duration) -> Result<(), String> {
    millrace_net::install_crypto_provider();
    let sender = Sender::new(Arc::new(SystemClock), Arc::default());
    sender.send(&message(address), transport, timeout).await.map_err(|error| error.to_string())
}

const LONG: Duration = Duration::from_secs(15);

fn gaps(server: &Server) -> Vec<f64> {
    let recorded = server.recorded();
    recorded.windows(2).map(|pair| pair[1].at.duration_since(pair[0].at).as_secs_f64()).collect()
}

/// NC-052
#[tokio::test(start_paused = true)]
async fn a_failing_server_is_asked_again_after_two_seconds() {
    let server = Server::start(vec![Reply { times: 1, ..Reply::status(500, "") }]).await;
    assert_eq!(send(&server.url(), &Options::default(), LONG).await, Ok(()));
    let gaps = gaps(&server);
    assert!(gaps.len() == 1 && (1.9..3.5).contains(&gaps[0]), "{gaps:?}");
}

/// NC-054
#[tokio::test(start_paused = true)]
async fn a_server_may_say_when_to_come_back() {
    let headers = vec![("retry-after".to_owned(), "1".to_owned())];
    let server = Server::start(vec![Reply { times: 1, headers, ..Reply::status(429, "") }]).await;
    assert_eq!(send(&server.url(), &Options::default(), LONG).await, Ok(()));
    let gaps = gaps(&server);
    assert!(gaps.len() == 1 && (0.9..1.9).contains(&gaps[0]), "{gaps:?}");
}

/// NC-055
#[tokio::test(start_paused = true)]
async fn a_busy_server_is_asked_four_times_in_fifteen_seconds() {
    let server = Server::start(vec![Reply::status(503, "busy")]).await;
    let began = tokio::time::Instant::now();
    let error = send(&server.url(), &Options::default(), LONG).await;
    assert_eq!(
        error,
        Err("postMessage failed: failed to execute request: context deadline exceeded".to_owned())
    );
    let ended = began.elapsed().as_secs_f64();
    assert!((14.0..17.0).contains(&ended), "{ended}");
    let times: Vec<_> =
        server.recorded().iter().map(|request| request.at.duration_since(began).as_secs_f64()).collect();
    let expected = [0.0, 2.0, 6.0, 14.0];
    assert_eq!(times.len(), expected.len(), "{times:?}");
    assert!(times.iter().zip(expected).all(|(time, expected)| (time - expected).abs() < 1.0), "{times:?}");
}

/// NC-056
#[tokio::test(start_paused = true)]
async fn the_deadline_ends_attempts_and_waits() {
    let busy = Server::start(vec![Reply::status(503, "busy")]).await;
    let error = send(&busy.url(), &Options::default(), Duration::from_secs(1)).await;
    let waiting = "postMessage failed: failed to execute request: context deadline exceeded";
    assert_eq!(error, Err(waiting.to_owned()));
    assert_eq!(busy.recorded().len(), 1);
    let slow = Server::start(vec![Reply { delay: Duration::from_secs(9), ..Reply::default() }]).await;
    let error = send(&slow.url(), &Options::default(), Duration::from_secs(1)).await;
    let attempting = format!(
        "postMessage failed: failed to execute request: POST {} giving up after 1 attempt(s): context deadline exceeded",
        slow.url()
    );
    assert_eq!(error, Err(attempting));
}

/// NC-057
#[tokio::test(start_paused = true)]
async fn any_2xx_is_fine_and_redirects_are_followed() {
    for status in [204, 202] {
        let server = Server::start(vec![Reply::status(status, "")]).await;
        assert_eq!(send(&server.url(), &Options::default(), LONG).await, Ok(()), "{status}");
    }
    let headers = vec![("location".to_owned(), "/moved".to_owned())];
    let server =
        Server::start(vec![Reply { path: "/from".to_owned(), headers, ..Reply::status(301, "") }]).await;
    let address = format!("{}/from", server.url());
    assert_eq!(send(&address, &Options::default(), LONG).await, Ok(()));
    let second = &server.recorded()[1];
    assert_eq!(
        (second.method.as_str(), second.target.as_str(), second.body.len()),
        (Method::GET.as_str(), "/moved", 0)
    );
    assert_eq!(second.headers["referer"], address);
    assert!(!second.headers.contains_key("content-type"));
}

#[tokio::test(start_paused = true)]
async fn a_redirect_loop_ends() {
    let headers = vec![("location".to_owned(), "/".to_owned())];
    let server = Server::start(vec![Reply { headers, ..Reply::status(307, "") }]).await;
    let error = send(&server.url(), &Options::default(), LONG).await.unwrap_err();
    let end = format!("giving up after 1 attempt(s): Post \"{}\": stopped after 10 redirects", server.url());
    assert!(error.ends_with(&end), "{error}");
    assert_eq!(server.recorded().len(), 11);
}

#[tokio::test(start_paused = true)]
async fn a_long_refusal_is_cut() {
    let server = Server::start(vec![Reply::status(400, &"x".repeat(100_000))]).await;
    let error = send(&server.url(), &Options::default(), LONG).await.unwrap_err();
    assert!((1024..2048).contains(&error.len()), "{}", error.len());
}

#[tokio::test(start_paused = true)]
async fn what_can_not_be_dialled_is_tried_once() {
    for (address, cause) in
        [("/x", "unsupported protocol scheme \"\""), ("ftp://h", "unsupported protocol scheme \"ftp\"")]
    {
        let error = send(address, &Options::default(), LONG).await.unwrap_err();
        let text = format!(
            "postMessage failed: failed to execute request: POST {address} giving up after 1 attempt(s): Post \"{address}\": {cause}"
        );
        assert_eq!(error, text);
    }
}

/// NC-046, NC-047
#[tokio::test(start_paused = true)]
async fn a_private_authority_must_be_known() {
    let authority = Authority::new();
    let server = TlsServer::start(&authority, false).await;
    let address = server.url();
    let error = send(&address, &Options::default(), LONG).await.unwrap_err();
    assert!(error.contains("giving up after 1 attempt(s): Post "), "{error}");
    let tls = Tls { ca: Some(authority.certificate().into()), ..Tls::default() };
    let transport = Options { tls, ..Options::default() };
    assert_eq!(send(&address, &transport, LONG).await, Ok(()));
}

/// NC-048
#[tokio::test(start_paused = true)]
async fn a_client_certificate_is_shown_where_one_is_demanded() {
    let authority = Authority::new();
    let server = TlsServer::start(&authority, true).await;
    let address = server.url();
    let (certificate, key) = authority.client();
    let identity = Identity { certificate: certificate.into(), key: Secret::new(key.into()) };
    let ca = Some(authority.certificate().into());
    let tls = Tls { ca: ca.clone(), identity: Some(identity), ..Tls::default() };
    assert_eq!(send(&address, &Options { tls, ..Options::default() }, LONG).await, Ok(()));
    let anonymous = Options { tls: Tls { ca, ..Tls::default() }, ..Options::default() };
    assert!(send(&address, &anonymous, Duration::from_secs(3)).await.is_err());
}
