//! `cargo xtask bench page`: what the page costs while agents work, with a store of a million calls.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use std::{fs, io};

use anyhow::{Context, Result, bail, ensure};
use lexopt::prelude::*;
use serde_json::json;

use super::figures::Spread;
use super::load::{Load, Pace, Style, Until, report};
use super::stage::Stage;
use super::{Bound, COMMAND, Limit, verdict};
use crate::programs::{Network, ProgramSource};
use crate::{Outcome, unexpected};

/// So many events a second, from so many agents.
const RATE: u32 = 500;
const AGENTS: usize = 8;
/// So many pages are open.
const PAGES: usize = 10;
/// Each view is asked for this often.
const LOOKS: usize = 10;
/// This many events are followed from their decision to the page.
const PROBES: u32 = 50;
const PATIENCE: Duration = Duration::from_secs(10);

const FIRST_PAINT_MS: f64 = 200.0;
const ON_THE_PAGE_MS: f64 = 300.0;
const MEMORY_MB: f64 = 64.0;
/// Two runs of the same programs differ by about as much.
const SLOWER: f64 = 1.05;

/// The views, as their links are.
const VIEWS: [&str; 8] = [
    "",
    "inbox",
    "timeline",
    "sessions",
    "costs",
    "guards",
    "hooks",
    "search?q=cargo",
];

pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<Outcome> {
    let (mut calls, mut seconds, mut as_json) = (1_000_000_u64, 20.0, false);
    let mut programs = ProgramSource::Source(Network::Online);
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("calls") => calls = arguments.value()?.parse()?,
            Long("seconds") => seconds = arguments.value()?.parse()?,
            Long("json") => as_json = true,
            Long("offline") => programs = ProgramSource::Source(Network::Offline),
            Long("programs") => programs = ProgramSource::Folder(arguments.value()?.into()),
            other => return Err(unexpected(&other)),
        }
    }
    let window = Duration::try_from_secs_f64(seconds)?;
    let bowline = programs.take()?.bowline;
    let stage = Stage::new(&bowline)?;
    let mut load = Load::new(&stage, &[COMMAND])?;
    eprintln!("{calls} calls are recorded first");
    load.run(32, Style::Persistent, Until::Events(calls * 2))?;
    load.check_all_kept(&stage)?;

    eprintln!("{RATE} events a second, nobody looks on");
    let alone = load.run_paced(AGENTS, Pace::per_second(RATE), window)?;
    let page = Visitor::sign_in(&stage, &bowline)?;
    let readers = Readers::start(&page)?;
    eprintln!("the same, with {PAGES} pages open");
    let watched = load.run_paced(AGENTS, Pace::per_second(RATE), window)?;
    let again = {
        // Both states once more, in the other order, so that a machine that slows down favours none.
        let watched = load.run_paced(AGENTS, Pace::per_second(RATE), window)?;
        readers.pause();
        let alone = load.run_paced(AGENTS, Pace::per_second(RATE), window)?;
        readers.resume(&page)?;
        (alone, watched)
    };
    let latency = |first: &[Duration], second: &[Duration]| Spread::of(&[first, second].concat());
    let alone = latency(&alone.latencies, &again.0.latencies);
    let watched = latency(&watched.latencies, &again.1.latencies);

    eprintln!("the views, while {RATE} events a second are decided");
    let stop = AtomicBool::new(false);
    let (paints, delays, memory) = thread::scope(|scope| -> Result<_> {
        let busy = scope.spawn(|| load.run_paced_until(AGENTS, Pace::per_second(RATE), &stop));
        let measured = (|| {
            let paints = paints(&page)?;
            let delays = delays(&stage, &readers)?;
            Ok((paints, delays, stage.memory()?))
        })();
        stop.store(true, Ordering::Release);
        busy.join()
            .map_err(|_| anyhow::anyhow!("the load panicked"))??;
        measured
    })?;
    load.check_all_kept(&stage)?;

    let slowest = paints.iter().map(|(_, ms)| *ms).fold(0.0, f64::max);
    let latest = delays.iter().copied().fold(0.0, f64::max);
    let mut limits = vec![
        Limit {
            what: "first paint of the slowest view, in ms",
            measured: slowest,
            bound: Bound::AtMost(FIRST_PAINT_MS),
        },
        Limit {
            what: "from a decision to the page at the latest, in ms",
            measured: latest,
            bound: Bound::AtMost(ON_THE_PAGE_MS),
        },
        Limit {
            what: "median of a hook call with pages open, to without",
            measured: watched.median / alone.median,
            bound: Bound::AtMost(SLOWER),
        },
    ];
    limits.extend(memory.map(|measured| Limit {
        what: "memory with ten pages open, in MB",
        measured,
        bound: Bound::AtMost(MEMORY_MB),
    }));
    if as_json {
        let document = json!({
            "calls": calls,
            "views_ms": paints.iter().map(|(view, ms)| json!({"view": view, "slowest_ms": ms})).collect::<Vec<_>>(),
            "hook_us": {"alone": {"median": alone.median, "p99": alone.p99}, "watched": {"median": watched.median, "p99": watched.p99}},
            "on_the_page_ms": delays,
            "memory_mb": memory,
            "limits": limits.iter().map(Limit::json).collect::<Vec<_>>(),
        });
        println!("{document:#}");
    } else {
        for (view, ms) in &paints {
            println!("/{view:<20} {ms:>6.1} ms, the slowest of {LOOKS}");
        }
        println!(
            "hook call: median {:.0} µs, p99 {:.0} µs alone; {:.0} and {:.0} with {PAGES} pages",
            alone.median, alone.p99, watched.median, watched.p99
        );
        for limit in &limits {
            println!("{}", limit.line());
        }
    }
    Ok(verdict(&limits))
}

