//! The page, as the daemon sees it. What it shows and how it is served is another crate's business.

use std::fmt;
use std::sync::Arc;

use bowline_store::Store;
use tokio::runtime::Handle;

use crate::engine::Engine;
use crate::feed::Feed;
use crate::places::Places;
use crate::status::Status;

/// A page that people open in their browser.
pub trait Page: Send + Sync {
    /// Serves it from now on, unless it is served already. Gives the address to open, which works once.
    fn open(&self) -> Result<String, String>;

    /// Whether somebody looks at it, so that the daemon is needed.
    fn is_wanted(&self) -> bool;

    /// The daemon ends.
    fn close(&self);
}

/// What a page is made from.
#[non_exhaustive]
pub struct PageParts {
    /// Everything that was recorded.
    pub store: Arc<dyn Store>,
    /// What decides, with the questions that wait ([`Engine::inbox`]).
    pub engine: Arc<Engine>,
    /// What happens now.
    pub feed: Arc<Feed>,
    /// Where the page's own work runs: not on the threads that answer hooks.
    pub runtime: Handle,
    /// Where the daemon's files are.
    pub places: Places,
    /// How the daemon is.
    pub status: Arc<dyn Fn() -> Status + Send + Sync>,
}

impl fmt::Debug for PageParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageParts").finish_non_exhaustive()
    }
}

/// Makes the page of a daemon. Nothing is served before it is opened.
pub type MakePage = fn(PageParts) -> Arc<dyn Page>;
