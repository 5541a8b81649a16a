//! Where records wait when the store cannot take them: files, read back in the order of arrival.
//!
//! A line is a checksum and a record as JSON. A file belongs to the process that holds its lock. A file without an owner was
//! left by a process that has exited; the next process that opens the spool takes it over. Records may be read twice, because a
//! process can exit between commit and clean-up. The store keeps each of them once.
//!
//! One file is kept open for *noted* records: such a record is safe and may be answered before it is committed.

mod file;

use std::collections::{HashSet, VecDeque};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::record::Record;
use crate::store::Waiting;
use file::SegmentFile;

/// At most this many files are taken over at a time, because each needs a descriptor. The others wait.
const TAKEN_AT_ONCE: usize = 32;

/// Where a record waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpoolMedium {
    /// In the data folder.
    Data,
    /// In the runtime folder, because the data folder did not take it. It survives this process, but not a reboot.
    Runtime,
    /// In this process, because no folder took it. It does not survive this process.
    Memory,
}

/// The outcome of spooling a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spooled {
    /// It waits here.
    Kept(SpoolMedium),
    /// The spool is full.
    Dropped,
}

/// Where a spool is and how large it may grow.
#[derive(Debug, Clone)]
pub struct SpoolOptions {
    /// The folder to use; created if it is missing.
    pub data: PathBuf,
    /// The folder to use when the first cannot be written.
    pub runtime: Option<PathBuf>,
    /// How much may wait in files.
    pub max_bytes: u64,
    /// How much may wait in memory when no file can be written.
    pub max_memory: u64,
}

impl SpoolOptions {
    /// A spool in this folder: 64 MB in files, 4 MB in memory.
    pub fn new(data: impl Into<PathBuf>) -> Self {
        Self {
            data: data.into(),
            runtime: None,
            max_bytes: 64 * 1024 * 1024,
            max_memory: 4 * 1024 * 1024,
        }
    }
}

/// A queue of records on disk. The oldest are kept. Beyond the caps new ones are dropped, and the caller learns that.
#[derive(Debug)]
pub struct Spool {
    options: SpoolOptions,
    /// Oldest first.
    segments: VecDeque<Segment>,
    file_bytes: u64,
    memory_bytes: u64,
    records: u64,
    /// Lines that could not be read.
    damaged: u64,
    next_file: u64,
    /// Whether there were more files than are taken over at a time.
    more: bool,
    /// How many bytes those files have.
    beyond: u64,
    /// Files that could not be read the last time.
    put_off: HashSet<PathBuf>,
    /// What the last [`Spool::peek`] handed out of the first segment.
    peeked: Option<Peeked>,
    /// For noted records. Empty except while one is being committed.
    notes: Option<SegmentFile>,
}

#[derive(Debug)]
enum Segment {
    File(SegmentFile),
    Memory(VecDeque<String>),
}

#[derive(Debug)]
struct Peeked {
    records: usize,
    read_to: u64,
    damaged: u64,
}

/// The files of records that wait in a folder.
pub(crate) fn waiting(folder: &Path) -> Vec<PathBuf> {
    file::list(folder)
}

/// Leaves a record in a folder, for the next process that opens a spool there.
pub(crate) fn leave(folder: &Path, record: &Record) -> Result<()> {
    let unreadable = || Error::file(folder)(io::ErrorKind::InvalidData.into());
    let line = file::line(record).ok_or_else(unreadable)?;
    let mut file = SegmentFile::create(SpoolMedium::Runtime, folder, 0)?;
    file.append(&line, 1).map_err(Error::file(folder))
}

impl Spool {
    /// Opens a spool and takes over the files of processes that have exited.
    ///
    /// A folder that cannot be used is not an error: the next medium is used instead.
    pub fn open(options: SpoolOptions) -> Self {
        let mut spool = Self {
            options,
            segments: VecDeque::new(),
            file_bytes: 0,
            memory_bytes: 0,
            records: 0,
            damaged: 0,
            next_file: 0,
            more: false,
            beyond: 0,
            put_off: HashSet::new(),
            peeked: None,
            notes: None,
        };
        spool.take_over();
        spool
    }

