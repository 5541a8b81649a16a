//! What the file tools share: paths, bounded reading, writing that never leaves half a file.

use std::fs::{self, File};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::task::spawn_blocking;

use crate::execution::{ExecutionContext, fresh_id};

/// The largest file that tools read or edit.
const SIZE_LIMIT: u64 = 10 * 1024 * 1024;

/// Held while a file is changed: tools run concurrently, and two edits of one file must not lose one.
#[derive(Debug, Clone, Default)]
pub(super) struct WriteLock(Arc<Mutex<()>>);

impl WriteLock {
    pub(super) async fn hold(&self) -> OwnedMutexGuard<()> {
        Arc::clone(&self.0).lock_owned().await
    }
}

/// Resolves the path and does the work, where it may block.
pub(super) async fn with_path<T: Send + 'static>(
    ctx: &ExecutionContext,
    path: String,
    work: impl FnOnce(&Path) -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let ctx = ctx.clone();
    spawn_blocking(move || {
        let path: PathBuf = ctx.resolve(path).map_err(|refused| refused.to_string())?;
        work(&path)
    })
    .await
    .map_err(|error| format!("the tool broke off: {error}"))?
}

/// The text of a file of reasonable size.
pub(super) fn read_text(path: &Path) -> Result<String, String> {
    let shown = path.display();
    let cannot = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => format!("{shown} does not exist"),
        _ => format!("cannot read {shown}: {error}"),
    };
    // Asked before opening: a pipe would keep us waiting for a writer.
    let metadata = fs::metadata(path).map_err(cannot)?;
    if metadata.is_dir() {
        return Err(format!("{shown} is a folder, not a file"));
    }
    if !metadata.is_file() {
        return Err(format!("{shown} is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(SIZE_LIMIT + 1).read_to_end(&mut bytes))
        .map_err(cannot)?;
    if bytes.len() as u64 > SIZE_LIMIT {
        return Err(format!(
            "{shown} is larger than {} MB, which is too much to read",
            SIZE_LIMIT / (1024 * 1024)
        ));
    }
    String::from_utf8(bytes).map_err(|_| format!("{shown} is not text in UTF-8"))
}

/// Replaces a file in one step, with its permissions; folders on the way are made.
pub(super) fn write_text(path: &Path, text: &str) -> Result<(), String> {
    let cannot = |error: std::io::Error| format!("cannot write {}: {error}", path.display());
    if path.is_dir() {
        return Err(format!("{} is a folder", path.display()));
    }
    let folder = path
        .parent()
        .ok_or_else(|| format!("{} has no folder", path.display()))?;
    fs::create_dir_all(folder).map_err(cannot)?;
    let draft = folder.join(format!(".bowline-{}", fresh_id()));
    let written = File::create_new(&draft).and_then(|mut file| {
        if let Ok(metadata) = fs::metadata(path) {
            file.set_permissions(metadata.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        fs::rename(&draft, path)
    });
    written.map_err(|error| {
        // The draft is useless. If it cannot be removed, the write error still says most.
        let _ = fs::remove_file(&draft);
        cannot(error)
    })
}
