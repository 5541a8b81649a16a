//! The socket. One thread polls, decides and submits records; the store's thread answers when they are safe.
//!
//! Calls that only compute and look at files are decided at once on the polling thread, with a helper beside it if many calls are ready.
//! Calls that read settings or start processes go to the runtime. A polling thread that hangs in a look-up or in the store is replaced
//! (`helm`). A connection handles one thing at a time, and is answered in order.

mod answering;
mod berth;
mod clients;
mod connection;
mod helm;
mod helper;
mod hook_request;
mod keeper;
mod outbox;
mod relief;
mod round;
#[cfg(test)]
mod tests;
mod waits;

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use bowline::hooks::CancellationToken;
use bowline_builtins::machine::process;
use bowline_store::Store;
use bowline_wire::{Acknowledgement, Call, CallFrame, Request, Response};
use mio::net::UnixListener;
use mio::{Events, Interest, Token};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

use crate::bounded::FILES_WITHIN;
use crate::daemon::Idle;
use crate::engine::{Decided, Deciding, Engine, Weight, name_the_agent};
use crate::instance::{Instance, StartError};
use crate::peer::{self, Peer};
use crate::status::{Shared, Stop};
use answering::{Answering, Form};
use connection::ClientConnection;
use helm::{End, Helm};
use helper::{Helper, HelperState, Tools};
use keeper::Keeper;
use outbox::{Outbox, WakeList};
use relief::Relief;
use round::Round;
use waits::Waits;

const LISTENER: Token = Token(0);
const WAKER: Token = Token(1);
const FIRST_CLIENT: usize = 2;
/// How often the daemon checks whether it is still needed.
const LOOK_AROUND: Duration = Duration::from_secs(2);
/// Longer payloads are read elsewhere, because all other clients wait for this thread.
const LARGE: usize = 256 * 1024;
/// How long work without a client may take to end.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// How long a daemon that stops waits for what it has begun.
const DRAIN: Duration = Duration::from_secs(10);

/// When an answer goes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AnswerWhen {
    /// When its record is safe.
    #[default]
    Committed,
    /// Before its record is submitted, which follows this much later. Only for tests that must see the difference.
    Lagging(Duration),
}

/// The state of the polling thread.
pub(crate) struct Server {
    poll: mio::Poll,
    listener: Option<UnixListener>,
    instance: Instance,
    clients: HashMap<Token, ClientConnection>,
    next_token: usize,
    wake_list: Arc<WakeList>,
    engine: Arc<Engine>,
    store: Arc<dyn Store>,
    shared: Arc<Shared>,
    runtime: Runtime,
    answer_when: AnswerWhen,
    idle: Idle,
    acknowledgement: Arc<[u8]>,
    round: Round,
    helper: Helper,
    waits: Waits,
    relief: Arc<Relief>,
    keeper: Arc<Keeper>,
    helm: Arc<Helm>,
    ended: Option<mpsc::Receiver<End>>,
    looked_around: Instant,
    /// The last look at the socket.
    look: Option<JoinHandle<()>>,
    scratch: Vec<u8>,
    /// Set while connections cannot be accepted for lack of descriptors.
    turned_away: bool,
}

/// What a server works with.
pub(crate) struct Parts {
    pub(crate) instance: Instance,
    pub(crate) engine: Arc<Engine>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) runtime: Runtime,
    pub(crate) answer_when: AnswerWhen,
    pub(crate) idle: Idle,
}

