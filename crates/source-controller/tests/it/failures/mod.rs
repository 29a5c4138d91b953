//! What failing objects show. Contract: source-controller §7.
//!
//! [`rows`] is the table: each row names its line of the contract, and says how an object gets there and what it then
//! shows. [`untried`] lists the lines that can't be met yet. Every object of the table carries marked secrets wherever it
//! can, so that at the end [`canary`] can look for them in everything that the controller has said.

mod canary;
mod check;
mod others;
mod rows;
mod stories;
mod untried;

use millrace_matrix::Matrix;
use millrace_matrix::logs::Logs;
use tracing::Level;

use crate::bench::on_bench;
use rows::Servers;

// The whole of §7.2, §7.7 and §7.8 that a Git source over HTTP can meet: condition, message, event, class of retry.
#[test]
fn every_failure_of_the_catalogue_shows_what_the_contract_says() {
    on_bench(async |mut bench| {
        // Of libraries as much as `--log-level=trace` shows.
        let logs = Logs::of_process(Level::DEBUG);
        bench.stop().await;
        bench.start(&["--concurrent=8", "--requeue-dependency=500ms"]);
        let servers = Servers::prepare(&bench).await;
        let rows = rows::all(&bench, &servers);
        for row in &rows {
            bench.create(&row.name, row.spec.clone()).await;
        }
        let mut matrix = Matrix::new("failures source");
        for row in &rows {
            matrix.row(&format!("{}: {}", row.contract, row.name), check::row(&bench, row).await);
        }
        // By now the others have been tried again and again.
        for row in rows.iter().filter(|row| row.class == rows::Class::Stalled) {
            matrix.row(&format!("{}: {}, to the end", row.contract, row.name), check::row(&bench, row).await);
        }
        for name in Servers::healthy() {
            bench.ready(name).await;
        }
        matrix.row("7.7 PatchOperationFailed", others::refused_status(&bench).await);
        matrix.row("2.3 refused final status", others::refused_verdict(&bench).await);
        matrix.row("2.10 GarbageCollectionFailed", others::stuck_deletion(&bench).await);
        for (row, why) in untried::ROWS {
            matrix.untried(row, why);
        }
        let outcomes = [matrix.finish(), canary::search(&bench, &logs).await.finish()];
        let failed: Vec<_> =
            outcomes.into_iter().filter_map(Result::err).map(|error| error.to_string()).collect();
        assert!(failed.is_empty(), "{}", failed.join("\n"));
    });
}
