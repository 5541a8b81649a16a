//! Many agents at once, played by one thread that does as little as it can: the daemon shall have the machine.

use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::os::unix::net::UnixStream as StdStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail, ensure};
use bowline_wire::{Call, CallId, Environment, Reply, Signs};
use mio::net::UnixStream;
use mio::{Events, Interest, Poll, Token};
use serde_json::{Value, json};

use super::stage::Stage;

/// This many calls make a session; then the agent begins a new one. No question is answered with more rows than 10,000.
const CALLS_IN_SESSION: u64 = 4_000;
const PATIENCE: Duration = Duration::from_secs(30);

/// What stands in a frame where a name will be.
const NO_TOOL_USE: &str = "toolu_0000000000000000";
const NO_SESSION: &str = FIRST_SESSION;

/// The first session, and the first call in it.
pub(crate) const FIRST_SESSION: &str = "bench-0000000000000000";
pub(crate) const FIRST_TOOL_USE: &str = "toolu_0000000000000001";

/// How long a connection lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// As long as the load.
    Persistent,
    /// One event, as with `bowline-hook`.
    Fresh,
}

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Until {
    Elapsed(Duration),
    Events(u64),
}

/// How fast events follow each other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace(Duration);

impl Pace {
    pub(crate) fn per_second(events: u32) -> Self {
        Self(Duration::from_secs(1) / events.max(1))
    }
}

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Measured {
    pub(crate) events: u64,
    pub(crate) took: Duration,
    /// From the first byte sent to the last byte of the reply.
    pub(crate) latencies: Vec<Duration>,
}

impl Measured {
    #[expect(clippy::cast_precision_loss, reason = "nobody counts so far")]
    pub(crate) fn per_second(&self) -> f64 {
        self.events as f64 / self.took.as_secs_f64()
    }
}

/// Makes load, and knows what must be in the store because it was answered.
#[derive(Debug)]
pub(crate) struct Load {
    socket: PathBuf,
    /// For every command, what is reported before and after it.
    frames: Vec<[Frame; 2]>,
    sessions: Vec<Session>,
    made: u64,
}

/// What was answered of one session.
#[derive(Debug, Clone, Default)]
struct Session {
    begun: u64,
    ended: u64,
}

/// An event that is sent again and again under other names.
#[derive(Debug, Clone)]
struct Frame {
    bytes: Vec<u8>,
    call: usize,
    tool_use: usize,
    session: usize,
}

impl Frame {
    fn new(stage: &Stage, payload: Value) -> Result<Self> {
        let payload = format!("{payload}\n").into_bytes();
        let mut call = Call::new(stage.project(), environment(stage));
        let id = CallId::from_parts(0, 0);
        call.id = id.clone();
        "claude-code".clone_into(&mut call.agent);
        call.event = None;
        call.payload_bytes = payload.len();
        let bytes = [call.encode(), payload].concat();
        let find = |name: &str| {
            let mut windows = bytes.windows(name.len());
            windows
                .position(|window| window == name.as_bytes())
                .with_context(|| format!("a frame lacks {name}"))
        };
        Ok(Self {
            call: find(id.as_str())?,
            tool_use: find(NO_TOOL_USE)?,
            session: find(NO_SESSION)?,
            bytes,
        })
    }

    fn put(&mut self, at: usize, text: &str) {
        let place = self.bytes.get_mut(at..at + text.len());
        if let Some(place) = place {
            place.copy_from_slice(text.as_bytes());
        }
    }
}