impl Server {
    pub(crate) fn new(mut parts: Parts) -> Result<Self, StartError> {
        let system = |doing| move |source| StartError::System { doing, source };
        let poll = mio::Poll::new().map_err(system("poll"))?;
        let waker = mio::Waker::new(poll.registry(), WAKER).map_err(system("make a waker"))?;
        let listener = parts.instance.listen()?;
        listener
            .set_nonblocking(true)
            .map_err(system("listen without blocking"))?;
        let mut listener = UnixListener::from_std(listener);
        poll.registry()
            .register(&mut listener, LISTENER, Interest::READABLE)
            .map_err(system("poll the socket"))?;
        let acknowledgement = Acknowledgement {
            daemon: crate::VERSION.to_owned(),
            pid: std::process::id(),
        };
        let wake_list = Arc::new(WakeList::new(waker));
        let woken = Arc::clone(&wake_list);
        parts.shared.on_stop(move || woken.wake());
        let thread = system("start a thread");
        let relief = Arc::new(Relief::start().map_err(thread)?);
        let keeper = Arc::new(Keeper::start(Arc::clone(&parts.store)).map_err(thread)?);
        let state = Arc::new(HelperState::default());
        let (helm, ended) = Helm::new(Arc::clone(&state), Arc::clone(&wake_list));
        let helm = Arc::new(helm);
        relief.watch_over(&helm);
        let tools = Tools {
            store: Arc::clone(&parts.store),
            wake_list: Arc::clone(&wake_list),
            answer_when: parts.answer_when,
            runtime: parts.runtime.handle().clone(),
            helm: Arc::clone(&helm),
            relief: Arc::clone(&relief),
        };
        let helper = Helper::start(state, tools).map_err(thread)?;
        Ok(Self {
            poll,
            listener: Some(listener),
            instance: parts.instance,
            clients: HashMap::new(),
            next_token: FIRST_CLIENT,
            wake_list,
            engine: parts.engine,
            store: parts.store,
            shared: parts.shared,
            runtime: parts.runtime,
            answer_when: parts.answer_when,
            idle: parts.idle,
            acknowledgement: acknowledgement.encode().into(),
            round: Round::default(),
            helper,
            waits: Waits::new(),
            relief,
            keeper,
            helm,
            ended: Some(ended),
            looked_around: Instant::now(),
            look: None,
            scratch: vec![0; 64 * 1024],
            turned_away: false,
        })
    }

    /// Serves until it is stopped, idle for long, or its socket was replaced.
    ///
    /// Returns the instance, because no other process may be the daemon before everything here has ended.
    pub(crate) fn run(mut self) -> io::Result<(Stop, Instance)> {
        let ended = self.ended.take();
        let helm = Arc::clone(&self.helm);
        helm.hand_to_another(Box::new(self))?;
        let end = ended.and_then(|ended| ended.recv().ok());
        end.unwrap_or_else(|| Err(io::Error::other("nobody polls")))
    }

    /// Serves on this thread; `None` if another thread took over.
    fn lead(mut self: Box<Self>) -> Option<End> {
        let handle = self.runtime.handle().clone();
        // Hooks that are decided here set timers on the runtime.
        let _entered = handle.enter();
        let mut events = Events::with_capacity(1024);
        loop {
            self = self.work()?;
            if let Some(stop) = self.shared.stop() {
                let drained = self.drain()?;
                return Some(drained.map(|server| {
                    server.runtime.shutdown_timeout(LAST_WORDS);
                    (stop, server.instance)
                }));
            }
            if self.looked_around.elapsed() >= LOOK_AROUND {
                self.looked_around = Instant::now();
                self.look_around();
            }
            let wait = if self.turned_away {
                Duration::from_millis(50)
            } else {
                self.waits.due_in().unwrap_or(LOOK_AROUND)
            };
            if let Err(error) = self.listen(&mut events, wait) {
                return Some(Err(error));
            }
        }
    }

    /// Reads what clients have sent.
    fn listen(&mut self, events: &mut Events, wait: Duration) -> io::Result<()> {
        match self.poll.poll(events, Some(wait)) {
            Err(error) if error.kind() == ErrorKind::Interrupted => return Ok(()),
            polled => polled?,
        }
        for event in &*events {
            match event.token() {
                LISTENER => self.accept(),
                WAKER => {}
                token => self.attend(token, event),
            }
        }
        for token in self.wake_list.take() {
            self.serve(token);
        }
        if self.turned_away {
            self.accept();
        }
        Ok(())
    }

