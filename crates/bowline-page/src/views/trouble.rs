//! What is shown instead of a view.

use maud::{Markup, html};

use crate::site::Trouble;
use crate::text::shown;

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
