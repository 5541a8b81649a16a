//! Serves the page on loopback, on a thread and a runtime of its own: it never delays a hook.

use std::io;
use std::net::{Ipv4Addr, TcpListener as StdListener};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::{Semaphore, watch};
use tokio::time::{interval, sleep};

use crate::patient::Patient;
use crate::peer::Peer;
use crate::routes;
use crate::site::{Site, most_reads};

/// At most this many connections at a time.
const MOST_CONNECTIONS: usize = 64;
/// So many of them are kept for our own user.
const KEPT: usize = 32;
/// The head of a request has at most this many bytes.
const LONGEST_HEAD: usize = 8 * 1024;
/// It has this many fields at most.
const MOST_FIELDS: usize = 64;
/// A head that takes longer never ends. A connection without a request is closed after this time, too.
const HEAD_WITHIN: Duration = Duration::from_secs(10);
/// An answer that nobody reads within this time is not written to its end.
const WRITTEN_WITHIN: Duration = Duration::from_secs(10);
/// How often the server looks whether it is still wanted.
const LOOK: Duration = Duration::from_secs(15);

const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// Why the page is no longer served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The daemon ends.
    Stopped,
    /// Nobody looks.
    Unwanted,
}

/// A port of this machine that nobody else can reach.
pub(crate) fn listen(port: u16) -> io::Result<(StdListener, u16)> {
    let listener = StdListener::bind((Ipv4Addr::LOCALHOST, port))?;
    listener.set_nonblocking(true)?;
    let port = listener.local_addr()?.port();
    Ok((listener, port))
}

/// Serves until `stop` changes or nobody wants it any more; then `ended` is told.
pub(crate) fn start(
    listener: StdListener,
    site: Arc<Site>,
    stop: watch::Receiver<bool>,
    ended: impl FnOnce(Ended) + Send + 'static,
) -> io::Result<()> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(most_reads())
        .thread_name("bowline-page-read")
        .thread_keep_alive(Duration::from_secs(5))
        .on_thread_start(step_back)
        .build()?;
    thread::Builder::new()
        .name("bowline-page".to_owned())
        .spawn(move || {
            step_back();
            let end = runtime.block_on(serve(listener, site, stop));
            ended(end.unwrap_or_else(|error| {
                tracing::warn!("the page cannot be served: {error}");
                Ended::Unwanted
            }));
            // A read that hangs is not waited for.
            runtime.shutdown_background();
        })
        .map(drop)
}

/// Hooks come first. On Linux this is about the calling thread alone.
fn step_back() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, 5) {
        tracing::debug!("the page keeps its priority: {error}");
    }
}

async fn serve(
    listener: StdListener,
    site: Arc<Site>,
    mut stop: watch::Receiver<bool>,
) -> io::Result<Ended> {
    let listener = TcpListener::from_std(listener)?;
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let router = routes::router(&site);
    let mut look = interval(LOOK);
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let peer = Peer { address: stream.peer_addr().ok(), port: site.port };
                    admit(stream, peer, &places, router.clone());
                }
                // There are too many open files, for instance.
                Err(_) => sleep(Duration::from_millis(100)).await,
            },
            _ = look.tick() => if !site.is_wanted() {
                return Ok(Ended::Unwanted);
            },
            _ = stop.changed() => return Ok(Ended::Stopped),
        }
    }
}

fn admit(stream: TcpStream, peer: Peer, places: &Arc<Semaphore>, router: Router) {
    // Nobody else has anything to look for here, so that nobody else can take the page away.
    let is_free = places.available_permits() > KEPT || !peer.is_another_user();
    let place = Arc::clone(places).try_acquire_owned().ok();
    let Some(place) = place.filter(|_| is_free) else {
        // Whoever does not read this at once is not waited for.
        let _ = stream.try_write(FULL);
        return;
    };
    let service = TowerToHyperService::new(router.layer(Extension(peer)));
    let stream = Patient::new(stream, WRITTEN_WITHIN);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WITHIN)
        .max_buf_size(LONGEST_HEAD)
        .max_headers(MOST_FIELDS)
        .serve_connection(TokioIo::new(stream), service);
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!("a connection to the page ended: {error}");
        }
        drop(place);
    });
}
