//! What is told of an address that means nothing, or names what nothing is recorded under.

use maud::{Markup, html};

use super::inbox::{anchor, told};
use crate::data::inbox::Outcome;
use crate::data::known::{Missing, Unmet};
use crate::parameters::Ignored;
use crate::text::{brief, link};

/// The parts of an address that count for nothing.
pub(crate) fn ignored(ignored: &[Ignored]) -> Markup {
    html! {
        @for it in ignored {
            p.notice role="status" {
                @match it.of {
                    Some(of) => { code { (of) } " cannot be " code { (brief(&it.said, 60)) } "; it does not count. " },
                    None => { "The address says " code { (brief(&it.said, 60)) } ", which this view does not know; it does not count. " },
                }
                @match (it.nearest, it.known.as_slice()) {
                    (Some(nearest), _) => { "Did you mean " code { (nearest) } "?" },
                    (None, []) if it.of.is_some() => "A number is expected.",
                    (None, []) => "It has no filters.",
                    (None, known) => {
                        "Known: " @for (at, word) in known.iter().enumerate() { @if at > 0 { ", " } code { (word) } } "."
                    },
                }
            }
        }
    }
}

/// Names under which nothing is recorded. The function says where a link leads to what is named instead.
pub(crate) fn unmet(unmet: &[Unmet], to: impl Fn(&'static str, &str) -> String) -> Markup {
    let name = |noun, name: &str| html! { a href=(to(noun, name)) { (brief(name, 120)) } };
    let names = |noun, all: &[String]| {
        html! { @for (at, it) in all.iter().enumerate() { @if at > 0 { ", " } (name(noun, it)) } }
    };
    html! {
        @for it in unmet {
            p.notice role="status" {
                @match it {
                    Unmet::Several { noun, name, meant } => {
                        "Several " (noun) "s may be meant by " code { (brief(name, 120)) } ": " (names(noun, meant)) "."
                    },
                    Unmet::Unknown(unknown) => {
                        @let noun = unknown.noun;
                        "No " (noun) " " code { (brief(&unknown.name, 120)) } " is known"
                        @match (&unknown.nearest, unknown.known.as_slice()) {
                            (Some(nearest), _) => { ". Did you mean " (name(noun, nearest)) "?" },
                            (None, []) => ".",
                            (None, known) => { "; there are " (names(noun, known)) @if unknown.has_others { " and others" } "." },
                        }
                    },
                }
            }
        }
    }
}

/// What is asked for is not there. An address that nobody knows may be anywhere below the page's own path, to which `home` leads.
pub(crate) fn missing(missing: &Missing, home: &str) -> Markup {
    let to = |noun, name: &str| link(noun, &[(noun, name)]);
    html! {
        h1 { "Not found" }
        @match missing {
            Missing::View => p { "There is no view at this address. The header has those that there are." },
            Missing::Unsaid(noun, parameter) => p {
                "The address does not say which " (noun) " is meant. It needs " code { "?" (parameter) "=…" } "."
            },
            Missing::Gone => {
                p.notice role="status" { (told(Outcome::Gone)) }
                p { a href="./inbox" { "The questions that wait" } }
            },
            Missing::Waits(question) => {
                p.notice role="status" {
                    "It waits for you: "
                    a href={ "./inbox#" (anchor(question)) } { "answer it in the inbox" }
                    ", or see what "
                    a href=(link("allow", &[("id", question)])) { "allowing it for good" }
                    " would write. It is recorded when it is answered."
                }
            },
            Missing::Named(name) => {
                (unmet(std::slice::from_ref(name), to))
                @if matches!(name, Unmet::Unknown(_)) { p { "What was recorded of it may have been forgotten." } }
            },
        }
        p { a href=(home) { "What happens now" } }
    }
}
