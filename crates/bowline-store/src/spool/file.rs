//! One file of the spool.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::Utc;
use rustix::fs::{FlockOperation, flock};

use super::{Peeked, SpoolMedium};
use crate::error::{Error, Result};
use crate::folder;
use crate::hash::fnv1a;
use crate::record::Record;

const EXTENSION: &str = "spool";
/// The name of a file until its owner has locked it.
const UNLOCKED_EXTENSION: &str = "new";
/// A file that still has this name after this time has no owner.
const ABANDONED: Duration = Duration::from_secs(60);
/// At this size a file is closed and the next one is begun.
const MAX_FILE: u64 = 8 * 1024 * 1024;
/// At most this many bytes are read at once.
const MAX_READ: u64 = 4 * 1024 * 1024;
const CHECKSUM_DIGITS: usize = 16;

/// A record as a line: checksum, space, JSON, line feed.
pub(super) fn line(record: &Record) -> Option<String> {
    let json = serde_json::to_string(record).ok()?;
    let checksum = fnv1a(json.as_bytes());
    Some(format!("{checksum:0CHECKSUM_DIGITS$x} {json}\n"))
}

/// The record of a line, if the line is complete.
pub(super) fn record(line: &[u8]) -> Option<Record> {
    let line = line.strip_suffix(b"\n")?;
    let (checksum, rest) = line.split_at_checked(CHECKSUM_DIGITS)?;
    let json = rest.strip_prefix(b" ")?;
    let checksum = u64::from_str_radix(std::str::from_utf8(checksum).ok()?, 16).ok()?;
    (checksum == fnv1a(json)).then_some(())?;
    serde_json::from_slice(json).ok()
}

/// A file of lines, locked as long as this value lives.
#[derive(Debug)]
pub(super) struct SegmentFile {
    medium: SpoolMedium,
    path: PathBuf,
    file: File,
    written: u64,
    read: u64,
    records: u64,
    /// Only files of this process are written to, and none after a failure.
    open: bool,
}

/// A new file that is not locked yet. Its name shows others that it was not left behind.
#[derive(Debug)]
pub(super) struct UnlockedFile {
    medium: SpoolMedium,
    path: PathBuf,
    file: File,
}

impl UnlockedFile {
    pub(super) fn make(medium: SpoolMedium, folder: &Path, number: u64) -> Result<Self> {
        folder::private_folder(folder)?;
        let name = format!(
            "{:016}-{}-{number:06}.{UNLOCKED_EXTENSION}",
            Utc::now().timestamp_micros(),
            std::process::id(),
        );
        let path = folder.join(name);
        let file = folder::new_private_file(&path)?;
        Ok(Self { medium, path, file })
    }

    /// Locks it, and only then gives it the name by which others find it.
    pub(super) fn lock(self) -> Result<SegmentFile> {
        let Self { medium, path, file } = self;
        let locked = path.with_extension(EXTENSION);
        flock(&file, FlockOperation::NonBlockingLockExclusive)
            .map_err(io::Error::from)
            .and_then(|()| still_there(&file))
            .and_then(|_| fs::rename(&path, &locked))
            .map_err(Error::file(&path))?;
        Ok(SegmentFile {
            medium,
            path: locked,
            file,
            written: 0,
            read: 0,
            records: 0,
            open: true,
        })
    }
}

/// A file that has its name; an error if it was removed before it was locked.
fn still_there(file: &File) -> io::Result<fs::Metadata> {
    let found = file.metadata()?;
    if found.nlink() == 0 {
        return Err(io::ErrorKind::NotFound.into());
    }
    Ok(found)
}

