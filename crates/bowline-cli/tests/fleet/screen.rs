//! A terminal in which a program runs, and what is on its screen.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::num::NonZero;
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

use bowline_testkit::{until, until_some};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcgetattr, tcsetwinsize};

/// How often it is looked whether the terminal was closed.
const LOOK: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 20_000_000,
};

/// A program at a terminal of its own.
pub(super) struct Screen {
    child: Child,
    /// The end at which a person types.
    keyboard: Arc<File>,
    /// The program's end. While somebody has it open, the terminal lasts.
    terminal: File,
    shown: Arc<Mutex<vt100::Parser>>,
    /// The modes before anything ran.
    modes: String,
}

impl Screen {
    /// Runs a program, with its arguments and variables, at a terminal of this size.
    pub(super) fn of(command: &Command, columns: u16, lines: u16) -> Self {
        let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC);
        let keyboard: OwnedFd = keyboard.unwrap();
        grantpt(&keyboard).unwrap();
        unlockpt(&keyboard).unwrap();
        let name = ptsname(&keyboard, Vec::new()).unwrap();
        let terminal = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(OFlags::NOCTTY.bits().cast_signed())
            .open(name.to_str().unwrap())
            .unwrap();
        tcsetwinsize(&terminal, size(columns, lines)).unwrap();
        let modes = format!("{:?}", tcgetattr(&terminal).unwrap());
        let end = || Stdio::from(terminal.try_clone().unwrap());
        // It makes the terminal the one that Ctrl-C and signals of the terminal come from.
        let mut session = Command::new("setsid");
        session.arg("--ctty").arg(command.get_program());
        session.args(command.get_args()).env_clear();
        session.envs(
            command
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
        if let Some(folder) = command.get_current_dir() {
            session.current_dir(folder);
        }
        session.env("TERM", "xterm-256color");
        let child = session.stdin(end()).stdout(end()).stderr(end()).spawn();
        let screen = Arc::new(Mutex::new(vt100::Parser::new(
            some(lines),
            some(columns),
            0,
        )));
        let keyboard = Arc::new(File::from(keyboard));
        let (written, shown) = (Arc::downgrade(&keyboard), Arc::clone(&screen));
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            // When nobody types any more, the terminal is closed.
            while let Some(written) = written.upgrade() {
                let mut ready = [PollFd::new(&written, PollFlags::IN)];
                if poll(&mut ready, Some(&LOOK)).unwrap() == 0 {
                    continue;
                }
                match (&*written).read(&mut bytes) {
                    Ok(length @ 1..) => shown.lock().unwrap().process(&bytes[..length]),
                    _ => return,
                }
            }
        });
        Self {
            child: child.unwrap(),
            keyboard,
            terminal,
            shown: screen,
            modes,
        }
    }

    fn parser(&self) -> MutexGuard<'_, vt100::Parser> {
        self.shown.lock().unwrap()
    }

    /// What is on the screen.
    pub(super) fn text(&self) -> String {
        let text = self.parser().screen().contents();
        text.lines()
            .fold(String::new(), |text, line| text + line.trim_end() + "\n")
    }

    /// Waits until this is on the screen.
    #[track_caller]
    pub(super) fn until(&self, part: &str) -> String {
        let mut last = String::new();
        until(&format!("`{part}` is on the screen"), || {
            last = self.text();
            last.contains(part)
        });
        last
    }

    /// Whether a program draws on the whole screen.
    pub(super) fn is_drawn_on(&self) -> bool {
        self.parser().screen().alternate_screen()
    }

    pub(super) fn types(&mut self, keys: &str) {
        (&*self.keyboard).write_all(keys.as_bytes()).unwrap();
    }

    pub(super) fn resize(&self, columns: u16, lines: u16) {
        self.parser()
            .screen_mut()
            .set_size(some(lines), some(columns));
        tcsetwinsize(&self.terminal, size(columns, lines)).unwrap();
    }

    pub(super) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits until the program has ended.
    #[track_caller]
    pub(super) fn ended(&mut self) -> ExitStatus {
        until_some("the program ends", || self.child.try_wait().unwrap())
    }

    /// The terminal is as it was before the program ran.
    #[track_caller]
    pub(super) fn assert_restored(&self, after: &str) {
        let modes = format!("{:?}", tcgetattr(&self.terminal).unwrap());
        assert_eq!(modes, self.modes, "after {after}");
        until(&format!("the screen is given back after {after}"), || {
            let parser = self.parser();
            let screen = parser.screen();
            !screen.alternate_screen()
                && !screen.hide_cursor()
                && !screen.bracketed_paste()
                && screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None
        });
    }

    /// The terminal is closed; gives the program that ran in it.
    pub(super) fn close(self) -> Child {
        self.child
    }
}

fn some(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}

fn size(columns: u16, lines: u16) -> Winsize {
    Winsize {
        ws_row: lines,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    }
}
