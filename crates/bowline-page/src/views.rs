//! The views: plain data to HTML. Pure.

pub(crate) mod call;
pub(crate) mod costs;
pub(crate) mod guards;
pub(crate) mod hooks;
pub(crate) mod inbox;
pub(crate) mod now;
mod parts;
pub(crate) mod sessions;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod timeline;
pub(crate) mod trouble;

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
}

impl View {
    const ALL: [Self; 7] = [
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
        }
    }

    const fn address(self) -> &'static str {
        match self {
            Self::Now => "./",
            Self::Inbox => "./inbox",
            Self::Timeline => "./timeline",
            Self::Sessions => "./sessions",
            Self::Costs => "./costs",
            Self::Guards => "./guards",
            Self::Hooks => "./hooks",
        }
    }

    /// What changes it.
    const fn topics(self) -> &'static str {
        match self {
            Self::Now => "events inbox",
            Self::Inbox => "inbox",
            Self::Costs => "",
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
}

/// The whole page.
pub(crate) fn layout(frame: &Frame, body: &Markup) -> Markup {
    let asset = |name: &str| format!("./assets/{}/{name}", frame.version);
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
                    a.brand href="./" { "Bowline" }
                    nav aria-label="Views" {
                        ul {
                            @for view in View::ALL {
                                li { (entry(view, frame)) }
                            }
                        }
                    }
                    p #connection .connection role="status" data-state="still" { "Reload to see what is new" }
                }
                main #main tabindex="-1" data-topics=(frame.view.topics()) { (body) }
                p #announcement .hidden role="status" aria-live="polite" {}
            }
        }
    }
}

fn entry(view: View, frame: &Frame) -> Markup {
    let current = (view == frame.view).then_some("page");
    html! {
        a href=(view.address()) aria-current=[current] {
            (view.name())
            @if view == View::Inbox {
                " " span #waiting .count data-count=(frame.waiting) {
                    (frame.waiting) span.hidden { " waiting" }
                }
            }
        }
    }
}
