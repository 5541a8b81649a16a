//! Writes the figures of the day to a file when a turn or a session ends.
//!
//! The store is the source: whoever writes reads it again while nobody else writes, so that writers lose nothing of each other.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Opinion, RunPolicy};
use bowline_guidance::metrics::Day;
use bowline_store::Store;
use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};

use super::Ground;
use crate::assemble::BuiltinHook;

const NAME: &str = "metrics";
const SUMMARY: &str = "writes the figures of the day to a file when a turn or a session ends";

/// The folder in the data folder.
const FOLDER: &str = "metrics";
/// What became too old for it, in folders of a month.
const ARCHIVES: &str = "archives";
/// So many files are kept there. Older ones go to `archives/YYYY-MM`.
const MAX_FILES: usize = 30;
/// Nobody waits longer for the file. It is written all the same.
const WAIT: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Metrics {
    ground: Arc<Ground>,
}

impl Metrics {
    pub(super) fn builtin(ground: &Arc<Ground>) -> Option<BuiltinHook> {
        let ground = Arc::clone(ground);
        let has_place = ground.data_folder.is_some() && ground.memory.store().is_some();
        let is_on = ground.config.metrics.daily && has_place;
        is_on.then(|| BuiltinHook::of_all_tools(Self { ground }, SUMMARY))
    }
}

/// The times from which and before which a day lasts, in UTC.
pub fn bounds(day: NaiveDate) -> (DateTime<Utc>, DateTime<Utc>) {
    let from = day.and_time(NaiveTime::MIN).and_utc();
    (from, from.checked_add_days(Days::new(1)).unwrap_or(from))
}

/// Writes the file of a day, and says where it is.
pub fn write_day(store: &dyn Store, data: &Path, day: NaiveDate) -> io::Result<PathBuf> {
    let (from, to) = bounds(day);
    write_with(data, day, || {
        let facts = store.happened(from, to).map_err(io::Error::other)?;
        Ok(Day::of(day, &facts))
    })
}

/// Writes figures that are made only when nobody else writes.
pub fn write_with(
    data: &Path,
    day: NaiveDate,
    make: impl FnOnce() -> io::Result<Day>,
) -> io::Result<PathBuf> {
    let folder = data.join(FOLDER);
    let _turn = take_turn(&folder)?;
    let file = folder.join(format!("metrics-{}.json", day.format("%Y%m%d")));
    write_file(&folder, &file, &make()?)?;
    archive(&folder)?;
    Ok(file)
}

/// The days whose figures are kept, with their files, the archives' too.
pub fn kept(data: &Path) -> io::Result<Vec<(NaiveDate, PathBuf)>> {
    let folder = data.join(FOLDER);
    let mut folders = files_in(&folder.join(ARCHIVES))?;
    folders.push(folder);
    let mut kept = Vec::new();
    for folder in folders {
        let files = files_in(&folder)?.into_iter();
        kept.extend(files.filter_map(|file| Some((day_in(file.file_name()?.to_str()?)?, file))));
    }
    kept.sort_unstable();
    Ok(kept)
}

/// Writes a kept file anew where it is, with figures that are made only when nobody else writes. Without figures it is removed.
pub fn replace(
    data: &Path,
    file: &Path,
    make: impl FnOnce() -> io::Result<Option<Day>>,
) -> io::Result<()> {
    let folder = data.join(FOLDER);
    let _turn = take_turn(&folder)?;
    match make()? {
        Some(figures) => write_file(&folder, file, &figures),
        None => fs::remove_file(file),
    }
}

/// Waits until nobody else writes; others wait while the answer lives.
fn take_turn(folder: &Path) -> io::Result<File> {
    private_folder(folder)?;
    let lock = private_file(&folder.join(".lock"))?;
    lock.lock()?;
    Ok(lock)
}

fn write_file(folder: &Path, file: &Path, figures: &Day) -> io::Result<()> {
    let text = serde_json::to_string_pretty(figures)?;
    let temporary = folder.join(".metrics.tmp");
    let mut written = private_file(&temporary)?;
    written.set_len(0)?;
    written.write_all(text.as_bytes())?;
    written.write_all(b"\n")?;
    fs::rename(&temporary, file)
}

/// What lies in a folder; nothing if there is none.
fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|it| it.map(|it| it.path())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn private_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600);
    options.open(path)
}

/// Moves the oldest files away where there are too many.
fn archive(folder: &Path) -> io::Result<()> {
    let files = files_in(folder)?.into_iter();
    let mut names: Vec<String> = files
        .filter_map(|it| Some(it.file_name()?.to_str()?.to_owned()))
        .filter(|name| day_in(name).is_some())
        .collect();
    names.sort_unstable();
    let more = names.len().saturating_sub(MAX_FILES);
    for name in names.iter().take(more) {
        let Some(day) = day_in(name) else { continue };
        let archive = folder.join(ARCHIVES).join(day.format("%Y-%m").to_string());
        private_folder(&archive)?;
        fs::rename(folder.join(name), archive.join(name))?;
    }
    Ok(())
}

/// The day of a file of figures.
fn day_in(name: &str) -> Option<NaiveDate> {
    let day = name.strip_prefix("metrics-")?.strip_suffix(".json")?;
    NaiveDate::parse_from_str(day, "%Y%m%d").ok()
}

#[async_trait]
impl Hook for Metrics {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        &[HookEvent::Stop, HookEvent::SessionEnd]
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::observer().whole()
    }

    async fn opinion(&self, _: &HookInput, _: &HookContext) -> bowline::Result<Opinion> {
        let store = self.ground.memory.store().cloned();
        let (Some(store), Some(data)) = (store, self.ground.data_folder.clone()) else {
            return Ok(Opinion::allow());
        };
        let day = Utc::now().date_naive();
        let writing = tokio::task::spawn_blocking(move || {
            if let Err(error) = write_day(store.as_ref(), &data, day) {
                tracing::warn!("the figures of the day were not written: {error}");
            }
        });
        let _ = tokio::time::timeout(WAIT, writing).await;
        Ok(Opinion::allow())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(number: u64) -> NaiveDate {
        let first = NaiveDate::from_ymd_opt(2026, 1, 1).unwrap();
        first + Days::new(number)
    }

    #[test]
    fn f46_a_the_31st_file_sends_the_oldest_to_the_archive() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..31 {
            write_with(folder.path(), day(number), || Ok(Day::default())).unwrap();
        }
        let metrics = folder.path().join(FOLDER);
        assert!(!metrics.join("metrics-20260101.json").exists());
        assert!(
            metrics
                .join("archives/2026-01/metrics-20260101.json")
                .is_file()
        );
        assert!(metrics.join("metrics-20260102.json").is_file());
        assert!(metrics.join("metrics-20260131.json").is_file());
        assert!(!metrics.join(".metrics.tmp").exists());
    }

    #[test]
    fn f46_a_writers_take_turns() {
        use std::sync::Mutex;

        let folder = tempfile::tempdir().unwrap();
        let count = Mutex::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let make = || {
                        // What is read while writing is the newest.
                        let mut count = count.lock().unwrap();
                        *count += 1;
                        let mut figures = Day::default();
                        figures.performance_metrics.tool_executions = *count;
                        Ok(figures)
                    };
                    write_with(folder.path(), day(0), make).unwrap();
                });
            }
        });
        let file = folder.path().join("metrics/metrics-20260101.json");
        let read: Day = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        assert_eq!(read.performance_metrics.tool_executions, 8);
    }
}