    /// Takes over the files of processes that have exited, some files at a time. The others follow when these are read.
    pub fn take_over(&mut self) {
        self.put_off.clear();
        self.take_more();
    }

    /// Whether processes that are alive still have records in their files. They are about to commit them, or to exit.
    pub(crate) fn others_have_records(&self) -> bool {
        let others = self.others();
        let sizes = others.iter().map(|(_, path)| path.metadata());
        sizes.flatten().any(|file| file.len() > 0)
    }

    fn take_more(&mut self) {
        (self.more, self.beyond) = (false, 0);
        for (medium, path) in self.others() {
            if self.segments.len() >= TAKEN_AT_ONCE {
                self.more = true;
                self.beyond += path.metadata().map_or(0, |file| file.len());
                continue;
            }
            if self.put_off.contains(&path) {
                continue;
            }
            // Its owner is alive, or it cannot be opened now. It stays where it is for the next look.
            let Ok(segment) = file::take_over(medium, path) else {
                continue;
            };
            self.file_bytes += segment.bytes();
            self.records += segment.records();
            self.insert(segment);
        }
    }

    /// Files are read in the order of their names, which begin with a time. A first file that was handed out stays first.
    fn insert(&mut self, new: SegmentFile) {
        let first = usize::from(self.peeked.is_some()).min(self.segments.len());
        let is_later = |segment: &Segment| matches!(segment, Segment::File(file) if file.path().file_name() > new.path().file_name());
        let place = self.segments.iter().skip(first).position(is_later);
        let place = place.map_or(self.segments.len(), |place| first + place);
        self.segments.insert(place, Segment::File(new));
    }

    /// The files that this spool does not hold, oldest first.
    fn others(&self) -> Vec<(SpoolMedium, PathBuf)> {
        let mut found: Vec<(SpoolMedium, PathBuf)> = Vec::new();
        for (medium, folder) in self.folders() {
            let files = file::list(&folder).into_iter();
            let others = files.filter(|path| !self.has(path));
            found.extend(others.map(|path| (medium, path)));
        }
        found.sort_by(|(_, a), (_, b)| a.file_name().cmp(&b.file_name()));
        found
    }

    fn has(&self, path: &PathBuf) -> bool {
        let held = self.segments.iter().filter_map(|segment| match segment {
            Segment::File(file) => Some(file),
            Segment::Memory(_) => None,
        });
        held.chain(&self.notes).any(|file| file.path() == path)
    }

    fn folders(&self) -> Vec<(SpoolMedium, PathBuf)> {
        let runtime = self.options.runtime.clone();
        std::iter::once((SpoolMedium::Data, self.options.data.clone()))
            .chain(runtime.map(|folder| (SpoolMedium::Runtime, folder)))
            .collect()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty() && !self.more
    }

    /// How many records wait.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Everything that waits, also in files of other processes.
    pub fn waiting(&self) -> Waiting {
        let mut waiting = Waiting {
            records: self.records,
            in_memory: self.records_in_memory(),
            bytes: self.bytes(),
        };
        for (_, path) in self.others() {
            // A missing file was taken by another process meanwhile.
            let (records, bytes) = file::measure(&path).unwrap_or_default();
            waiting.records += records;
            waiting.bytes += bytes;
        }
        waiting
    }

    /// How many of them only this process holds.
    pub fn records_in_memory(&self) -> u64 {
        let lines = self.segments.iter().map(|segment| match segment {
            Segment::Memory(lines) => lines.len() as u64,
            Segment::File(_) => 0,
        });
        lines.sum()
    }

    /// Writes records that only this process holds to a folder, if one works again.
    pub fn save_memory(&mut self) {
        for at in 0..self.segments.len() {
            let Some(Segment::Memory(lines)) = self.segments.get(at) else {
                continue;
            };
            let (text, count) = (
                lines.iter().map(String::as_str).collect::<String>(),
                lines.len(),
            );
            let Some(file) = self.begin_file(&text, count as u64) else {
                return;
            };
            if at == 0 {
                // Records that were handed out are handed out again, because their position in the file has changed.
                self.peeked = None;
            }
            self.memory_bytes = self.memory_bytes.saturating_sub(text.len() as u64);
            self.file_bytes += text.len() as u64;
            if let Some(segment) = self.segments.get_mut(at) {
                *segment = Segment::File(file);
            }
        }
    }

