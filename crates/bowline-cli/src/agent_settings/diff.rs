//! What changes between two texts, for people.

use std::collections::HashSet;
use std::time::Duration;

use anstyle::Style;
use serde::Serialize;
use similar::{ChangeTag, TextDiff};

use crate::ui::{Paragraph, Text, Ui, style};

/// Unchanged lines around a change.
const CONTEXT: usize = 3;
/// A worse diff is better than none: past this the rest counts as replaced.
const LONGEST: Duration = Duration::from_secs(2);

/// One line of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Line {
    /// Where the lines that follow are: `@@ -1,3 +1,9 @@`.
    HunkHeader(String),
    Same(String),
    Added(String),
    Removed(String),
}

/// The lines that differ, with a few around them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Diff(Vec<Line>);

impl Diff {
    pub(crate) fn between(before: &str, after: &str) -> Self {
        Self::around(before, after, |_| true)
    }

    /// A part of what changes between two texts: the lines around it are those that stay in the end.
    pub(crate) fn part(before: &str, part: &str, after: &str) -> Self {
        let whole = lines_between(before, after);
        let removed: HashSet<usize> = whole
            .iter_all_changes()
            .filter(|change| change.tag() == ChangeTag::Delete)
            .filter_map(|change| change.old_index())
            .collect();
        Self::around(before, part, |line| !removed.contains(&line))
    }

    /// The lines that differ, and those around them whose numbers will do.
    fn around(before: &str, after: &str, stays: impl Fn(usize) -> bool) -> Self {
        let diff = lines_between(before, after);
        let mut lines = Vec::new();
        for hunk in diff.unified_diff().context_radius(CONTEXT).iter_hunks() {
            lines.push(Line::HunkHeader(hunk.header().to_string()));
            for change in hunk.iter_changes() {
                let stays = change.old_index().is_none_or(&stays);
                if change.tag() == ChangeTag::Equal && !stays {
                    continue;
                }
                let text = change.value().trim_end_matches(['\n', '\r']).to_owned();
                lines.push(match change.tag() {
                    ChangeTag::Equal => Line::Same(text),
                    ChangeTag::Insert => Line::Added(text),
                    ChangeTag::Delete => Line::Removed(text),
                });
            }
        }
        Self(lines)
    }

    /// Whether a line is added that the other does not add.
    pub(super) fn adds_more_than(&self, other: &Self) -> bool {
        let mut added = self.0.iter().filter(|it| matches!(it, Line::Added(_)));
        added.any(|line| !other.0.contains(line))
    }

    /// Leaves out what comes after so many lines; says how many those are.
    pub(super) fn cut(&mut self, most: usize) -> usize {
        let more = self.0.len().saturating_sub(most);
        self.0.truncate(most);
        more
    }

    pub(crate) fn show(&self, ui: &mut Ui) {
        ui.paragraphs(self.0.iter().map(|line| {
            let (mark, text, colour) = match line {
                Line::HunkHeader(text) => ("", text, style::NAME),
                Line::Same(text) => (" ", text, Style::new()),
                Line::Added(text) => ("+", text, style::GOOD),
                Line::Removed(text) => ("-", text, style::BAD),
            };
            Paragraph::marked(Text::styled(mark, colour), Text::styled(text, colour))
        }));
    }
}

fn lines_between<'t>(before: &'t str, after: &'t str) -> TextDiff<'t, 't, 't, str> {
    TextDiff::configure()
        .timeout(LONGEST)
        .diff_lines(before, after)
}

impl Serialize for Diff {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|line| match line {
            Line::HunkHeader(text) => text.clone(),
            Line::Same(text) => format!(" {text}"),
            Line::Added(text) => format!("+{text}"),
            Line::Removed(text) => format!("-{text}"),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_shown_with_a_few_lines_around_them() {
        let before = "a\nb\nc\nd\ne\nf\n";
        let diff = Diff::between(before, "a\nb\nc\nd\nE\nf\n");
        let shown = serde_json::to_value(&diff).unwrap();
        assert_eq!(
            shown,
            serde_json::json!(["@@ -2,5 +2,5 @@", " b", " c", " d", "-e", "+E", " f"])
        );
        assert_eq!(Diff::between(before, before), Diff::default());
    }
}
