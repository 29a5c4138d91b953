//! The program is killed in the middle of what it does to files: while it fetches, writes an archive, and collects garbage.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use millrace_e2e::tenants;
use millrace_harness::git::noise;

use super::{MATRIX, shortened, wants_all};
use crate::faults::site::Site;
use crate::faults::world::{SOURCE, World};
use crate::faults::world_or_skip;

/// Large enough to be caught in the middle.
const BLOB: usize = 8 << 20;
/// How many superseded artifacts are to be collected.
const GARBAGE: usize = 400;
/// How long a phase may take to begin.
const LIMIT: Duration = Duration::from_secs(30);

/// Where a run is cut.
#[derive(Clone, Copy)]
enum Phase {
    /// Some of a pack is in the cache.
    Fetch,
    /// The archive is about to be written.
    BeforeArchive,
    /// Some of the archive is written, under another name.
    Archive,
    /// Some of the garbage is gone.
    Collection,
}

impl Phase {
    fn name(self) -> &'static str {
        match self {
            Self::Fetch => "source files, in the middle of a fetch",
            Self::BeforeArchive => "source files, before the archive is written",
            Self::Archive => "source files, in the middle of the archive",
            Self::Collection => "source files, in the middle of garbage collection",
        }
    }
}

/// The files of one source.
struct Files {
    artifacts: PathBuf,
    cache: PathBuf,
}

impl Files {
    fn of(world: &World, site: &Site) -> Result<Self> {
        let storage = world.millrace.storage();
        let work = storage.parent().context("the storage lies in a folder")?.to_owned();
        let artifacts = storage.join("gitrepository").join(&world.namespace).join(&site.name);
        Ok(Self { artifacts, cache: work.join("millrace-git") })
    }

    fn archive(&self, commit: &str) -> PathBuf {
        self.artifacts.join(format!("{commit}.tar.gz"))
    }

    /// Whether part of an archive is there.
    fn has_part_of(&self, commit: &str) -> bool {
        let whole = format!("{commit}.tar.gz");
        names(&self.artifacts).iter().any(|name| {
            name.len() > whole.len() && name.starts_with(&whole) && *name != format!("{whole}.lock")
        })
    }

    fn garbage(&self) -> usize {
        names(&self.artifacts).iter().filter(|name| name.starts_with("old-")).count()
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// The bytes below a folder.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let size_of = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => size(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    };
    entries.map(size_of).sum()
}

/// Looks as often as it can: what is waited for lasts milliseconds. Whether it came.
fn caught(mut probe: impl FnMut() -> bool) -> bool {
    let began = Instant::now();
    while began.elapsed() < LIMIT {
        if probe() {
            return true;
        }
        std::thread::yield_now();
    }
    false
}

/// Whether the phase was met; else the row was not tried.
async fn row(world: &mut World, name: &str, phase: Phase) -> Result<bool> {
    let mut site = Site::create(world, name, &[("a", Some("1"))])?;
    site.apply_source(world).await?;
    world.until("the source", async |world: &World| site.source_is_current(world).await).await?;
    let files = Files::of(world, &site)?;
    let met = begin(world, &mut site, &files, phase).await?;
    world.kill()?;
    world.millrace.restart().await?;
    site.artifact_is_served(world).await.context("at the restart")?;
    world.until("everything to converge", async |world: &World| site.source_is_current(world).await).await?;
    site.delete(world, SOURCE, "GitRepository").await?;
    world.until("the end of the source", async |world: &World| site.source_is_gone(world).await).await?;
    Ok(met)
}

/// Starts the work and returns in the middle of it.
async fn begin(world: &World, site: &mut Site, files: &Files, phase: Phase) -> Result<bool> {
    match phase {
        Phase::Fetch => {
            let before = size(&files.cache);
            site.commit_blob("noise", noise(BLOB))?;
            site.request(world).await?;
            Ok(caught(|| size(&files.cache) > before) && !files.archive(site.head()).exists())
        }
        Phase::BeforeArchive => {
            site.commit(&[("a", Some("2"))])?;
            let mut lock = files.archive(site.head()).into_os_string();
            lock.push(".lock");
            let lock = PathBuf::from(lock);
            // Writers of one archive take turns by this lock.
            let held = File::create(&lock)?;
            held.lock()?;
            site.request(world).await?;
            let is_next = async |world: &World| is_announced(world, site).await;
            world.until("the archive to be announced", is_next).await?;
            Ok(!files.archive(site.head()).exists())
        }
        Phase::Archive => {
            site.commit_blob("noise", noise(BLOB))?;
            site.request(world).await?;
            Ok(caught(|| files.has_part_of(site.head())) && !files.archive(site.head()).exists())
        }
        Phase::Collection => {
            for number in 0..GARBAGE {
                fs::write(files.artifacts.join(format!("old-{number}.tar.gz")), "garbage")?;
            }
            site.commit(&[("a", Some("2"))])?;
            site.request(world).await?;
            Ok(caught(|| files.garbage() < GARBAGE) && files.garbage() > 0)
        }
    }
}

/// Whether the source says that an archive of the head comes next.
async fn is_announced(world: &World, site: &Site) -> Result<()> {
    let source = world.get(SOURCE, "GitRepository", &site.name).await?;
    let conditions = source["status"]["conditions"].as_array();
    let reconciling = conditions.into_iter().flatten().find(|condition| condition["type"] == "Reconciling");
    let message = reconciling.and_then(|condition| condition["message"].as_str()).unwrap_or_default();
    ensure!(
        message.starts_with("building artifact: ") && message.contains(site.head()),
        "it says {message:?}"
    );
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_survives_a_kill_in_the_middle_of_what_it_does_to_files() -> Result<()> {
    let mut world = world_or_skip!("kills");
    let mut matrix = tenants::matrix(MATRIX);
    let phases = vec![Phase::Fetch, Phase::BeforeArchive, Phase::Archive, Phase::Collection];
    let phases = if wants_all() { phases } else { shortened(phases) };
    for (number, phase) in phases.into_iter().enumerate() {
        match row(&mut world, &format!("row{number}"), phase).await {
            Ok(true) => matrix.row(phase.name(), Ok::<_, anyhow::Error>(())),
            Ok(false) => matrix.untried(phase.name(), "it was over before it was seen"),
            Err(error) => {
                matrix.row(phase.name(), Err::<(), _>(error));
                world = World::begin("kills").await?;
            }
        }
    }
    Ok(matrix.finish()?)
}
