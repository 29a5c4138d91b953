//! A relay in front of a server: passes bytes on as they are, and as late as it is told to.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use crate::background::Background;
use crate::{Result, ports};

/// What is read at once, and how many of these are on their way at most: one more waits in the sender's own buffers.
const MESSAGE: usize = 64 << 10;
const UNDER_WAY: usize = 64;

/// A running relay to a port of this machine. Connections end with it.
#[derive(Debug)]
pub struct Relay {
    port: u16,
    late: Late,
    _background: Background,
}

impl Relay {
    /// Starts a relay to a loopback port; nothing is late yet.
    pub fn start(target: u16) -> Result<Self> {
        let (port, late) = (ports::take()?, Late::default());
        let told = late.clone();
        let serve = move |listener| accept(listener, target, told);
        Ok(Self { port, late, _background: Background::start("relay", port, serve)? })
    }

    /// Where it listens.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// From now on every message arrives this much later, whichever way it goes. Messages do not wait for each other: the
    /// other side is far away, or slow to answer, but not narrow.
    pub fn delay(&self, delay: Duration) {
        self.late.0.store(u64::try_from(delay.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

/// How late messages are, in milliseconds.
#[derive(Clone, Debug, Default)]
struct Late(Arc<AtomicU64>);

impl Late {
    /// When a message arrives that is sent now.
    fn due(&self) -> Instant {
        Instant::now() + Duration::from_millis(self.0.load(Ordering::Relaxed))
    }
}

async fn accept(listener: TcpListener, target: u16, late: Late) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            Ok((client, _)) = listener.accept() => {
                connections.spawn(relay(client, target, late.clone()));
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Serves a client until both sides are done, or one is gone.
async fn relay(client: TcpStream, target: u16, late: Late) {
    let Ok(server) = TcpStream::connect(("127.0.0.1", target)).await else { return };
    for stream in [&client, &server] {
        // Small messages must not wait for more.
        let _ = stream.set_nodelay(true);
    }
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::join!(pass(from_client, to_server, &late), pass(from_server, to_client, &late));
}

/// Passes one direction on until its sender is done.
async fn pass(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, late: &Late) {
    let (sender, mut under_way) = mpsc::channel::<(Instant, Bytes)>(UNDER_WAY);
    let take = async move {
        let mut buffer = vec![0; MESSAGE];
        while let Ok(length @ 1..) = from.read(&mut buffer).await {
            let message = Bytes::copy_from_slice(&buffer[..length]);
            if sender.send((late.due(), message)).await.is_err() {
                break;
            }
        }
    };
    let hand_over = async move {
        while let Some((due, message)) = under_way.recv().await {
            sleep_until(due).await;
            if to.write_all(&message).await.is_err() {
                return;
            }
        }
        // A receiver that is gone needs no end.
        let _ = to.shutdown().await;
    };
    tokio::join!(take, hand_over);
}