impl SegmentFile {
    pub(super) fn create(medium: SpoolMedium, folder: &Path, number: u64) -> Result<Self> {
        UnlockedFile::make(medium, folder, number)?.lock()
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn medium(&self) -> SpoolMedium {
        self.medium
    }

    pub(super) fn bytes(&self) -> u64 {
        self.written
    }

    /// How many records are not read yet.
    pub(super) fn records(&self) -> u64 {
        self.records
    }

    pub(super) fn is_finished(&self) -> bool {
        self.read >= self.written
    }

    pub(super) fn append(&mut self, text: &str, records: u64) -> io::Result<()> {
        if !self.open || self.written >= MAX_FILE {
            return Err(io::ErrorKind::StorageFull.into());
        }
        if let Err(error) = self.file.write_all(text.as_bytes()) {
            self.open = false;
            // A partial line must not stay before later ones. If even this fails, the checksum reveals it.
            let _ = self.file.set_len(self.written);
            return Err(error);
        }
        self.written += text.len() as u64;
        self.records += records;
        Ok(())
    }

    /// The next records, and how far they reach. They are read through the open descriptor: opening the file again could fail
    /// for lack of descriptors, which would look like damage.
    pub(super) fn read(&self, limit: usize) -> io::Result<(Vec<Record>, Peeked)> {
        let mut records = Vec::new();
        let mut peeked = Peeked {
            records: 0,
            read_to: self.read,
            damaged: 0,
        };
        let mut reader = BufReader::new(ReadFrom {
            file: &self.file,
            position: self.read,
        });
        let mut line = Vec::new();
        while records.len() < limit
            && peeked.read_to < self.written
            && peeked.read_to - self.read < MAX_READ
        {
            line.clear();
            let bytes = reader.read_until(b'\n', &mut line)? as u64;
            if bytes == 0 {
                // The file was truncated.
                peeked.read_to = self.written;
                break;
            }
            peeked.read_to += bytes;
            let torn_tail = !line.ends_with(b"\n");
            match record(&line) {
                Some(record) => {
                    records.push(record);
                    peeked.records += 1;
                }
                // An incomplete write, which was never answered.
                None if torn_tail => {}
                None => {
                    peeked.damaged += 1;
                    peeked.records += 1;
                }
            }
        }
        Ok((records, peeked))
    }

    /// Counts what was read. Returns how many records fewer are left.
    pub(super) fn advance(&mut self, read_to: u64, records: u64) -> u64 {
        let fewer = records.min(self.records);
        self.read = read_to;
        self.records -= fewer;
        fewer
    }

    /// Whether the file was removed, so that nobody would read what is written to it.
    pub(super) fn is_gone(&self) -> bool {
        self.file.metadata().map_or(true, |file| file.nlink() == 0)
    }

    /// Empties the file.
    pub(super) fn begin_again(&mut self) -> io::Result<()> {
        self.open = false;
        self.file.set_len(0)?;
        self.file.rewind()?;
        (self.written, self.read, self.records, self.open) = (0, 0, 0, true);
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn read_by(&mut self, file: File) {
        self.file = file;
    }

    pub(super) fn remove(self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(
                "a spool file is done but stays: {}: {error}",
                self.path.display()
            );
        }
    }
}

/// Reads from a position without moving the one for writing.
struct ReadFrom<'a> {
    file: &'a File,
    position: u64,
}

impl Read for ReadFrom<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.position)?;
        self.position += read as u64;
        Ok(read)
    }
}

/// All files of a folder, whoever holds them. Files that were never locked are removed.
pub(super) fn list(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        let extension = path.extension().unwrap_or_default();
        if extension == EXTENSION {
            found.push(path);
        } else if extension == UNLOCKED_EXTENSION {
            let _ = remove_abandoned(&path);
        }
    }
    found
}

/// A process that exited before it locked its file never wrote to it.
fn remove_abandoned(path: &Path) -> io::Result<()> {
    let made = fs::symlink_metadata(path)?.modified()?;
    if made.elapsed().is_ok_and(|age| age > ABANDONED) {
        let file = File::open(path)?;
        flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        still_there(&file)?;
        fs::remove_file(path)?;
    }
    Ok(())
}

/// Takes over a file whose owner has exited.
pub(super) fn take_over(medium: SpoolMedium, path: PathBuf) -> io::Result<SegmentFile> {
    let file = File::open(&path)?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    let written = still_there(&file)?.len();
    let records = count_lines(&file)?;
    Ok(SegmentFile {
        medium,
        path,
        file,
        written,
        read: 0,
        records,
        open: false,
    })
}

/// How many records and bytes a file has, whoever holds it.
pub(super) fn measure(path: &Path) -> io::Result<(u64, u64)> {
    let file = File::open(path)?;
    Ok((count_lines(&file)?, file.metadata()?.len()))
}

fn count_lines(file: &File) -> io::Result<u64> {
    let mut lines = 0;
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        lines += u64::from(line.ends_with(b"\n"));
        line.clear();
    }
    Ok(lines)
}
