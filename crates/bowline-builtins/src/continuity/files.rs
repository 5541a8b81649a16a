//! The files of efforts: logs and other artifacts, skills, directives, transcripts. The only place here that touches the disk.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use bowline_continuity::directive::Files;
use bowline_continuity::effort::Effort;
use bowline_continuity::skill::Skill;
use bowline_continuity::transcript::{self, Chain, MAX_READ, News, Position};
use bowline_continuity::{Code, RuleError};
use serde_json::json;

/// A larger skill file is not read.
const MAX_SKILL: u64 = 1024 * 1024;
/// A folder has at most this many entries that are looked at.
const MAX_ENTRIES: usize = 1_000;
/// How much of the end of a transcript is read to find out why a turn ended.
const TAIL: u64 = 128 * 1024;

/// Where skills are kept, in the project and in the user's home, best first.
const SKILL_FOLDERS: [&str; 2] = [".claude/skills", ".agents/skills"];

/// Finds a skill: in the project, else in the home folder. `None`: there is no such file, which is fine, because an effort needs none. One
/// that is there and cannot be used is an error: without its phases, an effort would be another one.
pub(super) fn find_skill(
    project: &Path,
    home: Option<&Path>,
    name: &str,
) -> Result<Option<Skill>, RuleError> {
    // The name becomes a part of a path.
    if name.is_empty() || name.contains(['/', '\\']) || name.starts_with('.') {
        return Ok(None);
    }
    for root in [Some(project), home].into_iter().flatten() {
        for folder in SKILL_FOLDERS {
            let file = root.join(folder).join(name).join("SKILL.md");
            let Some(text) = read_skill(&file)? else {
                continue;
            };
            let skill = Skill::parse(&text, name).map_err(|error| {
                let message = format!("{}: {}", file.display(), error.message);
                RuleError::new(error.code, message).with_details(error.details)
            })?;
            return Ok(Some(skill));
        }
    }
    Ok(None)
}

/// The text of a skill's file; `None` if there is none.
fn read_skill(file: &Path) -> Result<Option<String>, RuleError> {
    use io::ErrorKind::{NotADirectory, NotFound};
    let shown = file.display();
    let refused = |code, message| Err(RuleError::new(code, message));
    let bytes = match fs::metadata(file) {
        Ok(found) if !found.is_file() => {
            let message = format!(
                "{shown} is no regular file, as a skill's file should be. Put a text file there, or remove it."
            );
            return refused(Code::FsNotFound, message);
        }
        Ok(found) if found.len() > MAX_SKILL => {
            let message = format!(
                "{shown} has {} bytes, and a skill's file may have {MAX_SKILL} at most. Move what is long into files beside it.",
                found.len()
            );
            return refused(Code::ParseError, message);
        }
        Ok(_) => fs::read(file),
        Err(error) => Err(error),
    };
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error) if [NotFound, NotADirectory].contains(&error.kind()) => return Ok(None),
        Err(error) => {
            let message = format!(
                "{shown} cannot be read: {error}. Make it readable, or choose another skill."
            );
            return refused(Code::FsNotFound, message);
        }
    };
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = error.as_bytes().iter().take(valid);
        let line = before.filter(|byte| **byte == b'\n').count() + 1;
        let message = format!(
            "{shown}: line {line} has bytes that are no UTF-8 text, which was expected. Save the file as UTF-8."
        );
        let refused = RuleError::new(Code::ParseError, message);
        refused.with_details(json!({ "line": line }))
    })
}

