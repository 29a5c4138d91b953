//! Which files of a source reach its artifact.
//!
//! Patterns come from four places, lowest to highest: version control, the defaults (only while nothing else says
//! anything), every `.sourceignore` of the tree, and `spec.ignore`. The last pattern that matches a path decides, for
//! each path on its own: unlike in Git, a file can come back although its folder is left out.
//!
//! Contract: source-controller §3.5.

mod glob;
mod load;
mod pattern;

use std::io;

use pattern::{Pattern, Verdict};

use crate::files::FileTree;

/// The name of ignore files.
pub const FILE_NAME: &str = ".sourceignore";

/// What belongs to version control and never to an artifact.
const VCS: [&str; 4] = [".git/", ".gitignore", ".gitmodules", ".gitattributes"];

/// What is left out while neither a `.sourceignore` nor `spec.ignore` has a pattern.
const DEFAULTS: [&str; 20] = [
    "*.jpg",
    "*.jpeg",
    "*.gif",
    "*.png",
    "*.wmv",
    "*.flv",
    "*.tar.gz",
    "*.zip",
    ".github/",
    ".circleci/",
    ".travis.yml",
    ".gitlab-ci.yml",
    "appveyor.yml",
    ".drone.yml",
    "cloudbuild.yaml",
    "codeship-services.yml",
    "codeship-steps.yml",
    "**/.goreleaser.yml",
    "**/.sops.yaml",
    "**/.flux.yaml",
];

/// Patterns in the order of their priority, the weakest first.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    patterns: Vec<Pattern>,
}

impl Rules {
    /// No pattern: nothing is left out.
    pub fn none() -> Self {
        Self::default()
    }

    /// The rules of a version-controlled tree: its `.sourceignore` files and `spec.ignore`, or the defaults.
    ///
    /// # Errors
    /// Those of listing the tree and reading its ignore files.
    pub fn load<T: FileTree>(tree: &T, spec_ignore: Option<&str>) -> io::Result<Self> {
        let mut own = Self::none();
        load::add_ignore_files(tree, &mut own)?;
        own.add("", spec_ignore.unwrap_or_default());
        let mut rules = Self::none();
        rules.add("", &VCS.join("\n"));
        if own.patterns.is_empty() {
            rules.add("", &DEFAULTS.join("\n"));
        }
        rules.patterns.append(&mut own.patterns);
        Ok(rules)
    }

    /// Adds the lines of an ignore file that lies in the folder `domain` (the root: empty); they override what is there.
    pub fn add(&mut self, domain: &str, text: &str) {
        self.add_bytes(domain.as_bytes(), text.as_bytes());
    }

    pub(crate) fn add_bytes(&mut self, domain: &[u8], text: &[u8]) {
        let domain: Vec<&[u8]> = components(domain).collect();
        for line in text.split(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let blank = String::from_utf8_lossy(line).trim().is_empty();
            if !blank && !line.starts_with(b"#") {
                self.patterns.push(Pattern::parse(line, &domain));
            }
        }
    }

    /// Says whether `path` is left out. The path is relative to the root, its components joined by `/`.
    pub fn excludes(&self, path: &[u8], is_folder: bool) -> bool {
        let path: Vec<&[u8]> = components(path).collect();
        let verdict = self.patterns.iter().rev().find_map(|pattern| pattern.judge(&path, is_folder));
        verdict == Some(Verdict::Exclude)
    }
}

fn components(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryTree;

    // SC-046: the table of §3.5. A trailing `/` of a path marks a folder.
    #[test]
    fn sc_046_the_table_of_the_contract_holds() {
        let rows: &[(&str, &[&str], &[&str])] = &[
            (
                "",
                &[
                    "a/b.png",
                    "sub/.github/x",
                    ".sops.yaml",
                    "x/.sops.yaml",
                    ".gitlab-ci.yml",
                    "sub/.gitignore",
                    ".git/",
                ],
                &[".git"],
            ),
            ("*.txt", &[], &["a/b.png", ".sops.yaml"]),
            ("!a.png", &[], &["b.png"]),
            ("/*\n!/deploy/", &["README.md"], &["deploy/", "deploy/a/b.yaml"]),
            ("/*\n!/deploy", &["README.md"], &["deploy/", "deploy/a/b.yaml"]),
            ("/*\n!/deploy/x.yaml", &["deploy/"], &["deploy/x.yaml"]),
            ("*\n!keep.yaml", &["a/"], &["a/keep.yaml"]),
            ("dir/", &["dir/", "a/dir/f"], &["dir"]),
            ("/dir/", &["dir/f"], &["a/dir/f"]),
            ("a/**/z", &["a/z", "a/b/c/z"], &[]),
            ("**/z", &["z", "a/z/q"], &[]),
            ("a/**", &["a/", "a/b/c"], &[]),
            ("/**", &[], &["a", "a/b"]),
            ("a/**/b/c", &["a/x/b/c"], &["a/b/x/b/c"]),
            ("a/b", &["a/b/c"], &["x/a/b"]),
            ("a/*/c", &["a/b/c"], &["a/b/x/c"]),
            ("[^a].txt", &["b.txt"], &[]),
            ("[!a].txt", &[], &["b.txt"]),
            ("\\#x\n\\!x", &["#x", "!x"], &[]),
            ("A.txt", &[], &["a.txt"]),
            ("!.git/", &[], &[".git/config"]),
        ];
        for (spec_ignore, excluded, kept) in rows {
            let rules = Rules::load(&MemoryTree::default(), Some(spec_ignore)).unwrap();
            let excludes = |path: &str| rules.excludes(path.as_bytes(), path.ends_with('/'));
            for path in *excluded {
                assert!(excludes(path), "{spec_ignore:?} keeps {path}");
            }
            for path in *kept {
                assert!(!excludes(path), "{spec_ignore:?} excludes {path}");
            }
        }
    }

    #[test]
    fn blank_lines_and_comments_leave_the_defaults_active() {
        let rules = Rules::load(&MemoryTree::default(), Some("# nothing\n \t\n\r\n")).unwrap();
        assert!(rules.excludes(b"a.png", false));
    }

    #[test]
    fn a_nested_ignore_file_rules_its_folder_only() {
        let mut tree = MemoryTree::default();
        tree.add_file(".sourceignore", "*.md\n", false);
        tree.add_file("docs/.sourceignore", "!/keep.md\r\nx y \n", false);
        tree.add_file(".git/.sourceignore", "*\n", false);
        let rules = Rules::load(&tree, None).unwrap();
        assert!(rules.excludes(b"a.md", false));
        assert!(!rules.excludes(b"docs/keep.md", false));
        assert!(rules.excludes(b"docs/sub/keep.md", false));
        assert!(rules.excludes(b"docs/x y", false) && !rules.excludes(b"x y", false));
        assert!(!rules.excludes(b"a.png", false), "the defaults are gone");
    }

    #[test]
    fn a_linked_ignore_file_is_read_inside_the_tree_only() {
        let mut tree = MemoryTree::default();
        tree.add_file("rules", "*.txt\n", false);
        tree.add_symlink("a/.sourceignore", "../rules");
        tree.add_symlink("b/.sourceignore", "../../rules");
        tree.add_symlink("c/.sourceignore", "/etc/passwd");
        tree.add_symlink("d/.sourceignore", ".sourceignore");
        let rules = Rules::load(&tree, None).unwrap();
        assert!(rules.excludes(b"a/x.txt", false));
        assert!(!rules.excludes(b"b/x.txt", false));
        assert_eq!(rules.patterns.len(), VCS.len() + 1);
    }
}
