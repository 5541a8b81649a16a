//! What the daemon has to say when nobody looks: a file that never grows beyond its cap. Another thread writes it, because nobody who
//! has something to say may wait for a disk that hangs.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, SyncSender};

use bowline_daemon::{FILES_WITHIN, Places, Slow};
use bowline_guard::secrets::redact;
use rustix::fs::OFlags;
use tracing_subscriber::filter::LevelFilter;

use super::DaemonMode;
use crate::control::log_file;

/// The maximum size of the log. The previous log is kept beside it.
const CAP: u64 = 1024 * 1024;

/// At most this many lines wait to be written. More are dropped.
const WAITING: usize = 1_024;

/// The log; dropping it has the last lines written.
#[must_use]
#[derive(Debug)]
pub(super) struct Log(Option<(Lines, Slow<()>)>);

impl Drop for Log {
    fn drop(&mut self) {
        if let Some((lines, written)) = self.0.take() {
            let _ = lines.0.try_send(Line::Last);
            written.wait(FILES_WITHIN);
        }
    }
}

/// Logs to the file, or to standard error in the foreground. `BOWLINE_LOG` says how much: error, warn, info, debug.
pub(super) fn begin(places: &Places, mode: DaemonMode) -> Log {
    let level = std::env::var("BOWLINE_LOG").ok();
    let level = level.and_then(|level| level.parse::<LevelFilter>().ok());
    let builder = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_target(false);
    match mode {
        DaemonMode::Background => {
            let (folder, file) = (places.data.clone(), log_file(places));
            // Where nothing can be written, events still want answers.
            let (lines, written) = Lines::written_by(move || open(&folder, &file).ok());
            let writer = lines.clone();
            builder
                .with_max_level(level.unwrap_or(LevelFilter::WARN))
                .with_writer(move || Redacted(Some(writer.clone())))
                .init();
            Log(Some((lines, written)))
        }
        DaemonMode::Terminal => {
            builder
                .with_max_level(level.unwrap_or(LevelFilter::INFO))
                .with_writer(|| Redacted(Some(io::stderr())))
                .init();
            Log(None)
        }
    }
}

/// What another thread writes.
#[derive(Debug, Clone)]
struct Lines(SyncSender<Line>);

#[derive(Debug)]
enum Line {
    Text(Vec<u8>),
    /// No more come.
    Last,
}

impl Lines {
    /// Lines, and the thread that opens the log and writes them.
    fn written_by<W: Write>(open: impl FnOnce() -> Option<W> + Send + 'static) -> (Self, Slow<()>) {
        let (lines, given) = mpsc::sync_channel(WAITING);
        let write = move || {
            let mut log = open();
            for line in given {
                match (line, &mut log) {
                    (Line::Last, _) => return,
                    (Line::Text(text), Some(log)) => drop(log.write_all(&text)),
                    (Line::Text(_), None) => {}
                }
            }
        };
        (Self(lines), Slow::start(write))
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.0.try_send(Line::Text(bytes.to_vec()));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn open(folder: &Path, log: &Path) -> io::Result<Capped> {
    // In a folder of somebody else's the log could be a link to any file of ours.
    bowline_store::private_folder(folder).map_err(io::Error::other)?;
    Capped::open(log, CAP)
}

/// Takes secrets out of what is written, if it can be written anywhere. Each event is written at once.
struct Redacted<W>(Option<W>);

impl<W: Write> Write for Redacted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(log) = &mut self.0 {
            let text = String::from_utf8_lossy(bytes);
            log.write_all(redact(&text).as_bytes())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.as_mut().map_or(Ok(()), Write::flush)
    }
}

/// A file that begins anew when it is full.
struct Capped {
    path: PathBuf,
    file: File,
    length: u64,
    cap: u64,
}

impl Capped {
    fn open(path: &Path, cap: u64) -> io::Result<Self> {
        let file = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
            .open(path)?;
        let length = file.metadata()?.len();
        Ok(Self {
            path: path.to_owned(),
            file,
            length,
            cap,
        })
    }
}

impl Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let added = bytes.len() as u64;
        if self.length > 0 && self.length + added > self.cap {
            fs::rename(&self.path, self.path.with_extension("log.1"))?;
            *self = Self::open(&self.path, self.cap)?;
        }
        self.file.write_all(bytes)?;
        self.length += added;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_log_begins_anew_and_keeps_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("daemon.log");
        for _ in 0..3 {
            let mut log = Capped::open(&path, 100).unwrap();
            for _ in 0..10 {
                log.write_all(&[b'x'; 30]).unwrap();
            }
        }
        for name in ["daemon.log", "daemon.log.1"] {
            let length = fs::metadata(folder.path().join(name)).unwrap().len();
            assert!((1..=100).contains(&length), "{name}: {length}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_log_that_is_a_link_is_not_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let (log, other) = (
            folder.path().join("daemon.log"),
            folder.path().join("other"),
        );
        fs::write(&other, "theirs").unwrap();
        std::os::unix::fs::symlink(&other, &log).unwrap();
        assert!(open(folder.path(), &log).is_err());
        assert_eq!(fs::read_to_string(&other).unwrap(), "theirs");
    }

    #[test]
    fn nobody_waits_for_a_log_that_hangs_and_what_fits_is_written_when_it_comes_to_itself() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("daemon.log");
        let (release, held) = mpsc::channel::<()>();
        let file = path.clone();
        let (mut lines, written) = Lines::written_by(move || {
            let _ = held.recv();
            Capped::open(&file, CAP).ok()
        });
        for _ in 0..2 * WAITING {
            lines.write_all(b"line\n").unwrap();
        }
        drop(release);
        drop(lines);
        assert!(written.wait(std::time::Duration::from_mins(1)).is_some());
        let text = fs::read_to_string(path).unwrap();
        assert_eq!(text.lines().count(), WAITING);
    }

    #[test]
    fn a_log_has_no_secrets() {
        let token = bowline_guard::secrets::expand("ghp_{a36}");
        let mut log = Redacted(Some(Vec::new()));
        log.write_all(format!("failed: {token}\n").as_bytes())
            .unwrap();
        let text = String::from_utf8(log.0.unwrap()).unwrap();
        assert!(
            text.contains("REDACTED") && !text.contains(&token),
            "{text}"
        );
    }
}
