//! *Timeline*: what happened, newest first, and the calls of a prompt as they followed each other.

use bowline_agents::AGENTS;
use bowline_daemon::rpc::traces::told;
use bowline_store::{DecisionFilter, RecordedEvent, Trace};
use chrono::{DateTime, Utc};
use maud::{Markup, html};

use super::parts::{decision, project, session, status};
use super::unmet::unmet;
use crate::charts::waterfall;
use crate::data::timeline::{Filter, MOST_CALLS, Timeline, Waterfall};
use crate::text::{brief, clock, counted, full, link, milliseconds, shown};

pub(crate) fn view(timeline: &Timeline) -> Markup {
    let filter = &timeline.filter;
    html! {
        h1 { "Timeline" }
        (filters(filter))
        @if let Some(session) = &filter.session {
            p { a href=(link("waterfall", &[("session", session)])) { "The calls of this session over time" } }
        }
        @if timeline.events.is_empty() {
            @if timeline.unmet.is_empty() {
                p { "Nothing like that is recorded." }
            } @else {
                (unmet(&timeline.unmet, |noun, name| link("timeline", &filter.with(noun, name).parts())))
            }
        } @else {
            table.cards role="table" {
                caption.hidden { "Events, newest first" }
                thead role="rowgroup" { tr role="row" {
                    th role="columnheader" scope="col" { "Time" }
                    th role="columnheader" scope="col" { "Project" }
                    th role="columnheader" scope="col" { "Session" }
                    th role="columnheader" scope="col" { "Event" }
                    th role="columnheader" scope="col" { "What" }
                    th role="columnheader" scope="col" { "Decision" }
                } }
                tbody role="rowgroup" { @for event in &timeline.events { (row(event)) } }
            }
        }
        @let is_first = filter.before.is_none() && filter.older_than.is_none();
        @if !is_first || timeline.older.is_some() {
            nav aria-label="Pages" {
                @if !is_first { a href=(link("timeline", &filter.parts())) { "Newest" } " " }
                @if let Some(older) = timeline.older {
                    @let than = older.than.to_string();
                    @let parts = [filter.parts(), vec![("older", than.as_str())]].concat();
                    a rel="next" href=(link("timeline", &parts)) { "Older, from " (full(older.time)) " back" }
                }
            }
        }
    }
}

fn filters(filter: &Filter) -> Markup {
    let text = |name: &str, label: &str, value: Option<&str>| {
        html! {
            label { (label) input name=(name) value=[value.map(shown)] autocomplete="off"; }
        }
    };
    html! {
        form.filters method="get" action="./timeline" role="search" aria-label="Filters" {
            (text("project", "Project", filter.project.as_deref()))
            (text("session", "Session", filter.session.as_deref()))
            label { "Agent"
                select name="agent" {
                    option value="" { "any" }
                    @for agent in AGENTS {
                        option value=(agent.name) selected[filter.agent == Some(agent.name)] { (agent.name) }
                    }
                }
            }
            (text("tool", "Tool", filter.tool.as_deref()))
            label { "Decision"
                select name="decision" {
                    option value="" { "any" }
                    @for decision in DecisionFilter::ALL {
                        option value=(decision.word()) selected[filter.decision == Some(decision)] { (decision.word()) }
                    }
                }
            }
            button { "Filter" }
            a href="./timeline" { "Without filters" }
        }
    }
}

fn row(event: &RecordedEvent) -> Markup {
    let decided = &event.decided;
    let about = match (&event.prompt, &event.input) {
        (Some(prompt), _) => prompt.clone(),
        (None, input) => told(input.as_ref()),
    };
    let tool = decided.tool.as_deref().unwrap_or_default();
    html! {
        tr role="row" id=(format!("event-{}", brief(&decided.id, 64))) {
            td role="cell" data-label="Time" { (clock(decided.time)) }
            td role="cell" data-label="Project" { (project(decided.project.as_deref())) }
            td role="cell" data-label="Session" { (session(&decided.session)) }
            td role="cell" data-label="Event" { (brief(&decided.event, 40)) }
            td role="cell" data-label="What" {
                @if !tool.is_empty() {
                    @match &decided.tool_use_id {
                        Some(id) => a href=(link("call", &[("id", id)])) { (brief(tool, 40)) },
                        None => (brief(tool, 40)),
                    }
                    " "
                }
                @if !about.is_empty() { code { (brief(&about, 160)) } }
            }
            td role="cell" data-label="Decision" {
                (decision(decided.decision, decided.enforcement))
                @if let Some(rule) = &decided.rule {
                    " " a href=(link("guards", &[("rule", rule)])) { (brief(rule, 60)) }
                }
            }
        }
    }
}

/// The calls of a prompt or a session over time, with the same calls as a table.
pub(crate) fn calls(waterfall_of: &Waterfall, now: DateTime<Utc>) -> Markup {
    let calls = &waterfall_of.calls;
    html! {
        h1 { "Calls over time" }
        @if let Some(prompt) = &waterfall_of.prompt { blockquote { p { (shown(prompt)) } } }
        p.summary {
            (counted(calls.len(), "call"))
            @if waterfall_of.truncated { "; there are more than " (MOST_CALLS) }
        }
        @if !calls.is_empty() { (as_chart_and_table(calls, now)) }
    }
}

fn as_chart_and_table(calls: &[Trace], now: DateTime<Utc>) -> Markup {
    html! {
        (waterfall(calls, now))
        table.cards role="table" {
            caption.hidden { "The same calls, oldest first" }
            thead role="rowgroup" { tr role="row" {
                th role="columnheader" scope="col" { "Began" }
                th role="columnheader" scope="col" { "Call" }
                th role="columnheader" scope="col" { "Sub-agent" }
                th role="columnheader" scope="col" { "Status" }
                th.number role="columnheader" scope="col" { "Took" }
            } }
            tbody role="rowgroup" {
                @for call in calls {
                    tr role="row" {
                        td role="cell" data-label="Began" { (clock(call.started_at)) }
                        td role="cell" data-label="Call" {
                            a href=(link("call", &[("id", &call.tool_use_id)])) { (brief(&call.tool, 40)) }
                            " " code { (brief(&told(call.input.as_ref()), 160)) }
                        }
                        td role="cell" data-label="Sub-agent" { (call.subagent.as_deref().map(crate::text::short_id).unwrap_or_default()) }
                        td role="cell" data-label="Status" { (status(call.status)) }
                        td.number role="cell" data-label="Took" { (call.duration_ms.map(milliseconds).unwrap_or_default()) }
                    }
                }
            }
        }
    }
}
