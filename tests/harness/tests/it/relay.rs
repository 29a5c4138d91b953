//! The relay passes everything on, in order, and late when it is told to.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use millrace_harness::Relay;

const LATE: Duration = Duration::from_millis(200);
/// What fills every buffer on the way, and then some.
const MUCH: usize = 16 << 20;

/// Serves one connection: everything comes back as it came.
fn echo() -> (u16, JoinHandle<()>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let serving = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        std::io::copy(&mut stream.try_clone().unwrap(), &mut stream).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
    });
    (port, serving)
}

/// Sends a message, waits for it to come back, and returns how long that took.
fn round(stream: &mut TcpStream, message: &[u8]) -> Duration {
    let began = Instant::now();
    stream.write_all(message).unwrap();
    let mut back = vec![0; message.len()];
    stream.read_exact(&mut back).unwrap();
    assert_eq!(back, message);
    began.elapsed()
}

#[test]
fn messages_are_late_both_ways_for_as_long_as_it_is_told() {
    let (port, serving) = echo();
    let relay = Relay::start(port).unwrap();
    let mut stream = TcpStream::connect(("127.0.0.1", relay.port())).unwrap();
    assert!(round(&mut stream, b"on time") < LATE);
    relay.delay(LATE);
    assert!(round(&mut stream, b"late") >= 2 * LATE);
    relay.delay(Duration::ZERO);
    assert!(round(&mut stream, b"on time again") < LATE);
    stream.shutdown(Shutdown::Write).unwrap();
    assert_eq!(stream.read(&mut [0; 1]).unwrap(), 0, "the end passes, too");
    serving.join().unwrap();
}

#[test]
fn much_at_once_arrives_whole_and_in_order() {
    let (port, serving) = echo();
    let relay = Relay::start(port).unwrap();
    relay.delay(Duration::from_millis(1));
    let mut stream = TcpStream::connect(("127.0.0.1", relay.port())).unwrap();
    let much: Vec<u8> = (0..MUCH).map(|at| u8::try_from(at * 31 % 251).unwrap()).collect();
    let sending = thread::spawn({
        let (mut stream, much) = (stream.try_clone().unwrap(), much.clone());
        move || {
            stream.write_all(&much).unwrap();
            stream.shutdown(Shutdown::Write).unwrap();
        }
    });
    let mut back = Vec::new();
    stream.read_to_end(&mut back).unwrap();
    assert!(back == much, "{} of {MUCH} bytes came back", back.len());
    sending.join().unwrap();
    serving.join().unwrap();
}

#[test]
fn a_server_that_is_not_there_ends_the_connection() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let relay = Relay::start(port).unwrap();
    let mut stream = TcpStream::connect(("127.0.0.1", relay.port())).unwrap();
    assert_eq!(stream.read(&mut [0; 1]).unwrap_or(0), 0);
}