/// What an agent's hook brings along, in the usual size.
fn environment(stage: &Stage) -> Environment {
    let mut env: Environment = Environment::new();
    let mut add = |name: &str, value: &str| env.push((name.into(), value.into()));
    let folder = stage.folder().display();
    add("CLAUDE_PROJECT_DIR", &stage.project().display().to_string());
    add("HOME", &format!("{folder}/home"));
    add("XDG_CONFIG_HOME", &format!("{folder}/config"));
    add("XDG_DATA_HOME", &format!("{folder}/data"));
    add("XDG_RUNTIME_DIR", &format!("{folder}/run"));
    for (name, value) in [
        (
            "PATH",
            "/home/ann/.cargo/bin:/home/ann/.local/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        ),
        ("SHELL", "/bin/bash"),
        ("LANG", "en_GB.UTF-8"),
        ("TERM", "xterm-256color"),
        ("COLORTERM", "truecolor"),
        ("EDITOR", "vim"),
        ("USER", "ann"),
        ("LOGNAME", "ann"),
        ("PWD", "/home/ann/shop"),
        ("SHLVL", "2"),
        ("CLAUDECODE", "1"),
        ("CLAUDE_CODE_ENTRYPOINT", "cli"),
        ("SSH_AUTH_SOCK", "/run/user/1000/keyring/ssh"),
        ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/user/1000/bus"),
        ("NODE_OPTIONS", "--max-old-space-size=8192"),
        ("GIT_EDITOR", "true"),
        (
            "LS_COLORS",
            "di=01;34:ln=01;36:ex=01;32:*.tar=01;31:*.zip=01;31:*.png=01;35",
        ),
        ("XDG_SESSION_TYPE", "wayland"),
        ("XDG_CURRENT_DESKTOP", "GNOME"),
    ] {
        add(name, value);
    }
    env
}

/// One agent.
struct Agent {
    stream: UnixStream,
    frames: Vec<[Frame; 2]>,
    command: usize,
    session: usize,
    left: u64,
    tool_use: String,
    call: CallId,
    sent: Instant,
    /// `None`: nothing is on its way.
    awaits: Option<Step>,
    received: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Begin,
    End,
}

impl Load {
    /// Agents that run these commands, again and again.
    pub(crate) fn new(stage: &Stage, commands: &[impl AsRef<str>]) -> Result<Self> {
        let payload = |command: &str, event: &str, response: Option<&Value>| {
            json!({
                "session_id": NO_SESSION,
                "transcript_path": "/home/ann/.claude/projects/shop/4d9f36a2.jsonl",
                "cwd": stage.project(),
                "permission_mode": "default",
                "hook_event_name": event,
                "tool_name": "Bash",
                "tool_input": {
                    "command": command,
                    "description": "Run the tests"
                },
                "tool_use_id": NO_TOOL_USE,
                "tool_response": response,
            })
        };
        let response = json!({"stdout": "test result: ok. 214 passed; 0 failed", "stderr": "", "interrupted": false});
        let frames = commands.iter().map(AsRef::as_ref).map(|command| {
            Ok([
                Frame::new(stage, payload(command, "PreToolUse", None))?,
                Frame::new(stage, payload(command, "PostToolUse", Some(&response)))?,
            ])
        });
        Ok(Self {
            socket: stage.socket(),
            frames: frames.collect::<Result<_>>()?,
            sessions: Vec::new(),
            made: 0,
        })
    }

    /// How many events were answered so far.
    pub(crate) fn answered(&self) -> u64 {
        self.sessions.iter().map(|one| one.begun + one.ended).sum()
    }

    /// The number of agents, each of which reports its next event when the last one is answered.
    pub(crate) fn run(&mut self, agents: usize, style: Style, until: Until) -> Result<Measured> {
        let mut poll = Poll::new()?;
        let mut agents = self.connect(agents, &poll)?;
        let mut events = Events::with_capacity(1024);
        let mut measured = Measured::default();
        let began = Instant::now();
        for agent in &mut agents {
            self.send(agent)?;
        }
        let mut under_way = agents.len();
        while under_way > 0 {
            poll.poll(&mut events, Some(PATIENCE))?;
            ensure!(
                !events.is_empty(),
                "the daemon has not answered for {PATIENCE:?}"
            );
            let elapsed = began.elapsed();
            for event in &events {
                let Some(agent) = agents.get_mut(event.token().0) else {
                    continue;
                };
                if !receive(agent)? {
                    continue;
                }
                measured.events += 1;
                measured.latencies.push(agent.sent.elapsed());
                self.note(agent);
                let enough = match until {
                    Until::Elapsed(time) => elapsed >= time,
                    Until::Events(count) => measured.events + under_way as u64 > count,
                };
                if enough {
                    under_way -= 1;
                    continue;
                }
                if style == Style::Fresh {
                    self.reconnect(agent, &poll, event.token())?;
                }
                self.send(agent)?;
            }
        }
        measured.took = began.elapsed();
        Ok(measured)
    }

    /// Agents that report events one after another at this pace, in turn, for this long.
    pub(crate) fn run_paced(
        &mut self,
        agents: usize,
        pace: Pace,
        length: Duration,
    ) -> Result<Measured> {
        let began = Instant::now();
        self.paced(agents, pace, || began.elapsed() >= length)
    }

    /// The same until somebody says that it is enough.
    pub(crate) fn run_paced_until(
        &mut self,
        agents: usize,
        pace: Pace,
        enough: &AtomicBool,
    ) -> Result<Measured> {
        self.paced(agents, pace, || enough.load(Ordering::Acquire))
    }

    fn paced(
        &mut self,
        agents: usize,
        pace: Pace,
        is_enough: impl Fn() -> bool,
    ) -> Result<Measured> {
        let mut poll = Poll::new()?;
        let mut agents = self.connect(agents, &poll)?;
        let mut events = Events::with_capacity(16);
        let mut measured = Measured::default();
        let began = Instant::now();
        let mut next = began;
        while !is_enough() {
            for at in 0..agents.len() {
                thread::sleep(next.saturating_duration_since(Instant::now()));
                next += pace.0;
                let agent = agents.get_mut(at).context("there is no agent")?;
                self.send(agent)?;
                loop {
                    poll.poll(&mut events, Some(PATIENCE))?;
                    ensure!(
                        !events.is_empty(),
                        "the daemon has not answered for {PATIENCE:?}"
                    );
                    if receive(agent)? {
                        break;
                    }
                }
                measured.events += 1;
                measured.latencies.push(agent.sent.elapsed());
                self.note(agent);
            }
        }
        measured.took = began.elapsed();
        Ok(measured)
    }

    fn connect(&mut self, count: usize, poll: &Poll) -> Result<Vec<Agent>> {
        let mut agents = Vec::with_capacity(count);
        for index in 0..count {
            let mut stream = self.open()?;
            let registry = poll.registry();
            registry.register(&mut stream, Token(index), Interest::READABLE)?;
            agents.push(Agent {
                stream,
                frames: self.frames.clone(),
                command: index,
                session: 0,
                left: 0,
                tool_use: String::new(),
                call: CallId::from_parts(0, 0),
                sent: Instant::now(),
                awaits: None,
                received: Vec::with_capacity(4096),
            });
        }
        Ok(agents)
    }

    fn reconnect(&self, agent: &mut Agent, poll: &Poll, token: Token) -> Result<()> {
        poll.registry().deregister(&mut agent.stream)?;
        agent.stream = self.open()?;
        poll.registry()
            .register(&mut agent.stream, token, Interest::READABLE)?;
        Ok(())
    }

    fn open(&self) -> Result<UnixStream> {
        // Without waiting, a full queue would be an error.
        let stream = StdStream::connect(&self.socket).context("cannot connect")?;
        stream.set_nonblocking(true)?;
        Ok(UnixStream::from_std(stream))
    }

    /// Reports the agent's next event.
    fn send(&mut self, agent: &mut Agent) -> Result<()> {
        let ends = agent.awaits == Some(Step::Begin);
        self.made += 1;
        if !ends {
            if agent.left == 0 {
                agent.session = self.sessions.len();
                agent.left = CALLS_IN_SESSION;
                self.sessions.push(Session::default());
            }
            agent.left -= 1;
            agent.command = (agent.command + 1) % agent.frames.len();
            agent.tool_use = format!("toolu_{:016x}", self.made);
        }
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis();
        agent.call = CallId::from_parts(u64::try_from(since_epoch)?, self.made);
        let [begin, end] = agent
            .frames
            .get_mut(agent.command)
            .context("there is no command to run")?;
        let frame = if ends { end } else { begin };
        frame.put(frame.call, agent.call.as_str());
        frame.put(frame.tool_use, &agent.tool_use);
        frame.put(frame.session, &session_name(agent.session));
        agent.awaits = Some(if ends { Step::End } else { Step::Begin });
        agent.received.clear();
        agent.sent = Instant::now();
        let written = agent.stream.write(&frame.bytes)?;
        ensure!(
            written == frame.bytes.len(),
            "the socket took {written} of {} bytes",
            frame.bytes.len()
        );
        Ok(())
    }

    /// Notes what has to be in the store from now on.
    fn note(&mut self, agent: &Agent) {
        if let Some(session) = self.sessions.get_mut(agent.session) {
            match agent.awaits {
                Some(Step::End) => session.ended += 1,
                _ => session.begun += 1,
            }
        }
    }

    /// Every event that was answered is in the store: each call once, ended if its end was answered.
    pub(crate) fn check_all_kept(&self, stage: &Stage) -> Result<()> {
        for (index, session) in self.sessions.iter().enumerate() {
            let name = session_name(index);
            for (status, expected) in [
                ("completed", session.ended),
                ("started", session.begun - session.ended),
            ] {
                let found = traces(stage, &name, status)?;
                if found != expected {
                    bail!(
                        "{found} of {expected} calls of session {name} are {status} in the store"
                    );
                }
            }
        }
        Ok(())
    }
}

/// An event as a hook of Claude Code sends it that waits so long for its answer.
pub(crate) fn call(stage: &Stage, payload: &[u8], waits_secs: u32) -> Call {
    let mut call = Call::new(stage.project(), environment(stage));
    "claude-code".clone_into(&mut call.agent);
    call.payload_bytes = payload.len();
    call.waits_secs = waits_secs;
    // What is asked here is answered at once, or nobody waits for it.
    call.signs = Signs::Unknown;
    call
}

/// Reports one event, and waits for the answer.
pub(crate) fn report(stage: &Stage, payload: &[u8]) -> Result<()> {
    let call = call(stage, payload, 0);
    let mut stream = StdStream::connect(stage.socket()).context("cannot connect")?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(&[&call.encode(), payload].concat())?;
    let mut lines = BufReader::new(stream).lines();
    let reply = lines.nth(1).context("the daemon closed a connection")??;
    Reply::decode_for(reply.as_bytes(), &call.id)?;
    Ok(())
}

fn session_name(index: usize) -> String {
    format!("bench-{index:016}")
}

/// How many calls of a session have a status.
pub(crate) fn traces(stage: &Stage, session: &str, status: &str) -> Result<u64> {
    let answer = stage.ask(
        "traces.stats",
        json!({"session": session, "status": status}),
    )?;
    ensure!(
        answer.get("more") == Some(&Value::Bool(false)),
        "session {session} has too many calls to count"
    );
    let looked_at = answer.get("looked_at").and_then(Value::as_u64);
    looked_at.context("`traces.stats` does not say how many calls it has looked at")
}

/// Reads what is there; whether that was the last of the reply.
fn receive(agent: &mut Agent) -> Result<bool> {
    let mut buffer = [0; 16 * 1024];
    loop {
        match agent.stream.read(&mut buffer) {
            Ok(0) => bail!("the daemon closed a connection"),
            Ok(length) => {
                let received = buffer.get(..length).unwrap_or_default();
                agent.received.extend_from_slice(received);
                // A stream that gave less than there was room for is empty, and tells when it is not.
                if length < buffer.len() {
                    break;
                }
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error).context("cannot read the reply"),
        }
    }
    // The acknowledgement, perhaps signs of life, and the reply.
    let sign = format!(r#"{{"call":"{}","sign":"#, agent.call);
    let lines = agent.received.split_inclusive(|byte| *byte == b'\n');
    let mut after = lines
        .skip(1)
        .skip_while(|line| line.starts_with(sign.as_bytes()));
    let Some(reply) = after.next().filter(|line| line.ends_with(b"\n")) else {
        return Ok(false);
    };
    let begins = format!(r#"{{"call":"{}","exit":0,"#, agent.call);
    ensure!(
        reply.starts_with(begins.as_bytes()),
        "not what was expected for call {}: {}",
        agent.call,
        String::from_utf8_lossy(reply)
    );
    Ok(true)
}
