//! A connection whose peer can't hold it for nothing.
//!
//! Reading and writing fail when the peer is too slow, and a close waits a moment for a peer that is still sending: a
//! reset in the middle of its request would take the answer away from it.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep_until},
};

use super::pace::Pace;

/// How much of what a refused peer still sends is thrown away before it is cut off.
const MAX_IGNORED_BYTES: usize = 8 * 1024 * 1024;

/// A stream with the time limits of a [`Pace`].
pub(super) struct Paced<S> {
    inner: S,
    pace: Pace,
    reading: Pin<Box<Sleep>>,
    writing: Option<Pin<Box<Sleep>>>,
    goodbye: Option<Goodbye>,
}

/// The end of a connection, from our side.
struct Goodbye {
    until: Pin<Box<Sleep>>,
    ignored_bytes: usize,
}

impl<S> Paced<S> {
    pub(super) fn new(inner: S, pace: Pace) -> Self {
        let reading = Box::pin(sleep_until(pace.deadline().unwrap_or_else(Instant::now)));
        Self { inner, pace, reading, writing: None, goodbye: None }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        if let Poll::Ready(read) = Pin::new(&mut this.inner).poll_read(cx, buf) {
            if buf.filled().len() > before {
                this.pace.received();
            }
            return Poll::Ready(read);
        }
        let Some(deadline) = this.pace.deadline() else { return Poll::Pending };
        if this.reading.deadline() != deadline {
            this.reading.as_mut().reset(deadline);
        }
        ready!(this.reading.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        match Pin::new(&mut this.inner).poll_write(cx, buf) {
            Poll::Ready(written) => this.taken(written),
            Poll::Pending => this.poll_not_taken(cx),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        match Pin::new(&mut this.inner).poll_write_vectored(cx, bufs) {
            Poll::Ready(written) => this.taken(written),
            Poll::Pending => this.poll_not_taken(cx),
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().inner).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let goodbye = match &mut this.goodbye {
            Some(goodbye) => goodbye,
            unsaid => {
                ready!(Pin::new(&mut this.inner).poll_shutdown(cx))?;
                if this.pace.is_idle() {
                    return Poll::Ready(Ok(()));
                }
                let until = Box::pin(sleep_until(Instant::now() + this.pace.patience().goodbye));
                unsaid.insert(Goodbye { until, ignored_bytes: 0 })
            }
        };
        let mut scratch = [0; 8192];
        while goodbye.ignored_bytes < MAX_IGNORED_BYTES {
            let mut buf = ReadBuf::new(&mut scratch);
            match Pin::new(&mut this.inner).poll_read(cx, &mut buf) {
                Poll::Ready(Ok(())) if !buf.filled().is_empty() => {
                    goodbye.ignored_bytes += buf.filled().len();
                }
                Poll::Ready(_) => break,
                Poll::Pending => {
                    ready!(goodbye.until.as_mut().poll(cx));
                    break;
                }
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<S> Paced<S> {
    fn taken(&mut self, written: io::Result<usize>) -> Poll<io::Result<usize>> {
        self.writing = None;
        Poll::Ready(written)
    }

    /// Fails once the peer has taken nothing for too long.
    fn poll_not_taken(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let taking = self.pace.patience().taking;
        let timer = self.writing.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + taking)));
        ready!(timer.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}
