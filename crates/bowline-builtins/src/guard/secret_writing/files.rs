//! Files of the work tree, read here rather than by git, which would run them through the repository's filters.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{Mode, OFlags};

use super::git::MAX_BYTES;

/// At most this many files are looked at.
const MAX_FILES: usize = 2_000;
/// And at most this many folder entries, to find them.
const MAX_ENTRIES: usize = 20_000;
/// A file with a zero byte in its beginning is no text. Git looks at as much.
const BEGINNING: u64 = 8_000;
/// Marks of files whose state in the work tree git does not look at: assumed unchanged, not checked out.
const NOT_LOOKED_AT: u32 = 0x4000_8000;

/// What takes longer is not looked at: the disk may hang.
const WITHIN: Duration = Duration::from_secs(1);

/// Looks at files on another thread, and gives up when that takes too long.
pub(super) async fn apart<T: Send + 'static>(
    look: impl FnOnce() -> T + Send + 'static,
) -> Result<T, &'static str> {
    let looking = tokio::task::spawn_blocking(look);
    match tokio::time::timeout(WITHIN, looking).await {
        Ok(Ok(found)) => Ok(found),
        Ok(Err(_)) => Err("looking at its files failed inside"),
        Err(_) => Err("its files could not be read in time"),
    }
}

/// A file as git last saw it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// Below the repository's root.
    name: PathBuf,
    changed: Time,
    /// The lower bits of its size.
    size: u32,
    flags: u32,
}

/// A moment: seconds and nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Time(i64, i64);

impl Time {
    fn of(file: &Metadata) -> Self {
        Self(file.mtime(), file.mtime_nsec())
    }
}

impl Known {
    /// Reads an entry of `git ls-files --debug -z`, and gives what comes after it.
    pub(super) fn parse(text: &[u8]) -> Option<(Self, &[u8])> {
        let end = text.iter().position(|byte| *byte == 0)?;
        let (name, mut rest) = text.split_at_checked(end)?;
        rest = rest.get(1..)?;
        let (mut changed, mut size, mut flags) = (None, None, None);
        while rest.starts_with(b"  ") {
            let end = rest.iter().position(|byte| *byte == b'\n')?;
            let (line, after) = rest.split_at_checked(end)?;
            rest = after.get(1..)?;
            for field in std::str::from_utf8(line).ok()?.trim_start().split('\t') {
                let (field, value) = field.split_once(": ")?;
                match field {
                    "mtime" => {
                        let (seconds, nanoseconds) = value.split_once(':')?;
                        changed = Some(Time(seconds.parse().ok()?, nanoseconds.parse().ok()?));
                    }
                    "size" => size = Some(value.parse().ok()?),
                    "flags" => flags = Some(u32::from_str_radix(value, 16).ok()?),
                    _ => {}
                }
            }
            if flags.is_some() {
                break;
            }
        }
        let known = Self {
            name: OsStr::from_bytes(name).into(),
            changed: changed?,
            size: size?,
            flags: flags?,
        };
        Some((known, rest))
    }

    /// Whether the file may differ from the index, by its metadata.
    fn may_differ(&self, root: &Path, index_written: Option<Time>) -> bool {
        if self.flags & NOT_LOOKED_AT != 0 {
            return false;
        }
        let Ok(file) = root.join(&self.name).symlink_metadata() else {
            return true;
        };
        if file.is_dir() {
            return false;
        }
        let now = Time::of(&file);
        // What changed when the index was written, or later, may have changed once more since.
        let is_settled = index_written.is_some_and(|written| now < written);
        let size_bits = file.size() & u64::from(u32::MAX);
        !(is_settled && now == self.changed && size_bits == u64::from(self.size))
    }
}

/// The names of the files that may differ from what the index has.
pub(super) fn that_differ(files: Vec<Known>, root: &Path, index: &Path) -> Vec<PathBuf> {
    let written = index.metadata().ok().map(|index| Time::of(&index));
    files
        .into_iter()
        .filter(|file| file.may_differ(root, written))
        .map(|file| file.name)
        .collect()
}

/// The names of the files below a folder that is no repository yet, and whether these are all.
pub(super) fn below(root: &Path) -> (Vec<PathBuf>, bool) {
    let mut folders = vec![PathBuf::new()];
    let mut files = Vec::new();
    let mut entries = 0;
    while let Some(folder) = folders.pop() {
        // A folder that cannot be read, or is not there yet, cannot be committed either.
        let Ok(listed) = root.join(&folder).read_dir() else {
            continue;
        };
        for entry in listed.flatten() {
            entries += 1;
            if entries > MAX_ENTRIES {
                return (files, false);
            }
            let name = folder.join(entry.file_name());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && entry.file_name() != ".git" => folders.push(name),
                Ok(kind) if kind.is_file() => files.push(name),
                _ => {}
            }
        }
    }
    (files, true)
}

