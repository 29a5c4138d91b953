//! The files of a checkout, read from the object stores of its repositories.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use millrace_git::{Checkout, Entry, EntryKind, GitError, Node, SharedStore};
use millrace_kustomize::{Broken, FileKind, FileSystem, ReadError};

/// Links followed before a path counts as a loop.
const MAX_LINKS: usize = 255;
/// The longest target of a link, in bytes.
const MAX_TARGET: u64 = 4096;

/// A repository of a checkout: the one that was asked for, or one in a folder of it.
pub(super) struct Part {
    /// The folder it is in, below the top.
    pub(super) path: String,
    pub(super) store: Arc<SharedStore>,
    pub(super) commit: String,
}

/// A commit with its submodules as one tree; nothing is ever written to a folder.
///
/// Links are followed inside of it; what a link makes of the outside counts as missing.
pub(super) struct CheckoutFiles {
    longest: u64,
    stores: Vec<Arc<SharedStore>>,
    /// Where the repositories begin.
    tops: HashMap<String, usize>,
    tree: Mutex<Tree>,
}

struct Tree {
    checkouts: Vec<Checkout>,
    /// Folders that were looked at.
    listings: HashMap<(usize, Node), Arc<[Entry]>>,
}

#[derive(Clone, Copy)]
enum Place {
    Folder {
        repository: usize,
        node: Node,
    },
    /// A submodule that is left out.
    Empty,
    File {
        repository: usize,
        node: Node,
    },
}

impl CheckoutFiles {
    /// Opens the repositories, of which the first one is the top, for files up to `longest` bytes.
    ///
    /// # Errors
    /// [`GitError::Unreadable`] if one has gone from its store.
    pub(super) fn open(parts: Vec<Part>, longest: u64) -> Result<Self, GitError> {
        let (mut stores, mut tops, mut checkouts) = (Vec::new(), HashMap::new(), Vec::new());
        for Part { path, store, commit } in parts {
            checkouts.push(store.open(&commit)?);
            tops.insert(path, stores.len());
            stores.push(store);
        }
        let tree = Mutex::new(Tree { checkouts, listings: HashMap::new() });
        Ok(Self { longest, stores, tops, tree })
    }

    fn tree(&self) -> MutexGuard<'_, Tree> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn top(&self, tree: &Tree, path: &str) -> Place {
        match self.tops.get(path).and_then(|at| Some((*at, tree.checkouts.get(*at)?))) {
            Some((repository, checkout)) => Place::Folder { repository, node: checkout.root() },
            None => Place::Empty,
        }
    }

    /// Follows a path part by part.
    fn follow(&self, path: &str) -> Result<(String, Place), Broken> {
        let mut tree = self.tree();
        let mut pending: Vec<String> =
            path.split('/').rev().filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let mut way = vec![(String::new(), self.top(&tree, ""))];
        let mut links = 0;
        while let Some(name) = pending.pop() {
            let Some((folder, place)) = way.last() else { return Err(Broken::missing(path)) };
            if name == ".." {
                way.pop();
                continue;
            }
            let at = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            let (repository, folder) = match place {
                Place::Folder { repository, node } => (*repository, *node),
                Place::Empty => return Err(Broken::missing(at)),
                Place::File { .. } => return Err(Broken::below_a_file()),
            };
            let found =
                self.child(&mut tree, repository, folder, &name).ok_or_else(|| Broken::missing(&at))?;
            let place = match found.kind {
                EntryKind::File { .. } if !pending.is_empty() => return Err(Broken::below_a_file()),
                EntryKind::File { .. } => Place::File { repository, node: found.node },
                EntryKind::Folder => Place::Folder { repository, node: found.node },
                EntryKind::Submodule { .. } => self.top(&tree, &at),
                EntryKind::Symlink => {
                    links += 1;
                    if links > MAX_LINKS {
                        return Err(Broken::too_many_links());
                    }
                    let target = target(&tree.checkouts[repository], found.node);
                    let target = target.filter(|target| !target.starts_with('/'));
                    let target = target.ok_or_else(|| Broken::missing(&at))?;
                    // Parts are taken one by one, so `..` in a target means the folder that is really there.
                    let parts = target.split('/').rev().filter(|part| !matches!(*part, "" | "."));
                    pending.extend(parts.map(str::to_owned));
                    continue;
                }
            };
            way.push((at, place));
        }
        way.pop().ok_or_else(|| Broken::missing(path))
    }

    fn child(&self, tree: &mut Tree, repository: usize, folder: Node, name: &str) -> Option<Entry> {
        let entries = self.entries(tree, repository, folder)?;
        let at = entries.binary_search_by(|entry| entry.name.as_slice().cmp(name.as_bytes())).ok()?;
        entries.get(at).cloned()
    }

    fn entries(&self, tree: &mut Tree, repository: usize, folder: Node) -> Option<Arc<[Entry]>> {
        if let Some(known) = tree.listings.get(&(repository, folder)) {
            return Some(Arc::clone(known));
        }
        match tree.checkouts[repository].list(folder) {
            Ok(entries) => {
                let entries: Arc<[Entry]> = entries.into();
                tree.listings.insert((repository, folder), Arc::clone(&entries));
                Some(entries)
            }
            Err(error) => {
                tracing::warn!(%error, "a folder of a remote base can't be read, it will be fetched again");
                self.stores[repository].give_up();
                None
            }
        }
    }
}

