//! A lease that can't be renewed ends the program, against an API server that knows leases and nothing else.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// The requests so far, as method and path.
type Log = Arc<Mutex<Vec<String>>>;

/// Serves one connection: a lease can be created and renewed once; everything else is not there.
fn serve(stream: TcpStream, log: &Log) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut writer = stream;
    loop {
        let (mut request, mut length) = (String::new(), 0);
        if reader.read_line(&mut request)? == 0 {
            return Ok(());
        }
        loop {
            let mut header = String::new();
            reader.read_line(&mut header)?;
            let header = header.trim_end().to_ascii_lowercase();
            if header.is_empty() {
                break;
            }
            if let Some(value) = header.strip_prefix("content-length: ") {
                length = value.parse().expect("a length");
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let line = request.rsplit_once(' ').expect("a request line").0.to_owned();
        let (status, answer) = answer(&line, &body, &log.lock().expect("lock"));
        let head = request.starts_with("HEAD");
        log.lock().expect("lock").push(line);
        let text = if head { String::new() } else { answer.to_string() };
        write!(
            writer,
            "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{text}",
            text.len()
        )?;
    }
}

fn answer(line: &str, body: &[u8], log: &[String]) -> (u16, Value) {
    let failure = |code: u16, reason: &str| {
        let status = json!({ "kind": "Status", "status": "Failure", "reason": reason, "message": reason, "code": code });
        (code, status)
    };
    let stored = |version: &str| {
        let mut lease: Value = serde_json::from_slice(body).expect("JSON");
        lease["metadata"]["resourceVersion"] = version.into();
        (200, lease)
    };
    let before = |method: &str| log.iter().any(|line| is_lease(line, method));
    match line.split(' ').next() {
        Some("GET") if is_lease(line, "GET") && !before("POST") => failure(404, "NotFound"),
        Some("POST") if is_lease(line, "POST") && !before("POST") => stored("1"),
        Some("PUT") if is_lease(line, "PUT") && !before("PUT") => stored("2"),
        Some(method) if is_lease(line, method) => failure(500, "InternalError"),
        _ => failure(404, "NotFound"),
    }
}

fn is_lease(line: &str, method: &str) -> bool {
    line.starts_with(method) && line.contains("/leases")
}

fn api_server() -> (String, Log) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let log = Log::default();
    let seen = Arc::clone(&log);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let log = Arc::clone(&seen);
            // The program closes connections when it likes.
            thread::spawn(move || drop(serve(stream, &log)));
        }
    });
    (address, log)
}

/// Contract: source-controller §6.4, kustomize-controller §8.4.
#[test]
fn a_lost_lease_ends_the_process_with_upstreams_words_and_status_1() {
    if cfg!(not(feature = "notification")) {
        return;
    }
    let (address, log) = api_server();
    let kubeconfig = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lost-lease.kubeconfig");
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "c",
        "contexts": [{ "name": "c", "context": { "cluster": "k", "user": "u" } }],
        "clusters": [{ "name": "k", "cluster": { "server": format!("http://{address}") } }],
        "users": [{ "name": "u", "user": { "token": "t" } }],
    });
    std::fs::write(&kubeconfig, config.to_string()).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_millrace"))
        .args(["notification-controller", "--enable-leader-election", "--metrics-addr=0", "--health-addr=0"])
        .args(["--events-addr=127.0.0.1:0", "--receiverAddr=127.0.0.1:0"])
        .args(["--leader-election-lease-duration=3s", "--leader-election-renew-deadline=2s"])
        .arg("--leader-election-retry-period=500ms")
        .env_clear()
        .env("KUBECONFIG", &kubeconfig)
        .env("RUNTIME_NAMESPACE", "flux-system")
        .stdin(Stdio::null())
        .output()
        .expect("the program runs");
    let errors = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(1), "{errors}");
    let last: Value = serde_json::from_str(errors.lines().last().expect("a line")).expect("JSON");
    assert_eq!(
        (&last["msg"], &last["error"]),
        (&"problem running manager".into(), &"leader election lost".into())
    );
    let renewals = log.lock().expect("lock").iter().filter(|line| is_lease(line, "PUT")).count();
    assert!(renewals >= 2, "it was renewed once and tried again: {renewals}");
}
