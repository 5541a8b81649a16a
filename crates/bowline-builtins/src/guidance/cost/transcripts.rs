//! Reads what messages used from transcripts: line by line, only what is new, and never more than a line at once.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use bowline_guidance::cost::usage::{Gathered, TranscriptReader, Usage};
use bowline_store::Mark;

use crate::continuity::Transcript;

/// A longer line is skipped.
const MAX_LINE: u64 = 32 * 1024 * 1024;
/// So many messages are handed over at once.
const BATCH: usize = 500;
/// How much is read at once.
const BUFFER: usize = 256 * 1024;
/// So much is looked at again at the beginning of a transcript and before a mark.
const AROUND: u64 = 1024 * 1024;
/// Folders are looked at so deep: `projects/PROJECT/SESSION/subagents`.
const MAX_DEPTH: usize = 6;

/// A transcript, and what is needed to read on in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where it is.
    pub path: PathBuf,
    /// What its mark is called.
    pub mark: String,
    /// Its size in bytes.
    pub length: u64,
}

/// All transcripts in a folder, by their paths.
pub fn find(folder: &Path) -> Vec<Found> {
    let mut found = Vec::new();
    collect(folder, MAX_DEPTH, &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn collect(folder: &Path, depth: usize, found: &mut Vec<Found>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() && depth > 0 {
            collect(&path, depth - 1, found);
        } else if kind.is_file() && path.extension().is_some_and(|it| it == "jsonl") {
            found.extend(look(&path));
        }
    }
}

/// A transcript as it is now.
pub fn look(path: &Path) -> Option<Found> {
    let transcript = Transcript::open(path.to_str()?)?;
    Some(Found {
        path: path.to_owned(),
        mark: transcript.name,
        length: transcript.length,
    })
}

/// The transcripts of a session: its own, and those of its sub-agents.
pub(super) fn of_session(transcript: &Path) -> Vec<Found> {
    let mut found: Vec<Found> = look(transcript).into_iter().collect();
    collect(&transcript.with_extension(""), 1, &mut found);
    found
}

/// Reads a transcript from a mark on, and hands over what messages used, with the next mark. Says how many bytes were read.
///
/// A file that has become shorter, or in which no line ends at the mark, was written anew and is read from its beginning. The last line
/// waits until it is whole.
pub fn read<E: From<io::Error>>(
    found: &Found,
    from: u64,
    mut take: impl FnMut(Vec<Usage>, Mark) -> Result<(), E>,
) -> Result<u64, E> {
    let Some(transcript) = found.path.to_str().and_then(Transcript::open) else {
        return Ok(0);
    };
    // Another file has taken its place. It has a mark of its own.
    if transcript.name != found.mark {
        return Ok(0);
    }
    let mut file = transcript.file;
    let begin = if ends_a_line(&mut file, from, transcript.length)? {
        from
    } else {
        0
    };
    let mut said = TranscriptReader::default();
    if begin > 0 {
        remember(&mut file, begin, &mut said)?;
    }
    file.seek(SeekFrom::Start(begin))?;
    let mut reader = BufReader::with_capacity(BUFFER, file);
    let mut offset = begin;
    let mut line = Vec::new();
    let mut gathered = Gathered::default();
    let mark = |offset| Mark {
        file: found.mark.clone(),
        offset,
    };
    while let Some(length) = next_line(&mut reader, &mut line)? {
        offset += length;
        if let Some(usage) = said.line(&line) {
            gathered.add(usage);
        }
        if gathered.len() >= BATCH {
            take(gathered.take(), mark(offset))?;
        }
    }
    if offset != from || !gathered.is_empty() {
        take(gathered.take(), mark(offset))?;
    }
    Ok(offset - begin)
}

/// Takes in what lines before a mark say about those after it: the first ones whose session it is, the last ones which model works.
fn remember(file: &mut fs::File, mark: u64, said: &mut TranscriptReader) -> io::Result<()> {
    let mut line = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    let mut head = BufReader::with_capacity(BUFFER, file.by_ref().take(mark.min(AROUND)));
    let first = next_line(&mut head, &mut line)?;
    if first.is_none() || !TranscriptReader::tells_once(&line) {
        return Ok(());
    }
    said.remember(&line);
    while next_line(&mut head, &mut line)?.is_some() {
        said.remember(&line);
    }
    let from = mark.saturating_sub(AROUND);
    file.seek(SeekFrom::Start(from))?;
    let mut tail = BufReader::with_capacity(BUFFER, file.by_ref().take(mark - from));
    while next_line(&mut tail, &mut line)?.is_some() {
        said.remember(&line);
    }
    Ok(())
}

fn ends_a_line(file: &mut fs::File, at: u64, length: u64) -> io::Result<bool> {
    if at == 0 || at > length {
        return Ok(at == 0);
    }
    let mut last = [0];
    file.seek(SeekFrom::Start(at - 1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// The next whole line, and how many bytes it takes; `None` at the end. Of a line that is too long nothing is kept.
fn next_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<u64>> {
    let mut length = 0;
    loop {
        line.clear();
        let read = reader.by_ref().take(MAX_LINE).read_until(b'\n', line)? as u64;
        length += read;
        if line.ends_with(b"\n") {
            break;
        }
        if read < MAX_LINE {
            return Ok(None);
        }
    }
    if length > MAX_LINE {
        line.clear();
    }
    // A session that read much at once does not keep the memory.
    if line.capacity() > 4 * BUFFER && line.len() < BUFFER {
        line.shrink_to(BUFFER);
    }
    Ok(Some(length))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    const RECORDED: &str = include_str!(
        "../../../../bowline-guidance/tests/data/transcripts/03_write_edit_read.jsonl"
    );

    fn read_all(path: &Path, from: u64) -> (Vec<String>, u64) {
        let found = look(path).unwrap();
        let mut messages = Vec::new();
        let mut offset = from;
        let read = read::<io::Error>(&found, from, |usage, mark| {
            messages.extend(usage.into_iter().map(|it| it.message));
            offset = mark.offset;
            Ok(())
        });
        read.unwrap();
        (messages, offset)
    }

    #[test]
    fn only_what_is_new_is_read_and_half_a_line_waits() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        let all = {
            fs::write(&path, RECORDED).unwrap();
            read_all(&path, 0).0
        };
        assert_eq!(all.len(), 4);
        // Wherever the file ends for now, every message is found, and the second reading goes on where the first ended.
        for cut in (0..=RECORDED.len()).step_by(97) {
            fs::write(&path, &RECORDED.as_bytes()[..cut]).unwrap();
            let (first, offset) = read_all(&path, 0);
            assert!(offset <= cut as u64);
            fs::write(&path, RECORDED).unwrap();
            let (second, end) = read_all(&path, offset);
            assert_eq!(end, RECORDED.len() as u64, "{cut}");
            let mut messages = [first, second].concat();
            messages.sort();
            messages.dedup();
            assert_eq!(messages, all, "{cut}");
        }
        let nothing = read_all(&path, RECORDED.len() as u64);
        assert_eq!(nothing, (Vec::new(), RECORDED.len() as u64));
    }

    #[test]
    fn what_is_told_once_is_known_wherever_reading_goes_on() {
        let recorded =
            include_str!("../../../../bowline-guidance/tests/data/transcripts/codex.jsonl");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rollout.jsonl");
        for cut in (0..recorded.len()).step_by(911) {
            fs::write(&path, &recorded.as_bytes()[..cut]).unwrap();
            let mut all = Vec::new();
            let mut at = 0;
            for whole in [false, true] {
                if whole {
                    fs::write(&path, recorded).unwrap();
                }
                let found = look(&path).unwrap();
                read::<io::Error>(&found, at, |usage, mark| {
                    all.extend(usage);
                    at = mark.offset;
                    Ok(())
                })
                .unwrap();
            }
            assert_eq!(all.len(), 4, "{cut}");
            for usage in all {
                assert_eq!(usage.session, "01a1f026-b502-7b52-a24a-2e9e66aa8faf");
                assert_eq!(
                    (usage.model.as_str(), usage.folder.as_str()),
                    ("gpt-5.5", "/home/user/project")
                );
            }
        }
    }

    #[test]
    fn a_file_that_was_written_anew_is_read_from_its_beginning() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        fs::write(&path, RECORDED).unwrap();
        for from in [RECORDED.len() as u64 + 5, 10] {
            assert_eq!(read_all(&path, from).0.len(), 4, "{from}");
        }
        // Another file in its place has another mark.
        let found = look(&path).unwrap();
        let other = folder.path().join("other");
        fs::write(&other, RECORDED).unwrap();
        fs::rename(&other, &path).unwrap();
        assert_ne!(look(&path).unwrap().mark, found.mark);
        let read = read::<io::Error>(&found, 0, |_, _| panic!("of another file"));
        assert_eq!(read.unwrap(), 0);
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        let mut file = fs::File::create(&path).unwrap();
        for _ in 0..=MAX_LINE / 1024 / 1024 {
            file.write_all(&vec![b'x'; 1024 * 1024]).unwrap();
        }
        file.write_all(b"\n").unwrap();
        file.write_all(RECORDED.as_bytes()).unwrap();
        assert_eq!(read_all(&path, 0).0.len(), 4);
    }

    #[test]
    fn transcripts_are_found_with_those_of_sub_agents_and_no_pipe_holds_anybody_up() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("project/s1/subagents");
        fs::create_dir_all(&below).unwrap();
        for path in [
            "project/s1.jsonl",
            "project/s1/subagents/agent-a.jsonl",
            "project/notes.txt",
        ] {
            fs::write(folder.path().join(path), "").unwrap();
        }
        let names = |found: Vec<Found>| -> Vec<String> {
            let below = |it: Found| it.path.strip_prefix(folder.path()).unwrap().to_owned();
            found
                .into_iter()
                .map(|it| below(it).display().to_string())
                .collect()
        };
        let expected = ["project/s1.jsonl", "project/s1/subagents/agent-a.jsonl"];
        let mut all = names(find(folder.path()));
        all.sort();
        assert_eq!(all, expected);
        let transcript = folder.path().join("project/s1.jsonl");
        assert_eq!(names(of_session(&transcript)), expected);
        assert_eq!(find(&folder.path().join("nothing")), []);
    }
}
