//! *Sessions*: what each session did, and the efforts that outlive them.

use bowline_continuity::action::EffortDetails;
use bowline_continuity::effort::{Effort, Lifecycle};
use bowline_continuity::note::Note;
use bowline_store::{Delegation, MOST_CALLS, MOST_STOPPED, Prompt, Session, SessionSummary};
use chrono::{DateTime, Utc};
use maud::{Markup, html};

use super::parts::{number, project, session as session_link};
use super::unmet::unmet;
use crate::data::sessions::{MOST, OneSession, Overview};
use crate::text::{ago, brief, folder_name, link, milliseconds, short_id, shown};

pub(crate) fn view(overview: &Overview, now: DateTime<Utc>) -> Markup {
    html! {
        h1 { "Sessions and efforts" }
        @if let Some(folder) = overview.project.as_ref().filter(|_| overview.unmet.is_empty()) {
            p { "Of " (shown(folder)) ". " a href="./sessions" { "Of all projects" } }
        }
        @if !overview.unmet.is_empty() {
            (unmet(&overview.unmet, |_, name| link("sessions", &[("project", name)])))
        } @else {
            h2 { "Efforts" }
            @if overview.efforts.is_empty() { p.faint { "None was begun." } } @else { (efforts(&overview.efforts, now)) }
            h2 { "Sessions" }
            @if overview.sessions.is_empty() { p.faint { "None is recorded." } } @else { (sessions(&overview.sessions, now)) }
        }
    }
}

fn efforts(efforts: &[Effort], now: DateTime<Utc>) -> Markup {
    html! {
        table.cards role="table" {
            caption.hidden { "Efforts, newest first" }
            thead role="rowgroup" { tr role="row" {
                th role="columnheader" scope="col" { "Effort" }
                th role="columnheader" scope="col" { "Project" }
                th role="columnheader" scope="col" { "Phase" }
                th role="columnheader" scope="col" { "State" }
                th role="columnheader" scope="col" { "Begun" }
            } }
            tbody role="rowgroup" { @for effort in efforts { tr role="row" {
                td role="cell" data-label="Effort" { (effort_link(effort)) }
                td role="cell" data-label="Project" { (project(Some(&effort.project))) }
                td role="cell" data-label="Phase" { (effort.phase.as_deref().map(|it| brief(it, 60)).unwrap_or_default()) }
                td role="cell" data-label="State" { (lifecycle(effort.lifecycle)) }
                td role="cell" data-label="Begun" { (ago(effort.created_at, now)) }
            } } }
        }
    }
}

fn effort_link(effort: &Effort) -> Markup {
    let number = effort.id.0.to_string();
    html! { a href=(link("effort", &[("id", &number)])) { (brief(&effort.label(), 80)) } }
}

fn lifecycle(lifecycle: Lifecycle) -> Markup {
    html! {
        @match lifecycle {
            Lifecycle::Active => span.state.good { "active" },
            Lifecycle::Finished => span.faint { "finished" },
        }
    }
}

fn sessions(sessions: &[SessionSummary], now: DateTime<Utc>) -> Markup {
    html! {
        table.cards role="table" {
            caption.hidden { "Sessions, the last active first" }
            thead role="rowgroup" { tr role="row" {
                th role="columnheader" scope="col" { "Session" }
                th role="columnheader" scope="col" { "Project" }
                th role="columnheader" scope="col" { "Agent" }
                th role="columnheader" scope="col" { "First prompt" }
                th.number role="columnheader" scope="col" { "Calls" }
                th.number role="columnheader" scope="col" { "Failed" }
                th.number role="columnheader" scope="col" { "Denied" }
                th role="columnheader" scope="col" { "Last active" }
            } }
            tbody role="rowgroup" { @for summary in sessions {
                @let newest = &summary.newest;
                tr role="row" id=(format!("session-{}", brief(&newest.session, 64))) {
                    td role="cell" data-label="Session" { (session_link(&newest.session)) " " span.faint { (newest.status) } }
                    td role="cell" data-label="Project" { (project(newest.project.as_deref())) }
                    td role="cell" data-label="Agent" {
                        span.name { (brief(&newest.agent, 40)) }
                        @if let Some(model) = &newest.model { " " span.faint.name title=(shown(model)) { (brief(model, 40)) } }
                    }
                    td role="cell" data-label="First prompt" { (summary.first_prompt.as_deref().map(|it| brief(it, 120)).unwrap_or_default()) }
                    td.number role="cell" data-label="Calls" { (number(summary.calls.unsigned_abs(), MOST_CALLS, "")) }
                    td.number role="cell" data-label="Failed" { (number(summary.errors.unsigned_abs(), MOST_STOPPED, "bad")) }
                    td.number role="cell" data-label="Denied" { (number(summary.denied.unsigned_abs(), MOST_STOPPED, "attention")) }
                    td role="cell" data-label="Last active" { (ago(newest.last_event_at, now)) }
                }
            } }
        }
    }
}

