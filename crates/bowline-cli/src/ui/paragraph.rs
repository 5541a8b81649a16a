//! A text in lines, each behind a lead: what is told of one thing, printed or drawn.

use super::text::Text;

/// A text, and what is before it.
#[derive(Debug, Clone)]
pub(crate) struct Paragraph {
    lead: Text,
    text: Text,
    further: Further,
}

/// What is before the further lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Further {
    /// Blanks, but for lines that need all of the width.
    Blanks,
    /// The lead again.
    Lead,
}

impl Paragraph {
    /// A text alone.
    pub(crate) fn plain(text: impl Into<Text>) -> Self {
        Self::labelled(Text::new(), text)
    }

    /// An empty line.
    pub(crate) fn blank() -> Self {
        Self::plain("")
    }

    /// A text behind a label; further lines are indented like the first.
    pub(crate) fn labelled(label: Text, text: impl Into<Text>) -> Self {
        Self {
            lead: label,
            text: text.into(),
            further: Further::Blanks,
        }
    }

    /// A text behind a mark, which each of its lines has.
    pub(crate) fn marked(mark: Text, text: impl Into<Text>) -> Self {
        Self {
            lead: mark,
            text: text.into(),
            further: Further::Lead,
        }
    }

    /// The lines. A word that is longer than the width is not broken: a terminal goes on with it in its next line.
    pub(crate) fn lines(&self, width: usize) -> Vec<Text> {
        self.led(width, self.text.wrap(self.room(width)))
    }

    /// The same where nothing goes on in the next line, and all of it has to be seen.
    pub(crate) fn broken(&self, width: usize) -> Vec<Text> {
        let room = self.room(width);
        let lines = self.text.wrap(room).into_iter();
        let pieces = lines.flat_map(|line| {
            if line.is_empty() {
                return vec![line];
            }
            line.pieces(room)
        });
        self.led(width, pieces)
    }

    fn room(&self, width: usize) -> usize {
        width.saturating_sub(self.lead.length()).max(1)
    }

    fn led(&self, width: usize, lines: impl IntoIterator<Item = Text>) -> Vec<Text> {
        let lines = lines.into_iter().enumerate();
        let led = lines.map(|(number, line)| {
            let lead = match (number, self.further) {
                (0, _) | (_, Further::Lead) => self.lead.clone(),
                (_, Further::Blanks) => {
                    let room = width.saturating_sub(line.length());
                    " ".repeat(self.lead.length().min(room)).into()
                }
            };
            lead.text(line)
        });
        led.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_lines_are_indented_or_have_the_mark_again() {
        let labelled = Paragraph::labelled(Text::from("Why  "), "it is so");
        let marked = Paragraph::marked(Text::from("+ "), "it is so");
        let long = Paragraph::labelled(Text::from("Why  "), "at /a/long/path it is");
        let content = |lines: Vec<Text>| -> Vec<String> {
            lines
                .iter()
                .map(|line| line.content().trim_end().to_owned())
                .collect()
        };
        for (lines, expected) in [
            (labelled.lines(80), &["Why  it is so"][..]),
            (labelled.lines(10), &["Why  it is", "     so"]),
            (marked.lines(7), &["+ it is", "+ so"]),
            (long.lines(14), &["Why  at", "  /a/long/path", "     it is"]),
            (
                long.lines(9),
                &["Why  at", "/a/long/path", "     it", "     is"],
            ),
            (
                long.broken(12),
                &["Why  at", "     /a/long", "     /path", "     it is"],
            ),
            (Paragraph::blank().lines(10), &[""]),
            (Paragraph::blank().broken(10), &[""]),
        ] {
            assert_eq!(content(lines), expected);
        }
    }
}
