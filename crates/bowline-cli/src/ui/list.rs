//! Lists: one line for each row, cut where the terminal ends, whole in pipes unless a column is bounded.

use std::collections::HashSet;

use super::style;
use super::text::Text;

const GAP: usize = 2;
/// The column that takes the rest is not made narrower than this while another can go.
const NARROWEST: usize = 20;
/// It is made as narrow as this for columns of this order, or a higher one.
const TIGHTEST: usize = 15;
const PRESSING: u8 = 7;
/// It gets this much before the others get more than their minimum.
const COMFORTABLE: usize = 30;
/// Cells that differ are shown until they can be distinguished, but at most to this width.
const MOST_APART: usize = 16;
/// Without an edge, the rest of the line is padded to its longest cell, but at most to this width.
const MOST_PADDED: usize = 60;
/// How many cells of a continuing list are remembered.
const MOST_KNOWN: usize = 10_000;

/// What happens to a column when the terminal is too narrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Giving {
    /// It stays.
    Stays,
    /// It takes what the others leave, and is cut.
    Cut,
    /// It goes; those with the lowest number go first.
    Goes(u8),
}

/// How a cell is shown that is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cutting {
    /// With a sign that there is more.
    Marked,
    /// Its beginning alone, which commands take for the whole.
    Beginning,
}

/// What happens to a column in which every cell is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Empty {
    /// Its heading says that there is nothing.
    Stays,
    /// It takes no room.
    Goes,
}

/// One column of a list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    heading: &'static str,
    giving: Giving,
    cutting: Cutting,
    /// Its width if later rows are unknown.
    usual: usize,
    /// In a terminal more of a cell is not shown.
    most: usize,
    /// More of a cell is shown nowhere.
    bound: usize,
    /// It is cut to this width if space is short.
    least: usize,
    /// The order in which it goes once its cells differ.
    differing: Option<u8>,
    /// Whether cells that differ stay different when they are cut.
    tells_apart: bool,
    /// What happens to it while nothing is in it.
    empty: Empty,
}

impl Column {
    pub(crate) const fn whole(heading: &'static str, usual: usize) -> Self {
        Self::new(heading, Giving::Stays, usual)
    }

    /// The column that takes the rest of the line.
    pub(crate) const fn rest(heading: &'static str) -> Self {
        Self::new(heading, Giving::Cut, usize::MAX)
    }

    /// One that narrow terminals do without; those with the lowest number go first, nothing is cut for number 0, and the rest of the
    /// line is tight rather than that one from [`PRESSING`] on goes.
    pub(crate) const fn optional(heading: &'static str, usual: usize, order: u8) -> Self {
        Self::new(heading, Giving::Goes(order), usual)
    }

    pub(crate) const fn heading(&self) -> &'static str {
        self.heading
    }

    /// Shows only this much of each cell in a terminal.
    pub(crate) const fn at_most(mut self, most: usize) -> Self {
        self.most = most;
        self
    }

    /// Shows only this much of each cell also in a pipe, for what others write at any length.
    pub(crate) const fn bounded(mut self, bound: usize) -> Self {
        self.bound = bound;
        self
    }

    /// Shrinks to at least this width if space is short.
    pub(crate) const fn at_least(mut self, least: usize) -> Self {
        self.least = least;
        self
    }

    /// Holds ids: what is shown of one can be given to a command.
    pub(crate) const fn of_ids(mut self) -> Self {
        self.cutting = Cutting::Beginning;
        self.telling_apart()
    }

    /// Keeps cells that differ different, also where they are cut.
    pub(crate) const fn telling_apart(mut self) -> Self {
        self.tells_apart = true;
        self
    }

    /// Goes in this order, once there is more than one thing in it.
    pub(crate) const fn if_differing(mut self, order: u8) -> Self {
        self.differing = Some(order);
        self
    }

    /// Is shown only if something is in it.
    pub(crate) const fn if_filled(mut self) -> Self {
        self.empty = Empty::Goes;
        self
    }

    const fn new(heading: &'static str, giving: Giving, usual: usize) -> Self {
        Self {
            heading,
            giving,
            cutting: Cutting::Marked,
            usual,
            most: usize::MAX,
            bound: usize::MAX,
            least: usize::MAX,
            differing: None,
            tells_apart: false,
            empty: Empty::Stays,
        }
    }
}

