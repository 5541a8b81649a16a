//! Lists: one line for each row, cut where the terminal ends, whole in pipes.

use super::style;
use super::text::Text;

const GAP: usize = 2;
/// A column that is cut is not made narrower than this while another can go.
const NARROWEST: usize = 24;

/// What happens to a column when the terminal is too narrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Giving {
    /// It stays whole.
    Stays,
    /// It takes what the others leave, and is cut.
    Cut,
    /// It goes; those with the lowest number go first.
    Goes(u8),
}

/// One column of a list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    heading: &'static str,
    giving: Giving,
    /// How wide it is where nobody knows what comes.
    usual: usize,
    /// In a terminal more of a cell is not shown; what is copied from there is the beginning of an id.
    most: usize,
    /// It is cut to this before the column that takes the rest gets too little.
    least: usize,
}

impl Column {
    pub(crate) const fn whole(heading: &'static str, usual: usize) -> Self {
        Self::new(heading, Giving::Stays, usual)
    }

    /// The column that takes the rest of the line.
    pub(crate) const fn rest(heading: &'static str) -> Self {
        Self::new(heading, Giving::Cut, NARROWEST)
    }

    /// One that narrow terminals do without; those with the lowest number go first.
    pub(crate) const fn optional(heading: &'static str, usual: usize, order: u8) -> Self {
        Self::new(heading, Giving::Goes(order), usual)
    }

    /// Shows only so much of each cell in a terminal.
    pub(crate) const fn at_most(mut self, most: usize) -> Self {
        self.most = most;
        self
    }

    /// Gives way down to so much while the rest of the line has too little.
    pub(crate) const fn at_least(mut self, least: usize) -> Self {
        self.least = least;
        self
    }

    const fn new(heading: &'static str, giving: Giving, usual: usize) -> Self {
        Self {
            heading,
            giving,
            usual,
            most: usize::MAX,
            least: usize::MAX,
        }
    }
}

/// Rows under headings, a line each.
#[derive(Debug)]
pub(crate) struct List {
    columns: &'static [Column],
    rows: Vec<Vec<Text>>,
}

impl List {
    pub(crate) const fn new(columns: &'static [Column]) -> Self {
        let rows = Vec::new();
        Self { columns, rows }
    }

    /// Adds a row, one cell for each column.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Text>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Headings and rows, as wide as their contents and no wider than the edge.
    pub(crate) fn render(&self, out: &mut String, edge: Option<usize>) {
        let mut widths: Vec<usize> = self.columns.iter().map(|it| it.heading.len()).collect();
        for row in &self.rows {
            for ((width, cell), column) in widths.iter_mut().zip(row).zip(self.columns) {
                *width = (*width).max(shown_length(cell, *column, edge));
            }
        }
        let widths = self.fit(widths, edge);
        let headings: Vec<Text> = (self.columns.iter())
            .map(|column| Text::styled(column.heading, style::HEADING))
            .collect();
        for row in std::iter::once(&headings).chain(&self.rows) {
            render_row(out, row, &widths);
        }
    }

    /// The rows alone, for a list that goes on: its columns are as wide as they usually are.
    pub(crate) fn render_going_on(&self, out: &mut String, edge: Option<usize>) {
        let usual = self.columns.iter().map(|column| column.usual).collect();
        let widths = self.fit(usual, edge);
        for row in &self.rows {
            render_row(out, row, &widths);
        }
    }

    /// The widths in which all of it fits. Columns that may go stay as long as there is room, the most important first.
    fn fit(&self, widths: Vec<usize>, edge: Option<usize>) -> Vec<Width> {
        let Some(edge) = edge else {
            // A long cell does not move what follows it in the other rows.
            let padded = widths.into_iter().zip(self.columns);
            return padded
                .map(|(width, column)| match column.giving {
                    Giving::Cut => Width::AtLeast(0),
                    _ => Width::AtLeast(width),
                })
                .collect();
        };
        let widths = self.narrowed(widths, edge);
        let mut shown = vec![Width::Gone; widths.len()];
        let mut room = edge.saturating_add(GAP);
        for place in self.by_importance() {
            let (Some(column), Some(natural), Some(width)) = (
                self.columns.get(place),
                widths.get(place),
                shown.get_mut(place),
            ) else {
                continue;
            };
            let least = match column.giving {
                Giving::Cut => NARROWEST.min(*natural),
                _ => *natural,
            };
            let fits = least + GAP <= room;
            if fits || !matches!(column.giving, Giving::Goes(_)) {
                *width = Width::Exactly(least.min(room.saturating_sub(GAP)));
                room = room.saturating_sub(least + GAP);
            }
        }
        for ((width, column), natural) in shown.iter_mut().zip(self.columns).zip(&widths) {
            if let (Width::Exactly(width), Giving::Cut) = (&mut *width, column.giving) {
                *width = (*width + room).min(*natural);
            }
            if *width == Width::Exactly(0) {
                *width = Width::Gone;
            }
        }
        shown
    }