/// How long each view takes until its last byte, in milliseconds: the slowest time of several.
fn paints(page: &Visitor) -> Result<Vec<(&'static str, f64)>> {
    let paint = |view: &'static str| {
        let mut slowest: f64 = 0.0;
        for _ in 0..LOOKS {
            let began = Instant::now();
            let (status, _) = page.get(view)?;
            ensure!(status == 200, "/{view} is answered with {status}");
            slowest = slowest.max(milliseconds(began.elapsed()));
        }
        Ok((view, slowest))
    };
    VIEWS.into_iter().map(paint).collect()
}

/// How long it takes from the answer to an agent until every page knows of the event, in milliseconds.
fn delays(stage: &Stage, readers: &Readers) -> Result<Vec<f64>> {
    (0..PROBES)
        .map(|number| {
            let session = format!("probe-{number}-seen-on-the-page");
            let payload = json!({
                "session_id": session,
                "cwd": stage.project(),
                "hook_event_name": "PreToolUse",
                "tool_name": "Read",
                "tool_input": {"file_path": stage.project().join("README.md")},
                "tool_use_id": format!("toolu_probe_{number}"),
            });
            report(stage, payload.to_string().as_bytes())?;
            let decided = Instant::now();
            readers.wait_for(&session)?;
            Ok(milliseconds(decided.elapsed()))
        })
        .collect()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Somebody with the page's cookie.
#[derive(Debug, Clone)]
struct Visitor {
    host: String,
    /// The path that everything is below.
    base: String,
    cookie: String,
}

impl Visitor {
    /// Follows the link of `bowline open`, as a browser does.
    fn sign_in(stage: &Stage, bowline: &std::path::Path) -> Result<Self> {
        let address = address(stage, bowline)?;
        let rest = address.strip_prefix("http://");
        let (host, path) = rest
            .and_then(|rest| rest.split_once('/'))
            .with_context(|| format!("`{address}` is no address of a page"))?;
        let mut stream = ask(host, &format!("/{path}"), "", "close")?;
        let mut head = String::new();
        stream.read_to_string(&mut head)?;
        let field = |name: &str| {
            let mut lines = head.lines();
            lines.find_map(|line| {
                let (found, value) = line.split_once(": ")?;
                found.eq_ignore_ascii_case(name).then(|| value.to_owned())
            })
        };
        let cookie = field("set-cookie").context("the link gives no cookie")?;
        let base = field("location").context("the link leads nowhere")?;
        Ok(Self {
            host: host.to_owned(),
            base,
            cookie: cookie.split(';').next().unwrap_or_default().to_owned(),
        })
    }

    fn get(&self, view: &str) -> Result<(u16, Vec<u8>)> {
        let mut stream = self.ask(view, "close")?;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes)?;
        let status = bytes.get(9..12).and_then(|it| std::str::from_utf8(it).ok());
        let status = status.and_then(|it| it.parse().ok());
        Ok((status.context("this is no answer of a page")?, bytes))
    }

    fn ask(&self, view: &str, connection: &str) -> Result<TcpStream> {
        let path = format!("{}{view}", self.base);
        let cookie = format!("Cookie: {}\r\n", self.cookie);
        ask(&self.host, &path, &cookie, connection)
    }
}

