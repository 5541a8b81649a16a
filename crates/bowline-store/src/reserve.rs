//! A small file that is created in advance and written in place, so that losses can be noted on a full disk.
//!
//! A process notes there how many records only its memory holds, and, when it exits, what it could not keep. Records in the memory
//! of a process that has exited are lost. The next process that commits turns the note into gaps.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use chrono::Utc;
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use serde::{Deserialize, Serialize};

use crate::gap::{Gap, GapCause, PendingGaps};
use crate::queue::lock;

const FILE: &str = "losses";
/// One block of the disk. It is allocated once the file has been written for the first time.
const SIZE: usize = 4_096;
/// How often to try to lock the file. Nobody holds it for long.
const ATTEMPTS: u32 = 50;
const PAUSE: Duration = Duration::from_millis(2);

const IN_MEMORY: &str = "neither the store nor a folder could take events, and the process that kept them in memory has ended";

/// One note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Loss {
    /// The process whose memory holds the records; none if they are lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    holder: Option<Holder>,
    #[serde(flatten)]
    gap: Gap,
}

/// A store of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Holder {
    process: i32,
    store: u32,
}

impl Holder {
    fn new() -> Self {
        static STORES: AtomicU32 = AtomicU32::new(0);
        Self {
            process: rustix::process::getpid().as_raw_nonzero().get(),
            store: STORES.fetch_add(1, Ordering::Relaxed),
        }
    }

    fn has_ended(self) -> bool {
        let process = Pid::from_raw(self.process);
        process.is_none_or(|process| test_kill_process(process) == Err(Errno::SRCH))
    }
}

impl Loss {
    /// Whether these records are lost.
    fn is_final(&self) -> bool {
        self.holder.is_none_or(Holder::has_ended)
    }
}

/// The file. Notes go to the first folder in which it can be written.
#[derive(Debug)]
pub(crate) struct Reserve {
    files: Vec<PathBuf>,
    holder: Holder,
    /// How many records were last noted to be in memory.
    held: AtomicU64,
    /// Whether other processes may have noted something.
    unread: AtomicBool,
    /// A descriptor that is given up for the file when the process has no other left.
    spare: Mutex<Option<File>>,
}

