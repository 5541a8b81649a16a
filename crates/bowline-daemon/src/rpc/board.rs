//! The question what all running sessions do.

use bowline_store::{Result, Store};
use serde::Serialize;

use super::Question;
use super::arguments::Arguments;
use crate::board::{self, Board};

/// `board.now`: one row for each running session, those that need a person first. A daemon adds the questions that wait in its inbox.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Now {}

impl Question for Now {
    const COMMAND: &'static str = "board.now";
    type Answer = Board;

    fn read(_: &mut Arguments) -> Option<Self> {
        Some(Self {})
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        board::now(store, Vec::new())
    }
}