fn ask(host: &str, path: &str, fields: &str, connection: &str) -> Result<TcpStream> {
    let mut stream = TcpStream::connect(host).context("the page cannot be reached")?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let head =
        format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{fields}Connection: {connection}\r\n\r\n");
    stream.write_all(head.as_bytes())?;
    Ok(stream)
}

/// The link that `bowline open` prints. It is asked for by a process without parents, because no agent may ask for it, and an agent may
/// have started this bench.
fn address(stage: &Stage, bowline: &std::path::Path) -> Result<String> {
    let file = stage.folder().join("address");
    let mut shell = Command::new("/bin/sh");
    shell
        .args([
            "-c",
            "\"$0\" open --print > \"$1.new\" 2>&1 && mv \"$1.new\" \"$1\" &",
        ])
        .args([bowline, &file])
        .stdin(Stdio::null());
    stage.surround(&mut shell);
    for name in ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "AI_AGENT"] {
        shell.env_remove(name);
    }
    ensure!(shell.status()?.success(), "the shell failed");
    let began = Instant::now();
    loop {
        match fs::read_to_string(&file) {
            Ok(text) => return Ok(text.trim().to_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).context("the address cannot be read"),
        }
        if began.elapsed() > PATIENCE {
            let said = fs::read_to_string(file.with_extension("new")).unwrap_or_default();
            bail!("`bowline open` gives no address: {said}");
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// Those who read the stream of what happens, one for each page.
#[derive(Debug)]
struct Readers {
    streams: Mutex<Vec<TcpStream>>,
    told: Sender<(usize, String)>,
    messages: Mutex<Receiver<(usize, String)>>,
}

impl Readers {
    fn start(page: &Visitor) -> Result<Arc<Self>> {
        let (told, messages) = mpsc::channel();
        let readers = Arc::new(Self {
            streams: Mutex::default(),
            told,
            messages: Mutex::new(messages),
        });
        readers.resume(page)?;
        Ok(readers)
    }

    fn resume(&self, page: &Visitor) -> Result<()> {
        for number in 0..PAGES {
            let stream = page.ask("stream", "keep-alive")?;
            stream.set_read_timeout(None)?;
            let (told, reading) = (self.told.clone(), stream.try_clone()?);
            thread::spawn(move || {
                for line in BufReader::new(reading).lines() {
                    let Ok(line) = line else { return };
                    if told.send((number, line)).is_err() {
                        return;
                    }
                }
            });
            lock(&self.streams).push(stream);
        }
        Ok(())
    }

    /// All leave.
    fn pause(&self) {
        for stream in lock(&self.streams).drain(..) {
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
    }

    /// Waits until every reader was told of a session.
    fn wait_for(&self, session: &str) -> Result<()> {
        let messages = lock(&self.messages);
        let mut seen = [false; PAGES];
        while seen.contains(&false) {
            let (number, line) = messages
                .recv_timeout(PATIENCE)
                .with_context(|| format!("no page was told of {session}"))?;
            // A message that names nobody is about all.
            let is_told = line.contains(session) || line.contains("\"sessions\":null");
            if let Some(seen) = seen.get_mut(number) {
                *seen |= is_told;
            }
        }
        Ok(())
    }
}

fn lock<T>(what: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}