/// The texts of plain files, as long as they are not too many, and whether these are all.
pub(super) fn read(root: &Path, names: Vec<PathBuf>) -> (Vec<(PathBuf, String)>, bool) {
    let mut left = MAX_BYTES;
    let mut texts = Vec::new();
    let mut is_whole = names.len() <= MAX_FILES;
    for name in names.into_iter().take(MAX_FILES) {
        let Ok(Some(mut bytes)) = text(&root.join(&name), left) else {
            continue;
        };
        let is_cut = bytes.len() > left;
        bytes.truncate(left);
        left -= bytes.len();
        texts.push((name, String::from_utf8_lossy(&bytes).into_owned()));
        if is_cut {
            is_whole = false;
            break;
        }
    }
    (texts, is_whole)
}

/// A plain file's text, at most one byte longer than `most`; nothing if it is something else.
fn text(path: &Path, most: usize) -> io::Result<Option<Vec<u8>>> {
    // Of a link only its name is recorded, and a pipe must not be waited for.
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    if !path.symlink_metadata()?.is_file() {
        return Ok(None);
    }
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    (&file).take(BEGINNING).read_to_end(&mut bytes)?;
    if bytes.contains(&0) {
        return Ok(None);
    }
    let more = (most + 1).saturating_sub(bytes.len());
    file.take(u64::try_from(more).unwrap_or(u64::MAX))
        .read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_saw_of_a_file_is_read() {
        let text = b"a b\0  ctime: 1:2\n  mtime: 3:4\n  dev: 5\tino: 6\n  uid: 7\tgid: 8\n  size: 9\tflags: 8000\n  c\0";
        let (known, rest) = Known::parse(text).unwrap();
        let expected = Known {
            name: "a b".into(),
            changed: Time(3, 4),
            size: 9,
            flags: 0x8000,
        };
        assert_eq!((known, rest), (expected, &b"  c\0"[..]));
        for cut in 0..text.len() - 4 {
            assert_eq!(Known::parse(&text[..cut]), None, "{cut}");
        }
        for bad in [
            "",
            "a\0",
            "a\0  mtime: x:4\n",
            "a\0  mtime: 3:4\n  flags: 0\n",
            "a\0  odd\n",
        ] {
            assert_eq!(Known::parse(bad.as_bytes()), None, "{bad:?}");
        }
    }

    #[test]
    fn a_file_differs_when_its_state_does() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("a"), "12").unwrap();
        let now = Time::of(&root.path().join("a").metadata().unwrap());
        let later = Some(Time(now.0 + 1, 0));
        let known = |name: &str, changed, size, flags| Known {
            name: name.into(),
            changed,
            size,
            flags,
        };
        for (file, written, expected) in [
            (known("a", now, 2, 0), later, false),
            (known("a", now, 2, 0), Some(now), true),
            (known("a", now, 2, 0), None, true),
            (known("a", now, 3, 0), later, true),
            (known("a", Time(0, 0), 2, 0), later, true),
            (known("gone", now, 2, 0), later, true),
            (known("gone", now, 2, 0x4000_0000), later, false),
            (known("", now, 2, 0), None, false),
        ] {
            assert_eq!(file.may_differ(root.path(), written), expected, "{file:?}");
        }
    }

    #[test]
    fn only_plain_files_of_text_are_read_and_only_so_much() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        std::fs::write(at("a"), "text").unwrap();
        std::fs::write(at("binary"), "a\0b").unwrap();
        std::os::unix::fs::symlink("a", at("link")).unwrap();
        let pipe = std::process::Command::new("mkfifo")
            .arg(at("pipe"))
            .status();
        assert!(pipe.unwrap().success());
        let names = ["a", "binary", "link", "pipe", "gone"].map(PathBuf::from);
        let (texts, is_whole) = read(root.path(), names.to_vec());
        assert_eq!(texts, [(PathBuf::from("a"), "text".to_owned())]);
        assert!(is_whole);

        std::fs::write(at("long"), "x".repeat(MAX_BYTES)).unwrap();
        let (texts, is_whole) = read(root.path(), vec!["a".into(), "long".into(), "a".into()]);
        assert_eq!(texts.len(), 2);
        assert!(!is_whole);
        let (_, is_whole) = read(root.path(), vec!["gone".into(); MAX_FILES + 1]);
        assert!(!is_whole);
    }
}
