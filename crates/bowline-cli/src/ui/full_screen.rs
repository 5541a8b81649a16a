//! The whole terminal to draw on. It is as it was before when the drawing ends, however that happens.

use std::io::{self, Stdout};
use std::panic;

use anstyle::{Ansi256Color, AnsiColor, Color as AnyColour, Effects};
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode, size,
};
use crossterm::{cursor, execute};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::{Frame, Terminal, TerminalOptions, Viewport};
use rustix::process::{Signal, kill_current_process_group};

use super::text::Text;

/// Who gets what is done with the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mouse {
    /// The terminal: text can be selected.
    Terminal,
    /// This program.
    Program,
}

/// Whether there are colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    Colours,
    /// Bold, faint and reversed text alone.
    Plain,
}

impl Paint {
    /// As a person wants it on standard output.
    pub(crate) fn of_stdout() -> Self {
        match anstream::AutoStream::choice(&io::stdout()) {
            anstream::ColorChoice::Never => Self::Plain,
            _ => Self::Colours,
        }
    }

    /// A text as it is drawn. It can neither move the cursor nor hide anything.
    pub(crate) fn line(self, text: &Text) -> Line<'static> {
        let spans = text.spans();
        let spans = spans.map(|(text, style)| Span::styled(text.to_owned(), self.style(style)));
        Line::from(spans.collect::<Vec<_>>())
    }

    fn style(self, style: anstyle::Style) -> Style {
        let effects = style.get_effects();
        let mut drawn = Style::new();
        for (effect, modifier) in [
            (Effects::BOLD, Modifier::BOLD),
            (Effects::DIMMED, Modifier::DIM),
            (Effects::UNDERLINE, Modifier::UNDERLINED),
        ] {
            if effects.contains(effect) {
                drawn = drawn.add_modifier(modifier);
            }
        }
        match style.get_fg_color().filter(|_| self == Self::Colours) {
            Some(colour) => drawn.fg(colour_of(colour)),
            None => drawn,
        }
    }
}

/// One of the terminal's own sixteen.
fn colour_of(colour: AnyColour) -> Color {
    let sixteen = match colour {
        AnyColour::Ansi(colour) => Some(colour),
        AnyColour::Ansi256(colour) => colour.into_ansi(),
        AnyColour::Rgb(_) => None,
    };
    sixteen.map_or(Color::Reset, |it: AnsiColor| {
        Color::Indexed(Ansi256Color::from(it).index())
    })
}

/// A terminal that is drawn on.
#[derive(Debug)]
pub(crate) struct FullScreen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    mouse: Mouse,
}

impl FullScreen {
    /// Takes the terminal over.
    pub(crate) fn enter(mouse: Mouse) -> io::Result<Self> {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            // The message must be readable, and what is typed after it visible.
            give_back();
            before(panic);
        }));
        match take_over(mouse).and_then(|()| blank()) {
            Ok(terminal) => Ok(Self { terminal, mouse }),
            Err(error) => {
                give_back();
                Err(error)
            }
        }
    }

    pub(crate) fn draw(&mut self, view: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(view).map(drop)
    }

    /// Stops until the shell lets this program go on. Where no shell would, it goes on at once.
    pub(crate) fn suspend(&mut self) -> io::Result<()> {
        give_back();
        kill_current_process_group(Signal::TSTP)?;
        self.take_again()
    }

    /// Takes the terminal over again: a shell had it meanwhile, or another program has written on it.
    pub(crate) fn take_again(&mut self) -> io::Result<()> {
        // Whoever thinks that the terminal is still raw changes nothing.
        disable_raw_mode()?;
        take_over(self.mouse)?;
        self.resize().map(drop)
    }

    /// Begins anew, in the size that the terminal has: columns and lines.
    pub(crate) fn resize(&mut self) -> io::Result<(u16, u16)> {
        self.terminal = blank()?;
        let area = self.terminal.get_frame().area();
        Ok((area.width, area.height))
    }
}

impl Drop for FullScreen {
    fn drop(&mut self) {
        give_back();
    }
}

/// An empty terminal. Its size is fixed: a terminal that notices another one by itself asks where its cursor is, and takes for the answer
/// what a person types.
fn blank() -> io::Result<Terminal<CrosstermBackend<Stdout>>> {
    execute!(io::stdout(), Clear(ClearType::All))?;
    let (columns, lines) = size()?;
    let viewport = Viewport::Fixed(Rect::new(0, 0, columns, lines));
    Terminal::with_options(
        CrosstermBackend::new(io::stdout()),
        TerminalOptions { viewport },
    )
}

fn take_over(mouse: Mouse) -> io::Result<()> {
    enable_raw_mode()?;
    execute!(
        io::stdout(),
        EnterAlternateScreen,
        EnableBracketedPaste,
        cursor::Hide
    )?;
    match mouse {
        Mouse::Terminal => Ok(()),
        Mouse::Program => execute!(io::stdout(), EnableMouseCapture),
    }
}

/// Makes the terminal what it was. What fails must not keep the rest from being done, and nobody could be told.
fn give_back() {
    let _ = execute!(io::stdout(), DisableMouseCapture);
    let _ = execute!(io::stdout(), DisableBracketedPaste);
    let _ = execute!(io::stdout(), LeaveAlternateScreen, cursor::Show);
    let _ = disable_raw_mode();
}
