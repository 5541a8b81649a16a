//! The whole daemon, from start to exit.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bowline_store::{Options, SqliteStore, Store};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::signal::unix::{SignalKind, signal};

use crate::bounded::{FILES_WITHIN, within};
use crate::engine::Engine;
use crate::engine::patience::MOST_HANGING;
use crate::instance::{Instance, StartError};
use crate::page::{MakePage, PageParts};
use crate::pause::Pause;
use crate::places::Places;
use crate::server::{AnswerWhen, Parts, Server};
use crate::status::{Shared, Stop};
use crate::watch::Watch;

/// When an idle daemon exits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Idle {
    /// After this time without a request. The next client starts another daemon.
    After(Duration),
    /// Never: a service manager controls it.
    Never,
}

impl Default for Idle {
    fn default() -> Self {
        Self::After(Duration::from_mins(30))
    }
}

/// How a daemon runs.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DaemonOptions {
    /// Where its socket and data are.
    pub places: Places,
    /// How its store behaves.
    pub store: Options,
    /// When answers go out.
    pub answer_when: AnswerWhen,
    /// When it exits by itself.
    pub idle: Idle,
    /// The page that people can open in their browser.
    pub page: Option<MakePage>,
}

impl DaemonOptions {
    /// A daemon at these places, otherwise as usual.
    pub fn new(places: Places) -> Self {
        Self {
            store: places.store(),
            places,
            answer_when: AnswerWhen::default(),
            idle: Idle::default(),
            page: None,
        }
    }
}

/// Runs the daemon on this thread until it stops.
pub fn run(options: DaemonOptions) -> Result<Stop, StartError> {
    let system = |doing| move |source| StartError::System { doing, source };
    let runtime = runtime().map_err(system("start threads"))?;
    survive_file_size_limit(runtime.handle()).map_err(system("listen to signals"))?;
    let instance = Instance::claim(&options.places)?;
    raise_file_limit();
    let kept = Arc::new(SqliteStore::open(options.store)?);
    let store: Arc<dyn Store> = kept.clone();
    let shared = Arc::new(Shared::new(options.places.clone()));
    let engine = Arc::new(Engine::watching(Some(Arc::clone(&store))));
    let pause = options.places.pause();
    match within(FILES_WITHIN, move || Pause::read(&pause)) {
        Some(Ok(pause)) => engine.set_pause(pause),
        Some(Err(error)) => tracing::warn!("{error}"),
        None => tracing::warn!("whether Bowline is paused could not be read in time"),
    }
    stop_on_signals(&runtime, &shared).map_err(system("listen to signals"))?;
    let watch = Watch::start(
        Arc::clone(&engine),
        Arc::clone(&shared),
        options.places.pause(),
    )
    .map_err(system("watch settings"))?;
    if let Some(make) = options.page {
        let status = {
            let (shared, engine, store) =
                (Arc::clone(&shared), Arc::clone(&engine), Arc::clone(&store));
            Arc::new(move || shared.status(&engine, store.waiting()))
        };
        shared.set_page(make(PageParts {
            store: Arc::clone(&store),
            engine: Arc::clone(&engine),
            feed: Arc::clone(&shared.feed),
            runtime: runtime.handle().clone(),
            places: options.places.clone(),
            status,
        }));
    }
    let server = Server::new(Parts {
        instance,
        engine,
        store,
        shared,
        runtime,
        answer_when: options.answer_when,
        idle: options.idle,
    })?;
    let (stop, instance) = server.run().map_err(system("poll"))?;
    drop(watch);
    // A thread that still looks something up may hold the store, too.
    kept.close();
    // From here on nothing of this daemon can write.
    drop(instance);
    Ok(stop)
}

/// A thread for requests and look-ups that has nothing to do ends after this time. Each keeps memory of its own.
const SPARE_THREAD_FOR: Duration = Duration::from_secs(1);

/// Two threads for hooks that wait, which sleep while nothing needs them, and a few for requests and look-ups, which may hang.
fn runtime() -> io::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(4 + MOST_HANGING)
        .thread_keep_alive(SPARE_THREAD_FOR)
        .thread_name("bowline-hooks")
        .enable_all()
        .build()
}

/// The daemon wants this many descriptors: each client needs one. Hooks inherit the limit, so it stays moderate.
const DESCRIPTORS: u64 = 16_384;

/// Raises the limit of descriptors as far as the system allows.
pub fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit
        .maximum
        .map_or(DESCRIPTORS, |most| most.min(DESCRIPTORS));
    if limit.current.is_none_or(|current| current >= wanted) {
        return;
    }
    let raised = Rlimit {
        current: Some(wanted),
        maximum: limit.maximum,
    };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::info!("the limit of open files stays as it is: {error}");
    }
}

/// Turns a write beyond the file size limit (`ulimit -f`) into an ordinary error. Otherwise the system would kill this process. The
/// signal is handled, not ignored, so that the programs that we start have the default behaviour.
pub fn survive_file_size_limit(runtime: &Handle) -> io::Result<()> {
    let _entered = runtime.enter();
    let beyond = rustix::process::Signal::XFSZ.as_raw();
    signal(SignalKind::from_raw(beyond)).map(drop)
}

fn stop_on_signals(runtime: &Runtime, shared: &Arc<Shared>) -> io::Result<()> {
    let _entered = runtime.enter();
    for kind in [SignalKind::terminate(), SignalKind::interrupt()] {
        let mut signals = signal(kind)?;
        let shared = Arc::clone(shared);
        runtime.spawn(async move {
            while signals.recv().await.is_some() {
                shared.request_stop(Stop::Asked);
            }
        });
    }
    Ok(())
}