    fn look_around(&mut self) {
        // No other thread waits for one that hangs.
        if self.look.as_ref().is_none_or(JoinHandle::is_finished) {
            let (is_lost, shared) = (self.instance.socket_is_lost(), Arc::clone(&self.shared));
            let (store, engine) = (Arc::clone(&self.store), Arc::clone(&self.engine));
            self.look = Some(self.runtime.spawn_blocking(move || {
                if is_lost() {
                    shared.request_stop(Stop::SocketLost);
                }
                shared
                    .agents
                    .recall(|| store.continuity().fleet(None, None).ok());
                for end in shared.agents.ended(process::runs) {
                    if let Some(inbox) = engine.inbox() {
                        inbox.abandon(&end.decided.agent, &end.decided.session);
                    }
                    store.submit(end, Box::new(|_| {}));
                }
            }));
        }
        if matches!(self.idle, Idle::After(limit) if self.shared.idle_for() >= limit)
            && !self.clients.values().any(ClientConnection::has_spoken)
            && !self.shared.page().is_some_and(|page| page.is_wanted())
            // Records that only its memory holds would be lost.
            && self.store.waiting().in_memory == 0
        {
            self.shared.request_stop(Stop::Idle);
        }
    }

    fn call(&mut self, frame: CallFrame, outbox: Arc<Outbox>) {
        let (mut call, payload) = frame.into_parts();
        self.shared.begin_event(&call.client);
        name_the_agent(&mut call, &payload);
        call.reporter = peer::process(outbox.stream());
        let form = Form::Reply(Some(Arc::clone(&self.acknowledgement)));
        let answering = self.answering(call, form, outbox);
        if payload.len() > LARGE {
            let deciding = self.decide_elsewhere(payload, &answering);
            return self.let_wait(deciding, answering);
        }
        let prepared = catch_unwind(AssertUnwindSafe(|| {
            let cancellation = answering.cancellation.clone();
            (self.engine).prepare(&answering.call, &payload, cancellation)
        }));
        match prepared {
            Ok(Ok(call)) if call.weight() == Weight::Light => {
                self.round.ready.push_back((call, answering));
            }
            Ok(Ok(call)) => self.let_wait(Box::pin(call.decide(FILES_WITHIN)), answering),
            Ok(Err(decided)) => self.round.batch.extend(answering.submission(*decided)),
            Err(_) => {
                tracing::error!("reading an event panicked");
                let failure = Decided::failure(&answering.call, PANICKED);
                self.round.batch.extend(answering.submission(failure));
            }
        }
    }

    fn answering(&self, call: Call, form: Form, outbox: Arc<Outbox>) -> Answering {
        Answering {
            call: Arc::new(call),
            form,
            cancellation: CancellationToken::new(),
            outbox,
            shared: Arc::clone(&self.shared),
            relief: Arc::clone(&self.relief),
            when: self.answer_when,
        }
    }

    /// Reads and decides a call on the thread that polls this.
    fn decide_elsewhere(&self, payload: Vec<u8>, answering: &Answering) -> Deciding {
        let (engine, call) = (Arc::clone(&self.engine), Arc::clone(&answering.call));
        let cancellation = answering.cancellation.clone();
        Box::pin(async move { (engine.decide(&call, &payload, cancellation, FILES_WITHIN)).await })
    }

    /// Decides what is ready and submits the records; `None` if another thread took over meanwhile.
    fn work(mut self: Box<Self>) -> Option<Box<Self>> {
        self.round.add(self.helper.returned());
        self = self.decide()?;
        self = self.hand_over()?;
        self.waits.give(&self.clients);
        Some(self)
    }

    /// Decides what is ready, together with the helper if there are many calls. Hooks that have to wait for something continue
    /// elsewhere.
    fn decide(mut self: Box<Self>) -> Option<Box<Self>> {
        self.helper.take_half(&mut self.round);
        loop {
            for (deciding, answering) in std::mem::take(&mut self.round.waiting) {
                self.let_wait(deciding, answering);
            }
            if self.round.ready.is_empty() {
                return Some(self);
            }
            let (helm, relief) = (Arc::clone(&self.helm), Arc::clone(&self.relief));
            self = helm.server.decide_next(self, &relief)?;
        }
    }

    /// Acknowledges a call that is not answered at once, and goes on with it elsewhere. Its client gets signs of life. A client that
    /// leaves ends it.
    fn let_wait(&mut self, deciding: Deciding, mut answering: Answering) {
        let (token, cancellation) = (answering.outbox.token(), answering.cancellation.clone());
        match self.clients.get_mut(&token) {
            Some(client) => client.cancellation = Some(cancellation),
            // The client left while the helper decided.
            None => cancellation.cancel(),
        }
        answering.acknowledge();
        self.waits.begin(token);
        self.spawn(deciding, answering);
    }

