//! One request and its answer, as blocking readers and writers.

use std::{
    io::{self, BufRead, Cursor, Read, Write},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use bytes::{Buf as _, Bytes};
use millrace_net::Response;
use tokio::runtime::Handle;

use crate::{error::TransportError, http::Connection};

/// The most that a request may carry; what we have in common with a server takes far less.
const MAX_REQUEST_BYTES: usize = 16 * 1024 * 1024;

/// How soon an interrupt ends a wait.
const INTERRUPT_POLL: Duration = Duration::from_millis(50);

/// Runs network operations on the runtime, within the time that is left.
#[derive(Clone)]
pub(crate) struct Runner {
    pub(crate) runtime: Handle,
    pub(crate) deadline: Instant,
    pub(crate) interrupt: Arc<AtomicBool>,
}

impl Runner {
    /// Waits for `operation`, an interrupt or the deadline.
    pub(crate) fn run<T>(
        &self,
        operation: impl Future<Output = Result<T, TransportError>>,
    ) -> Result<T, TransportError> {
        self.check()?;
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                result = operation => result,
                () = self.interrupted() => Err(TransportError::Interrupted),
                () = tokio::time::sleep_until(self.deadline.into()) => Err(TransportError::DeadlineExceeded),
            }
        })
    }

    /// Says whether there is time left, between two steps that can't be interrupted.
    pub(crate) fn check(&self) -> Result<(), TransportError> {
        if self.interrupt.load(Ordering::Relaxed) {
            Err(TransportError::Interrupted)
        } else if Instant::now() >= self.deadline {
            Err(TransportError::DeadlineExceeded)
        } else {
            Ok(())
        }
    }

    async fn interrupted(&self) {
        while !self.interrupt.load(Ordering::Relaxed) {
            tokio::time::sleep(INTERRUPT_POLL).await;
        }
    }
}

/// A POST that is sent when its answer is first looked at.
pub(crate) struct Exchange(Mutex<State>);

struct State {
    connection: Connection,
    progress: Progress,
}

enum Progress {
    Collecting { url: String, headers: Vec<String>, body: Vec<u8> },
    Answering(Response),
    Over,
}

impl Exchange {
    /// Collects the body of a request.
    pub(crate) fn collecting(connection: Connection, url: String, headers: Vec<String>) -> Arc<Self> {
        Self::with(connection, Progress::Collecting { url, headers, body: Vec::new() })
    }

    /// Reads an answer that is there already.
    pub(crate) fn answering(connection: Connection, response: Response) -> Arc<Self> {
        Self::with(connection, Progress::Answering(response))
    }

    fn with(connection: Connection, progress: Progress) -> Arc<Self> {
        Arc::new(Self(Mutex::new(State { connection, progress })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The answer, after sending the request if that hasn't happened.
    fn answer(&mut self) -> io::Result<Option<&mut Response>> {
        if let Progress::Collecting { .. } = &self.progress {
            let Progress::Collecting { url, headers, body } =
                std::mem::replace(&mut self.progress, Progress::Over)
            else {
                return Ok(None);
            };
            let response =
                self.connection.post(&url, &headers, body).map_err(|err| self.connection.fail(err))?;
            self.progress = Progress::Answering(response);
        }
        match &mut self.progress {
            Progress::Answering(response) => Ok(Some(response)),
            _ => Ok(None),
        }
    }

    fn next_chunk(&mut self) -> io::Result<Bytes> {
        let connection = self.connection.clone();
        let Some(response) = self.answer()? else { return Ok(Bytes::new()) };
        match connection.chunk(response) {
            Ok(Some(chunk)) => Ok(chunk),
            Ok(None) => {
                self.progress = Progress::Over;
                Ok(Bytes::new())
            }
            Err(err) => {
                self.progress = Progress::Over;
                Err(connection.fail(err))
            }
        }
    }
}

/// Takes the body of a request.
pub(crate) struct RequestBody(pub(crate) Arc<Exchange>);

impl Write for RequestBody {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match &mut self.0.state().progress {
            Progress::Collecting { body, .. } if body.len() + buf.len() <= MAX_REQUEST_BYTES => {
                body.extend_from_slice(buf);
                Ok(buf.len())
            }
            Progress::Collecting { .. } => Err(io::ErrorKind::FileTooLarge.into()),
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The headers of an answer, a line each.
pub(crate) struct Headers {
    exchange: Arc<Exchange>,
    lines: Option<Cursor<Vec<u8>>>,
}

impl Headers {
    pub(crate) fn of(exchange: &Arc<Exchange>) -> Self {
        Self { exchange: Arc::clone(exchange), lines: None }
    }

    fn lines(&mut self) -> io::Result<&mut Cursor<Vec<u8>>> {
        if self.lines.is_none() {
            let mut lines = Vec::new();
            if let Some(response) = self.exchange.state().answer()? {
                for (name, value) in response.headers() {
                    lines.extend_from_slice(name.as_str().as_bytes());
                    lines.extend_from_slice(b": ");
                    lines.extend_from_slice(value.as_bytes());
                    lines.push(b'\n');
                }
            }
            self.lines = Some(Cursor::new(lines));
        }
        Ok(self.lines.get_or_insert_default())
    }
}

impl Read for Headers {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.lines()?.read(buf)
    }
}

impl BufRead for Headers {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.lines()?.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        if let Some(lines) = &mut self.lines {
            lines.consume(amount);
        }
    }
}

/// The body of an answer.
pub(crate) struct Body {
    exchange: Arc<Exchange>,
    chunk: Bytes,
}

impl Body {
    pub(crate) fn of(exchange: Arc<Exchange>) -> Self {
        Self { exchange, chunk: Bytes::new() }
    }
}

impl Read for Body {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let count = available.len().min(buf.len());
        buf[..count].copy_from_slice(&available[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Body {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.chunk.is_empty() {
            self.chunk = self.exchange.state().next_chunk()?;
        }
        Ok(&self.chunk)
    }

    fn consume(&mut self, amount: usize) {
        self.chunk.advance(amount);
    }
}
