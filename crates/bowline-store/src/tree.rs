//! The calls of one group as a tree. A pure function of the rows.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::session::Prompt;
use crate::trace::Trace;

/// What followed from one prompt, or from one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceTree {
    /// The group.
    #[serde(rename = "trace_id")]
    pub group: String,
    /// The prompt from which all calls follow.
    pub prompt: Option<Prompt>,
    /// The calls that are part of no other, oldest first.
    pub roots: Vec<TraceNode>,
    /// Whether there are more calls than a tree may hold.
    pub truncated: bool,
}

impl TraceTree {
    /// The root: the first call that is part of no other, else the earliest.
    pub fn root(&self) -> Option<&TraceNode> {
        self.roots.first()
    }

    /// How many calls are in the tree.
    pub fn len(&self) -> usize {
        let mut count = 0;
        let mut left: Vec<&TraceNode> = self.roots.iter().collect();
        while let Some(node) = left.pop() {
            count += 1;
            left.extend(&node.children);
        }
        count
    }

    /// Whether there is no call in it.
    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }
}

/// A call and its parts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceNode {
    /// The call.
    pub trace: Trace,
    /// The calls that are part of it, oldest first.
    pub children: Vec<TraceNode>,
}

/// Deeper calls are put beside their parents. JSON is read 128 levels deep, and each call takes two levels.
const MAX_DEPTH: usize = 24;

/// Arranges rows, each exactly once. A call whose parent is missing is a root. The earliest call of a cycle is a root.
pub(crate) fn arrange(mut traces: Vec<Trace>) -> Vec<TraceNode> {
    traces.sort_by_key(|trace| (trace.started_at, trace.row));
    let walk = Walk::through(&traces);
    let mut nodes: Vec<Option<TraceNode>> = traces
        .into_iter()
        .map(|trace| {
            Some(TraceNode {
                trace,
                children: Vec::new(),
            })
        })
        .collect();
    let mut roots = Vec::new();
    // Leaves first: every node is complete when it is attached to its parent.
    for (place, parent) in walk.order.into_iter().rev() {
        let Some(mut node) = nodes.get_mut(place).and_then(Option::take) else {
            continue;
        };
        node.children.sort_by_key(age);
        match parent.and_then(|parent| nodes.get_mut(parent)) {
            Some(Some(parent)) => parent.children.push(node),
            _ => roots.push(node),
        }
    }
    roots.sort_by_key(age);
    roots
}

fn age(node: &TraceNode) -> (chrono::DateTime<chrono::Utc>, i64) {
    (node.trace.started_at, node.trace.row)
}

/// Goes through all rows once, parents before children.
struct Walk {
    children: Vec<Vec<usize>>,
    seen: Vec<bool>,
    /// Each row, and the parent under which it was reached.
    order: Vec<(usize, Option<usize>)>,
}

impl Walk {
    fn through(traces: &[Trace]) -> Self {
        let places: HashMap<i64, usize> = traces
            .iter()
            .enumerate()
            .map(|(place, trace)| (trace.row, place))
            .collect();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); traces.len()];
        let mut parentless = Vec::new();
        for (place, trace) in traces.iter().enumerate() {
            let parent = trace.parent_row.and_then(|row| places.get(&row));
            match parent.and_then(|parent| children.get_mut(*parent)) {
                Some(siblings) => siblings.push(place),
                None => parentless.push(place),
            }
        }
        let mut walk = Self {
            seen: vec![false; traces.len()],
            children,
            order: Vec::with_capacity(traces.len()),
        };
        // The rows that are left are part of a cycle, or below one.
        for root in parentless.into_iter().chain(0..traces.len()) {
            walk.from(root);
        }
        walk
    }

    fn from(&mut self, root: usize) {
        let mut left = vec![(root, None, 0)];
        while let Some((place, parent, depth)) = left.pop() {
            match self.seen.get_mut(place) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            self.order.push((place, parent));
            let (parent, depth) = if depth < MAX_DEPTH {
                (Some(place), depth + 1)
            } else {
                (None, 0)
            };
            let children = self.children.get(place).into_iter().flatten();
            left.extend(children.map(|child| (*child, parent, depth)));
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::status::TraceStatus;

    /// A row that began at the millisecond of its number.
    fn trace(row: i64, parent_row: Option<i64>) -> Trace {
        Trace {
            tool_use_id: row.to_string(),
            group: "t".into(),
            session: String::new(),
            session_row: 1,
            agent: String::new(),
            project: None,
            subagent: None,
            tool: "Bash".into(),
            input: None,
            native: None,
            output: None,
            started_at: DateTime::from_timestamp_millis(row).unwrap(),
            ended_at: None,
            duration_ms: None,
            status: TraceStatus::Completed,
            error: None,
            asked: None,
            parent: None,
            row,
            parent_row,
        }
    }

    fn shape(nodes: &[TraceNode]) -> String {
        let inner: Vec<String> = nodes
            .iter()
            .map(|node| {
                let children = shape(&node.children);
                let id = &node.trace.tool_use_id;
                if children.is_empty() {
                    id.clone()
                } else {
                    format!("{id}({children})")
                }
            })
            .collect();
        inner.join(" ")
    }

    #[test]
    fn f21_c_roots_are_parentless_children_oldest_first_and_nothing_hangs() {
        for (rows, expected) in [
            (vec![], ""),
            (
                vec![(1, None), (3, Some(1)), (2, Some(1)), (4, Some(3))],
                "1(2 3(4))",
            ),
            // The parentless row is the root although another began earlier.
            (vec![(5, None), (1, Some(5)), (2, Some(1))], "5(1(2))"),
            // Several calls of one prompt.
            (vec![(2, None), (1, None)], "1 2"),
            // An orphan.
            (vec![(1, None), (2, Some(99))], "1 2"),
            // A row that is its own parent, and circles.
            (vec![(1, Some(1))], "1"),
            (vec![(1, Some(3)), (2, Some(1)), (3, Some(2))], "1(2(3))"),
            (
                vec![(1, None), (2, Some(3)), (3, Some(2)), (4, Some(3))],
                "1 2(3(4))",
            ),
        ] {
            let rows = rows
                .into_iter()
                .map(|(row, parent)| trace(row, parent))
                .collect();
            assert_eq!(shape(&arrange(rows)), expected);
        }
    }

    #[test]
    fn f21_c_a_very_deep_line_is_cut_and_loses_nothing() {
        let rows = (1..=100_000)
            .map(|row| trace(row, (row > 1).then(|| row - 1)))
            .collect();
        let tree = TraceTree {
            group: "t".into(),
            prompt: None,
            roots: arrange(rows),
            truncated: false,
        };
        assert_eq!(tree.len(), 100_000);
    }
}