/// Rows under headings, a line each.
#[derive(Debug)]
pub(crate) struct List {
    columns: &'static [Column],
    rows: Vec<Vec<Text>>,
    /// What was in the columns that matter more once they differ.
    known: Vec<HashSet<String>>,
}

impl List {
    pub(crate) fn new(columns: &'static [Column]) -> Self {
        Self {
            columns,
            rows: Vec::new(),
            known: vec![HashSet::new(); columns.len()],
        }
    }

    /// Adds a row, one cell for each column.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Text>) {
        let row: Vec<Text> = cells.into_iter().collect();
        for ((known, cell), column) in self.known.iter_mut().zip(&row).zip(self.columns) {
            let matters = column.tells_apart || column.differing.is_some();
            if matters && known.len() < MOST_KNOWN && !cell.is_empty() {
                known.insert(cell.content());
            }
        }
        self.rows.push(row);
    }

    /// Headings and rows, as wide as their contents and no wider than the edge.
    pub(crate) fn render(&self, out: &mut String, edge: Option<usize>) {
        for line in self.lines(edge) {
            line.render(out);
            out.push('\n');
        }
    }

    /// The same as lines, the headings first.
    pub(crate) fn lines(&self, edge: Option<usize>) -> Vec<Text> {
        let mut widths: Vec<usize> = self.columns.iter().map(|it| it.heading.len()).collect();
        for row in &self.rows {
            for ((width, cell), column) in widths.iter_mut().zip(row).zip(self.columns) {
                *width = (*width).max(shown_length(cell, column, edge));
            }
        }
        if edge.is_some() {
            for (place, (width, column)) in widths.iter_mut().zip(self.columns).enumerate() {
                if column.tells_apart {
                    *width = (*width).max(self.apart(place, column));
                }
            }
        }
        for (place, (width, column)) in widths.iter_mut().zip(self.columns).enumerate() {
            if column.empty == Empty::Goes && !self.is_filled(place) {
                *width = 0;
            }
        }
        let widths = self.fit(&widths, edge);
        let headings: Vec<Text> = (self.columns.iter())
            .map(|column| Text::styled(column.heading, style::HEADING))
            .collect();
        let whole: Vec<Width> = widths.iter().map(|width| width.whole()).collect();
        let rows = self.rows.iter().map(|row| line(row, &widths));
        std::iter::once(line(&headings, &whole))
            .chain(rows)
            .collect()
    }

    /// Only the rows, for a continuing list. Its columns have their usual width. The rows are not kept.
    pub(crate) fn render_going_on(&mut self, out: &mut String, edge: Option<usize>) {
        let usual: Vec<usize> = self.columns.iter().map(|column| column.usual).collect();
        let widths = self.fit(&usual, edge);
        for row in std::mem::take(&mut self.rows) {
            line(&row, &widths).render(out);
            out.push('\n');
        }
    }

    fn is_filled(&self, place: usize) -> bool {
        let mut cells = self.rows.iter().filter_map(|row| row.get(place));
        cells.any(|cell| !cell.is_empty())
    }

    /// The widths in which everything fits; a column that wants none is not there. Optional columns stay as long as there is space, the most important first.
    fn fit(&self, naturals: &[usize], edge: Option<usize>) -> Vec<Width> {
        let Some(edge) = edge else {
            let padded = naturals.iter().zip(self.columns);
            return padded
                .map(|(natural, column)| match (*natural, column.giving) {
                    (0, _) => Width::Gone,
                    (natural, giving) => Width::Padded {
                        width: match giving {
                            // A long cell does not move what follows it in the other rows.
                            Giving::Cut => natural.min(MOST_PADDED),
                            _ => natural,
                        },
                        most: column.bound,
                    },
                })
                .collect();
        };
        let mut shown: Vec<Option<usize>> = vec![None; naturals.len()];
        let mut room = edge.saturating_add(GAP);
        let places = self.by_importance();
        for &(place, column) in &places {
            let natural = naturals.get(place).copied().unwrap_or_default();
            if natural == 0 {
                continue;
            }
            let least = self.least(place, column).min(natural);
            let needed = match column.giving {
                // Before it, all others get what they want.
                Giving::Goes(0) => least + self.missing(naturals, &shown),
                Giving::Goes(_) if self.order(place, column) < PRESSING => {
                    least + self.lacking(naturals, &shown)
                }
                _ => least,
            };
            if needed + GAP <= room || !matches!(column.giving, Giving::Goes(_)) {
                let width = least.min(room.saturating_sub(GAP));
                set(&mut shown, place, width);
                room = room.saturating_sub(width + GAP);
            }
        }
        let mut grow = |place: usize, limit: usize| {
            let natural = naturals.get(place).copied().unwrap_or_default();
            if let Some(Some(width)) = shown.get_mut(place) {
                let more = natural.min(limit).saturating_sub(*width).min(room);
                *width += more;
                room -= more;
            }
        };
        let rest = |column: &Column| column.giving == Giving::Cut;
        for (place, _) in places.iter().filter(|(_, column)| rest(column)) {
            grow(*place, COMFORTABLE);
        }
        for (place, _) in places.iter().filter(|(_, column)| !rest(column)) {
            grow(*place, usize::MAX);
        }
        for (place, _) in places.iter().filter(|(_, column)| rest(column)) {
            grow(*place, usize::MAX);
        }
        let columns = shown.into_iter().zip(self.columns).enumerate();
        columns
            .map(|(place, (width, column))| match (width, column.cutting) {
                (None | Some(0), _) => Width::Gone,
                (Some(width), Cutting::Marked) => Width::Exactly(width),
                (Some(width), Cutting::Beginning) => {
                    let shown = column.most.max(self.apart(place, column)).min(width);
                    Width::Beginning { width, shown }
                }
            })
            .collect()
    }

    /// How much wider the shown columns want to be.
    fn missing(&self, naturals: &[usize], shown: &[Option<usize>]) -> usize {
        let wanted = naturals.iter().zip(self.columns).zip(shown);
        let missing = wanted.map(|((natural, column), shown)| match (column.giving, shown) {
            (Giving::Cut, Some(width)) => COMFORTABLE.min(*natural).saturating_sub(*width),
            (_, Some(width)) => natural.saturating_sub(*width),
            (_, None) => 0,
        });
        missing.sum()
    }

    /// How much wider the rest of the line wants to be for readability.
    fn lacking(&self, naturals: &[usize], shown: &[Option<usize>]) -> usize {
        let columns = naturals.iter().zip(self.columns).zip(shown);
        let lacking = columns.map(|((natural, column), shown)| match (column.giving, shown) {
            (Giving::Cut, Some(width)) => NARROWEST.min(*natural).saturating_sub(*width),
            _ => 0,
        });
        lacking.sum()
    }

    /// What a column needs to be of use.
    fn least(&self, place: usize, column: &Column) -> usize {
        match column.giving {
            Giving::Cut => TIGHTEST,
            _ if column.tells_apart => self.apart(place, column).max(column.heading.len()),
            _ => column.least,
        }
    }

    /// The width in which its cells can be distinguished.
    fn apart(&self, place: usize, column: &Column) -> usize {
        let Some(known) = self.known.get(place) else {
            return column.least;
        };
        let longest = known.iter().map(|cell| cell.chars().count()).max();
        apart(known, column.least).min(longest.unwrap_or(0))
    }

    /// The columns and their places: what stays, what is cut, then what may go, the last to go first.
    fn by_importance(&self) -> Vec<(usize, &'static Column)> {
        let mut places: Vec<(usize, &'static Column)> = self.columns.iter().enumerate().collect();
        places.sort_by_key(|(place, column)| match column.giving {
            Giving::Stays => 0,
            Giving::Cut => 1,
            Giving::Goes(_) => 1_000 - usize::from(self.order(*place, column)),
        });
        places
    }

    /// In which order a column goes, as things are.
    fn order(&self, place: usize, column: &Column) -> u8 {
        match (column.giving, column.differing) {
            (Giving::Goes(_), Some(order)) if self.differs(place) => order,
            (Giving::Goes(order), _) => order,
            (Giving::Stays | Giving::Cut, _) => u8::MAX,
        }
    }

    fn differs(&self, place: usize) -> bool {
        self.known.get(place).is_some_and(|known| known.len() > 1)
    }
}

