//! *Call*: what a tool was called with, what came out, what was decided and by whom, and how to allow it.

use std::time::Duration;

use bowline::hooks::Decision;
use bowline_store::{HookFired, RecordedEvent};
use chrono::{DateTime, Utc};
use maud::{Markup, html};
use serde_json::Value;
use similar::{ChangeTag, TextDiff};

use super::parts::{commands, decision, project, session, status};
use crate::data::call::Call;
use crate::text::{ago, brief, json, link, milliseconds, prose, shown};

/// A text that takes longer is not compared line by line to its end.
const DIFF_WITHIN: Duration = Duration::from_millis(200);

pub(crate) fn view(call: &Call, now: DateTime<Utc>) -> Markup {
    let trace = &call.trace;
    let edits = edits(trace.input.as_ref());
    html! {
        h1 { (brief(&trace.tool, 60)) " " (status(trace.status)) }
        dl.facts {
            div { dt { "Began" } dd { (ago(trace.started_at, now)) } }
            @if let Some(ms) = trace.duration_ms { div { dt { "Took" } dd { (milliseconds(ms)) } } }
            div { dt { "Project" } dd { (project(trace.project.as_deref())) } }
            div { dt { "Session" } dd { (session(&trace.session)) } }
            @if let Some(subagent) = &trace.subagent { div { dt { "Sub-agent" } dd { (shown(subagent)) } } }
            div { dt { "Agent" } dd { (shown(&trace.agent)) } }
            @if let Some(own) = trace.native_tool() { div { dt { "Its name for the tool" } dd { (shown(own)) } } }
            div { dt { "Id" } dd { code { (shown(&trace.tool_use_id)) } } }
            div { dt { "Beside it" } dd { a href=(link("waterfall", &[("group", &trace.group)])) { "all calls of its prompt" } } }
        }
        @if let Some(error) = &trace.error { p.notice { (prose(error)) } }
        h2 { "Input" }
        (input(trace.input.as_ref()))
        @if let Some(own) = trace.native_input() {
            details {
                summary { "As the agent said it" }
                pre.code tabindex="0" { code { (json(own)) } }
            }
        }
        @if !edits.is_empty() {
            h2 { "Changes" }
            @for (old, new) in &edits { (diff(old, new)) }
        }
        h2 { "Output" }
        @match &trace.output {
            Some(output) => pre.code tabindex="0" { code { (json(output)) } },
            None => p.faint { "None was recorded." },
        }
        h2 { "Decisions" }
        @if call.events.is_empty() { p.faint { "None is recorded." } }
        @for event in &call.events { (decided(event)) }
        @let ways = call.ways();
        @if !ways.is_empty() {
            h2 { "How to allow it" }
            (commands(&ways))
        }
    }
}

/// A command as it is, and everything else as JSON.
fn input(input: Option<&Value>) -> Markup {
    let Some(input) = input else {
        return html! { p.faint { "None was recorded." } };
    };
    let command = input.get("command").and_then(Value::as_str);
    html! {
        @if let Some(command) = command { pre.code tabindex="0" { code { (shown(command)) } } }
        @if command.is_none() || input.as_object().is_some_and(|fields| fields.len() > 1) {
            details open[command.is_none()] {
                summary { "All of its input" }
                pre.code tabindex="0" { code { (json(input)) } }
            }
        }
    }
}

/// What an edit takes away, and what it puts there.
fn edits(input: Option<&Value>) -> Vec<(&str, &str)> {
    let Some(input) = input else {
        return Vec::new();
    };
    let several = input.get("edits").and_then(Value::as_array);
    let all = std::iter::once(input).chain(several.into_iter().flatten());
    all.filter_map(|edit| {
        let text = |name| edit.get(name).and_then(Value::as_str);
        Some((text("old_string")?, text("new_string")?))
    })
    .collect()
}

/// Signs before the lines say what the colours say.
fn diff(old: &str, new: &str) -> Markup {
    let (old, new) = (shown(old), shown(new));
    let diff = TextDiff::configure()
        .timeout(DIFF_WITHIN)
        .diff_lines(&old, &new);
    html! {
        pre.code tabindex="0" { code {
            @for change in diff.iter_all_changes() {
                @let line = change.value().trim_end_matches('\n');
                @match change.tag() {
                    ChangeTag::Delete => span.removed { "- " (line) "\n" },
                    ChangeTag::Insert => span.added { "+ " (line) "\n" },
                    ChangeTag::Equal => { "  " (line) "\n" },
                }
            }
        } }
    }
}

fn decided(event: &RecordedEvent) -> Markup {
    let event_id = &event.decided.id;
    let decided = &event.decided;
    html! {
        section aria-label=(brief(&decided.event, 40)) {
            h3 { (brief(&decided.event, 40)) ": " (decision(decided.decision, decided.enforcement)) }
            @if let Some(reason) = &decided.reason { p { (prose(reason)) } }
            dl.facts {
                @if let Some(rule) = &decided.rule {
                    div { dt { "Rule" } dd { a href=(link("guards", &[("rule", rule)])) { code { (shown(rule)) } } } }
                }
                div { dt { "Deciding took" } dd { (format!("{:.1} ms", decided.duration.as_secs_f64() * 1e3)) } }
                div { dt { "Event" } dd { code { (shown(event_id)) } } }
            }
            @if let Some(call) = decided.tool_use_id.as_deref().filter(|_| decided.decision >= Decision::Ask) {
                p { a href=(link("false-alarm", &[("id", call), ("event", event_id)])) { "Was this a false alarm?" } }
            }
            @if !decided.hooks.is_empty() { (hooks(&decided.hooks)) }
        }
    }
}

fn hooks(hooks: &[HookFired]) -> Markup {
    html! {
        table.cards role="table" {
            caption.hidden { "What each hook said" }
            thead role="rowgroup" { tr role="row" {
                th role="columnheader" scope="col" { "Hook" }
                th role="columnheader" scope="col" { "Said" }
                th.number role="columnheader" scope="col" { "Took" }
                th role="columnheader" scope="col" { "Noted" }
            } }
            tbody role="rowgroup" {
                @for hook in hooks {
                    tr role="row" {
                        td role="cell" data-label="Hook" {
                            (brief(&hook.name, 80))
                            @if let Some(scope) = &hook.scope { " " span.faint { (brief(scope, 40)) } }
                        }
                        td role="cell" data-label="Said" { (super::parts::said(hook.decision)) }
                        td.number role="cell" data-label="Took" { (format!("{:.1} ms", hook.duration.as_secs_f64() * 1e3)) }
                        td role="cell" data-label="Noted" {
                            @if let Some(failure) = &hook.failure { p.bad { "failed: " (shown(failure)) } }
                            @for warning in &hook.warnings { p { (shown(warning)) } }
                            @if let Some(message) = &hook.message { p { (shown(message)) } }
                        }
                    }
                }
            }
        }
    }
}
