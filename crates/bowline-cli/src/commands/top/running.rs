//! `bowline top` at work: threads that hear, one that draws.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use bowline::settings::{self, Locations};
use crossterm::event;
use tokio::signal::unix::{SignalKind, signal};

use super::asking;
use super::keys::Input;
use super::state::{Ask, Effect, Event, May, Rights, Top};
use super::view;
use crate::Outcome;
use crate::ask::places;
use crate::error::{Error, ErrorKind, Result};
use crate::moment;
use crate::standing;
use crate::ui::full_screen::{FullScreen, Mouse, Paint};

/// Between two looks while something may happen at any time, and while nothing does.
const LIVELY: Duration = Duration::from_millis(250);
const QUIET: Duration = Duration::from_secs(1);

/// What the drawing thread hears of.
#[derive(Debug)]
pub(super) enum Happened {
    Event(Event),
    /// The terminal has another size.
    Resized,
    /// This program was stopped, and goes on.
    Continued,
    /// It is to end, or nobody can type any more.
    Ended,
    /// A thread failed inside.
    Broken,
}

pub(super) fn run(mouse: Mouse) -> Result<Outcome> {
    let places = places()?;
    let rights = rights();
    let (tell, heard) = mpsc::channel();
    let (asking, asked) = mpsc::channel();
    beside("signals", &tell, signals)?;
    let mut screen = FullScreen::enter(mouse).map_err(broken_terminal)?;
    let size = screen.resize().map_err(broken_terminal)?;
    beside("input", &tell, |tell| {
        hear_input(tell);
        Ok(())
    })?;
    beside("daemon", &tell, move |tell| {
        asking::run(&places, &asked, tell);
        Ok(())
    })?;
    let mut top = Top::new(rights, moment::now(), size);
    let (paint, mut asks) = (Paint::of_stdout(), Asks::default());
    loop {
        asks.board_if_due(&top, &asking);
        screen
            .draw(|frame| view::draw(&top, frame, paint))
            .map_err(broken_terminal)?;
        let happened = match heard.recv_timeout(asks.pause(&top)) {
            Ok(happened) => happened,
            Err(RecvTimeoutError::Timeout) => Happened::Event(Event::Tick(moment::now())),
            Err(RecvTimeoutError::Disconnected) => Happened::Ended,
        };
        let event = match happened {
            Happened::Event(event) => event,
            Happened::Resized => {
                let (columns, lines) = screen.resize().map_err(broken_terminal)?;
                Event::Resized(columns, lines)
            }
            // The terminal may also have another size.
            Happened::Continued => {
                screen.take_again().map_err(broken_terminal)?;
                let (columns, lines) = screen.resize().map_err(broken_terminal)?;
                Event::Resized(columns, lines)
            }
            Happened::Ended => return Ok(Outcome::Clean),
            Happened::Broken => return Err(failed_inside()),
        };
        asks.heard(&event);
        top.update(Event::Tick(moment::now()));
        for effect in top.update(event) {
            match effect {
                // Whoever no longer listens has told that it failed.
                Effect::Ask(ask) => drop(asking.send(ask)),
                Effect::Suspend => screen.suspend().map_err(broken_terminal)?,
                Effect::Redraw => screen.take_again().map_err(broken_terminal)?,
                Effect::Leave => return Ok(Outcome::Clean),
            }
        }
    }
}

/// What the one who runs this may do.
fn rights() -> Rights {
    let answer = match standing::person() {
        Ok(()) => May::Yes,
        Err(refusal) => May::No(refusal.to_string()),
    };
    // What the administrator keeps to himself is no project's business.
    let settings = settings::load_without_project(Path::new("/"), &Locations::from_env());
    let silence = settings.config.allow_locked.map_or(May::Yes, May::No);
    Rights { answer, silence }
}

