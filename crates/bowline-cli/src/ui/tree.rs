//! Trees, drawn with lines, wrapped to the terminal.

use super::style;
use super::text::Text;

/// A text with branches.
#[derive(Debug)]
pub(crate) struct Tree {
    label: Text,
    branches: Vec<Tree>,
}

impl Tree {
    pub(crate) fn new(label: impl Into<Text>) -> Self {
        Self {
            label: label.into(),
            branches: Vec::new(),
        }
    }

    /// Adds a branch.
    pub(crate) fn push(&mut self, branch: Tree) {
        self.branches.push(branch);
    }

    /// Adds a branch that has none of its own.
    pub(crate) fn leaf(&mut self, label: impl Into<Text>) {
        self.push(Tree::new(label));
    }

    pub(crate) fn render(&self, out: &mut String, width: usize) {
        for line in self.lines(width) {
            line.render(out);
            out.push('\n');
        }
    }

    /// The tree as lines.
    pub(crate) fn lines(&self, width: usize) -> Vec<Text> {
        let mut lines = Vec::new();
        self.add_label(&mut lines, width, "", "");
        self.add_branches(&mut lines, width, "");
        lines
    }

    fn add_branches(&self, lines: &mut Vec<Text>, width: usize, indent: &str) {
        let last = self.branches.len().saturating_sub(1);
        for (index, branch) in self.branches.iter().enumerate() {
            let (fork, below) = if index == last {
                ("└─ ", "   ")
            } else {
                ("├─ ", "│  ")
            };
            let below = format!("{indent}{below}");
            let under_label = if branch.branches.is_empty() {
                below.clone()
            } else {
                format!("{below}│  ")
            };
            branch.add_label(lines, width, &format!("{indent}{fork}"), &under_label);
            branch.add_branches(lines, width, &below);
        }
    }

    /// The label: after `first` on its first line, after `rest` on the others.
    fn add_label(&self, lines: &mut Vec<Text>, width: usize, first: &str, rest: &str) {
        let room = width.saturating_sub(rest.chars().count()).max(20);
        for (number, line) in self.label.wrap(room).into_iter().enumerate() {
            let lead = if number == 0 { first } else { rest };
            lines.push(Text::styled(lead, style::FAINT).text(line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_and_wrapped_labels_line_up() {
        let mut hook = Tree::new("the first hook");
        hook.leaf("a reason that is longer than the line");
        let mut tree = Tree::new("event");
        tree.push(hook);
        tree.leaf("end");
        let mut out = String::new();
        tree.render(&mut out, 30);
        assert_eq!(
            anstream::adapter::strip_str(&out).to_string(),
            "event\n\
             ├─ the first hook\n\
             │  └─ a reason that is longer\n\
             │     than the line\n\
             └─ end\n"
        );
    }
}
