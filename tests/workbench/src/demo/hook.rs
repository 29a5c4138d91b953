//! The Git server's webhook: on every push it calls the Receiver, signed as GitHub signs.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// What the Receiver knows the Git server by.
pub(super) const TOKEN: &str = "first-light";

const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Watches a repository and tells the Receiver. It ends with the last reference to it.
pub(super) struct Hook {
    /// Commit and answer of each call.
    calls: Mutex<Vec<(String, u16)>>,
}

impl Hook {
    /// Starts to watch the branch `main` of a bare repository: what is pushed after this returns is told.
    pub(super) fn start(repository: &Path, url: String) -> Result<Arc<Self>> {
        let hook = Arc::new(Self { calls: Mutex::new(Vec::new()) });
        let watched = Arc::downgrade(&hook);
        let branch = repository.join("refs/heads/main");
        let mut known = std::fs::read_to_string(&branch).unwrap_or_default();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        std::thread::Builder::new().name("webhook".to_owned()).spawn(move || {
            runtime.block_on(async {
                let Ok(client) = reqwest::Client::builder().no_proxy().build() else { return };
                while let Some(hook) = watched.upgrade() {
                    let head = std::fs::read_to_string(&branch).unwrap_or_default();
                    if !head.is_empty() && head != known {
                        let status = call(&client, &url, head.trim()).await.unwrap_or_default();
                        hook.calls
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .push((head.trim().to_owned(), status));
                        known = head;
                    }
                    drop(hook);
                    tokio::time::sleep(LOOK_EVERY).await;
                }
            });
        })?;
        Ok(hook)
    }

    /// The Receiver's answer to the call for a commit, once it is there; 0 if nobody answered.
    pub(super) fn answer(&self, commit: &str) -> Option<u16> {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.iter().find(|(called, _)| called == commit).map(|(_, status)| *status)
    }
}

async fn call(client: &reqwest::Client, url: &str, commit: &str) -> Result<u16> {
    let body = serde_json::json!({"ref": "refs/heads/main", "after": commit}).to_string();
    let mut mac = Hmac::<Sha256>::new_from_slice(TOKEN.as_bytes())?;
    mac.update(body.as_bytes());
    let signature: String =
        mac.finalize().into_bytes().iter().fold(String::from("sha256="), |mut text, byte| {
            use std::fmt::Write as _;
            let _ = write!(text, "{byte:02x}");
            text
        });
    let request =
        client.post(url).header("Content-Type", "application/json").header("X-GitHub-Event", "push");
    let answer = request.header("X-Hub-Signature-256", signature).body(body).send().await?;
    Ok(answer.status().as_u16())
}

#[cfg(test)]
mod tests {
    use millrace_harness::until;

    use super::*;

    #[tokio::test]
    async fn a_push_right_after_the_start_is_told() -> Result<()> {
        let repository = tempfile::tempdir()?;
        let heads = repository.path().join("refs/heads");
        std::fs::create_dir_all(&heads)?;
        std::fs::write(heads.join("main"), "old\n")?;

        let hook = Hook::start(repository.path(), "http://127.0.0.1:0/nobody".to_owned())?;
        std::fs::write(heads.join("main.lock"), "new\n")?;
        std::fs::rename(heads.join("main.lock"), heads.join("main"))?;

        let told =
            until("the call of the push", Duration::from_secs(10), async || hook.answer("new")).await?;
        assert_eq!(told, 0, "nobody listens");
        Ok(())
    }
}
