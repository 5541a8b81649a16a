//! What is shown instead of a view.

use maud::{Markup, html};

use crate::site::Trouble;
use crate::text::shown;

/// There is no such view.
pub(crate) fn missing() -> Markup {
    html! {
        h1 { "Not found" }
        p { "There is nothing at this address. What it was about may have been forgotten." }
        p { a href="./" { "What happens now" } }
    }
}

/// The data of a view could not be read.
pub(crate) fn of(trouble: &Trouble) -> Markup {
    html! {
        h1 { "Cannot be shown now" }
        @match trouble {
            Trouble::Busy => p { "Reading the records takes too long. Try again in a moment." },
            Trouble::Store(error) => {
                p { "The records cannot be read: " (shown(&error.to_string())) }
                p { code { "bowline doctor" } " looks for the cause." }
            }
        }
    }
}
