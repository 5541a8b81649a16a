//! The report of `bowline test` as a tree.

use std::path::Path;
use std::time::Duration;

use anstyle::Style;
use bowline::hooks::{Decision, EventClass, humane_duration};

use super::{Merged, Report, Run, Said, ShownAnswer, Tested};
use crate::finding;
use crate::hook_view::StatusName;
use crate::project::Paths;
use crate::ui::{Text, Tree, Ui, clipped, reveal, style};

pub(super) fn show(report: &Report, dir: Option<&Path>, ui: &mut Ui) {
    let paths = Paths::of(&report.project);
    let mut root = Tree::new(title(report));
    let (in_force, aside): (Vec<&Tested>, Vec<&Tested>) = report
        .hooks
        .iter()
        .partition(|tested| tested.hook.status == StatusName::InForce);
    let (matched, unmatched): (Vec<&Tested>, Vec<&Tested>) =
        in_force.into_iter().partition(|tested| tested.matched);

    let mut branch = Tree::new(Text::styled(
        match (matched.len(), report.dry_run) {
            (0, _) => "no hook matches",
            (_, true) => "would run",
            (_, false) => "matched",
        },
        style::HEADING,
    ));
    for tested in matched {
        branch.push(hook_tree(tested, &paths));
    }
    root.push(branch);
    push_group(&mut root, "did not match", &unmatched, &paths);
    push_group(&mut root, "not in force", &aside, &paths);
    match &report.result {
        Some(result) => root.push(result_tree(result, report.class)),
        None => root.leaf(Text::styled("dry run: nothing was run", style::FAINT)),
    }
    if let Some(reply) = &report.reply {
        root.push(reply_tree(reply));
    }
    if report.own_entries > 0 {
        root.leaf(Text::styled(
            "Bowline's own entry in the agent's settings is not run; its hooks are shown above",
            style::FAINT,
        ));
    }
    if let Some(problems) = finding::problems(&report.findings, &paths, dir) {
        root.leaf(Text::styled(problems, style::CAUTION));
    }
    ui.tree(&root);
}

fn title(report: &Report) -> Text {
    let title = Text::styled(report.event, style::HEADING);
    let title = match &report.subject {
        Some(subject) => title.plain(format!(" {}", clipped(&reveal::name(subject)))),
        None => title,
    };
    title.with(format!(" ({})", report.class), style::FAINT)
}

fn push_group(root: &mut Tree, heading: &str, hooks: &[&Tested], paths: &Paths) {
    if hooks.is_empty() {
        return;
    }
    let mut branch = Tree::new(Text::styled(heading, style::HEADING));
    for tested in hooks {
        let why = tested.why_not.as_deref().unwrap_or("no reason is known");
        branch.leaf(name(tested, style::FAINT, paths).plain(format!(": {why}")));
    }
    root.push(branch);
}

fn name(tested: &Tested, style: Style, paths: &Paths) -> Text {
    let number = tested
        .hook
        .position
        .map(|position| format!("#{position} "))
        .unwrap_or_default();
    Text::from(number)
        .with(&tested.hook.id, style)
        .with(format!(" ({})", tested.hook.place(paths)), style::FAINT)
}

fn hook_tree(tested: &Tested, paths: &Paths) -> Tree {
    let mut label = name(tested, style::NAME, paths);
    if let Some(run) = &tested.run {
        label = label.plain(": ").text(outcome(run));
    }
    let mut tree = Tree::new(label);
    let verb = if matches!(tested.hook.kind.as_str(), "built_in" | "rule") {
        ""
    } else {
        "runs "
    };
    tree.leaf(Text::styled(verb, style::FAINT).plain(clipped(&tested.hook.code())));
    if let Some(run) = &tested.run {
        if let Some(error) = &run.error {
            tree.leaf(Text::styled("error: ", style::BAD).plain(clipped(error)));
        }
        push_said(&mut tree, &run.output);
        // A failure that decides nothing is a warning too, in the same words.
        let warnings = run.output.warnings.iter();
        for warning in warnings.filter(|warning| Some(*warning) != run.error.as_ref()) {
            tree.leaf(Text::styled("warning: ", style::CAUTION).plain(clipped(warning)));
        }
    }
    tree
}

fn outcome(run: &Run) -> Text {
    if let Some(why) = &run.skipped {
        return Text::styled(format!("skipped, {why}"), style::CAUTION);
    }
    let text = match run.status {
        "failed" => Text::styled("failed", style::BAD)
            .plain(", ")
            .text(decision(run.output.decision)),
        "started" => Text::from("started, not waited for"),
        _ => decision(run.output.decision),
    };
    let took = Duration::from_secs_f64(run.duration_ms.max(0.0) / 1e3);
    text.with(format!(", {}", humane_duration(took)), style::FAINT)
}

fn result_tree(result: &Merged, class: EventClass) -> Tree {
    let verdict = match (result.allowed, class) {
        (_, EventClass::Observe) => "recorded only: ",
        (true, _) => "allowed: ",
        (false, EventClass::Redirect) => "redirect: ",
        (false, _) => "not allowed: ",
    };
    let what = match (result.allowed, class) {
        (false, EventClass::Redirect) => Text::styled(
            "the agent is told the reason, nothing is undone",
            style::CAUTION,
        ),
        _ => decision(result.output.decision),
    };
    let mut tree = Tree::new(Text::styled(verdict, style::HEADING).text(what));
    push_said(&mut tree, &result.output);
    tree
}

/// Everything but the warnings, which are shown where they come from.
fn push_said(tree: &mut Tree, said: &Said) {
    for (label, text) in [
        ("reason", &said.reason),
        ("context", &said.additional_context),
        ("system message", &said.system_message),
        ("printed", &said.message),
        ("ends the turn", &said.end_turn),
    ] {
        if let Some(text) = text {
            tree.leaf(labelled(label, text));
        }
    }
    if let Some(input) = &said.updated_input {
        tree.leaf(labelled("new input", &input.to_string()));
    }
    for (name, value) in &said.event_fields {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), ToOwned::to_owned);
        tree.leaf(labelled(name, &text));
    }
}

fn labelled(label: &str, text: &str) -> Text {
    Text::styled(format!("{label}: "), style::FAINT).plain(clipped(text))
}

fn reply_tree(reply: &ShownAnswer) -> Tree {
    let mut tree = Tree::new(Text::styled(
        format!("{} gets", reply.agent),
        style::HEADING,
    ));
    tree.leaf(labelled("exit code", &reply.exit_code.to_string()));
    for (label, text) in [("stdout", &reply.stdout), ("stderr", &reply.stderr)] {
        if text.is_empty() {
            tree.leaf(Text::styled(format!("{label}: nothing"), style::FAINT));
        } else {
            tree.leaf(labelled(label, text));
        }
    }
    tree
}

fn decision(decision: Decision) -> Text {
    let style = match decision {
        Decision::Deny => style::BAD,
        Decision::Ask => style::CAUTION,
        Decision::Grant => style::GOOD,
        Decision::NoOpinion => Style::new(),
    };
    Text::styled(decision.to_string(), style)
}
