//! The terminal that this process belongs to, wherever its three streams lead.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};

use rustix::termios::{
    InputModes, LocalModes, OptionalActions, OutputModes, SpecialCodeIndex, Termios, tcgetattr,
    tcgetpgrp, tcsetattr,
};

use super::YesOrNo;

/// No answer to a yes-or-no question is longer.
const LONGEST_ANSWER: usize = 1024;
/// Ctrl-C.
const INTERRUPT: u8 = 3;

/// A terminal at which somebody may sit.
pub(crate) struct Terminal(File);

impl Terminal {
    /// The terminal, if this process is one of those in front. To another, what is typed there does not go.
    pub(crate) fn own() -> Option<Self> {
        let terminal = OpenOptions::new().read(true).write(true).open("/dev/tty");
        let terminal = terminal.ok()?;
        let front = tcgetpgrp(&terminal).ok()?;
        (front == rustix::process::getpgrp()).then_some(Self(terminal))
    }

    /// Asks a yes-or-no question; anything but a yes is a no. What was typed before does not count. A program that reads single keys
    /// gets its terminal back as it was.
    pub(crate) fn ask(&self, question: &str) -> io::Result<YesOrNo> {
        let before = tcgetattr(&self.0)?;
        tcsetattr(&self.0, OptionalActions::Flush, &by_line(&before))?;
        let answer = self.answer(question);
        tcsetattr(&self.0, OptionalActions::Flush, &before)?;
        Ok(match answer?.trim().to_lowercase().as_str() {
            "y" | "yes" => YesOrNo::Yes,
            _ => YesOrNo::No,
        })
    }

    fn answer(&self, question: &str) -> io::Result<String> {
        (&self.0).write_all(question.as_bytes())?;
        let mut answer = [0; LONGEST_ANSWER];
        // A line at once, and never more.
        let length = loop {
            match (&self.0).read(&mut answer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        let answer = answer.get(..length).unwrap_or_default();
        Ok(String::from_utf8_lossy(answer).into_owned())
    }
}

/// The modes in which a line is typed. Ctrl-C ends it as an answer, so that nobody is left with these modes.
fn by_line(modes: &Termios) -> Termios {
    let mut modes = modes.clone();
    modes.input_modes |= InputModes::ICRNL;
    modes.output_modes |= OutputModes::OPOST | OutputModes::ONLCR;
    modes.local_modes |= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ECHOE;
    modes.local_modes -= LocalModes::ISIG;
    modes.special_codes[SpecialCodeIndex::VEOL] = INTERRUPT;
    modes
}