    /// How many bytes wait.
    pub fn bytes(&self) -> u64 {
        self.file_bytes + self.memory_bytes
    }

    /// How many lines could not be read since the last call.
    pub fn take_damaged(&mut self) -> u64 {
        std::mem::take(&mut self.damaged)
    }

    /// Notes a record that is about to be committed, so that it survives a crash until then. The spool must be empty, because
    /// older records come first. `false` if it could not be noted.
    pub fn note(&mut self, record: &Record) -> bool {
        if !self.is_empty() || self.has_note() {
            return false;
        }
        self.notes.take_if(|notes| notes.is_gone());
        if self.notes.is_none() {
            self.next_file += 1;
            let created =
                SegmentFile::create(SpoolMedium::Data, &self.options.data, self.next_file);
            self.notes = created.ok();
        }
        let (Some(notes), Some(line)) = (&mut self.notes, file::line(record)) else {
            return false;
        };
        let noted = notes.append(&line, 1).is_ok();
        if !noted {
            self.tear_off();
        }
        noted
    }

    /// Whether a noted record is neither committed nor in the queue.
    pub fn has_note(&self) -> bool {
        self.notes
            .as_ref()
            .is_some_and(|notes| !notes.is_finished())
    }

    /// The noted record is committed, or refused for good.
    pub fn strike_note(&mut self) {
        if let Some(notes) = &mut self.notes
            && notes.begin_again().is_err()
        {
            self.tear_off();
        }
    }

    /// The noted record could not be committed: it waits like any other.
    pub fn keep_note(&mut self) {
        if let Some(notes) = self.notes.take_if(|notes| !notes.is_finished()) {
            self.file_bytes += notes.bytes();
            self.records += notes.records();
            self.segments.push_back(Segment::File(notes));
        }
    }

    fn tear_off(&mut self) {
        if let Some(notes) = self.notes.take() {
            notes.remove();
        }
    }

