//! `cargo xtask bench cost`: how long it takes to read a large folder of transcripts, in how much memory, and that a second run reads only
//! what is new.

use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use lexopt::prelude::*;
use serde_json::{Value, json};

use super::stage::Stage;
use super::{Bound, Limit, verdict};
use crate::programs::{Network, ProgramSource};
use crate::{Outcome, unexpected};

const SECONDS_LIMIT: f64 = 10.0;
const MEMORY_LIMIT: f64 = 100.0;
const SECOND_RUN_LIMIT: f64 = 1.0;
/// How much one transcript has.
const TRANSCRIPT: u64 = 5_000_000;
/// A result of a tool, which is most of what transcripts have.
const RESULT: usize = 3_000;

pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<Outcome> {
    let (mut megabytes, mut as_json) = (500_u64, false);
    let mut programs = ProgramSource::Source(Network::Online);
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("megabytes") => megabytes = arguments.value()?.parse()?,
            Long("json") => as_json = true,
            Long("offline") => programs = ProgramSource::Source(Network::Offline),
            Long("programs") => programs = ProgramSource::Folder(arguments.value()?.into()),
            other => return Err(unexpected(&other)),
        }
    }
    let programs = programs.take()?;
    let stage = Stage::new(&programs.bowline)?;
    let folder = stage.folder().join("transcripts");
    let made = Made::new(&folder, megabytes * 1_000_000)?;
    eprintln!(
        "{} transcripts, {} MB, {} messages",
        made.files.len(),
        made.bytes / 1_000_000,
        made.messages
    );
    let first = Scan::run(&programs.bowline, &stage, &folder)?;
    let daemon = stage.memory()?;
    ensure!(
        first.messages >= made.messages,
        "{} of {} messages were read",
        first.messages,
        made.messages
    );
    ensure!(
        counted(&stage)? == made.messages,
        "a message was lost, or counted twice"
    );
    let second = Scan::run(&programs.bowline, &stage, &folder)?;
    ensure!(
        second.bytes == 0,
        "the second run read {} bytes",
        second.bytes
    );
    let last = made.files.last().context("there is no transcript")?;
    let added = add_one(last)?;
    let third = Scan::run(&programs.bowline, &stage, &folder)?;
    ensure!(
        third.bytes == added,
        "the third run read {} bytes, and {added} were new",
        third.bytes
    );
    ensure!(
        counted(&stage)? == made.messages + 1,
        "the new message is not counted"
    );

    let limit = |what, measured, bound| Limit {
        what,
        measured,
        bound: Bound::AtMost(bound),
    };
    let mut limits = vec![
        limit("seconds for everything", first.seconds, SECONDS_LIMIT),
        limit(
            "MB of memory of the reader, at its peak",
            first.memory,
            MEMORY_LIMIT,
        ),
        limit("seconds for a second run", second.seconds, SECOND_RUN_LIMIT),
    ];
    // Not every system tells.
    limits.extend(daemon.map(|it| limit("MB of memory of the daemon", it, MEMORY_LIMIT)));
    if as_json {
        let limits: Vec<Value> = limits.iter().map(Limit::json).collect();
        println!(
            "{:#}",
            json!({"megabytes": megabytes, "messages": made.messages, "limits": limits})
        );
    } else {
        for limit in &limits {
            println!("{}", limit.line());
        }
    }
    Ok(verdict(&limits))
}

/// A folder of transcripts.
struct Made {
    files: Vec<PathBuf>,
    bytes: u64,
    messages: u64,
}

impl Made {
    fn new(folder: &Path, bytes: u64) -> Result<Self> {
        let mut made = Self {
            files: Vec::new(),
            bytes: 0,
            messages: 0,
        };
        while made.bytes < bytes {
            let session = format!("session-{}", made.files.len());
            let project = folder.join(format!("project-{}", made.files.len() % 10));
            fs::create_dir_all(&project)?;
            let path = project.join(format!("{session}.jsonl"));
            let mut file = BufWriter::new(File::create(&path)?);
            let mut written = 0;
            while written < TRANSCRIPT {
                written += made.turn(&mut file, &session)?;
            }
            file.flush()?;
            made.bytes += written;
            made.files.push(path);
        }
        Ok(made)
    }