/// One session.
pub(crate) fn session(session: &OneSession, now: DateTime<Utc>) -> Markup {
    let details = &session.details;
    let project_of = details.sessions.iter().find_map(|it| it.project.as_deref());
    html! {
        h1 { "Session " (short_id(&session.name)) }
        dl.facts {
            div { dt { "Project" } dd { (project(project_of)) } }
            div { dt { "Name" } dd { code { (shown(&session.name)) } } }
            @if let Some(effort) = &session.effort {
                div { dt { "Effort" } dd { (effort_link(effort)) @if let Some(phase) = &effort.phase { ", " (shown(phase)) } } }
            }
            div { dt { "More" } dd {
                a href=(link("timeline", &[("session", &session.name)])) { "its events" } ", "
                a href=(link("waterfall", &[("session", &session.name)])) { "its calls over time" }
            } }
        }
        h2 { "Prompts" }
        @if session.is_cut { p.summary { "Only the newest " (MOST) " of each list are shown." } }
        @if details.prompts.is_empty() { p.faint { "None is recorded." } } @else { (prompts(&details.prompts, now)) }
        h2 { "Context windows and sub-agents" }
        (chain(&details.sessions, now))
        @if !details.delegations.is_empty() {
            h2 { "What was handed to sub-agents" }
            (delegations(&details.delegations, now))
        }
        (notes(&session.notes, now))
    }
}

fn prompts(prompts: &[Prompt], now: DateTime<Utc>) -> Markup {
    html! {
        table.cards role="table" {
            caption.hidden { "Prompts" }
            thead role="rowgroup" { tr role="row" { th role="columnheader" scope="col" { "Given" } th role="columnheader" scope="col" { "Prompt" } th role="columnheader" scope="col" { "Calls" } } }
            tbody role="rowgroup" { @for prompt in prompts { tr role="row" {
                td role="cell" data-label="Given" { (ago(prompt.time, now)) }
                td role="cell" data-label="Prompt" { (prompt.text.as_deref().map(|it| brief(it, 600)).unwrap_or_default()) }
                td role="cell" data-label="Calls" { a href=(link("waterfall", &[("group", &prompt.group)])) { "what followed" } }
            } } }
        }
    }
}

fn chain(sessions: &[Session], now: DateTime<Utc>) -> Markup {
    html! {
        table.cards role="table" {
            caption.hidden { "Context windows and sub-agents of this session" }
            thead role="rowgroup" { tr role="row" {
                th role="columnheader" scope="col" { "Which" }
                th role="columnheader" scope="col" { "Begun" }
                th role="columnheader" scope="col" { "Why" }
                th role="columnheader" scope="col" { "Model" }
                th.number role="columnheader" scope="col" { "Events" }
                th role="columnheader" scope="col" { "State" }
            } }
            tbody role="rowgroup" { @for it in sessions { tr role="row" {
                td role="cell" data-label="Which" {
                    @match &it.subagent {
                        Some(subagent) => { "sub-agent " (short_id(subagent)) " " (it.subagent_kind.as_deref().map(|it| brief(it, 40)).unwrap_or_default()) },
                        None => (short_id(&it.session)),
                    }
                }
                td role="cell" data-label="Begun" { (ago(it.started_at, now)) }
                td role="cell" data-label="Why" { (it.source.as_deref().map(|it| brief(it, 40)).unwrap_or_default()) }
                td role="cell" data-label="Model" { (it.model.as_deref().map(|it| brief(it, 60)).unwrap_or_default()) }
                td.number role="cell" data-label="Events" { (it.events) }
                td role="cell" data-label="State" {
                    (it.status)
                    @if let Some(reason) = &it.end_reason { " " span.faint { (brief(reason, 60)) } }
                }
            } } }
        }
    }
}

