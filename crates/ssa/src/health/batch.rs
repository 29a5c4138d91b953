//! Jobs.

use jiff::Timestamp;
use millrace_yaml::Node;

use super::Health;
use super::fields::{HealthError, conditions, int, text};

/// The numbers of a Job's status.
struct Counts {
    parallelism: i64,
    completions: i64,
    active: i64,
    succeeded: i64,
    failed: i64,
}

impl Counts {
    fn of(job: &Node) -> Self {
        let parallelism = int(job, &["spec", "parallelism"], 1);
        Self {
            parallelism,
            completions: int(job, &["spec", "completions"], parallelism),
            active: int(job, &["status", "active"], 0),
            succeeded: int(job, &["status", "succeeded"], 0),
            failed: int(job, &["status", "failed"], 0),
        }
    }

    fn progress(&self) -> String {
        let Self { succeeded, active, failed, .. } = self;
        format!("Job in progress. success:{succeeded}, active: {active}, failed: {failed}")
    }
}

/// Current once it runs.
pub(super) fn job(job: &Node, _: Timestamp) -> Result<Health, HealthError> {
    let counts = Counts::of(job);
    if let Some(ended) = ended(job, &counts)? {
        return Ok(ended);
    }
    Ok(match text(job, &["status", "startTime"]) {
        "" => Health::in_progress("JobNotStarted", "Job not started"),
        _ => Health::current(counts.progress()),
    })
}

/// Current once it has completed, or is suspended: what a health check waits for.
pub(super) fn completion(job: &Node) -> Result<Health, HealthError> {
    if job.at(&["spec", "suspend"]).and_then(Node::as_bool) == Some(true) {
        return Ok(Health::current("Job is suspended"));
    }
    let counts = Counts::of(job);
    if let Some(ended) = ended(job, &counts)? {
        return Ok(ended);
    }
    Ok(match text(job, &["status", "startTime"]) {
        "" => {
            Health::in_progress("JobNotStarted", format!("Job not started. active: 0/{}", counts.parallelism))
        }
        _ => Health::in_progress("JobInProgress", counts.progress()),
    })
}

fn ended(job: &Node, counts: &Counts) -> Result<Option<Health>, HealthError> {
    let Counts { completions, succeeded, failed, .. } = counts;
    Ok(conditions(job)?.iter().find_map(|condition| match (condition.kind, condition.status) {
        ("Complete", "True") => {
            Some(Health::current(format!("Job Completed. succeeded: {succeeded}/{completions}")))
        }
        ("Failed", "True") => {
            Some(Health::failed("JobFailed", format!("Job Failed. failed: {failed}/{completions}")))
        }
        _ => None,
    }))
}
