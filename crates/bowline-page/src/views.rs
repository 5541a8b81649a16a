//! The views: plain data to HTML. Pure.

pub(crate) mod call;
pub(crate) mod costs;
pub(crate) mod false_alarm;
pub(crate) mod guards;
pub(crate) mod hooks;
pub(crate) mod inbox;
pub(crate) mod now;
mod parts;
pub(crate) mod search;
pub(crate) mod sessions;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod timeline;
pub(crate) mod trouble;
pub(crate) mod unmet;

use maud::{DOCTYPE, Markup, html};

/// A view of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    Now,
    Inbox,
    Timeline,
    Sessions,
    Costs,
    Guards,
    Hooks,
    Search,
}

impl View {
    /// Those that the header lists. For the search it has a field.
    const LISTED: [Self; 7] = [
        Self::Now,
        Self::Inbox,
        Self::Timeline,
        Self::Sessions,
        Self::Costs,
        Self::Guards,
        Self::Hooks,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Now => "Now",
            Self::Inbox => "Inbox",
            Self::Timeline => "Timeline",
            Self::Sessions => "Sessions",
            Self::Costs => "Costs",
            Self::Guards => "Guards",
            Self::Hooks => "Hooks",
            Self::Search => "Search",
        }
    }

    /// Below the page's own path.
    const fn address(self) -> &'static str {
        match self {
            Self::Now => "",
            Self::Inbox => "inbox",
            Self::Timeline => "timeline",
            Self::Sessions => "sessions",
            Self::Costs => "costs",
            Self::Guards => "guards",
            Self::Hooks => "hooks",
            Self::Search => "search",
        }
    }

    /// What changes it.
    const fn topics(self) -> &'static str {
        match self {
            Self::Now => "events inbox",
            Self::Inbox => "inbox",
            // What was searched for stays until it is searched for again.
            Self::Costs | Self::Search => "",
            Self::Timeline | Self::Sessions => "events",
            // Figures of long periods are read now and then, however much happens.
            Self::Guards | Self::Hooks => "time",
        }
    }
}

/// What surrounds a view.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    pub(crate) view: View,
    /// What is shown, if it is not the view itself.
    pub(crate) title: Option<&'static str>,
    /// How many questions wait.
    pub(crate) waiting: usize,
    /// Of styles and scripts.
    pub(crate) version: String,
    /// What leads to the page's own path, with a slash at its end.
    pub(crate) home: String,
}

/// Where views are beside each other.
pub(crate) const BESIDE: &str = "./";

/// The whole page.
pub(crate) fn layout(frame: &Frame, body: &Markup) -> Markup {
    let asset = |name: &str| format!("{}assets/{}/{name}", frame.home, frame.version);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (frame.title.unwrap_or(frame.view.name())) " · Bowline" }
                link rel="icon" href="data:,";
                link rel="stylesheet" href=(asset("page.css"));
                script type="module" src=(asset("page.js")) {}
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                header.top {
                    a.brand href=(frame.home) { "Bowline" }
                    nav aria-label="Views" {
                        ul {
                            @for view in View::LISTED {
                                li { (entry(view, frame)) }
                            }
                        }
                    }
                    // The view has a form of its own, with filters.
                    @if frame.view != View::Search { (search_box(frame)) }
                    p #connection .connection role="status" data-state="still" { noscript { "Reload to see what is new" } }
                }
                main #main tabindex="-1" data-topics=(frame.view.topics()) { (body) }
                p #announcement .hidden role="status" aria-live="polite" {}
            }
        }
    }
}

fn search_box(frame: &Frame) -> Markup {
    html! {
        form.find method="get" action={ (frame.home) (View::Search.address()) } role="search" aria-label="Search" {
            label.hidden for="find" { "Search commands, paths, prompts and errors" }
            input #find type="search" name="q" placeholder="Search" autocomplete="off";
            button { "Search" }
        }
    }
}

fn entry(view: View, frame: &Frame) -> Markup {
    let current = (view == frame.view).then_some("page");
    html! {
        a href={ (frame.home) (view.address()) } aria-current=[current] {
            (view.name())
            @if view == View::Inbox {
                " " span #waiting .count data-count=(frame.waiting) {
                    (frame.waiting) span.hidden { " waiting" }
                }
            }
        }
    }
}
