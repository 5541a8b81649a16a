//! Tables that fit the terminal: columns wrap, and where even that does not fit, each row becomes a
//! small list.

use super::style;
use super::text::Text;

const GAP: usize = 2;
/// Below this a column that wraps is no longer readable.
const NARROWEST: usize = 10;

/// Rows under headings.
#[derive(Debug)]
pub(crate) struct Table {
    headings: Vec<&'static str>,
    rows: Vec<Vec<Text>>,
}

impl Table {
    pub(crate) fn new(headings: impl IntoIterator<Item = &'static str>) -> Self {
        Self {
            headings: headings.into_iter().collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row, one cell for each heading.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Text>) {
        self.rows.push(cells.into_iter().collect());
    }

    pub(crate) fn render(&self, out: &mut String, width: usize) {
        match fit(&self.extents(), width) {
            Some(widths) => self.render_columns(out, &widths),
            None => self.render_records(out, width),
        }
    }

    fn extents(&self) -> Vec<Extent> {
        let headings = self.headings.iter().map(|text| Extent::of(&(*text).into()));
        let mut extents: Vec<Extent> = headings.collect();
        for row in &self.rows {
            for (extent, cell) in extents.iter_mut().zip(row) {
                extent.grow(Extent::of(cell));
            }
        }
        extents
    }

    fn render_columns(&self, out: &mut String, widths: &[usize]) {
        let headings: Vec<Text> = self
            .headings
            .iter()
            .map(|text| Text::styled(text, style::HEADING))
            .collect();
        for row in std::iter::once(&headings).chain(&self.rows) {
            render_row(out, row, widths);
        }
    }

    fn render_records(&self, out: &mut String, width: usize) {
        for (index, row) in self.rows.iter().enumerate() {
            if index > 0 {
                out.push('\n');
            }
            for (heading, cell) in self.headings.iter().zip(row) {
                if cell.is_empty() {
                    continue;
                }
                let labelled = Text::styled(heading, style::HEADING)
                    .plain(" ")
                    .text(cell.clone());
                for (number, line) in labelled.wrap(width.saturating_sub(2)).iter().enumerate() {
                    out.push_str(if number == 0 { "" } else { "  " });
                    line.render(out);
                    out.push('\n');
                }
            }
        }
    }
}

fn render_row(out: &mut String, row: &[Text], widths: &[usize]) {
    let cells: Vec<Vec<Text>> = row
        .iter()
        .zip(widths)
        .map(|(cell, width)| cell.wrap(*width))
        .collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    for line in 0..height {
        // Padding is written only once something follows it, so that no line ends in spaces.
        let mut owed = 0;
        for (cell, width) in cells.iter().zip(widths) {
            match cell.get(line).filter(|text| !text.is_empty()) {
                Some(text) => {
                    out.extend(std::iter::repeat_n(' ', owed));
                    text.render(out);
                    owed = width.saturating_sub(text.width()) + GAP;
                }
                None => owed += width + GAP,
            }
        }
        out.push('\n');
    }
}

/// How much space a column wants.
#[derive(Debug, Clone, Copy)]
struct Extent {
    /// What its widest line takes.
    natural: usize,
    /// What its longest word takes.
    word: usize,
}

impl Extent {
    fn of(text: &Text) -> Self {
        Self {
            natural: text.width(),
            word: text.longest_word(),
        }
    }

    fn grow(&mut self, other: Self) {
        self.natural = self.natural.max(other.natural);
        self.word = self.word.max(other.word);
    }

    /// Its width where columns give way to this; words are not broken.
    fn capped(self, cap: usize) -> usize {
        self.natural.min(cap).max(self.word)
    }
}

/// The widths at which all columns fit: the widest columns give way first. `None` if a column would
/// become too narrow to read.
fn fit(extents: &[Extent], width: usize) -> Option<Vec<usize>> {
    let gaps = GAP * extents.len().saturating_sub(1);
    let room = width.checked_sub(gaps)?;
    let at = |cap: usize| extents.iter().map(move |extent| extent.capped(cap));
    let widest = extents.iter().map(|it| it.natural).max().unwrap_or(0);
    let cap = (NARROWEST.min(widest)..=widest)
        .rev()
        .find(|cap| at(*cap).sum::<usize>() <= room)?;
    // The rest from rounding goes to the first column that was cut.
    let mut widths: Vec<usize> = at(cap).collect();
    let spare = room - widths.iter().sum::<usize>();
    if let Some((cut, wanted)) = widths
        .iter_mut()
        .zip(extents)
        .find(|(cut, wanted)| **cut < wanted.natural)
    {
        *cut = (*cut + spare).min(wanted.natural);
    }
    Some(widths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(width: usize) -> String {
        let mut table = Table::new(["Name", "Fields"]);
        table.row([
            "Stop".into(),
            "stop_hook_active, last_assistant_message".into(),
        ]);
        table.row(["Setup".into(), "trigger".into()]);
        let mut out = String::new();
        table.render(&mut out, width);
        anstream::adapter::strip_str(&out).to_string()
    }

    #[test]
    fn columns_wrap_to_the_width() {
        assert_eq!(
            rendered(80),
            "Name   Fields\n\
             Stop   stop_hook_active, last_assistant_message\n\
             Setup  trigger\n"
        );
        assert_eq!(
            rendered(30),
            "Name   Fields\n\
             Stop   stop_hook_active,\n       last_assistant_message\n\
             Setup  trigger\n"
        );
    }

    #[test]
    fn a_table_that_cannot_fit_becomes_records() {
        assert_eq!(
            rendered(20),
            "Name Stop\nFields\n  stop_hook_active,\n  last_assistant_message\n\n\
             Name Setup\nFields trigger\n"
        );
    }

    #[test]
    fn every_width_is_survived() {
        for width in 0..100 {
            let widest = rendered(width)
                .lines()
                .map(|line| Text::from(line).width())
                .max();
            assert!(
                // A word is not broken.
                widest.is_some_and(|widest| widest <= width.max(24)),
                "at {width}"
            );
        }
    }
}
