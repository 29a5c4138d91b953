//! A stream that can be frozen.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// A connection through which no byte passes any more once it is frozen, for good.
pub(super) struct Gate {
    stream: TcpStream,
    frozen: Arc<AtomicBool>,
}

impl Gate {
    pub(super) fn new(stream: TcpStream, frozen: Arc<AtomicBool>) -> Self {
        Self { stream, frozen }
    }

    /// Goes on unless the connection is frozen; nothing wakes the task then, since nothing can happen any more.
    fn pass<T>(
        &mut self,
        step: impl FnOnce(Pin<&mut TcpStream>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if self.frozen.load(Ordering::Acquire) { Poll::Pending } else { step(Pin::new(&mut self.stream)) }
    }
}

impl AsyncRead for Gate {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.pass(|stream| stream.poll_read(context, buffer))
    }
}

impl AsyncWrite for Gate {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.pass(|stream| stream.poll_write(context, bytes))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.pass(|stream| stream.poll_flush(context))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.pass(|stream| stream.poll_shutdown(context))
    }
}