impl Reserve {
    /// Creates the file where it is missing, in each of these folders that exists and can be written.
    pub(crate) fn open<'a>(folders: impl IntoIterator<Item = &'a Path>) -> Self {
        let reserve = Self::at(folders);
        let mut spare = None;
        for path in &reserve.files {
            match make(path) {
                Ok(file) => spare = Some(file),
                Err(error) => {
                    tracing::debug!("losses cannot be noted: {}: {error}", path.display());
                }
            }
        }
        *lock(&reserve.spare) = spare;
        reserve
    }

    /// The file as it is.
    pub(crate) fn at<'a>(folders: impl IntoIterator<Item = &'a Path>) -> Self {
        Self {
            files: folders.into_iter().map(|it| it.join(FILE)).collect(),
            holder: Holder::new(),
            held: AtomicU64::new(0),
            unread: AtomicBool::new(true),
            spare: Mutex::default(),
        }
    }

    /// Its files, whether they exist or not.
    pub(crate) fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Notes how many records only this process's memory holds.
    pub(crate) fn hold(&self, records: u64) {
        if self.held.swap(records, Ordering::AcqRel) == records {
            return;
        }
        self.change(|losses| {
            losses.retain(|loss| loss.holder != Some(self.holder));
            if records > 0 {
                losses.push(Loss {
                    holder: Some(self.holder),
                    gap: in_memory(records),
                });
            }
        });
    }

    /// This process exits: only its memory holds this many records, and these gaps were never written.
    pub(crate) fn end(&self, records: u64, gaps: &[Gap]) {
        if records == 0 && gaps.is_empty() && self.held.load(Ordering::Acquire) == 0 {
            return;
        }
        let lost = (records > 0).then(|| in_memory(records));
        let lost: Vec<&Gap> = gaps.iter().chain(&lost).collect();
        for gap in &lost {
            tracing::error!(records = gap.records, "records are lost: {}", gap.message);
        }
        self.change(|losses| {
            losses.retain(|loss| loss.holder != Some(self.holder));
            let mut all = PendingGaps::default();
            let (last, mut kept): (Vec<Loss>, Vec<Loss>) =
                losses.drain(..).partition(|loss| loss.holder.is_none());
            for gap in last
                .iter()
                .map(|loss| &loss.gap)
                .chain(lost.iter().copied())
            {
                all.count(gap.clone());
            }
            kept.extend(all.list().into_iter().map(|gap| Loss { holder: None, gap }));
            *losses = kept;
        });
    }

    /// Losses that are not written yet. While this value exists, no other process can write them.
    pub(crate) fn look(&self) -> Vec<Locked> {
        let files = self.files.iter().filter_map(|file| Locked::open(file).ok());
        files.collect()
    }

    /// Other processes may have noted something.
    pub(crate) fn look_again(&self) {
        self.unread.store(true, Ordering::Relaxed);
    }

    /// The losses, locked until they are written; nothing if no process noted anything since the last look.
    pub(crate) fn take(&self) -> Vec<Locked> {
        if !self.unread.load(Ordering::Relaxed) {
            return Vec::new();
        }
        let mut unread = false;
        let mut found = Vec::new();
        for file in &self.files {
            match Locked::try_open(file) {
                Ok(file) if file.lost().is_empty() => {}
                Ok(file) => found.push(file),
                Err(error) => unread |= error.kind() == io::ErrorKind::WouldBlock,
            }
        }
        self.unread
            .store(unread || !found.is_empty(), Ordering::Relaxed);
        found
    }

    /// Forgets all notes.
    pub(crate) fn clear(&self) -> io::Result<()> {
        for file in &self.files {
            match Locked::open(file) {
                Ok(mut file) => file.change(|losses| losses.retain(|loss| !loss.is_final()))?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn change(&self, mut how: impl FnMut(&mut Vec<Loss>)) {
        let mut change = || {
            self.files.iter().any(|file| {
                let changed = Locked::open(file).and_then(|mut file| file.change(&mut how));
                changed.is_ok()
            })
        };
        let mut changed = change();
        let mut spare = lock(&self.spare);
        if !changed && spare.take().is_some() {
            changed = change();
            *spare = self.files.iter().find_map(|file| options().open(file).ok());
        }
        if !changed {
            tracing::error!("what only memory holds could not be noted: no folder can be written");
        }
    }
}

fn in_memory(records: u64) -> Gap {
    Gap {
        time: Utc::now(),
        cause: GapCause::Unkept,
        records,
        message: IN_MEMORY.to_owned(),
    }
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    let flags = OFlags::NOFOLLOW.bits();
    options
        .read(true)
        .write(true)
        .custom_flags(flags.cast_signed())
        .mode(0o600);
    options
}

/// Creates the file and allocates its block.
fn make(path: &Path) -> io::Result<File> {
    let file = options().create(true).truncate(false).open(path)?;
    if file.metadata()?.len() >= SIZE as u64 {
        return Ok(file);
    }
    let locked = Locked::of(file, FlockOperation::LockExclusive)?;
    locked.write(&locked.losses)?;
    flock(&locked.file, FlockOperation::Unlock)?;
    Ok(locked.file)
}

/// The locked file.
#[derive(Debug)]
pub(crate) struct Locked {
    file: File,
    losses: Vec<Loss>,
}

impl Locked {
    /// Waits for other processes, which do not take long.
    fn open(path: &Path) -> io::Result<Self> {
        for _ in 1..ATTEMPTS {
            match Self::try_open(path) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => thread::sleep(PAUSE),
                other => return other,
            }
        }
        Self::try_open(path)
    }

    fn try_open(path: &Path) -> io::Result<Self> {
        Self::of(
            options().open(path)?,
            FlockOperation::NonBlockingLockExclusive,
        )
    }

    fn of(file: File, how: FlockOperation) -> io::Result<Self> {
        flock(&file, how)?;
        let mut bytes = vec![0; SIZE];
        let mut length = 0;
        while let Some(rest) = bytes.get_mut(length..).filter(|rest| !rest.is_empty()) {
            match file.read_at(rest, length as u64)? {
                0 => break,
                more => length += more,
            }
        }
        bytes.truncate(length);
        let text = bytes.trim_ascii();
        let losses = if text.is_empty() {
            Vec::new()
        } else {
            serde_json::from_slice(text).unwrap_or_else(|error| {
                tracing::warn!("what was noted of losses cannot be read: {error}");
                Vec::new()
            })
        };
        Ok(Self { file, losses })
    }

    /// The lost records.
    pub(crate) fn lost(&self) -> Vec<Gap> {
        let lost = self.losses.iter().filter(|loss| loss.is_final());
        lost.map(|loss| loss.gap.clone()).collect()
    }

    /// The losses were written elsewhere.
    pub(crate) fn written(mut self) -> io::Result<()> {
        self.change(|losses| losses.retain(|loss| !loss.is_final()))
    }

    fn change(&mut self, how: impl FnOnce(&mut Vec<Loss>)) -> io::Result<()> {
        how(&mut self.losses);
        self.write(&self.losses)
    }

    /// Overwrites the content and never extends the file.
    fn write(&self, losses: &[Loss]) -> io::Result<()> {
        let mut text = serde_json::to_string(losses)?;
        if losses.is_empty() || text.len() >= SIZE {
            text = shortened(losses);
        }
        let mut bytes = text.into_bytes();
        bytes.resize(SIZE - 1, b' ');
        bytes.push(b'\n');
        self.file.write_all_at(&bytes, 0)
    }
}

/// Notes that do not fit are counted in one.
fn shortened(losses: &[Loss]) -> String {
    let Some(last) = losses.last() else {
        return String::new();
    };
    let mut sum = Loss {
        holder: None,
        gap: in_memory(0),
    };
    sum.gap.time = last.gap.time;
    sum.gap.records = losses.iter().map(|loss| loss.gap.records).sum();
    serde_json::to_string(&[sum]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(files: &[Locked]) -> u64 {
        let gaps = files.iter().flat_map(Locked::lost);
        gaps.map(|gap| gap.records).sum()
    }

    #[test]
    fn what_memory_holds_is_lost_when_its_process_has_ended_and_not_before() {
        let folder = tempfile::tempdir().unwrap();
        let reserve = Reserve::open([folder.path()]);
        reserve.hold(7);
        assert_eq!(lost(&reserve.look()), 0, "the process lives");
        reserve.hold(0);
        reserve.hold(3);
        reserve.end(3, &[]);
        let other = Reserve::open([folder.path()]);
        other.end(4, &[]);
        assert_eq!(lost(&other.look()), 7);
        let taken = reserve.take();
        assert_eq!(lost(&taken), 7);
        assert!(other.take().is_empty(), "nobody else takes it meanwhile");
        for taken in taken {
            taken.written().unwrap();
        }
        assert_eq!(lost(&reserve.look()), 0);
        other.look_again();
        assert!(other.take().is_empty());
    }

    #[test]
    fn an_ended_process_is_known_by_its_number() {
        let folder = tempfile::tempdir().unwrap();
        let mut ended = std::process::Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        let mut reserve = Reserve::open([folder.path()]);
        reserve.holder.process = i32::try_from(ended.id()).unwrap();
        reserve.hold(5);
        assert_eq!(lost(&reserve.look()), 5);
    }

    #[test]
    fn the_file_never_grows_and_nothing_is_forgotten_for_want_of_room() {
        let folder = tempfile::tempdir().unwrap();
        for n in 0..300 {
            let reserve = Reserve::open([folder.path()]);
            let gap = Gap {
                message: format!("{n} {}", "reason ".repeat(20)),
                ..in_memory(1)
            };
            reserve.end(1, &[gap]);
            let length = folder.path().join(FILE).metadata().unwrap().len();
            assert_eq!(length, SIZE as u64);
        }
        let reserve = Reserve::open([folder.path()]);
        assert_eq!(lost(&reserve.look()), 600);
        reserve.clear().unwrap();
        assert_eq!(lost(&reserve.look()), 0);
    }

    #[test]
    fn rubbish_is_survived() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), "{\"rubbish\"").unwrap();
        let reserve = Reserve::open([folder.path()]);
        assert_eq!(lost(&reserve.look()), 0);
        reserve.end(2, &[]);
        assert_eq!(lost(&reserve.look()), 2);
    }
}