/// Where a link leads.
fn target(checkout: &Checkout, link: Node) -> Option<String> {
    if checkout.size(link).ok()? > MAX_TARGET {
        return None;
    }
    String::from_utf8(checkout.read(link).ok()?).ok()
}

impl FileSystem for CheckoutFiles {
    fn kind(&self, path: &str) -> Option<FileKind> {
        Some(match self.follow(path).ok()?.1 {
            Place::Folder { .. } | Place::Empty => FileKind::Folder,
            Place::File { .. } => FileKind::File,
        })
    }

    fn read(&self, path: &str) -> Result<Cow<'_, [u8]>, ReadError> {
        let place = self.follow(path).map_err(|_| ReadError::NotFound)?.1;
        let Place::File { repository, node } = place else { return Err(ReadError::IsFolder) };
        let tree = self.tree();
        let checkout = &tree.checkouts[repository];
        let read = checkout.size(node).and_then(|size| {
            if size > self.longest {
                let limit = self.longest;
                return Ok(Err(ReadError::Other(format!("it is larger than the limit of {limit} bytes"))));
            }
            checkout.read(node).map(|content| Ok(Cow::Owned(content)))
        });
        read.unwrap_or_else(|error| {
            self.stores[repository].give_up();
            Err(ReadError::Other(error.to_string()))
        })
    }

    fn list(&self, path: &str) -> Option<Vec<String>> {
        match self.follow(path).ok()?.1 {
            Place::File { .. } => None,
            Place::Empty => Some(Vec::new()),
            Place::Folder { repository, node } => {
                let entries = self.entries(&mut self.tree(), repository, node)?;
                let names = entries.iter().map(|entry| String::from_utf8(entry.name.clone()));
                Some(names.filter_map(Result::ok).collect())
            }
        }
    }

    fn canonical(&self, path: &str) -> Option<String> {
        self.follow(path).ok().map(|(canonical, _)| canonical)
    }

    fn broken(&self, path: &str) -> Broken {
        self.follow(path).err().unwrap_or_else(|| Broken::missing(path))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use millrace_git::stores::{Limits, Visited};
    use millrace_git::{Auth, Options, Remote, Stores};
    use millrace_harness::GitServer;
    use millrace_harness::git::Repository;
    use millrace_net::{HttpClient, Proxy};

    use super::*;

    /// What is asked for: what is there, by itself and by links, and what is not.
    const PATHS: [&str; 22] = [
        "",
        "base",
        "base/a.yaml",
        "file",
        "folder",
        "folder/a.yaml",
        "folder/up/c.yaml",
        "base/up",
        "chain",
        "into",
        "into/m.yaml",
        "module",
        "module/deep/m.yaml",
        "outside",
        "absolute",
        "loop",
        "gone",
        "below",
        "base/x/y",
        "file/x",
        "module/x",
        "nothing",
    ];

    /// Brings the main branch of a repository into a store.
    fn fetch(stores: &Stores, url: &str) -> Result<Part, GitError> {
        let options = millrace_net::Options { proxy: Proxy::Direct, ..millrace_net::Options::default() };
        let options = Options {
            client: HttpClient::new(&options).map_err(GitError::Client)?,
            runtime: tokio::runtime::Handle::current(),
            auth: Auth::None,
            timeout: std::time::Duration::from_secs(30),
            interrupt: Arc::default(),
            max_cache_bytes: u64::MAX,
        };
        let store = stores.get(url);
        let mut remote = Remote::new(url, options)?;
        let resolved = remote.resolve_name("main")?;
        match store.fetch(remote, resolved, None)? {
            Visited::Here { commit, .. } => Ok(Part { path: String::new(), store, commit }),
            Visited::Busy(_) => panic!("nobody else writes"),
        }
    }

    /// A repository with links of all kinds and a submodule, whose files stand in the work tree, too.
    fn repository(server: &GitServer) -> anyhow::Result<Repository> {
        let module = server.create("module")?.commit("first").file("deep/m.yaml", "m").push()?;
        let top = server.create("top")?;
        fs::create_dir(top.work_tree().join("module"))?;
        top.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{module},module")])?;
        let commit = top
            .commit("first")
            .file("base/a.yaml", "a")
            .file("base/b/c.yaml", "c")
            .file("large", "0123456789a");
        let links = [
            ("file", "base/a.yaml"),
            ("folder", "base"),
            ("base/up", "../base/./b"),
            ("chain", "folder/up/c.yaml"),
            ("into", "module/deep"),
            ("outside", "../../secret"),
            ("absolute", "/etc/passwd"),
            ("loop", "loop"),
            ("gone", "nowhere/x"),
            ("below", "base/a.yaml/x"),
        ];
        links.into_iter().fold(commit, |commit, (path, target)| commit.link(path, target)).push()?;
        Ok(top)
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_checkout_answers_as_the_folder_would_that_git_fills_with_it() -> anyhow::Result<()> {
        if !std::path::Path::new("/usr/sbin/apache2").exists() {
            eprintln!("skipped: Apache is not installed");
            return Ok(());
        }
        millrace_net::install_crypto_provider();
        let server = GitServer::start().await?;
        let top = repository(&server)?;
        let folder = tempfile::tempdir()?;
        let limits = Limits { store_bytes: 1 << 20, total_bytes: 1 << 20, live_bytes: 1 << 20, stores: 2 };
        let stores = Stores::new(folder.path(), limits);
        let urls = [server.public_url("top"), server.public_url("module")];
        let files = tokio::task::spawn_blocking(move || {
            let module = Part { path: "module".to_owned(), ..fetch(&stores, &urls[1])? };
            CheckoutFiles::open(vec![fetch(&stores, &urls[0])?, module], 10)
        });
        let files = files.await??;
        // What Git makes of the submodule.
        fs::create_dir_all(top.work_tree().join("module/deep"))?;
        fs::write(top.work_tree().join("module/deep/m.yaml"), "m")?;
        let root = fs::canonicalize(top.work_tree())?;
        for path in PATHS {
            let real = fs::canonicalize(root.join(path)).ok().filter(|real| real.starts_with(&root));
            let relative =
                real.as_ref().map(|real| real.strip_prefix(&root).expect("below").display().to_string());
            assert_eq!(files.canonical(path), relative, "{path}");
            let kind =
                real.as_ref().map(|real| if real.is_dir() { FileKind::Folder } else { FileKind::File });
            assert_eq!(files.kind(path), kind, "{path}");
            let content = real.as_ref().and_then(|real| fs::read(real).ok());
            assert_eq!(files.read(path).ok().as_deref(), content.as_deref(), "{path}");
            let names = real.and_then(|real| fs::read_dir(real).ok()).map(|entries| {
                let names =
                    entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("text"));
                names.filter(|name| name != ".git").collect::<BTreeSet<_>>()
            });
            assert_eq!(files.list(path).map(BTreeSet::from_iter), names, "{path}");
        }
        for (path, broken) in [
            ("gone", Broken::missing("nowhere")),
            ("loop", Broken::too_many_links()),
            ("below", Broken::below_a_file()),
            ("file/x", Broken::below_a_file()),
            ("base/x/y", Broken::missing("base/x")),
        ] {
            assert_eq!(files.broken(path), broken, "{path}");
        }
        // Of what lies outside, nothing is told, not even whether it is there.
        assert_eq!(files.broken("absolute"), Broken::missing("absolute"));
        let large = files.read("large").err();
        assert_eq!(large, Some(ReadError::Other("it is larger than the limit of 10 bytes".to_owned())));
        Ok(())
    }
}