    fn spawn(&self, deciding: Deciding, answering: Answering) {
        let keeper = Arc::clone(&self.keeper);
        let task = self.runtime.spawn(deciding);
        self.runtime.spawn(async move {
            let decided = task.await.unwrap_or_else(|error| {
                tracing::error!("deciding an event failed: {error}");
                Decided::failure(&answering.call, PANICKED)
            });
            if let Some(submission) = answering.submission(decided) {
                keeper.keep(vec![submission]);
            }
        });
    }

    /// Submits the records of this round to the store.
    fn hand_over(mut self: Box<Self>) -> Option<Box<Self>> {
        if self.round.batch.is_empty() {
            return Some(self);
        }
        if let AnswerWhen::Lagging(lag) = self.answer_when {
            std::thread::sleep(lag);
        }
        let batch = std::mem::take(&mut self.round.batch);
        if self.helm.store_hangs() {
            self.keeper.keep(batch);
            return Some(self);
        }
        let (helm, relief) = (Arc::clone(&self.helm), Arc::clone(&self.relief));
        let store = Arc::clone(&self.store);
        let hand_over = || store.submit_noted(batch);
        let server = helm.server.away(self, &relief, hand_over);
        if server.is_none() {
            helm.is_back_from_store();
        }
        server
    }

    fn request(&self, request: Request, outbox: Arc<Outbox>) {
        match hook_request::read(&request) {
            Some(Ok((call, payload))) => {
                self.shared.begin_request();
                let answering = self.answering(call, Form::Response(request.id), outbox);
                let deciding = self.decide_elsewhere(payload, &answering);
                return self.spawn(deciding, answering);
            }
            Some(Err(error)) => {
                let (id, result) = (request.id, Err(error));
                return outbox.finish(&Response { id, result }.encode());
            }
            None => {}
        }
        let (store, shared, engine) = (
            Arc::clone(&self.store),
            Arc::clone(&self.shared),
            Arc::clone(&self.engine),
        );
        let peer = Peer::of(outbox.stream());
        shared.begin_request();
        self.runtime.spawn_blocking(move || {
            let id = request.id.clone();
            let answer =
                AssertUnwindSafe(|| match shared.answer(&engine, &*store, (peer, &request)) {
                    Some(result) => Response {
                        id: request.id.clone(),
                        result,
                    },
                    None => crate::rpc::answer(&*store, &request),
                });
            let response = catch_unwind(answer).unwrap_or_else(|_| {
                tracing::error!("the request `{}` panicked", request.command);
                let message = "the daemon failed inside; the request changed nothing that it shows";
                Response {
                    id,
                    result: Err(bowline_wire::RequestError::handler(message)),
                }
            });
            outbox.finish(&response.encode());
            shared.end_request();
        });
    }

    /// Accepts nothing new, and waits for what was begun; `None` if another thread took over meanwhile.
    fn drain(mut self: Box<Self>) -> Option<io::Result<Box<Self>>> {
        if let Some(page) = self.shared.page() {
            page.close();
        }
        if let Some(inbox) = self.engine.inbox() {
            inbox.close();
        }
        self.accept();
        self = self.work()?;
        self.instance.remove_socket();
        self.listener = None;
        let began = Instant::now();
        let mut events = Events::with_capacity(1024);
        let background = self.engine.background().clone();
        let is_at_work = |server: &Self| {
            let has_begun = server.shared.has_begun() || server.keeper.waiting() > 0;
            has_begun || background.running() > 0
        };
        while is_at_work(&self) && began.elapsed() < DRAIN {
            if let Err(error) = self.listen(&mut events, Duration::from_millis(20)) {
                return Some(Err(error));
            }
            self = self.work()?;
        }
        background.cancel();
        let cancelled = Instant::now();
        while background.running() > 0 && cancelled.elapsed() < LAST_WORDS {
            std::thread::sleep(Duration::from_millis(5));
        }
        if let Err(error) = self.store.flush() {
            tracing::warn!("the store could not be flushed: {error}");
        }
        Some(Ok(self))
    }
}

impl AsMut<Round> for Box<Server> {
    fn as_mut(&mut self) -> &mut Round {
        &mut self.round
    }
}

const PANICKED: &str = "Bowline failed inside while it decided";
