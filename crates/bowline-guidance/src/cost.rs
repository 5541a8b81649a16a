//! What agents cost.
//!
//! What was used is counted from transcripts to the token ([`usage`]) and priced by a dated table ([`prices`]). [`budget`] says when it is
//! too much. [`prediction`], [`delegation`] and [`autonomy`] estimate: what a call puts into the context window, and what it would have
//! taken to hand it over.

pub mod autonomy;
pub mod budget;
pub mod delegation;
pub mod prediction;
pub mod prices;
pub mod report;
pub mod usage;

use crate::text::Text;

/// The texts about costs.
pub const TEXTS: &[Text] = &[
    budget::WARNING,
    budget::USED_UP,
    delegation::ESTIMATE,
    delegation::IMPERATIVE,
    delegation::FINAL,
    delegation::BREAKER,
];