/// A row as it is shown. Padding is there only if something follows it, so that no line ends in spaces.
fn line(row: &[Text], widths: &[Width]) -> Text {
    let mut line = Text::new();
    let mut owed = 0;
    for (cell, width) in row.iter().zip(widths) {
        let (cell, width) = match *width {
            Width::Gone => continue,
            Width::Exactly(width) => (cell.cut(width), width),
            Width::Beginning { width, shown } => (cell.beginning(shown), width),
            Width::Padded { width, most } => (cell.cut(most), width),
        };
        let length = cell.length();
        if !cell.is_empty() {
            line = line.plain(" ".repeat(owed)).text(cell);
            owed = 0;
        }
        owed += width.saturating_sub(length) + GAP;
    }
    line
}

fn set(shown: &mut [Option<usize>], place: usize, width: usize) {
    if let Some(shown) = shown.get_mut(place) {
        *shown = Some(width);
    }
}

/// The smallest width from `least` on in which all of these can be distinguished.
fn apart(cells: &HashSet<String>, least: usize) -> usize {
    let differ = |width: &usize| {
        // One column may be taken by the sign that there is more.
        let beginnings: HashSet<String> = cells
            .iter()
            .map(|cell| match cell.chars().count() {
                length if length <= *width => cell.clone(),
                _ => cell.chars().take(width.saturating_sub(1)).collect(),
            })
            .collect();
        beginnings.len() == cells.len()
    };
    (least..MOST_APART)
        .find(differ)
        .unwrap_or(least.max(MOST_APART))
}