    /// One message in two lines, and the result of its call.
    fn turn(&mut self, file: &mut impl Write, session: &str) -> Result<u64> {
        let id = format!("msg_{:024}", self.messages);
        self.messages += 1;
        let blocks = [
            json!({"type": "text", "text": "Now I look at the next file, and then I change it."}),
            json!({"type": "tool_use", "id": format!("toolu_{id}"), "name": "Bash", "input": {"command": "cargo test -p shop"}}),
        ];
        let mut written = 0;
        for block in blocks {
            written += line(file, &message(session, &id, &block))?;
        }
        let result = "a line of what a program printed\\n".repeat(RESULT / 34);
        let result = json!({
            "type": "user", "sessionId": session, "cwd": "/home/ann/shop", "timestamp": "2026-11-15T06:29:50.822Z",
            "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": format!("toolu_{id}"), "content": result}]},
        });
        Ok(written + line(file, &result)?)
    }
}

/// Adds a message to a transcript; says how many bytes it takes.
fn add_one(path: &Path) -> Result<u64> {
    let mut file = OpenOptions::new().append(true).open(path)?;
    let block = json!({"type": "text", "text": "Done."});
    line(&mut file, &message("session-0", "msg_new", &block))
}

fn message(session: &str, id: &str, block: &Value) -> Value {
    json!({
        "parentUuid": "ff8ab0dd-38b1-42e7-b0ba-7b2b402f8d0e", "isSidechain": false, "type": "assistant", "sessionId": session,
        "cwd": "/home/ann/shop", "version": "2.1.325", "gitBranch": "main", "timestamp": "2026-11-15T06:29:50.690Z",
        "message": {"id": id, "type": "message", "role": "assistant", "model": "claude-opus-4-8", "content": [block], "stop_reason": "tool_use",
            "usage": {"input_tokens": 3, "cache_creation_input_tokens": 700, "cache_read_input_tokens": 41_000, "output_tokens": 150,
                "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 700}, "speed": "standard"}},
    })
}

fn line(file: &mut impl Write, value: &Value) -> Result<u64> {
    let text = format!("{value}\n");
    file.write_all(text.as_bytes())?;
    Ok(text.len() as u64)
}

/// How many messages the store knows.
fn counted(stage: &Stage) -> Result<u64> {
    let spent = stage.ask("costs.spent", json!({"filter": {"by": "model"}}))?;
    let rows = spent.as_array().context("no list")?.iter();
    Ok(rows.filter_map(|row| row.get("messages")?.as_u64()).sum())
}

/// One run of `bowline cost scan`.
struct Scan {
    seconds: f64,
    /// In MB.
    memory: f64,
    bytes: u64,
    messages: u64,
}

impl Scan {
    fn run(bowline: &Path, stage: &Stage, folder: &Path) -> Result<Self> {
        let mut command = Command::new(bowline);
        command.args(["cost", "scan", "--json"]).arg(folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        stage.surround(&mut command);
        let began = Instant::now();
        let mut child = command.spawn().context("cannot run bowline")?;
        let status = PathBuf::from(format!("/proc/{}/status", child.id()));
        let mut memory: f64 = 0.0;
        // Its output is a few lines, so it never waits for us.
        while child.try_wait()?.is_none() {
            memory = memory.max(peak(&status).unwrap_or(0.0));
            thread::sleep(Duration::from_millis(2));
        }
        let seconds = began.elapsed().as_secs_f64();
        let output = child.wait_with_output()?;
        ensure!(output.status.success(), "`bowline cost scan` failed");
        let said: Value = serde_json::from_slice(&output.stdout)?;
        let number = |key: &str| {
            said.get(key)
                .and_then(Value::as_u64)
                .context("a figure is missing")
        };
        Ok(Self {
            seconds,
            memory,
            bytes: number("read_bytes")?,
            messages: number("messages")?,
        })
    }
}

/// The most memory that a process had so far, in MB.
fn peak(status: &Path) -> Option<f64> {
    let text = fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").trim().parse().ok()?;
    Some(kilobytes / 1_024.0)
}