/// When the daemon is asked for the board: once at a time, and not too often.
#[derive(Debug, Default)]
struct Asks {
    last: Option<Instant>,
    waits: Waits,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Waits {
    #[default]
    ForNothing,
    ForTheBoard,
}

impl Asks {
    fn board_if_due(&mut self, top: &Top, asking: &Sender<Ask>) {
        let is_due = self.last.is_none_or(|last| last.elapsed() >= every(top));
        if is_due && self.waits == Waits::ForNothing {
            self.last = Some(Instant::now());
            self.waits = Waits::ForTheBoard;
            // Whoever no longer listens has told that it failed.
            let _ = asking.send(Ask::Board);
        }
    }

    fn heard(&mut self, event: &Event) {
        if matches!(event, Event::Told(super::state::Told::Board(_))) {
            self.waits = Waits::ForNothing;
        }
    }

    /// How long nothing has to be done, if nothing happens. Durations on the screen grow every second.
    fn pause(&self, top: &Top) -> Duration {
        let since = self.last.map(|last| last.elapsed()).unwrap_or_default();
        match self.waits {
            Waits::ForTheBoard => QUIET,
            Waits::ForNothing => every(top).saturating_sub(since),
        }
    }
}

fn every(top: &Top) -> Duration {
    if top.is_lively() { LIVELY } else { QUIET }
}

/// A thread beside the drawing one. If it fails inside, everything ends.
fn beside(
    name: &str,
    tell: &Sender<Happened>,
    work: impl FnOnce(&Sender<Happened>) -> io::Result<()> + Send + 'static,
) -> Result<()> {
    let tell = tell.clone();
    let run = move || {
        let done = catch_unwind(AssertUnwindSafe(|| work(&tell)));
        if !matches!(done, Ok(Ok(()))) {
            let _ = tell.send(Happened::Broken);
        }
    };
    let thread = thread::Builder::new().name(format!("bowline-{name}"));
    thread
        .spawn(run)
        .map(drop)
        .map_err(|source| Error::new(ErrorKind::System, "cannot start a thread").caused_by(source))
}

/// Tells of signals. A signal that would end this program must not leave the terminal as it is.
fn signals(tell: &Sender<Happened>) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    runtime.block_on(async {
        let (mut hangup, mut interrupt) = (
            signal(SignalKind::hangup())?,
            signal(SignalKind::interrupt())?,
        );
        let (mut terminate, mut quit) = (
            signal(SignalKind::terminate())?,
            signal(SignalKind::quit())?,
        );
        let mut resized = signal(SignalKind::window_change())?;
        let continued = rustix::process::Signal::CONT.as_raw();
        let mut continued = signal(SignalKind::from_raw(continued))?;
        loop {
            let happened = tokio::select! {
                _ = hangup.recv() => Happened::Ended,
                _ = interrupt.recv() => Happened::Ended,
                _ = terminate.recv() => Happened::Ended,
                _ = quit.recv() => Happened::Ended,
                _ = resized.recv() => Happened::Resized,
                _ = continued.recv() => Happened::Continued,
            };
            if tell.send(happened).is_err() {
                return Ok(());
            }
        }
    })
}

/// Tells what a person does, until the terminal is gone.
fn hear_input(tell: &Sender<Happened>) {
    loop {
        let Ok(event) = event::read() else {
            let _ = tell.send(Happened::Ended);
            return;
        };
        let Some(input) = Input::of(event) else {
            continue;
        };
        fail_if_asked(&input);
        if tell.send(Happened::Event(Event::Input(input))).is_err() {
            return;
        }
    }
}

/// Tests of debug builds see what becomes of the terminal when this program fails inside.
fn fail_if_asked(input: &Input) {
    let is_asked = cfg!(debug_assertions) && std::env::var_os("BOWLINE_TOP_FAILS").is_some();
    assert!(!is_asked || *input != Input::Sign('!'), "as asked");
}

fn broken_terminal(source: io::Error) -> Error {
    Error::terminal("cannot use the terminal", source)
        .hint("`bowline fleet` lists the agents without it")
}

fn failed_inside() -> Error {
    Error::new(ErrorKind::System, "`bowline top` failed inside")
        .hint("`bowline fleet` lists the agents")
}