/// How wide a column is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Width {
    Exactly(usize),
    /// Of ids no more is shown than has to be, although the heading may be wider.
    Beginning {
        width: usize,
        shown: usize,
    },
    /// There is no edge: only what is longer than this is cut.
    Padded {
        width: usize,
        most: usize,
    },
    Gone,
}

impl Width {
    /// The width of a heading.
    const fn whole(self) -> Self {
        match self {
            Self::Beginning { width, .. } => Self::Exactly(width),
            other => other,
        }
    }
}

fn shown_length(cell: &Text, column: &Column, edge: Option<usize>) -> usize {
    match edge {
        Some(_) => cell.length().min(column.most),
        None => cell.length().min(column.bound),
    }
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
    fn nothing_is_cut_where_there_is_no_edge_and_columns_stay_columns() {
        const NAMED: &[Column] = &[Column::rest("What"), Column::whole("Id", 2)];
        assert_eq!(
            rendered(None),
            [
                "When   Session  Took  What                                                  Id",
                "now    s-1      5 s   cargo test --workspace⏎and a second line that is long  toolu_1234",
                "1 min  s-2            ls                                                    toolu_5678",
            ]
        );
        let mut list = List::new(NAMED);
        list.row([Text::from("x".repeat(100)), "1".into()]);
        list.row(["ls".into(), "2".into()]);
        let mut out = String::new();
        list.render(&mut out, None);
        let short = out.lines().last().unwrap_or_default();
        assert_eq!(short.len(), MOST_PADDED + GAP + 1, "{out}");
    }

    #[test]
    fn who_did_it_is_seen_and_told_apart() {
        const COLUMNS: &[Column] = &[
            Column::whole("When", 5),
            Column::optional("Project", 8, 3)
                .at_most(20)
                .at_least(4)
                .telling_apart(),
            Column::optional("Agent", 8, 1).if_differing(4),
            Column::optional("Session", 6, 2)
                .at_most(6)
                .at_least(6)
                .of_ids(),
            Column::rest("What"),
        ];
        let at = |edge, agents: [&str; 2]| {
            let mut list = List::new(COLUMNS);
            let what = "cargo test --workspace --all-features";
            list.row(["now", "customer-a", agents[0], "8c2f51de-0d6b", what].map(Text::from));
            list.row(["now", "customer-b", agents[1], "b17e9a40-77c1", what].map(Text::from));
            let mut out = String::new();
            list.render(&mut out, Some(edge));
            let plain = anstream::adapter::strip_str(&out).to_string();
            plain.lines().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(
            at(50, ["a", "a"]),
            [
                "When  Project     Session  What",
                "now   customer-a  8c2f51   cargo test --workspace…",
                "now   customer-b  b17e9a   cargo test --workspace…",
            ]
        );
        assert!(!at(50, ["a", "a"])[0].contains("Agent"));
        assert!(at(50, ["a", "b"])[0].contains("Agent"));
    }

    #[test]
    fn a_column_with_nothing_in_it_takes_no_room() {
        const COLUMNS: &[Column] = &[
            Column::optional("Agent", 5, 1),
            Column::optional("Effort", 6, 2).if_filled(),
            Column::rest("What"),
        ];
        let lines = |efforts: [&str; 2], edge| {
            let mut list = List::new(COLUMNS);
            list.row(["a", efforts[0], "cargo test --workspace"].map(Text::from));
            list.row(["b", efforts[1], "ls"].map(Text::from));
            let mut out = String::new();
            list.render(&mut out, edge);
            let plain = anstream::adapter::strip_str(&out).to_string();
            plain.lines().map(str::to_owned).collect::<Vec<_>>()
        };
        for edge in [None, Some(32)] {
            let without = ["Agent  What", "a      cargo test --workspace", "b      ls"];
            assert_eq!(lines(["", ""], edge), without, "{edge:?}");
        }
        let with = lines(["", "#1"], None);
        assert_eq!(with[2], "b      #1      ls");
    }

    #[test]
    fn the_rest_of_the_line_is_tight_before_what_presses_goes() {
        const COLUMNS: &[Column] = &[
            Column::whole("When", 5),
            Column::optional("Tool", 4, PRESSING - 1),
            Column::rest("What"),
            Column::optional("Id", 6, PRESSING),
        ];
        let headings = |edge| {
            let mut list = List::new(COLUMNS);
            let what = "cargo test --workspace --all-features";
            list.row(["1 min", "Bash", what, "toolu_"].map(Text::from));
            let mut out = String::new();
            list.render(&mut out, Some(edge));
            let plain = anstream::adapter::strip_str(&out).to_string();
            let words = plain.lines().next().unwrap_or_default();
            words.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let narrowest = 5 + GAP + NARROWEST + GAP + 6;
        assert_eq!(headings(narrowest + GAP + 4), "When Tool What Id");
        assert_eq!(headings(narrowest + GAP + 3), "When What Id");
        let tightest = narrowest - NARROWEST + TIGHTEST;
        assert_eq!(headings(tightest), "When What Id");
        assert_eq!(headings(tightest - 1), "When What");
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
