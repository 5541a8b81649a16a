//! Texts that are longer than the screen, a page at a time.

use std::env;
use std::io::{self, Write as _};
use std::process::{Command, Stdio};

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Ends at once if all of it fits, passes colours on, and leaves what was read on the screen.
const USUAL: &str = "less -FRX";
/// The same for those who name `less` themselves and leave its options open.
const OPTIONS: (&str, &str) = ("LESS", "FRX");

/// What became of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    /// It was shown, completely or in part.
    Yes,
    /// It was not shown.
    No,
}

/// Shows a text in the reader's pager, if standard output is a terminal and the text is longer than it.
pub(super) fn show(text: &str) -> Shown {
    let size = terminal_size::terminal_size_of(io::stdout());
    let Some((_, terminal_size::Height(height))) = size else {
        return Shown::No;
    };
    if text.lines().count() < usize::from(height) {
        return Shown::No;
    }
    let wanted = ["BOWLINE_PAGER", "PAGER"]
        .iter()
        .find_map(|it| env::var(it).ok());
    let line = wanted.unwrap_or_else(|| USUAL.to_owned());
    let mut words = line.split_whitespace();
    match words.next() {
        // An empty name is how people say that they want none.
        None | Some("cat") => Shown::No,
        Some(program) => {
            let mut command = Command::new(program);
            command.args(words);
            read_in(command, text)
        }
    }
}

fn read_in(mut command: Command, text: &str) -> Shown {
    if env::var_os(OPTIONS.0).is_none() {
        command.env(OPTIONS.0, OPTIONS.1);
    }
    // Ctrl-C is for the pager, which knows what to do with it.
    let _interrupts = interrupts();
    // One that is not there does no harm.
    let Ok(mut pager) = command.stdin(Stdio::piped()).spawn() else {
        return Shown::No;
    };
    if let Some(mut pipe) = pager.stdin.take() {
        // A reader that quits early has seen enough.
        let _ = pipe.write_all(coloured(text).as_bytes());
    }
    let _ = pager.wait();
    Shown::Yes
}

/// The text as standard output would have shown it.
pub(super) fn coloured(text: &str) -> String {
    match anstream::AutoStream::choice(&io::stdout()) {
        anstream::ColorChoice::Never => anstream::adapter::strip_str(text).to_string(),
        _ => text.to_owned(),
    }
}

/// From now on this process does not end by them.
fn interrupts() -> Option<(tokio::runtime::Runtime, Signal)> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_io().build().ok()?;
    let interrupts = {
        let _context = runtime.enter();
        signal(SignalKind::interrupt()).ok()?
    };
    Some((runtime, interrupts))
}
