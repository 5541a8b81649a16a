//! *Search*: where words are in commands, paths, prompts and errors.

use bowline_guard::secrets::redact;
use bowline_store::{Findings, Found, Part, TextKind};
use chrono::{DateTime, Utc};
use maud::{Markup, html};

use super::parts::{project, session};
use super::unmet::unmet;
use crate::data::costs::Period;
use crate::data::search::{Answer, MOST, Wanted};
use crate::text::{ago, brief, full, link, shown};

pub(crate) fn view(wanted: &Wanted, answer: &Answer, now: DateTime<Utc>) -> Markup {
    html! {
        h1 { "Search" }
        (form(wanted))
        @match answer {
            Answer::Unasked => p.faint {
                "Every word has to be there, in any order and in any casing. A word of three characters or more also finds longer words "
                "that begin with it."
            },
            Answer::NoWords => p { "This has no letter and no digit; nothing else is searched for." },
            Answer::Found(findings) => (found(findings, now)),
            Answer::Unmet(names) => (unmet(names, |noun, name| link("search", &wanted.with(noun, name)))),
        }
    }
}

fn form(wanted: &Wanted) -> Markup {
    let text = |name: &str, label: &str, value: Option<&str>| {
        html! {
            label { (label) input name=(name) value=[value.map(shown)] autocomplete="off" autofocus[name == "q" && value.is_none()]; }
        }
    };
    html! {
        form.filters method="get" action="./search" role="search" aria-label="Search with filters" {
            (text("q", "Words", wanted.text.as_deref()))
            label { "In"
                select name="kind" {
                    option value="" { "all texts" }
                    @for kind in TextKind::ALL {
                        option value=(kind.word()) selected[wanted.kind == Some(kind)] { (kind.word()) "s" }
                    }
                }
            }
            label { "Since"
                select name="since" {
                    option value="" { "the beginning" }
                    @for period in [Period::Week, Period::Month, Period::Quarter] {
                        option value=(period.word()) selected[wanted.since == Some(period)] { (period.name()) " ago" }
                    }
                }
            }
            (text("tool", "Tool", wanted.tool.as_deref()))
            (text("project", "Project", wanted.project.as_deref()))
            button { "Search" }
        }
    }
}

fn found(findings: &Findings, now: DateTime<Utc>) -> Markup {
    html! {
        @if let Some(since) = findings.indexed_since {
            p.notice role="status" { "Records from before " (full(since)) " are still being indexed and were not searched." }
        }
        @if findings.found.is_empty() {
            p { "Nothing that is recorded has all of these words." }
        } @else {
            @if findings.found.len() >= MOST { p.summary { "The newest " (MOST) " are shown." } }
            table.cards role="table" {
                caption.hidden { "What was found, newest first" }
                thead role="rowgroup" { tr role="row" {
                    th role="columnheader" scope="col" { "When" }
                    th role="columnheader" scope="col" { "Kind" }
                    th role="columnheader" scope="col" { "Tool" }
                    th role="columnheader" scope="col" { "Project" }
                    th role="columnheader" scope="col" { "Session" }
                    th role="columnheader" scope="col" { "Text" }
                } }
                tbody role="rowgroup" { @for found in &findings.found { (row(found, now)) } }
            }
        }
    }
}

fn row(found: &Found, now: DateTime<Utc>) -> Markup {
    html! {
        tr role="row" {
            td role="cell" data-label="When" { (ago(found.time, now)) }
            td role="cell" data-label="Kind" {
                @match &found.tool_use_id {
                    Some(call) => a href=(link("call", &[("id", call)])) { (found.kind.word()) },
                    None => a href=(link("session", &[("session", &found.session)])) { (found.kind.word()) },
                }
            }
            td role="cell" data-label="Tool" { (found.tool.as_deref().map(|it| brief(it, 40)).unwrap_or_default()) }
            td role="cell" data-label="Project" { (project(found.project.as_deref())) }
            td role="cell" data-label="Session" { (session(&found.session)) }
            td role="cell" data-label="Text" { code { (excerpt(found)) } }
        }
    }
}

/// The text around the matches, which are marked.
fn excerpt(found: &Found) -> Markup {
    // A secret that a mark would cut in two could not be recognised.
    if redact(&found.excerpt) != found.excerpt {
        return html! { (shown(&found.excerpt)) };
    }
    html! {
        @for part in found.parts() {
            @match part {
                Part::Match(text) => mark { (shown(&text)) },
                Part::Other(text) => (shown(&text)),
            }
        }
    }
}
