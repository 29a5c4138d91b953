//! Folders of files that are made up.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::doc::Doc;

/// Files, and which folder is built.
#[derive(Clone, Debug, Default)]
pub(crate) struct Project {
    pub(crate) files: Vec<File>,
    pub(crate) root: String,
}

#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) content: Content,
}

#[derive(Clone, Debug)]
pub(crate) enum Content {
    Yaml(Vec<Doc>),
    Lines(Vec<String>),
}

impl Project {
    pub(crate) fn yaml(&mut self, path: impl Into<String>, documents: Vec<Doc>) {
        self.files.push(File { path: path.into(), content: Content::Yaml(documents) });
    }

    pub(crate) fn lines(&mut self, path: impl Into<String>, lines: Vec<String>) {
        self.files.push(File { path: path.into(), content: Content::Lines(lines) });
    }

    /// Replaces what is in `folder` by the project.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::create_dir_all(folder.join(&self.root))?;
        for file in &self.files {
            let path = folder.join(&file.path);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(&path, file.text()).with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }

    /// Projects with one part less each, larger parts first.
    pub(crate) fn smaller(&self) -> Vec<Self> {
        let mut smaller = Vec::new();
        for index in 0..self.files.len() {
            let mut less = self.clone();
            less.files.remove(index);
            smaller.push(less);
        }
        for (index, file) in self.files.iter().enumerate() {
            for content in file.content.smaller() {
                let mut less = self.clone();
                less.files[index].content = content;
                smaller.push(less);
            }
        }
        smaller
    }
}

impl File {
    pub(crate) fn text(&self) -> String {
        match &self.content {
            Content::Yaml(documents) => documents.iter().map(Doc::print).collect::<Vec<_>>().join("---\n"),
            Content::Lines(lines) => lines.join("\n") + "\n",
        }
    }
}

impl Content {
    fn smaller(&self) -> Vec<Self> {
        match self {
            Self::Lines(lines) => (0..lines.len())
                .map(|index| {
                    let mut lines = lines.clone();
                    lines.remove(index);
                    Self::Lines(lines)
                })
                .collect(),
            Self::Yaml(documents) => {
                let mut smaller = Vec::new();
                if documents.len() > 1 {
                    for index in 0..documents.len() {
                        let mut documents = documents.clone();
                        documents.remove(index);
                        smaller.push(Self::Yaml(documents));
                    }
                }
                for (index, document) in documents.iter().enumerate() {
                    for less in document.places().iter().filter_map(|place| document.without(place)) {
                        let mut documents = documents.clone();
                        documents[index] = less;
                        smaller.push(Self::Yaml(documents));
                    }
                }
                smaller
            }
        }
    }
}
