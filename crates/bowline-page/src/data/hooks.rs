//! Which hooks live, and how long they take.

use bowline_daemon::rpc::{Question as _, events};
use bowline_store::{HookFigures, Result, Store};

/// By name.
pub(crate) fn read(store: &dyn Store) -> Result<Vec<HookFigures>> {
    events::HookFigures {}.answer(store)
}
