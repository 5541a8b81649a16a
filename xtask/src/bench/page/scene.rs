//! What the views are about, beside what the load makes: a stopped call, an effort, and a question that waits.

use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::PATIENCE;
use super::visitor::Visitor;
use crate::bench::load::{FIRST_SESSION, FIRST_TOOL_USE, call, report};
use crate::bench::stage::Stage;

/// A question waits for longer than the views take.
pub(super) const SETTINGS: &str = "[approvals]\nwait = \"10m\"\n";
const WAITS_SECS: u32 = 900;

const STOPPED: &str = "toolu_stopped";
const ASKED: &str = "toolu_asked";

/// A view.
#[derive(Debug, Clone)]
pub(super) struct View {
    pub(super) link: String,
    pub(super) follows: Follows,
}

/// Whether events change a view, so that its page asks for it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Follows {
    Nothing,
    /// It has the last hundred events, which are a fifth of a second here: the next look may be too late for one of them.
    Latest,
    /// What is new stays until the next look.
    Everything,
}

impl View {
    fn new(link: impl Into<String>, follows: Follows) -> Self {
        let link = link.into();
        Self { link, follows }
    }

    fn still(link: impl Into<String>) -> Self {
        Self::new(link, Follows::Nothing)
    }
}

/// The views of which pages are open.
pub(super) fn open() -> Vec<View> {
    vec![
        View::new("", Follows::Everything),
        View::still("inbox"),
        View::new("timeline", Follows::Latest),
        View::new("timeline?tool=Read", Follows::Everything),
        View::new("sessions", Follows::Everything),
        View::still("costs"),
        View::still("guards"),
        View::still("hooks"),
        View::still("search?q=cargo"),
    ]
}

/// Something of every kind that has a view, and the question, which waits as long as this lives.
#[derive(Debug)]
pub(super) struct Scene {
    views: Vec<View>,
    _asked: UnixStream,
}

impl Scene {
    pub(super) fn set(stage: &Stage, page: &Visitor) -> Result<Self> {
        stop(stage)?;
        let effort = add_effort(stage)?;
        let asked = ask(stage)?;
        let question = question(stage)?;
        let rule = page.linked("guards", "guards?rule=")?;
        let mut views = open();
        for link in [
            format!("session?session={FIRST_SESSION}"),
            format!("timeline?session={FIRST_SESSION}"),
            format!("waterfall?session={FIRST_SESSION}"),
            format!("call?id={FIRST_TOOL_USE}"),
            format!("effort?id={effort}"),
            format!("allow?id={question}"),
            rule,
            format!("false-alarm?id={STOPPED}"),
        ] {
            views.push(View::still(link));
        }
        Ok(Self {
            views,
            _asked: asked,
        })
    }

    /// Every view of the page.
    pub(super) fn views(&self) -> &[View] {
        &self.views
    }
}

fn payload(stage: &Stage, command: &str, tool_use: &str) -> Vec<u8> {
    let payload = json!({
        "session_id": FIRST_SESSION,
        "cwd": stage.project(),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_use_id": tool_use,
    });
    payload.to_string().into_bytes()
}

/// A call that the guard stops. Nothing runs it.
fn stop(stage: &Stage) -> Result<()> {
    report(stage, &payload(stage, "rm -rf ~", STOPPED))
}

/// An effort to which the first session belonged. It is over: sessions in an effort have to log, and the load does not.
fn add_effort(stage: &Stage) -> Result<i64> {
    let perform = |command: Value| {
        let asked =
            json!({"command": command, "project": stage.project(), "session": FIRST_SESSION});
        stage.ask("efforts.perform", asked)
    };
    perform(json!({"start": {"task": "checkout", "skill": "implement", "mode": null}}))?;
    perform(json!({"log": {"text": "The first round is done"}}))?;
    perform(json!("finish"))?;
    let efforts = stage.ask("efforts.list", json!({"project": stage.project()}))?;
    let number = efforts.pointer("/0/id").and_then(Value::as_i64);
    number.with_context(|| format!("no effort has begun: {efforts}"))
}

/// A question, for which somebody waits at the other end of the stream.
fn ask(stage: &Stage) -> Result<UnixStream> {
    let mut stream = UnixStream::connect(stage.socket()).context("cannot connect")?;
    let payload = payload(stage, "terraform apply", ASKED);
    let call = call(stage, &payload, WAITS_SECS);
    stream.write_all(&[&call.encode(), &*payload].concat())?;
    Ok(stream)
}

/// The id of the question, as soon as it waits.
fn question(stage: &Stage) -> Result<String> {
    let began = Instant::now();
    loop {
        let list = stage.ask("approvals.list", Value::Null)?;
        if let Some(id) = list.pointer("/0/id").and_then(Value::as_str) {
            return Ok(id.to_owned());
        }
        if began.elapsed() > PATIENCE {
            bail!("no question waits: {list}");
        }
        thread::sleep(Duration::from_millis(10));
    }
}
