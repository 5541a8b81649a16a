//! Standard input and output for commands that other programs feed: lines in, lines out, bytes as they are.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Stdin, Stdout, Write};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use serde::Serialize;

use crate::error::{Error, Result};

/// A line that is longer is not read: nothing that an agent sends is.
pub(crate) const MAX_LINE: usize = bowline::hooks::MAX_PAYLOAD_BYTES;

/// One line of input.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'buffer> {
    /// Without its line end.
    Whole(&'buffer [u8]),
    /// Longer than is read; it was skipped.
    TooLong,
}

/// Reads lines and writes one answer for each. An answer is sent as soon as no more input waits.
pub(crate) struct Lines<R = Stdin, W: Write = Stdout> {
    input: BufReader<R>,
    output: BufWriter<W>,
    buffer: Vec<u8>,
    longest: usize,
}

impl Lines {
    pub(crate) fn of_process() -> Self {
        Self::new(io::stdin(), io::stdout(), MAX_LINE)
    }
}

impl<R: Read, W: Write> Lines<R, W> {
    fn new(input: R, output: W, longest: usize) -> Self {
        Self {
            input: BufReader::with_capacity(64 * 1024, input),
            output: BufWriter::new(output),
            buffer: Vec::new(),
            longest,
        }
    }

    /// Answers each line until the input ends.
    pub(crate) fn answer<T: Serialize>(
        mut self,
        mut answer: impl FnMut(Line<'_>) -> T,
    ) -> Result<()> {
        loop {
            if self.input.buffer().is_empty() {
                self.output.flush().map_err(cannot_write)?;
            }
            let most = u64::try_from(self.longest).unwrap_or(u64::MAX);
            self.buffer.clear();
            let read = (&mut self.input)
                .take(most.saturating_add(1))
                .read_until(b'\n', &mut self.buffer)
                .map_err(cannot_read)?;
            if read == 0 {
                return self.output.flush().map_err(cannot_write);
            }
            let ended = self.buffer.last() == Some(&b'\n');
            let text = self.buffer.strip_suffix(b"\n").unwrap_or(&self.buffer);
            let line = if text.len() > self.longest {
                if !ended {
                    self.input.skip_until(b'\n').map_err(cannot_read)?;
                }
                Line::TooLong
            } else {
                Line::Whole(text.strip_suffix(b"\r").unwrap_or(text))
            };
            serde_json::to_writer(&mut self.output, &answer(line))
                .map_err(io::Error::from)
                .and_then(|()| self.output.write_all(b"\n"))
                .map_err(cannot_write)?;
        }
    }
}

/// All of standard input, up to a size.
pub(crate) fn read_all(most: usize) -> Result<Vec<u8>> {
    let limit = u64::try_from(most).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(cannot_read)?;
    if bytes.len() > most {
        return Err(Error::input(format!(
            "standard input is longer than {} MB",
            most / 1024 / 1024
        ))
        .hint("give it in parts, cut between lines"));
    }
    Ok(bytes)
}

/// What standard input gives within a time, up to a size. Whoever keeps it open is not waited for.
pub(crate) fn read_within(most: usize, limit: Duration) -> Vec<u8> {
    let until = Instant::now() + limit;
    let stdin = io::stdin();
    let mut bytes = Vec::new();
    let mut chunk = [0; 16 * 1024];
    while bytes.len() < most {
        let left = until.saturating_duration_since(Instant::now());
        let mut watched = [PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut watched, Timespec::try_from(left).ok().as_ref()) {
            Ok(0) => break,
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(_) => break,
        }
        match rustix::io::read(&stdin, &mut chunk) {
            Ok(0) => break,
            Ok(read) => bytes.extend(chunk.iter().take(read)),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => break,
        }
    }
    bytes.truncate(most);
    bytes
}

/// Writes bytes to standard output exactly as they are.
pub(crate) fn write_all(bytes: &[u8]) -> Result<()> {
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(bytes)
        .and_then(|()| stdout.flush())
        .map_err(cannot_write)
}

/// Whether anybody still reads standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    There,
    /// As after `bowline trace list --follow | head`.
    Gone,
}

/// Waits for a while, at most until nobody reads standard output any more.
pub(crate) fn pause(length: Duration) -> Reader {
    let stdout = io::stdout();
    let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
    let length = Timespec::try_from(length).ok();
    // A signal ends the pause early; that does no harm.
    let _ = poll(&mut watched, length.as_ref());
    let gone = PollFlags::ERR | PollFlags::HUP;
    if watched.iter().any(|it| it.revents().intersects(gone)) {
        Reader::Gone
    } else {
        Reader::There
    }
}

fn cannot_read(source: io::Error) -> Error {
    Error::input("cannot read standard input").caused_by(source)
}

fn cannot_write(source: io::Error) -> Error {
    Error::terminal("cannot write to standard output", source)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(input: &[u8], longest: usize) -> String {
        let mut output = Vec::new();
        Lines::new(input, &mut output, longest)
            .answer(|line| match line {
                Line::Whole(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                Line::TooLong => "too long".to_owned(),
            })
            .unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn every_line_gets_one_answer() {
        for (input, expected) in [
            ("", ""),
            ("a", "\"a\"\n"),
            ("a\n", "\"a\"\n"),
            ("a\r\n\nb", "\"a\"\n\"\"\n\"b\"\n"),
            ("abcd\nx\n", "\"abcd\"\n\"x\"\n"),
            ("abcde\nx\n", "\"too long\"\n\"x\"\n"),
            ("abcdefghijk\nx", "\"too long\"\n\"x\"\n"),
            ("abcdefghijk", "\"too long\"\n"),
        ] {
            assert_eq!(answers(input.as_bytes(), 4), expected, "{input:?}");
        }
    }

    #[test]
    fn a_reader_that_went_away_is_told_apart() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let error = Lines::new(&b"a\nb\n"[..], Closed, 9)
            .answer(|_| 1)
            .unwrap_err();
        assert!(error.is_broken_pipe());
    }
}
