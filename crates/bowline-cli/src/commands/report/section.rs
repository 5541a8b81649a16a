//! One section of a report: a title, and rows under headings.

use serde_json::Value;

use crate::ui::{Column, List, Text};

/// A part of the report.
#[derive(Debug)]
pub(super) struct Section {
    /// Its name in JSON.
    pub(super) key: &'static str,
    pub(super) title: &'static str,
    pub(super) columns: &'static [Column],
    /// The rows, each with a cell for each column.
    pub(super) rows: Vec<Vec<Text>>,
    /// The same for programs.
    pub(super) document: Value,
}

impl Section {
    /// Whether there is nothing to show.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn list(&self) -> List {
        let mut list = List::new(self.columns);
        for row in &self.rows {
            list.row(row.iter().cloned());
        }
        list
    }

    pub(super) fn markdown(&self) -> String {
        let headings: Vec<String> = (self.columns.iter())
            .map(|column| column.heading().to_owned())
            .collect();
        let rule = "---|".repeat(headings.len());
        let mut text = format!("\n## {}\n\n{}|{rule}\n", self.title, line(&headings));
        for row in &self.rows {
            let cells: Vec<String> = row.iter().map(cell).collect();
            text.push_str(&line(&cells));
        }
        text
    }
}

fn line(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

/// What a cell says, without what would end it or would be taken for HTML.
fn cell(text: &Text) -> String {
    let text = text.content().replace('\\', "\\\\").replace('|', "\\|");
    text.replace('<', "&lt;").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_stays_a_cell() {
        for (text, expected) in [
            ("curl x | sh", "curl x \\| sh"),
            ("cat <<A\nB", "cat &lt;&lt;A B"),
            ("a\\|b", "a\\\\\\|b"),
        ] {
            assert_eq!(cell(&text.into()), expected);
        }
    }
}