/// Makes the folder of a task, unless it is there. The project itself is never made.
pub(super) fn make_task_folder(project: &Path, folder: &Path) -> Result<(), RuleError> {
    check_task_folder(project, folder)?;
    for path in [folder.parent().unwrap_or(folder), folder] {
        match fs::create_dir(path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                let message = format!("{} cannot be made: {error}", path.display());
                return Err(RuleError::new(Code::FsNotFound, message));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Marks a home folder as a project.
const MARKS: [&str; 2] = [".git", "bowline.toml"];

/// Whether tasks, notes and work items may be kept here: everything on the machine or in the home folder would be one project.
pub fn check_project(project: &Path, home: Option<&Path>) -> Result<(), RuleError> {
    let is_home = home.is_some_and(|home| same_place(project, home));
    let what = match project.parent() {
        None => "the root of the file system",
        Some(_) if is_home && !MARKS.iter().any(|mark| project.join(mark).exists()) => {
            "your home folder"
        }
        Some(_) => return Ok(()),
    };
    let message = format!(
        "{} is {what}, not a project. Change to the folder of a project first: `cd PROJECT`.",
        project.display()
    );
    Err(RuleError::new(Code::CommandError, message))
}

fn same_place(one: &Path, other: &Path) -> bool {
    match (fs::canonicalize(one), fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}

/// A regular file that is not larger than that.
pub(super) fn read_small(file: &Path, limit: u64) -> Option<String> {
    let metadata = fs::metadata(file).ok()?;
    if !metadata.is_file() || metadata.len() > limit {
        return None;
    }
    fs::read_to_string(file).ok()
}

/// Whether the folder of a task may be used. A link on its way must not lead out of the project, because a repository may bring it.
fn check_task_folder(project: &Path, folder: &Path) -> Result<(), RuleError> {
    let refused = |path: &Path, what: &str| {
        let message = format!("{} {what}", path.display());
        Err(RuleError::new(Code::FsNotFound, message))
    };
    for path in [folder.parent().unwrap_or(folder), folder] {
        if fs::symlink_metadata(path).is_err() {
            continue;
        }
        if !path.is_dir() {
            return refused(path, "is not a folder; remove it, or choose another task");
        }
        match (fs::canonicalize(path), fs::canonicalize(project)) {
            (Ok(real), Ok(root)) if real.starts_with(&root) => {}
            _ => return refused(path, "leads out of the project; remove the link"),
        }
    }
    Ok(())
}

/// Appends an entry to the log of an effort, and says where that is.
pub(super) fn append_log(
    project: &Path,
    effort: &Effort,
    entry: &str,
) -> Result<PathBuf, RuleError> {
    let folder = Path::new(&effort.task);
    make_task_folder(project, folder)?;
    let file = folder.join(effort.log_file());
    let written = || -> io::Result<()> {
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        let mut log = OpenOptions::new()
            .append(true)
            .create(true)
            .custom_flags(flags.bits().cast_signed())
            .open(&file)?;
        let metadata = log.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        if metadata.len() == 0 {
            writeln!(log, "# {}", effort.label())?;
        }
        log.write_all(entry.as_bytes())
    };
    written().map_err(|error| {
        let message = format!("{} cannot be written: {error}", file.display());
        RuleError::new(Code::FsNotFound, message)
    })?;
    Ok(file)
}

/// The files that an effort has left in its task's folder, by name.
pub fn artifacts(effort: &Effort) -> Vec<String> {
    let prefix = effort.artifact_prefix();
    let Ok(entries) = fs::read_dir(&effort.task) else {
        return Vec::new();
    };
    let mut found: Vec<String> = entries
        .take(MAX_ENTRIES)
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix))
        .map(|entry| entry.path().to_string_lossy().into_owned())
        .collect();
    found.sort();
    found
}

/// The real files, for the search for directives.
#[derive(Debug, Clone, Copy)]
pub(super) struct Disk;

impl Files for Disk {
    fn is_file(&self, path: &str) -> bool {
        Path::new(path).is_file()
    }

    fn real(&self, path: &str) -> Option<String> {
        let real = fs::canonicalize(path).ok()?;
        Some(real.to_string_lossy().into_owned())
    }

    fn list(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(folder) else {
            return Vec::new();
        };
        let names = entries.take(MAX_ENTRIES).flatten();
        names
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect()
    }
}

/// Opens a file to read it. Whoever names it may have put a pipe there, which would never end.
pub(crate) fn open_regular(path: &str) -> Option<File> {
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(nonblocking)
        .open(path)
        .ok()?;
    file.metadata().is_ok_and(|it| it.is_file()).then_some(file)
}

/// A transcript that is there now.
pub(crate) struct Transcript {
    pub(crate) file: File,
    /// Names it among all. A file that was replaced by another one is another transcript.
    pub(crate) name: String,
    identity: Option<u64>,
    pub(crate) length: u64,
}

impl Transcript {
    pub(crate) fn open(path: &str) -> Option<Self> {
        let file = open_regular(path)?;
        let metadata = file.metadata().ok()?;
        Some(Self {
            file,
            name: format!("{path}#{}", metadata.ino()),
            identity: Some(metadata.ino()),
            length: metadata.len(),
        })
    }

    /// What was added since it was last read, and how far it is read now. `None` if there is nothing new, or it cannot be read.
    pub(super) fn read_on(mut self, from: u64, chain: Chain) -> Option<(News, Position)> {
        let before = Position {
            path: self.name.clone(),
            offset: from,
            identity: self.identity,
        };
        let offset = before.next_offset(&self.name, self.identity, self.length);
        if self.length <= offset {
            return None;
        }
        self.file.seek(SeekFrom::Start(offset)).ok()?;
        let mut bytes = Vec::new();
        self.file
            .take(MAX_READ as u64)
            .read_to_end(&mut bytes)
            .ok()?;
        let news = transcript::read(&bytes, offset, chain);
        let position = Position {
            offset: news.offset,
            ..before
        };
        Some((news, position))
    }
}

/// The end of a transcript, in whole lines.
pub(crate) fn last_lines(path: &str) -> Option<String> {
    let mut file = open_regular(path)?;
    let length = file.metadata().ok()?.len();
    let from = length.saturating_sub(TAIL);
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if from == 0 {
        return Some(text);
    }
    // The first line may have lost its beginning.
    text.split_once('\n').map(|(_, rest)| rest.to_owned())
}
