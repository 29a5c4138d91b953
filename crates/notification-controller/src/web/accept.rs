//! Accepts connections, patiently.

use std::{io, time::Duration};

const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// What Linux says of a listener that is none: a bad descriptor, one that doesn't listen, one that is no socket.
const BROKEN: [i32; 3] = [9, 22, 88];

/// Returns the next connection.
///
/// A host that is short of something, or whose network is, gets time to recover, twice as long with every failure: a loop
/// that tried again at once would keep a processor busy without helping anyone.
///
/// # Errors
///
/// If the listener is broken.
pub(super) async fn accept<T, F>(mut accept: impl FnMut() -> F) -> io::Result<T>
where
    F: Future<Output = io::Result<T>>,
{
    let mut pause = FIRST_PAUSE;
    loop {
        match accept().await {
            Ok(connection) => return Ok(connection),
            Err(error) if is_peers(&error) => {}
            Err(error) if is_broken(&error) => return Err(error),
            Err(error) => {
                tracing::error!(%error, "accepting a connection failed and will be tried again");
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

/// Whether the error is that of one connection, whose peer went away before it was accepted.
fn is_peers(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, HostUnreachable, Interrupted, NetworkDown};
    matches!(error.kind(), ConnectionAborted | ConnectionReset | HostUnreachable | Interrupted | NetworkDown)
}

fn is_broken(error: &io::Error) -> bool {
    error.raw_os_error().is_some_and(|code| BROKEN.contains(&code))
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use tokio::time::{Instant, timeout};

    use super::*;

    const EMFILE: i32 = 24;
    const EPERM: i32 = 1;
    const EINVAL: i32 = 22;

    #[tokio::test(start_paused = true)]
    async fn a_host_short_of_files_is_asked_less_and_less() {
        let mut attempts = 0;
        let never = accept(|| {
            attempts += 1;
            ready(Err::<(), _>(io::Error::from_raw_os_error(EMFILE)))
        });
        assert!(timeout(Duration::from_mins(1), never).await.is_err());
        assert!((60..80).contains(&attempts), "{attempts} attempts in a minute");
    }

    #[tokio::test(start_paused = true)]
    async fn accepting_goes_on_once_there_are_files_again() {
        let began = Instant::now();
        let mut answers = [Err(EMFILE), Err(EPERM), Ok("connection")].into_iter();
        let accepted = accept(|| {
            ready(answers.next().expect("asked once too often").map_err(io::Error::from_raw_os_error))
        });
        assert_eq!(accepted.await.unwrap(), "connection");
        assert_eq!(began.elapsed(), FIRST_PAUSE * 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_went_away_costs_no_pause_and_a_broken_listener_is_told() {
        let began = Instant::now();
        let broken = io::Error::from_raw_os_error(EINVAL);
        let mut answers = [Err(io::ErrorKind::ConnectionAborted.into()), Ok(()), Err(broken)].into_iter();
        let mut next = || ready(answers.next().expect("asked once too often"));
        assert!(accept(&mut next).await.is_ok());
        assert_eq!(accept(&mut next).await.unwrap_err().kind(), io::ErrorKind::InvalidInput);
        assert_eq!(began.elapsed(), Duration::ZERO);
    }
}