    /// Adds records at the end. Returns the outcome of each.
    pub fn append<'a>(&mut self, records: impl IntoIterator<Item = &'a Record>) -> Vec<Spooled> {
        let lines: Vec<Option<String>> = records.into_iter().map(file::line).collect();
        let mut results = Vec::with_capacity(lines.len());
        let mut batch = Vec::new();
        let taken = self.file_bytes + self.beyond;
        let mut room = self.options.max_bytes.saturating_sub(taken);
        for line in lines.iter().map(Option::as_deref) {
            let Some(line) = line.filter(|line| line.len() as u64 <= room) else {
                // The oldest are kept: once a record was dropped, no later one may be added.
                room = 0;
                results.push(Spooled::Dropped);
                continue;
            };
            room -= line.len() as u64;
            batch.push(line);
            results.push(Spooled::Dropped);
        }
        let kept = self.append_lines(&batch);
        for (result, kept) in results.iter_mut().zip(kept) {
            *result = kept;
        }
        results
    }

    /// Writes lines to the first medium that takes them.
    fn append_lines(&mut self, lines: &[&str]) -> Vec<Spooled> {
        if lines.is_empty() {
            return Vec::new();
        }
        let text = lines.concat();
        let count = lines.len() as u64;
        match self.append_to_file(&text, count) {
            Some(medium) => {
                self.file_bytes += text.len() as u64;
                self.records += count;
                vec![Spooled::Kept(medium); lines.len()]
            }
            None => lines.iter().map(|line| self.keep_in_memory(line)).collect(),
        }
    }

    fn append_to_file(&mut self, text: &str, records: u64) -> Option<SpoolMedium> {
        if let Some(Segment::File(last)) = self.segments.back_mut()
            && last.append(text, records).is_ok()
        {
            return Some(last.medium());
        }
        let segment = self.begin_file(text, records)?;
        let medium = segment.medium();
        self.segments.push_back(Segment::File(segment));
        Some(medium)
    }

    /// A new file with this text in the first folder that takes it.
    fn begin_file(&mut self, text: &str, records: u64) -> Option<SegmentFile> {
        for (medium, folder) in self.folders() {
            self.next_file += 1;
            let Ok(mut segment) = SegmentFile::create(medium, &folder, self.next_file) else {
                continue;
            };
            if segment.append(text, records).is_ok() {
                return Some(segment);
            }
            segment.remove();
        }
        None
    }

    fn keep_in_memory(&mut self, line: &str) -> Spooled {
        if self.memory_bytes + line.len() as u64 > self.options.max_memory {
            return Spooled::Dropped;
        }
        if !matches!(self.segments.back(), Some(Segment::Memory(_))) {
            self.segments.push_back(Segment::Memory(VecDeque::new()));
        }
        if let Some(Segment::Memory(lines)) = self.segments.back_mut() {
            lines.push_back(line.to_owned());
        }
        self.memory_bytes += line.len() as u64;
        self.records += 1;
        Spooled::Kept(SpoolMedium::Memory)
    }

    /// The oldest records, at most this many and at least one; they stay until [`Spool::advance`].
    pub fn peek(&mut self, limit: usize) -> Vec<Record> {
        // Each iteration makes progress only if it reads something.
        let limit = limit.max(1);
        self.peeked = None;
        loop {
            if self.more && self.segments.len() <= TAKEN_AT_ONCE / 2 {
                self.take_more();
            }
            let (records, peeked) = match self.segments.front() {
                None => return Vec::new(),
                Some(Segment::File(segment)) => match segment.read(limit) {
                    Ok(read) => read,
                    Err(error) => {
                        self.put_off(&error);
                        continue;
                    }
                },
                Some(Segment::Memory(lines)) => {
                    let records: Vec<Record> = lines
                        .iter()
                        .take(limit)
                        .filter_map(|line| file::record(line.as_bytes()))
                        .collect();
                    let peeked = Peeked {
                        records: lines.len().min(limit),
                        read_to: 0,
                        damaged: 0,
                    };
                    (records, peeked)
                }
            };
            self.peeked = Some(peeked);
            if !records.is_empty() {
                return records;
            }
            // No record in what was read. More may follow in this file or in the next.
            self.advance();
        }
    }

    /// The first file cannot be read. That does not prove damage, so it stays on disk and is taken over again later.
    fn put_off(&mut self, error: &io::Error) {
        let Some(Segment::File(segment)) = self.segments.pop_front() else {
            return;
        };
        let path = segment.path().to_owned();
        tracing::warn!(
            "a spool file cannot be read now: {}: {error}",
            path.display()
        );
        self.file_bytes = self.file_bytes.saturating_sub(segment.bytes());
        self.records = self.records.saturating_sub(segment.records());
        if segment.is_gone() {
            self.damaged += segment.records();
        }
        self.put_off.insert(path);
    }

    /// Removes the records that the last [`Spool::peek`] returned.
    pub fn advance(&mut self) {
        let Some(peeked) = self.peeked.take() else {
            return;
        };
        self.damaged += peeked.damaged;
        let finished = match self.segments.front_mut() {
            None => return,
            Some(Segment::File(segment)) => {
                self.records -= segment.advance(peeked.read_to, peeked.records as u64);
                segment.is_finished()
            }
            Some(Segment::Memory(lines)) => {
                for line in lines.drain(..peeked.records.min(lines.len())) {
                    self.memory_bytes -= line.len() as u64;
                    self.records -= 1;
                }
                lines.is_empty()
            }
        };
        if finished && let Some(first) = self.segments.pop_front() {
            self.forget(first);
        }
    }

    fn forget(&mut self, segment: Segment) {
        match segment {
            Segment::File(segment) => {
                self.file_bytes = self.file_bytes.saturating_sub(segment.bytes());
                self.records = self.records.saturating_sub(segment.records());
                segment.remove();
            }
            Segment::Memory(lines) => {
                let bytes: u64 = lines.iter().map(|line| line.len() as u64).sum();
                self.memory_bytes = self.memory_bytes.saturating_sub(bytes);
                self.records = self.records.saturating_sub(lines.len() as u64);
            }
        }
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        if !self.has_note() {
            self.tear_off();
        }
    }
}

#[cfg(test)]
mod tests;
