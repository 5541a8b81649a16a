//! Whether a project still holds what it held before.

use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use sha1_smol::Sha1;

use crate::machine::Machine;

/// Folders of what tools make. Git may not be told to ignore them.
const MADE_BY_TOOLS: [&str; 12] = [
    ".git",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".tox",
    ".venv",
    "__pycache__",
    "coverage",
    "node_modules",
    "target",
    "vendor",
    "venv",
];

/// Outside of git: a project with more files, or more bytes, is not compared.
const MAX_FILES: usize = 20_000;
const MAX_BYTES: u64 = 128 << 20;

/// A name for what the project holds, the same for the same content; `None` if it is too much to look at.
pub(super) fn content_name(machine: &Machine, project: &Path) -> Option<String> {
    let folder = project.to_string_lossy();
    let world = machine.world(&folder, &folder);
    let git = world.git();
    let counts = |path: &[u8]| {
        let mut names = path.split(|byte| *byte == b'/');
        !names.any(|name| MADE_BY_TOOLS.iter().any(|it| it.as_bytes() == name))
    };
    if let Some(repository) = git.repository(project)
        && let Some(name) = git.snapshot(&repository, counts)
    {
        return Some(format!("git:{name}"));
    }
    Walk::default().name_of(project)
}

/// Reads all files below a folder. Links are not followed.
#[derive(Default)]
struct Walk {
    hash: Sha1,
    files: usize,
    bytes: u64,
}

impl Walk {
    fn name_of(mut self, project: &Path) -> Option<String> {
        self.folder(project, project)?;
        Some(format!("files:{}", self.hash.digest()))
    }

    fn folder(&mut self, root: &Path, folder: &Path) -> Option<()> {
        let entries = fs::read_dir(folder).ok()?;
        let mut paths: Vec<PathBuf> = Vec::new();
        for entry in entries {
            let entry = entry.ok()?;
            self.files += 1;
            if self.files > MAX_FILES {
                return None;
            }
            let name = entry.file_name();
            if !MADE_BY_TOOLS.iter().any(|it| name.as_os_str() == *it) {
                paths.push(entry.path());
            }
        }
        paths.sort();
        for path in paths {
            let kind = fs::symlink_metadata(&path).ok()?;
            if kind.is_dir() {
                self.folder(root, &path)?;
            } else if kind.is_symlink() {
                let target = fs::read_link(&path).ok()?;
                self.add(root, &path, b'l', target.as_os_str().as_bytes());
            } else if kind.is_file() {
                self.bytes += kind.len();
                if self.bytes > MAX_BYTES {
                    return None;
                }
                let letter = match kind.permissions().mode() & 0o100 {
                    0 => b'f',
                    _ => b'x',
                };
                let mut content = Vec::new();
                let file = fs::File::open(&path).ok()?;
                file.take(MAX_BYTES).read_to_end(&mut content).ok()?;
                self.add(root, &path, letter, &content);
            }
        }
        Some(())
    }

    fn add(&mut self, root: &Path, path: &Path, letter: u8, content: &[u8]) {
        let name = path.strip_prefix(root).unwrap_or(path);
        self.hash.update(name.as_os_str().as_bytes());
        self.hash.update(&[0, letter]);
        self.hash
            .update(Sha1::from(content).digest().to_string().as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, name: &str, text: &str) {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    #[test]
    fn what_a_project_holds_has_a_name_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let machine = Machine::from_env();
        let name = || content_name(&machine, folder.path()).unwrap();
        write(folder.path(), "src/a.rs", "one");
        let first = name();
        assert_eq!(name(), first);
        write(folder.path(), "target/debug/x", "made");
        write(folder.path(), "node_modules/x/index.js", "made");
        assert_eq!(name(), first, "what tools make does not count");
        write(folder.path(), "src/a.rs", "two");
        let second = name();
        assert_ne!(second, first);
        write(folder.path(), "src/b.rs", "new");
        assert_ne!(name(), second);
        fs::remove_file(folder.path().join("src/b.rs")).unwrap();
        assert_eq!(name(), second);
        write(folder.path(), "src/a.rs", "one");
        assert_eq!(name(), first, "the same content has the same name again");
    }
}
