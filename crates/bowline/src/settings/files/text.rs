//! Reads settings files within limits: regular files, of bounded size, in UTF-8. Never waits on a fifo.

use std::fs::{FileType, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::settings::{Diagnostic, Severity};

/// The largest settings file that is read.
pub(in crate::settings) const MAX_BYTES: u64 = 8 * 1024 * 1024;
/// The largest of a project's files by which it would steer Bowline: reading one must not take long, also if a stranger wrote it.
pub(in crate::settings) const MAX_OWN_BYTES: u64 = 512 * 1024;
/// The name of what is wrong with a larger one.
const TOO_LARGE: &str = "too-large";
/// The most entries of one folder that are looked at.
const MAX_ENTRIES: usize = 4096;

/// Why a file that exists cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub(in crate::settings) struct Unreadable {
    /// A short stable name.
    code: &'static str,
    /// What is wrong, without the path.
    pub(in crate::settings) reason: String,
    help: &'static str,
    /// Line and column, for a fault inside the file.
    position: (usize, usize),
    offset: usize,
}

impl Unreadable {
    fn new(code: &'static str, reason: impl Into<String>, help: &'static str) -> Self {
        Self {
            code,
            reason: reason.into(),
            help,
            position: (1, 1),
            offset: 0,
        }
    }

    /// Whether only its size stands in the way.
    pub(in crate::settings) fn is_too_large(&self) -> bool {
        self.code == TOO_LARGE
    }

    /// The finding for this file.
    pub(in crate::settings) fn diagnostic(&self, path: &Path) -> Diagnostic {
        let message = format!("{}; it is skipped", self.reason);
        Diagnostic {
            line: self.position.0,
            column: self.position.1,
            span: self.offset..self.offset,
            ..finding(Severity::Error, self.code, path, message, self.help)
        }
    }
}

/// A finding about a file as a whole.
pub(in crate::settings) fn finding(
    severity: Severity,
    code: &'static str,
    path: &Path,
    message: impl Into<String>,
    help: impl Into<String>,
) -> Diagnostic {
    Diagnostic {
        severity,
        code,
        file: Some(path.to_owned()),
        line: 1,
        column: 1,
        span: 0..0,
        message: message.into(),
        help: Some(help.into()),
    }
}

/// A file and what could be read of it.
#[derive(Debug)]
pub(in crate::settings) struct FileText {
    pub(in crate::settings) path: PathBuf,
    /// `None` when there is no such file.
    pub(in crate::settings) text: Result<Option<String>, Unreadable>,
}

impl FileText {
    pub(in crate::settings) fn read(path: PathBuf) -> Self {
        Self {
            text: read_text(&path),
            path,
        }
    }

    /// One of a project's own Bowline files.
    pub(in crate::settings) fn read_own(path: PathBuf) -> Self {
        let bytes = read_bytes_within(&path, MAX_OWN_BYTES);
        Self {
            text: bytes.and_then(text_of),
            path,
        }
    }
}

/// The text of a file; `None` when there is none.
pub(in crate::settings) fn read_text(path: &Path) -> Result<Option<String>, Unreadable> {
    text_of(read_bytes(path)?)
}

fn text_of(bytes: Option<Vec<u8>>) -> Result<Option<String>, Unreadable> {
    let Some(bytes) = bytes else {
        return Ok(None);
    };
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let before = error.as_bytes().get(..offset).unwrap_or_default();
        let before = String::from_utf8_lossy(before);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Unreadable {
            position: (
                before.matches('\n').count() + 1,
                before.chars().count() - before.get(..line_start).map_or(0, |s| s.chars().count())
                    + 1,
            ),
            offset,
            ..Unreadable::new(
                "not-utf8",
                format!("not UTF-8 text (the byte at offset {offset} is not valid)"),
                "save the file as UTF-8",
            )
        }
    })
}

/// The bytes of a file; `None` when there is none.
pub(in crate::settings) fn read_bytes(path: &Path) -> Result<Option<Vec<u8>>, Unreadable> {
    read_bytes_within(path, MAX_BYTES)
}

/// The same of a file of this size at most.
pub(in crate::settings) fn read_bytes_within(
    path: &Path,
    limit: u64,
) -> Result<Option<Vec<u8>>, Unreadable> {
    // Looked at before it is opened, because opening can have effects (a tape, a fifo's writer).
    match path.metadata() {
        Ok(found) => regular(found.file_type())?,
        Err(error) => return absent_or(path, &error),
    }
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed())
        .open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) => return absent_or(path, &error),
    };
    // Looked at again, because the path may have changed in between.
    let found = file.metadata().map_err(|error| unreadable(&error))?;
    regular(found.file_type())?;
    if found.len() > limit {
        return Err(too_large(limit));
    }
    let mut bytes = Vec::new();
    file.take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(&error))?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > limit) {
        return Err(too_large(limit));
    }
    Ok(Some(bytes))
}

fn regular(found: FileType) -> Result<(), Unreadable> {
    let what = if found.is_file() {
        return Ok(());
    } else if found.is_dir() {
        "a directory"
    } else if found.is_fifo() {
        "a fifo"
    } else if found.is_socket() {
        "a socket"
    } else {
        "a device"
    };
    Err(Unreadable::new(
        "not-a-file",
        format!("{what} where a settings file should be"),
        "move it away, or put a regular file in its place",
    ))
}

