//! Pages that are open, and keep up with what happens as their script does.

use std::io::{BufRead as _, BufReader};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::PATIENCE;
use super::scene::{Follows, View, open};
use super::visitor::Visitor;

/// So many pages are open.
pub(super) const PAGES: usize = 10;
/// A page asks for its view again at most so often, as its script does.
const PAUSE: Duration = Duration::from_millis(200);

/// The open pages. Each reads the stream of what happens, and asks for its view again when that has changed.
#[derive(Debug)]
pub(super) struct Readers {
    streams: Mutex<Vec<TcpStream>>,
    shown: AtomicU64,
    failures: Mutex<Vec<anyhow::Error>>,
    told: Sender<Shown>,
    news: Mutex<Receiver<Shown>>,
}

/// A page shows this now.
#[derive(Debug)]
struct Shown {
    page: usize,
    text: String,
    since: Instant,
}

impl Readers {
    pub(super) fn start(page: &Visitor) -> Result<Arc<Self>> {
        let (told, news) = mpsc::channel();
        let readers = Arc::new(Self {
            streams: Mutex::default(),
            shown: AtomicU64::new(0),
            failures: Mutex::default(),
            told,
            news: Mutex::new(news),
        });
        readers.resume(page)?;
        Ok(readers)
    }

    /// All are opened, the first view by two.
    pub(super) fn resume(self: &Arc<Self>, page: &Visitor) -> Result<()> {
        for (number, view) in pages().enumerate() {
            page.look(&view.link)?;
            let (changed, changes) = mpsc::sync_channel(1);
            let stream = page.ask("stream", "keep-alive")?;
            stream.set_read_timeout(None)?;
            let reading = stream.try_clone()?;
            let is_live = view.follows != Follows::Nothing;
            thread::spawn(move || {
                for line in BufReader::new(reading).lines() {
                    let Ok(line) = line else { return };
                    if is_live && line.starts_with("data:") {
                        // One look that is to come is enough.
                        let _ = changed.try_send(());
                    }
                }
            });
            let (readers, visitor) = (Arc::clone(self), page.clone());
            thread::spawn(move || readers.keep_up(&visitor, number, &view, &changes));
            lock(&self.streams).push(stream);
        }
        Ok(())
    }

    /// Shows a view again whenever it has changed, until the stream ends.
    fn keep_up(&self, visitor: &Visitor, page: usize, view: &View, changes: &Receiver<()>) {
        let more = if view.link.contains('?') { '&' } else { '?' };
        let fragment = format!("{}{more}fragment=1", view.link);
        while changes.recv().is_ok() {
            match visitor.look(&fragment) {
                Ok(text) => {
                    self.shown.fetch_add(1, Ordering::Relaxed);
                    let since = Instant::now();
                    let _ = self.told.send(Shown { page, text, since });
                }
                Err(error) => return lock(&self.failures).push(error),
            }
            thread::sleep(PAUSE);
        }
    }

    /// How often a view was shown again; all were shown.
    pub(super) fn check(&self) -> Result<u64> {
        lock(&self.failures).pop().map_or(Ok(()), Err)?;
        Ok(self.shown.load(Ordering::Relaxed))
    }

    /// All leave.
    pub(super) fn pause(&self) {
        for stream in lock(&self.streams).drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Forgets what was shown so far.
    pub(super) fn forget(&self) {
        lock(&self.news).try_iter().for_each(drop);
    }

    /// Waits until every page on which this event stays shows it. Says when the last of them did.
    pub(super) fn wait_for(&self, event: &str) -> Result<Instant> {
        let news = lock(&self.news);
        let mut unseen: Vec<usize> = pages()
            .enumerate()
            .filter(|(_, view)| view.follows == Follows::Everything)
            .map(|(page, _)| page)
            .collect();
        let began = Instant::now();
        loop {
            let rest = PATIENCE.saturating_sub(began.elapsed());
            let shown = news
                .recv_timeout(rest)
                .with_context(|| format!("the pages {unseen:?} do not show {event}"))?;
            if shown.text.contains(event) {
                unseen.retain(|page| *page != shown.page);
            }
            if unseen.is_empty() {
                return Ok(shown.since);
            }
        }
    }
}

fn pages() -> impl Iterator<Item = View> {
    open().into_iter().cycle().take(PAGES)
}

fn lock<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}
