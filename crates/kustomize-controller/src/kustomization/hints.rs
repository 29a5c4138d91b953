//! What stands below the contract's text of a failure, on a line of its own: what a person can act on.

use k8s_openapi::api::core::v1::ServiceAccount;
use kube::Api;
use millrace_artifact::tree::{Kind, Tree};

use super::work::Work;
use crate::controller::{Shared, own_client};
use crate::triggers::source_of;

/// Names that a hint lists.
const LISTED: usize = 10;
/// Names that are looked through for one that may have been meant.
const COMPARED: usize = 1000;

/// Letters of a path that a hint shows.
const SHOWN: usize = 200;
/// Letters of a name that may have been meant: neither a path nor an archive bounds theirs, and comparing takes the product.
const LONGEST: usize = 64;

/// Puts a hint below a text, which may end its last line.
pub(super) fn below(text: &str, hint: &str) -> String {
    format!("{}\nhint: {hint}", text.trim_end_matches('\n'))
}

/// That a path is not in the artifact: whose that is, and what is there instead.
pub(super) fn missing_path(work: &Work<'_>, tree: &Tree, path: &str) -> String {
    let source = source_of(work.object).map(|source| source.to_string()).unwrap_or_default();
    let revision = work.revision();
    format!("the artifact of {source} at {revision} has no '{}'; {}", shown(path), instead(tree, path))
}

/// What is there as far as the path leads.
fn instead(tree: &Tree, path: &str) -> String {
    let (mut at, mut reached, mut wanted) = (tree.root(), "", "");
    for name in path.split('/') {
        wanted = name;
        let Some(child) = at.child(name) else { break };
        at = child;
        let end = reached.len() + usize::from(!reached.is_empty()) + name.len();
        reached = &path[..end];
    }
    let place = if reached.is_empty() { "it".to_owned() } else { format!("'{}'", shown(reached)) };
    if matches!(at.kind(), Kind::File { .. }) {
        return format!("{place} is a file");
    }
    let folders = at.children().filter(|child| child.kind() == Kind::Folder).map(|child| child.name());
    let folders: Vec<&str> = folders.collect();
    if let Some(near) = nearest(wanted, &folders) {
        let near = if reached.is_empty() { near.to_owned() } else { format!("{reached}/{near}") };
        return format!("did you mean '{}'?", shown(&near));
    }
    let quoted = |name: &&str| format!("'{}'", shown(name));
    let listed = folders.iter().take(LISTED).map(quoted).collect::<Vec<_>>().join(", ");
    match folders.len() {
        0 => format!("{place} has no folders"),
        1 => format!("{place} has the folder {listed}"),
        count if count <= LISTED => format!("{place} has the folders {listed}"),
        count => format!("{place} has the folders {listed} and {} more", count - LISTED),
    }
}

/// The name that was probably meant: the same in other letters, or one with few letters changed.
fn nearest<'n>(wanted: &str, names: &[&'n str]) -> Option<&'n str> {
    let wanted = letters(wanted)?;
    let most = wanted.len() / 3;
    let near = names.iter().take(COMPARED).filter_map(|name| {
        let letters = letters(name)?;
        let distance = (letters.len().abs_diff(wanted.len()) <= most).then(|| distance(&wanted, &letters))?;
        (distance <= most).then_some((distance, *name))
    });
    near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// A name in lower case, unless it is too long to compare.
fn letters(name: &str) -> Option<Vec<char>> {
    let is_short = name.len() <= 4 * LONGEST && name.chars().count() <= LONGEST;
    is_short.then(|| name.to_lowercase().chars().collect())
}

/// A path as it is shown: nothing of it acts on a terminal, and it has an end.
fn shown(path: &str) -> String {
    match path.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", path[..end].escape_debug()),
        None => path.escape_debug().to_string(),
    }
}