fn delegations(delegations: &[Delegation], now: DateTime<Utc>) -> Markup {
    html! {
        table.cards role="table" {
            caption.hidden { "Delegations" }
            thead role="rowgroup" { tr role="row" {
                th role="columnheader" scope="col" { "To" } th role="columnheader" scope="col" { "What" } th role="columnheader" scope="col" { "State" } th role="columnheader" scope="col" { "Lasted" } th role="columnheader" scope="col" { "Reported" }
            } }
            tbody role="rowgroup" { @for it in delegations { tr role="row" {
                td role="cell" data-label="To" { (brief(&it.to, 60)) }
                td role="cell" data-label="What" {
                    @let what = it.description.as_deref().map(|it| brief(it, 200)).unwrap_or_default();
                    @match &it.call {
                        Some(call) => a href=(link("call", &[("id", call)])) { (if what.is_empty() { "the call".to_owned() } else { what }) },
                        None => (what),
                    }
                }
                td role="cell" data-label="State" { (it.status) }
                td role="cell" data-label="Lasted" { (milliseconds((it.ended_at.unwrap_or(now) - it.started_at).num_milliseconds())) }
                td role="cell" data-label="Reported" { (it.last_message.as_deref().map(|it| brief(it, 300)).unwrap_or_default()) }
            } } }
        }
    }
}

fn notes(notes: &[Note], now: DateTime<Utc>) -> Markup {
    html! {
        @if !notes.is_empty() {
            h2 { "Notes" }
            ul {
                @for note in notes {
                    li { (shown(&note.text)) " " span.faint { "pinned to " (note.pinned_to()) ", " (ago(note.at, now)) } }
                }
            }
        }
    }
}

/// One effort.
pub(crate) fn effort(details: &EffortDetails, now: DateTime<Utc>) -> Markup {
    let effort = &details.effort;
    let at = effort.phase.as_deref();
    html! {
        h1 { (brief(&effort.label(), 100)) " " (lifecycle(effort.lifecycle)) }
        dl.facts {
            div { dt { "Project" } dd { (project(Some(&effort.project))) } }
            div { dt { "Task" } dd { (folder_name(&effort.task)) } }
            div { dt { "Begun" } dd { (ago(effort.created_at, now)) } }
            @if let Some(at) = effort.finished_at { div { dt { "Finished" } dd { (ago(at, now)) } } }
            div { dt { "Sessions" } dd { (details.sessions.len()) } }
        }
        @if !effort.phases.is_empty() {
            h2 { "Phases" }
            ol { @for phase in &effort.phases {
                li aria-current=[(Some(phase.as_str()) == at).then_some("step")] {
                    (shown(phase))
                    @if Some(phase.as_str()) == at { " " span.state.good { "now" } }
                }
            } }
        }
        h2 { "What happened" }
        @if details.history.is_empty() { p.faint { "No phase was entered yet." } }
        ul { @for change in &details.history {
            li {
                (shown(&change.phase)) " " span.faint { (ago(change.at, now)) }
                @if let Some(proof) = &change.proof { p { "Proof: " (shown(proof)) } }
                @if let Some(reason) = &change.reason { p { "Why: " (shown(reason)) } }
            }
        } }
        (notes(&details.notes, now))
    }
}
