//! One file of the spool.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use chrono::Utc;
use rustix::fs::{FlockOperation, flock};

use super::{Peeked, Place};
use crate::error::Result;
use crate::folder;
use crate::hash::fnv1a;
use crate::record::Record;

const EXTENSION: &str = "spool";
/// A file is closed and the next one begun at this size.
const MAX_FILE: u64 = 8 * 1024 * 1024;
/// No more than this is read at once.
const MAX_READ: u64 = 4 * 1024 * 1024;
const CHECKSUM_DIGITS: usize = 16;

/// A record as a line: checksum, space, JSON, line feed.
pub(super) fn line(record: &Record) -> Option<String> {
    let json = serde_json::to_string(record).ok()?;
    let checksum = fnv1a(json.as_bytes());
    Some(format!("{checksum:0CHECKSUM_DIGITS$x} {json}\n"))
}

/// The record of a line, if it is whole.
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
    place: Place,
    path: PathBuf,
    file: File,
    written: u64,
    read: u64,
    records: u64,
    /// Only files that this process began are written to, and none after a failure.
    open: bool,
}

impl SegmentFile {
    pub(super) fn create(place: Place, folder: &Path, number: u64) -> Result<Self> {
        folder::private_folder(folder)?;
        let name = format!(
            "{:013}-{}-{number:06}.{EXTENSION}",
            Utc::now().timestamp_millis(),
            std::process::id(),
        );
        let path = folder.join(name);
        let file = folder::new_private_file(&path)?;
        flock(&file, FlockOperation::NonBlockingLockExclusive)
            .map_err(|error| crate::error::Error::file(&path)(error.into()))?;
        Ok(Self {
            place,
            path,
            file,
            written: 0,
            read: 0,
            records: 0,
            open: true,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn place(&self) -> Place {
        self.place
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
            // What was half written must not stand before what comes later. Should even this fail, the checksum tells.
            let _ = self.file.set_len(self.written);
            return Err(error);
        }
        self.written += text.len() as u64;
        self.records += records;
        Ok(())
    }

    /// The next records, and how far that is.
    pub(super) fn read(&self, limit: usize) -> (Vec<Record>, Peeked) {
        let mut records = Vec::new();
        let mut peeked = Peeked {
            records: 0,
            read_to: self.read,
            damaged: 0,
        };
        if self.read_lines(limit, &mut records, &mut peeked).is_err() {
            // A file that cannot be read again counts with everything that is left in it.
            peeked.damaged += self.records - (peeked.records as u64).min(self.records);
            peeked.records = usize::try_from(self.records).unwrap_or(usize::MAX);
            peeked.read_to = self.written;
        }
        (records, peeked)
    }

    fn read_lines(
        &self,
        limit: usize,
        records: &mut Vec<Record>,
        peeked: &mut Peeked,
    ) -> io::Result<()> {
        let mut reader = BufReader::new(File::open(&self.path)?);
        reader.seek(SeekFrom::Start(self.read))?;
        let mut line = Vec::new();
        while records.len() < limit
            && peeked.read_to < self.written
            && peeked.read_to - self.read < MAX_READ
        {
            line.clear();
            let bytes = reader.read_until(b'\n', &mut line)? as u64;
            if bytes == 0 {
                // Somebody cut the file: there is no more.
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
                // The end of a write that was never finished, and so never answered.
                None if torn_tail => {}
                None => {
                    peeked.damaged += 1;
                    peeked.records += 1;
                }
            }
        }
        Ok(())
    }

    /// Counts what was read; says how many records that are fewer.
    pub(super) fn advance(&mut self, read_to: u64, records: u64) -> u64 {
        let fewer = records.min(self.records);
        self.read = read_to;
        self.records -= fewer;
        fewer
    }

    /// Whether somebody removed the file: what is written to it, nobody would ever read.
    pub(super) fn is_gone(&self) -> bool {
        self.file.metadata().map_or(true, |file| file.nlink() == 0)
    }

    /// Forgets everything that was written: the file is as new.
    pub(super) fn begin_again(&mut self) -> io::Result<()> {
        self.open = false;
        self.file.set_len(0)?;
        self.file.rewind()?;
        (self.written, self.read, self.records, self.open) = (0, 0, 0, true);
        Ok(())
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

/// The files that processes left behind when they ended.
pub(super) fn left_behind(place: Place, folder: &Path) -> Vec<SegmentFile> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == EXTENSION)
        })
        .filter_map(|path| take_over(place, path).ok())
        .collect()
}

fn take_over(place: Place, path: PathBuf) -> io::Result<SegmentFile> {
    let file = OpenOptions::new().read(true).open(&path)?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    let found = file.metadata()?;
    if found.nlink() == 0 {
        // Its owner finished with it after it was opened here.
        return Err(io::ErrorKind::NotFound.into());
    }
    let written = found.len();
    let mut lines = 0;
    let mut reader = BufReader::new(&file);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        lines += u64::from(line.ends_with(b"\n"));
        line.clear();
    }
    Ok(SegmentFile {
        place,
        path,
        file,
        written,
        read: 0,
        records: lines,
        open: false,
    })
}
