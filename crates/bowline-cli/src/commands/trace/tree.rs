//! `bowline trace tree`: what followed from one prompt.

use std::iter::Peekable;
use std::slice::Iter;

use bowline_daemon::rpc::traces::{self, TreeCall, WholeTree};
use serde::Serialize;

use super::call;
use crate::Outcome;
use crate::ask::Records;
use crate::error::Result;
use crate::moment;
use crate::ui::{Format, Text, Tree, Ui, reveal, style};

#[derive(Debug, Serialize)]
struct Report {
    tree: WholeTree,
}

pub(super) fn run(id: &str, records: &mut Records, format: Format, ui: &mut Ui) -> Result<Outcome> {
    let whole = traces::Tree { id: id.to_owned() };
    let mut tree = records.ask(&whole, ui)?;
    if tree.is_none() {
        let id = call::find(id, records, ui)?.group;
        tree = records.ask(&traces::Tree { id }, ui)?;
    }
    let tree = tree.ok_or_else(|| call::unknown(id, records))?;
    match format {
        Format::Json => ui.json(&Report { tree })?,
        Format::Text => {
            ui.tree(&drawn(&tree));
            if tree.truncated {
                ui.line(Text::styled(
                    "There are more calls than are shown here; `bowline trace list --session` has them.",
                    style::CAUTION,
                ));
            }
        }
    }
    Ok(Outcome::Clean)
}

/// The tree as it is drawn.
pub(in crate::commands) fn drawn(tree: &WholeTree) -> Tree {
    let root = match &tree.prompt {
        Some(prompt) => Text::styled(moment::clock(prompt.time), style::FAINT)
            .plain("  ")
            .with(
                call::one_line(prompt.text.as_deref().unwrap_or("a prompt")),
                style::HEADING,
            ),
        None => Text::styled(
            format!("trace {}", reveal::name(&tree.group)),
            style::HEADING,
        ),
    };
    let mut drawn = Tree::new(root);
    grow(&mut drawn, &mut tree.calls.iter().peekable(), 0);
    drawn
}

/// Hangs all calls of this depth, each with its parts, below.
fn grow(below: &mut Tree, calls: &mut Peekable<Iter<'_, TreeCall>>, depth: usize) {
    while let Some(next) = calls.next_if(|call| call.depth >= depth) {
        let mut branch = Tree::new(label(next));
        grow(&mut branch, calls, next.depth + 1);
        below.push(branch);
    }
}

fn label(call: &TreeCall) -> Text {
    let call = &call.trace;
    let mut label = Text::styled(reveal::name(&call.tool), style::NAME)
        .plain("  ")
        .text(call::status(call.status))
        .plain(call::after(call));
    let about = call::summary(call);
    if !about.is_empty() {
        label = label.plain("  ").with(about, style::FAINT);
    }
    match &call.error {
        Some(error) => label.with(format!("\n{}", call::one_line(error)), style::BAD),
        None => label,
    }
}
