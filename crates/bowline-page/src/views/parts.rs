//! What several views show in the same way.

use bowline::hooks::Decision;
use bowline_builtins::guard::Way;
use bowline_store::{Enforcement, TraceStatus};
use maud::{Markup, html};

use crate::charts::class_of;
use crate::text::{folder_name, link, short_id, shown};

/// A project by its name; the whole path is its title.
pub(crate) fn project(folder: Option<&str>) -> Markup {
    html! {
        @if let Some(folder) = folder {
            a href=(link("timeline", &[("project", folder)])) title=(shown(folder)) { (folder_name(folder)) }
        }
    }
}

pub(crate) fn session(name: &str) -> Markup {
    html! {
        @if !name.is_empty() { a.name href=(link("session", &[("session", name)])) title=(shown(name)) { (short_id(name)) } }
    }
}

pub(crate) fn status(status: TraceStatus) -> Markup {
    let class = match class_of(status) {
        "attention" => "state attention",
        "good" => "state good",
        "bad" => "state bad",
        _ => "state faint",
    };
    html! { span class=(class) { (status.shown()) } }
}

/// What one hook said.
pub(crate) fn said(decision: Decision) -> Markup {
    let (word, class) = match decision {
        Decision::Deny => ("deny", "state bad"),
        Decision::Ask => ("ask", "state attention"),
        Decision::Grant => ("grant", "state good"),
        Decision::NoOpinion => ("nothing", "faint"),
    };
    html! { span class=(class) { (word) } }
}

/// What was decided, and whether that counted.
pub(crate) fn decision(decision: Decision, enforcement: Enforcement) -> Markup {
    html! {
        (said(decision))
        @match enforcement {
            Enforcement::Observed => { " " span.faint { "(observed only)" } },
            Enforcement::Unenforced => { " " span.faint { "(the agent cannot act on it)" } },
            Enforcement::Enforced => {},
        }
    }
}

/// A text to copy. Scripts make the button work; without them the text can be selected.
pub(crate) fn copyable(text: &str) -> Markup {
    html! {
        div.copyable {
            pre.code tabindex="0" { code { (shown(text)) } }
            button.copy type="button" { "Copy" }
        }
    }
}

/// Commands to copy, each with what it does.
pub(crate) fn commands(ways: &[Way]) -> Markup {
    html! {
        table.cards role="table" {
            caption.hidden { "Commands for your own terminal" }
            thead role="rowgroup" { tr role="row" { th role="columnheader" scope="col" { "Command" } th role="columnheader" scope="col" { "What it allows" } } }
            tbody role="rowgroup" {
                @for way in ways {
                    tr role="row" {
                        td.copyable role="cell" data-label="Command" { code { (shown(&way.command)) } " " button.copy type="button" { "Copy" } }
                        td role="cell" data-label="Allows" { (way.effect) }
                    }
                }
            }
        }
    }
}

/// A number that is of interest if there is something to count. It is not counted beyond `most`.
pub(crate) fn number(count: u64, most: u64, class: &'static str) -> Markup {
    html! {
        @if count == 0 {
            span.faint { "-" }
        } @else if count >= most {
            span class=(class) { (most) "+" }
        } @else {
            span class=(class) { (count) }
        }
    }
}
