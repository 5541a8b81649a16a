//! *Now*: who works on what, and who waits for a person.

use bowline_continuity::task;
use chrono::{DateTime, Utc};
use maud::{Markup, html};

use super::inbox::asked;
use crate::data::now::{Row, State};
use crate::text::{brief, counted, folder_name, length, link, short_id, shown};

pub(crate) fn view(rows: &[Row], now: DateTime<Utc>) -> Markup {
    let waiting = rows
        .iter()
        .filter(|row| row.state == State::Waiting)
        .count();
    html! {
        h1 { "Now" }
        @if rows.is_empty() {
            p { "No agent is at work. Start one where Bowline is installed (" code { "bowline init" }
                "), and it is shown here from its first event on." }
        } @else {
            p.summary { (counted(rows.len(), "agent")) ", " (waiting) " waiting for you" }
            table.cards {
                caption.hidden { "Agents, those that wait for you first" }
                thead {
                    tr {
                        th scope="col" { "State" }
                        th scope="col" { "Project" }
                        th scope="col" { "Agent" }
                        th scope="col" { "Effort" }
                        th scope="col" { "Context" }
                        th scope="col" { "What it does" }
                    }
                }
                tbody { @for row in rows { (agent(row, now)) } }
            }
        }
    }
}

fn agent(row: &Row, now: DateTime<Utc>) -> Markup {
    let agent = &row.agent;
    let name = agent.label.as_deref().unwrap_or(&agent.id);
    let (state, lasts) = (row.state, length(now - agent.since));
    html! {
        tr id=(format!("agent-{}", short_id(&agent.session))) {
            td data-label="State" {
                span class=(format!("state {}", state.class())) { (state.word()) }
                " " span.faint { (lasts) }
            }
            td data-label="Project" { (project(row)) }
            td data-label="Agent" {
                a href=(link("session", &[("session", &agent.session)])) { (brief(name, 40)) }
                " " span.faint { (brief(&agent.agent, 24)) }
            }
            td data-label="Effort" { (effort(row)) }
            td data-label="Context" { @if let Some(used) = agent.context_usage { (context(used)) } }
            td data-label="What it does" { (doing(row)) }
        }
    }
}

fn project(row: &Row) -> Markup {
    let Some(folder) = &row.agent.project else {
        return html! {};
    };
    html! {
        span title=(shown(folder)) { (folder_name(folder)) }
        @if let Some(worktree) = &row.agent.worktree {
            " " span.faint title=(shown(worktree)) { "@" (folder_name(worktree)) }
        }
    }
}

fn effort(row: &Row) -> Markup {
    let agent = &row.agent;
    let task = agent.task.as_deref().map(task::name_of);
    html! {
        @if let Some(task) = task { (brief(task, 40)) }
        @if let Some(ordinal) = agent.ordinal { " #" (ordinal) }
        @if let Some(phase) = &agent.phase { " " span.faint { (brief(phase, 40)) } }
    }
}

/// How full the context window is.
fn context(used: f64) -> Markup {
    let percent = (used.clamp(0.0, 1.0) * 100.0).round();
    html! {
        meter min="0" max="100" high="80" value=(percent) aria-label="Used part of the context window" { (percent) " %" }
        " " (percent) " %"
    }
}

fn doing(row: &Row) -> Markup {
    let agent = &row.agent;
    html! {
        @for question in &row.questions {
            p.asks {
                a href=(format!("./inbox#question-{}", short_id(&question.id))) { "Answer" }
                " " code { (brief(&asked(question), 160)) }
            }
        }
        @if row.questions.is_empty() {
            @if row.state == State::Waiting && let Some(wanted) = &agent.waiting_for {
                (brief(wanted, 160))
            } @else if let Some(action) = &agent.last_action {
                span.faint { (brief(action, 160)) }
            }
        }
    }
}
