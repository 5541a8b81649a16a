//! What one judgement may ask of git's files, and how they are read.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::machine::look::Links;

/// Objects that are read.
const OBJECTS: usize = 20_000;
/// Bytes that objects may have, unpacked and with all that they were put together from.
const BYTES: usize = 64 << 20;
/// Bytes of files in the checkout that are compared with what git has.
const HASHED: usize = 64 << 20;
/// Reads at a place in a pack or its index.
const READS: usize = 400_000;
/// Small files of git's own: refs, logs, lists.
const FILES: usize = 50_000;

/// Counts down what is left.
#[derive(Debug)]
pub(super) struct Budget {
    objects: AtomicUsize,
    bytes: AtomicUsize,
    hashed: AtomicUsize,
    reads: AtomicUsize,
    files: AtomicUsize,
    exhausted: AtomicBool,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            objects: OBJECTS.into(),
            bytes: BYTES.into(),
            hashed: HASHED.into(),
            reads: READS.into(),
            files: FILES.into(),
            exhausted: false.into(),
        }
    }
}

impl Budget {
    pub(super) fn object(&self) -> Option<()> {
        self.spend(&self.objects, 1)
    }

    pub(super) fn bytes(&self, count: usize) -> Option<()> {
        self.spend(&self.bytes, count)
    }

    pub(super) fn hashed(&self, count: usize) -> Option<()> {
        self.spend(&self.hashed, count)
    }

    pub(super) fn read(&self) -> Option<()> {
        self.spend(&self.reads, 1)
    }

    pub(super) fn file(&self) -> Option<()> {
        self.spend(&self.files, 1)
    }

    /// Whether a question stayed without an answer because something was used up.
    pub(super) fn is_exhausted(&self) -> bool {
        self.exhausted.load(Ordering::Relaxed)
    }

    fn spend(&self, left: &AtomicUsize, count: usize) -> Option<()> {
        let taken = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            left.checked_sub(count)
        });
        if taken.is_err() {
            self.exhausted.store(true, Ordering::Relaxed);
        }
        taken.ok().map(drop)
    }

    #[cfg(test)]
    pub(super) fn exhaust(&self) {
        for left in [
            &self.objects,
            &self.bytes,
            &self.hashed,
            &self.reads,
            &self.files,
        ] {
            left.store(0, Ordering::Relaxed);
        }
    }
}

/// What a file turned out to hold.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Text {
    Missing,
    /// It cannot be read, is too large, or no file at all.
    Unknown,
    Known(Vec<u8>),
}

impl Text {
    /// The content, which is empty where there is no file.
    pub(super) fn or_empty(self) -> Option<Vec<u8>> {
        match self {
            Self::Missing => Some(Vec::new()),
            Self::Unknown => None,
            Self::Known(text) => Some(text),
        }
    }
}

/// Reads a file of up to `limit` bytes.
pub(super) fn read_file(path: &Path, limit: usize) -> Text {
    match open(path, Links::Follow) {
        Ok(file) => read_open(&file, limit).map_or(Text::Unknown, Text::Known),
        Err(Errno::NOENT | Errno::NOTDIR | Errno::ISDIR) => Text::Missing,
        Err(_) => Text::Unknown,
    }
}

/// Opens a file without ever waiting, which a pipe in its place would cause.
pub(in crate::machine) fn open(path: &Path, links: Links) -> Result<File, Errno> {
    let mut flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    if links == Links::Keep {
        flags |= OFlags::NOFOLLOW;
    }
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    match file.metadata() {
        Ok(metadata) if metadata.is_file() => Ok(file),
        Ok(metadata) if metadata.is_dir() => Err(Errno::ISDIR),
        _ => Err(Errno::INVAL),
    }
}

/// Reads an open file of up to `limit` bytes.
pub(in crate::machine) fn read_open(file: &File, limit: usize) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    // It may grow while it is read, so one byte more than allowed is asked for.
    let most = u64::try_from(limit).ok()?.checked_add(1)?;
    let read = file.take(most).read_to_end(&mut text).ok()?;
    (read <= limit).then_some(text)
}