    /// The widths once columns that stay have given way, as far as they can and the rest of the line needs it.
    fn narrowed(&self, mut widths: Vec<usize>, edge: usize) -> Vec<usize> {
        let needed: usize = (widths.iter().zip(self.columns))
            .map(|(width, column)| match column.giving {
                Giving::Stays => width + GAP,
                Giving::Cut => NARROWEST.min(*width) + GAP,
                Giving::Goes(_) => 0,
            })
            .sum();
        let mut missing = needed.saturating_sub(edge + GAP);
        for (width, column) in widths.iter_mut().zip(self.columns) {
            let given = width.saturating_sub(column.least).min(missing);
            *width -= given;
            missing -= given;
        }
        widths
    }

    /// The places of the columns: what stays, what is cut, then what may go, the last to go first.
    fn by_importance(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.columns.len()).collect();
        places.sort_by_key(|place| match self.columns.get(*place).map(|it| it.giving) {
            Some(Giving::Stays) => 0,
            Some(Giving::Cut) => 1,
            Some(Giving::Goes(order)) => 1_000 - usize::from(order),
            None => usize::MAX,
        });
        places
    }
}

/// How wide a column is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Width {
    Exactly(usize),
    /// There is no edge: nothing is cut.
    AtLeast(usize),
    Gone,
}

fn shown_length(cell: &Text, column: Column, edge: Option<usize>) -> usize {
    match edge {
        Some(_) => cell.length().min(column.most),
        None => cell.length(),
    }
}

fn render_row(out: &mut String, row: &[Text], widths: &[Width]) {
    // Padding is written only once something follows it, so that no line ends in spaces.
    let mut owed = 0;
    for (cell, width) in row.iter().zip(widths) {
        let (cell, width) = match *width {
            Width::Gone => continue,
            Width::Exactly(width) => (cell.cut(width), width),
            Width::AtLeast(width) => (cell.cut(usize::MAX), width),
        };
        if !cell.is_empty() {
            out.extend(std::iter::repeat_n(' ', owed));
            cell.render(out);
            owed = 0;
        }
        owed += width.saturating_sub(cell.length()) + GAP;
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: &[Column] = &[
        Column::whole("When", 5),
        Column::optional("Session", 8, 1),
        Column::optional("Took", 4, 2),
        Column::rest("What"),
        Column::whole("Id", 6).at_most(6),
    ];

    #[test]
    fn a_long_cell_gives_way_to_the_rest_of_the_line() {
        const COLUMNS: &[Column] = &[
            Column::whole("Tool", 8).at_most(20).at_least(8),
            Column::rest("What"),
        ];
        let mut list = List::new(COLUMNS);
        list.row(["mcp__browser__open_page", "http://localhost:8080"].map(Text::from));
        let at = |edge| {
            let mut out = String::new();
            list.render(&mut out, Some(edge));
            let plain = anstream::adapter::strip_str(&out).to_string();
            plain.lines().nth(1).unwrap_or_default().to_owned()
        };
        assert_eq!(at(50), "mcp__browser__open_…  http://localhost:8080");
        assert_eq!(at(36), "mcp__browser…  http://localhost:8080");
        assert_eq!(at(20), "mcp__br…  http://lo…");
    }

    fn rendered(edge: Option<usize>) -> Vec<String> {
        let mut list = List::new(COLUMNS);
        let what = "cargo test --workspace\nand a second line that is long";
        list.row(["now", "s-1", "5 s", what, "toolu_1234"].map(Text::from));
        list.row(["1 min", "s-2", "", "ls", "toolu_5678"].map(Text::from));
        let mut out = String::new();
        list.render(&mut out, edge);
        let plain = anstream::adapter::strip_str(&out).to_string();
        plain.lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_row_is_one_line_and_gives_way_where_it_can() {
        assert_eq!(
            rendered(Some(60)),
            [
                "When   Session  Took  What                            Id",
                "now    s-1      5 s   cargo test --workspace⏎and a …  toolu…",
                "1 min  s-2            ls                              toolu…",
            ]
        );
    }

    #[test]
    fn nothing_is_cut_where_there_is_no_edge() {
        let lines = rendered(None);
        assert_eq!(lines.len(), 3);
        assert!(
            lines[1].contains("⏎and a second line that is long  toolu_1234"),
            "{lines:?}"
        );
        assert!(lines[2].ends_with("  ls  toolu_5678"), "{lines:?}");
    }

    #[test]
    fn every_width_is_kept_to() {
        for edge in 1..120 {
            let lines = rendered(Some(edge));
            assert_eq!(lines.len(), 3, "at {edge}");
            let widest = lines
                .iter()
                .map(|line| Text::from(line.as_str()).length())
                .max();
            assert!(widest <= Some(edge), "at {edge}: {lines:#?}");
        }
        assert!(!rendered(Some(45))[0].contains("Session"));
        assert!(rendered(Some(45))[0].contains("Took"));
        assert!(!rendered(Some(40))[0].contains("Took"));
    }
}
