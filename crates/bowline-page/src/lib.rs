//! The page that shows in a browser what agents do, and on which people answer their questions.
//!
//! [`make`] is what a daemon needs. Nothing is served before somebody opens it, and nothing any more ten minutes after the last one
//! has left. `security` says who may see it, `guard` enforces that, `server` bounds what it costs, `data` reads, `views` write.

mod assets;
mod charts;
mod data;
mod guard;
mod kept;
mod parameters;
mod patient;
mod peer;
mod places;
mod query;
mod routes;
mod security;
mod server;
mod site;
mod stream;
mod text;
mod views;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{fmt, io};

use bowline_daemon::{Page, PageParts};
use tokio::sync::watch;

use kept::Kept;
use security::Gate;
use server::Ended;
use site::Site;
pub use site::{Judge, Questions, Sources};

/// Makes the page of a daemon. One that was open when the last daemon ended is served again.
pub fn make(parts: PageParts) -> Arc<dyn Page> {
    let page = LivePage::new(Sources::from(&parts), &parts.places.socket);
    page.resume();
    Arc::new(page)
}

/// A page that is served while somebody wants it.
pub struct LivePage {
    sources: Sources,
    kept: Kept,
    serving: Arc<Mutex<Option<Serving>>>,
}

struct Serving {
    site: Arc<Site>,
    stop: watch::Sender<bool>,
}

impl fmt::Debug for LivePage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LivePage").finish_non_exhaustive()
    }
}

impl LivePage {
    /// A page that nobody has opened yet. What the next daemon needs is kept beside the socket.
    pub fn new(sources: Sources, socket: &Path) -> Self {
        Self {
            sources,
            kept: Kept::at(socket),
            serving: Arc::default(),
        }
    }

    /// Serves it as the last daemon did, if it was open then.
    pub fn resume(&self) {
        let Some((port, gate)) = self.kept.read() else {
            return;
        };
        if let Err(error) = self.serve(&mut self.lock(), port, gate) {
            tracing::info!("an open page cannot be served again: {error}");
            self.kept.remove();
        }
    }

    fn serve(&self, serving: &mut Option<Serving>, port: u16, gate: Gate) -> io::Result<Arc<Site>> {
        let (listener, port) = server::listen(port)?;
        let site = Arc::new(Site::new(port, gate, self.sources.clone()));
        let (stop, stopped) = watch::channel(false);
        let ended = {
            let (serving, kept) = (Arc::clone(&self.serving), self.kept.clone());
            move |end| {
                // If it was stopped, another page may be served already.
                if end == Ended::Unwanted {
                    *lock(&serving) = None;
                    kept.remove();
                }
            }
        };
        server::start(listener, Arc::clone(&site), stopped, ended)?;
        *serving = Some(Serving {
            site: Arc::clone(&site),
            stop,
        });
        Ok(site)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Serving>> {
        lock(&self.serving)
    }
}

fn lock(serving: &Mutex<Option<Serving>>) -> MutexGuard<'_, Option<Serving>> {
    serving.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Page for LivePage {
    fn open(&self) -> Result<String, String> {
        let mut serving = self.lock();
        let site = match &*serving {
            Some(serving) => Ok(Arc::clone(&serving.site)),
            None => Gate::fresh().and_then(|gate| self.serve(&mut serving, 0, gate)),
        };
        let link = site.and_then(|site| {
            let link = site.link()?;
            if let Err(error) = self.kept.write(site.port, &site.gate()) {
                tracing::warn!("an open page will end with this daemon: {error}");
            }
            Ok(link)
        });
        link.map_err(|error| format!("the page cannot be served on this machine: {error}"))
    }

    fn is_wanted(&self) -> bool {
        self.lock()
            .as_ref()
            .is_some_and(|serving| serving.site.is_wanted())
    }

    fn close(&self) {
        if let Some(serving) = self.lock().take() {
            // It ends with the daemon, whether it hears of it or not.
            let _ = serving.stop.send(true);
            if !serving.site.is_wanted() {
                self.kept.remove();
            }
        }
    }
}
