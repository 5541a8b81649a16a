//! A text that is drawn in the place of the one before, without flicker.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use super::pager::coloured;

/// Where the terminal does not say how high it is.
const USUAL_HEIGHT: usize = 24;

/// Draws a text from the top of the terminal, as much of it as there is room for.
pub(super) fn draw(text: &str) -> io::Result<()> {
    let size = terminal_size::terminal_size_of(io::stdout());
    let height = size.map_or(USUAL_HEIGHT, |(_, height)| usize::from(height.0));
    let mut stdout = io::stdout().lock();
    stdout.write_all(frame(&coloured(text), height).as_bytes())?;
    stdout.flush()
}

/// The whole frame as it is written. Each line is drawn over the one before, and what is left of that is erased, so that nothing is blank
/// in between.
fn frame(text: &str, height: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    // The last line is for the cursor.
    let room = height.saturating_sub(1).max(1);
    let shown = if lines.len() > room {
        room - 1
    } else {
        lines.len()
    };
    let mut frame = "\u{1b}[H".to_owned();
    for line in lines.iter().take(shown) {
        frame.push_str(line);
        frame.push_str("\u{1b}[K\n");
    }
    if shown < lines.len() {
        // Writing to a string cannot fail.
        let _ = writeln!(frame, "… {} more\u{1b}[K", lines.len() - shown);
    }
    frame.push_str("\u{1b}[J");
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_fits_and_erases_what_was_there() {
        for (text, height, expected) in [
            ("", 5, "\u{1b}[H\u{1b}[J"),
            ("a\nb\n", 5, "\u{1b}[Ha\u{1b}[K\nb\u{1b}[K\n\u{1b}[J"),
            (
                "a\nb\nc\n",
                3,
                "\u{1b}[Ha\u{1b}[K\n… 2 more\u{1b}[K\n\u{1b}[J",
            ),
            ("a\nb\n", 3, "\u{1b}[Ha\u{1b}[K\nb\u{1b}[K\n\u{1b}[J"),
            ("a\nb\n", 1, "\u{1b}[H… 2 more\u{1b}[K\n\u{1b}[J"),
        ] {
            assert_eq!(frame(text, height), expected, "{text:?} at {height}");
        }
    }
}