fn absent_or(path: &Path, error: &io::Error) -> Result<Option<Vec<u8>>, Unreadable> {
    match error.kind() {
        io::ErrorKind::NotFound if path.symlink_metadata().is_ok() => Err(Unreadable::new(
            "dangling-link",
            "a symbolic link to a file that does not exist",
            "repair or remove the link",
        )),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
        _ => Err(unreadable(error)),
    }
}

fn unreadable(error: &io::Error) -> Unreadable {
    if error.kind() == io::ErrorKind::PermissionDenied {
        Unreadable::new(
            "no-permission",
            "no permission to read it",
            "check the owner and the mode of the file and its folders",
        )
    } else if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) {
        Unreadable::new(
            "link-loop",
            "a loop of symbolic links",
            "repair or remove the links",
        )
    } else {
        Unreadable::new(
            "unreadable",
            format!("cannot be read: {error}"),
            "try again",
        )
    }
}

fn too_large(limit: u64) -> Unreadable {
    const MEGABYTE: u64 = 1024 * 1024;
    let size = match limit / MEGABYTE {
        0 => format!("{} KB", limit / 1024),
        megabytes => format!("{megabytes} MB"),
    };
    Unreadable::new(
        TOO_LARGE,
        format!("larger than {size}"),
        "settings files are small; is this the right file?",
    )
}

/// The entries of a folder, sorted by name; none when there is no such folder.
pub(in crate::settings) fn list(folder: &Path) -> Result<Vec<PathBuf>, Unreadable> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            return match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(Vec::new()),
                _ => Err(unreadable(&error)),
            };
        }
    };
    let mut paths: Vec<PathBuf> = entries
        .take(MAX_ENTRIES + 1)
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    if paths.len() > MAX_ENTRIES {
        return Err(Unreadable::new(
            "too-many-files",
            format!("more than {MAX_ENTRIES} entries"),
            "is this the right folder?",
        ));
    }
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_missing_file_is_nothing() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("file"), "").unwrap();
        for missing in ["none", "no/such/folder", "file/below"] {
            assert_eq!(read_text(&root.path().join(missing)), Ok(None), "{missing}");
        }
        assert_eq!(list(&root.path().join("none")), Ok(Vec::new()));
        assert_eq!(list(&root.path().join("file")), Ok(Vec::new()));
    }

    #[test]
    fn bad_files_are_refused_with_a_reason() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        fs::create_dir(at("folder")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, at("fifo"), rustix::fs::Mode::RUSR).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        symlink(at("loop-b"), at("loop-a")).unwrap();
        symlink(at("loop-a"), at("loop-b")).unwrap();
        symlink(at("gone"), at("dangling")).unwrap();
        symlink(at("fifo"), at("to-fifo")).unwrap();
        fs::write(at("latin1"), b"{\n  \"caf\xe9\": 1}").unwrap();
        // Sparse: a hundred megabytes that take no space.
        fs::File::create(at("huge"))
            .unwrap()
            .set_len(100 << 20)
            .unwrap();
        for (name, code, reason) in [
            ("folder", "not-a-file", "a directory"),
            ("fifo", "not-a-file", "a fifo"),
            ("to-fifo", "not-a-file", "a fifo"),
            ("socket", "not-a-file", "a socket"),
            ("loop-a", "link-loop", "a loop"),
            ("dangling", "dangling-link", "does not exist"),
            ("latin1", "not-utf8", "offset 8"),
            ("huge", "too-large", "8 MB"),
        ] {
            let unreadable = read_text(&at(name)).unwrap_err();
            assert_eq!(unreadable.code, code, "{name}");
            assert!(unreadable.reason.contains(reason), "{name}: {unreadable}");
        }
        assert_eq!(
            read_text(Path::new("/dev/zero")).unwrap_err().code,
            "not-a-file"
        );
        let finding = read_text(&at("latin1"))
            .unwrap_err()
            .diagnostic(&at("latin1"));
        assert_eq!((finding.line, finding.column), (2, 7));
    }

    #[test]
    fn no_permission_is_said() {
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        assert_eq!(unreadable(&denied).code, "no-permission");
    }

    #[bowline_testkit::needs(no_root)]
    #[test]
    fn a_file_that_may_not_be_read_is_not() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("secret");
        fs::write(&path, "{}").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
        assert_eq!(read_text(&path).unwrap_err().code, "no-permission");
    }

    #[test]
    fn a_file_of_the_largest_size_is_read() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("large");
        let text = vec![b' '; usize::try_from(MAX_BYTES).unwrap()];
        fs::write(&path, &text).unwrap();
        assert_eq!(read_text(&path).unwrap().unwrap().len(), text.len());
        fs::write(&path, [text.as_slice(), b" "].concat()).unwrap();
        assert_eq!(read_text(&path).unwrap_err().code, "too-large");
        let own = FileText::read_own(path).text.unwrap_err();
        assert_eq!(own.to_string(), "larger than 512 KB");
    }

    #[test]
    fn links_to_files_are_followed_and_folders_are_listed_in_order() {
        let root = tempfile::tempdir().unwrap();
        for name in ["b", "a", "c"] {
            fs::write(root.path().join(name), name).unwrap();
        }
        symlink(root.path().join("a"), root.path().join("link")).unwrap();
        assert_eq!(
            read_text(&root.path().join("link")),
            Ok(Some("a".to_owned()))
        );
        let names: Vec<_> = list(root.path())
            .unwrap()
            .iter()
            .map(|path| path.file_name().unwrap().to_owned())
            .collect();
        assert_eq!(names, ["a", "b", "c", "link"]);
    }
}