/// How many letters have to be put in, left out or changed.
fn distance(from: &[char], to: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (line, letter) in from.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, other) in to.iter().enumerate() {
            let changed = diagonal + usize::from(letter != other);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

/// That the ServiceAccount doesn't exist in whose name objects were refused; nothing if it does, or if that isn't known.
pub(super) async fn missing_account(shared: &Shared, work: &Work<'_>) -> Option<String> {
    let named = work.object.spec.service_account_name.as_deref();
    let account = shared.impersonator.service_account(named)?;
    let plain =
        |letter: u8| letter.is_ascii_lowercase() || letter.is_ascii_digit() || b"-.".contains(&letter);
    if !account.bytes().all(plain) {
        return None;
    }
    let namespace = work.object.metadata.namespace.as_deref()?;
    let api: Api<ServiceAccount> = Api::namespaced(own_client(work.run).clone(), namespace);
    match api.get_opt(account).await {
        Ok(None) => Some(format!(
            "there is no ServiceAccount '{account}' in namespace '{namespace}': create it with 'kubectl create \
             serviceaccount {account} --namespace {namespace}' and bind a role to it"
        )),
        Ok(Some(_)) | Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use millrace_artifact::archive::{self, Limits};
    use millrace_artifact::files::MemoryTree;
    use millrace_artifact::ignore::Rules;

    use super::*;

    fn tree(files: &[&str]) -> Tree {
        let mut tree = MemoryTree::default();
        for path in files {
            tree.add_file(path, "", false);
        }
        let archive = archive::write(&tree, &Rules::none(), Vec::new()).expect("writes to memory").0;
        let folder = tempfile::tempdir().expect("a folder");
        Tree::unpack(archive.as_slice(), folder.path(), &Limits::default()).expect("unpacks")
    }

    #[test]
    fn a_missing_path_is_explained_by_what_is_there() {
        let apps = tree(&["apps/web/a.yaml", "apps/db/a.yaml", "Clusters/prod/a.yaml", "README.md"]);
        let many: Vec<String> = (10..22).map(|number| format!("{number}/x")).collect();
        let many = tree(&many.iter().map(String::as_str).collect::<Vec<_>>());
        for (tree, path, expected) in [
            (&apps, "deploy", "it has the folders 'Clusters', 'apps'"),
            (&apps, "app", "did you mean 'apps'?"),
            (&apps, "clusters/prod", "did you mean 'Clusters'?"),
            (&apps, "apps/wed/x", "did you mean 'apps/web'?"),
            (&apps, "apps/frontend", "'apps' has the folders 'db', 'web'"),
            (&apps, "Clusters/staging", "'Clusters' has the folder 'prod'"),
            (&apps, "apps/web/overlay", "'apps/web' has no folders"),
            (&apps, "README.md/x", "'README.md' is a file"),
            (&apps, "a\nb", "it has the folders 'Clusters', 'apps'"),
            (
                &many,
                "deploy",
                "it has the folders '10', '11', '12', '13', '14', '15', '16', '17', '18', '19' and 2 more",
            ),
        ] {
            assert_eq!(instead(tree, path), expected, "{path:?}");
        }
    }

    /// To compare a hundred thousand letters with as many would keep a thread of the runtime for minutes.
    #[test]
    fn names_without_end_are_neither_compared_nor_shown_in_full() {
        let long = "a".repeat(100_000);
        let near = format!("{long}b");
        assert_eq!(nearest(&long, &[&near]), None);
        assert_eq!(nearest(&long[..LONGEST], &[&near, &long[..LONGEST - 1]]), Some(&long[..LONGEST - 1]));
        let told = instead(&tree(&[&format!("{}/x", &long[..220])]), &long);
        assert_eq!(told, format!("it has the folder '{}…'", &long[..SHOWN]));
    }

    #[test]
    fn a_hint_stands_on_a_line_of_its_own() {
        assert_eq!(below("failed", "look"), "failed\nhint: look");
        assert_eq!(below("failed\n", "look"), "failed\nhint: look");
    }
}
