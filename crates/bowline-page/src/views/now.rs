//! *Now*: what every running session does, and which of them wait for a person. The rows are those of `bowline top`.

use bowline_daemon::board::{Board, Row, State};
use bowline_store::{Doing, MOST_CALLS, MOST_STOPPED};
use chrono::{DateTime, Utc};
use maud::{Markup, html};

use super::inbox::asked;
use super::parts::number;
use crate::text::{brief, counted, folder_name, length, link, short_id, shown};

pub(crate) fn view(board: &Board, now: DateTime<Utc>) -> Markup {
    let rows = &board.sessions;
    let waits = |row: &&Row| matches!(row.state, State::WaitingForYou { .. });
    let waiting = rows.iter().filter(waits).count();
    html! {
        h1 { "Now" }
        @if rows.is_empty() {
            p { "No agent is at work. Start one where Bowline is installed (" code { "bowline init" }
                "), and it is shown here from its first event on." }
        } @else {
            p.summary { (counted(rows.len(), "session")) ", " (waiting) " waiting for you" }
            table.cards role="table" {
                caption.hidden { "Running sessions, those that wait for you first" }
                thead role="rowgroup" {
                    tr role="row" {
                        th role="columnheader" scope="col" { "State" }
                        th role="columnheader" scope="col" { "Project" }
                        th role="columnheader" scope="col" { "Agent" }
                        th role="columnheader" scope="col" { "Prompt" }
                        th.number role="columnheader" scope="col" { "Calls" }
                        th.number role="columnheader" scope="col" { "Failed" }
                        th.number role="columnheader" scope="col" { "Denied" }
                        th role="columnheader" scope="col" { "Context" }
                        th.number role="columnheader" scope="col" { "Cost" }
                    }
                }
                tbody role="rowgroup" { @for row in rows { (session(row, now)) } }
            }
        }
    }
}

fn session(row: &Row, now: DateTime<Utc>) -> Markup {
    html! {
        tr role="row" id=(format!("session-{}", short_id(&row.session))) {
            td role="cell" data-label="State" { (state(row, now)) }
            td role="cell" data-label="Project" { (project(row)) }
            td role="cell" data-label="Agent" {
                a href=(link("session", &[("session", &row.session)])) { (brief(row.called(), 40)) }
                " " span.faint.name { (brief(&row.agent, 24)) }
                @if let Some(model) = &row.model { " " span.faint.name title=(shown(model)) { (brief(model, 40)) } }
            }
            td role="cell" data-label="Prompt" { (prompt(row)) }
            td.number role="cell" data-label="Calls" { (number(row.calls, MOST_CALLS, "")) }
            td.number role="cell" data-label="Failed" { (number(row.failed, MOST_STOPPED, "bad")) }
            td.number role="cell" data-label="Denied" { (number(row.denied, MOST_STOPPED, "attention")) }
            td.fit role="cell" data-label="Context" { @if let Some(used) = row.context_usage { (context(used)) } }
            td.number role="cell" data-label="Cost" { @if let Some(cost) = row.cost { (cost) } }
        }
    }
}

/// The class by which a state gets its colour.
const fn class(state: &State) -> &'static str {
    match state {
        State::WaitingForYou { .. } => "state attention",
        State::Blocked { .. } | State::Looping { .. } | State::Gone => "state bad",
        State::Working { .. } => "state good",
        State::Idle => "state faint",
    }
}

/// What it does: its word, for how long, and on what.
fn state(row: &Row, now: DateTime<Utc>) -> Markup {
    html! {
        span class=(class(&row.state)) { (row.state.word()) }
        @if let State::Looping { times, .. } = row.state { " " (times) "×" }
        " " span.faint { (length(now - row.since)) }
        @match &row.state {
            State::WaitingForYou { what } if row.questions.is_empty() => p.asks { (brief(what, 160)) },
            State::Blocked { on, why } => {
                @if let Some(on) = on { p.asks { (words(on)) } }
                @if !why.is_empty() { p.asks.faint { (brief(why, 160)) } }
            },
            State::Looping { on: Some(on), .. } | State::Working { on: Some(on) } => p.asks { (words(on)) },
            _ => {},
        }
        @for question in &row.questions {
            p.asks {
                a href=(format!("./inbox#question-{}", short_id(&question.id))) { "Answer" }
                " " code { (brief(&asked(question), 160)) }
            }
        }
    }
}

fn words(doing: &Doing) -> Markup {
    html! {
        (brief(&doing.tool, 40))
        @if let Some(what) = &doing.what { " " code { (brief(what, 160)) } }
    }
}

fn project(row: &Row) -> Markup {
    let Some(folder) = &row.project else {
        return html! {};
    };
    html! {
        span title=(shown(folder)) { (folder_name(folder)) }
        @if let Some(worktree) = &row.worktree {
            " " span.faint title=(shown(worktree)) { "@" (folder_name(worktree)) }
        }
    }
}

/// How the last prompt begins, with what followed from it.
fn prompt(row: &Row) -> Markup {
    let text = row.prompt.as_deref().map(|it| brief(it, 160));
    let text = text.unwrap_or_default();
    html! {
        @match &row.group {
            Some(group) if !text.is_empty() => a href=(link("waterfall", &[("group", group)])) { (text) },
            _ => (text),
        }
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
