//! Plays the script: sends each event as an agent would, and shows what it is answered.

use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use bowline::hooks::Decision;
use bowline_daemon::rpc::efforts::SESSION_VARIABLE;
use serde::Serialize;
use serde_json::{Map, Value, json};
use tokio::signal::unix::{SignalKind, signal};

use super::script::{Agent, FIRST, Step, ToolCall};
use super::stage::{Stage, begun, fed};
use crate::error::{Error, ErrorKind, Result};
use crate::ui::{Format, Text, Tree, Ui, clipped, style};

const SUBAGENT: &str = "demo-a7b6dad7";
const LOOK: Duration = Duration::from_millis(50);
const REFUSAL: &str = "the person was asked and said no";

/// One event, and what came of it.
#[derive(Debug, Serialize)]
pub(super) struct Played {
    event: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    subagent: Option<&'static str>,
    what: String,
    decision: Decision,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// What the agent waited for, start and end of the process included.
    hook_ms: f64,
}

/// Who plays, for whom.
pub(super) struct Player<'a> {
    stage: &'a Stage,
    ui: &'a mut Ui,
    format: Format,
    ended: Arc<AtomicBool>,
    /// Who reports.
    agent: Agent,
    played: Vec<Played>,
    /// Hooks that wait for a person.
    waiting: Vec<Child>,
}

impl<'a> Player<'a> {
    pub(super) fn new(stage: &'a Stage, format: Format, ui: &'a mut Ui) -> Self {
        Self {
            stage,
            ui,
            format,
            ended: listen_for_the_end(),
            agent: FIRST,
            played: Vec::new(),
            waiting: Vec::new(),
        }
    }

    /// Plays everything, and reports what happened.
    pub(super) fn play(&mut self, steps: &[Step]) -> Result<Vec<Played>> {
        self.steps(steps, None)?;
        Ok(std::mem::take(&mut self.played))
    }

    /// Where it says things.
    pub(super) fn ui(&mut self) -> &mut Ui {
        self.ui
    }

    /// Waits until somebody presses Enter, or stdin ends, or the demo is stopped.
    pub(super) fn wait_for_enter(&self) {
        let (pressed, enter) = mpsc::channel();
        thread::spawn(move || {
            let _ = std::io::stdin().read_line(&mut String::new());
            // Nobody waits any more, if it was stopped.
            let _ = pressed.send(());
        });
        while !self.ended.load(Ordering::Relaxed)
            && enter.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout)
        {}
    }

    fn steps(&mut self, steps: &[Step], subagent: Option<&'static str>) -> Result<()> {
        for step in steps {
            match step {
                Step::Scene(text) => self.scene(text)?,
                Step::Event(event, fields) => {
                    self.send(event, subagent, fields.clone())?;
                }
                Step::Together(calls) => self.together(calls, subagent)?,
                Step::Delegation(call, steps) => self.delegation(call, steps)?,
                Step::Agent(agent) => self.agent = *agent,
                Step::Begins(call) => {
                    self.begin(call, subagent)?;
                }
                Step::Asks(call) => self.ask(call)?,
                Step::Window(percent) => self.window(*percent)?,
                Step::Command(arguments) => self.command(arguments)?,
            }
        }
        Ok(())
    }

    fn scene(&mut self, text: &str) -> Result<()> {
        if self.format == Format::Json {
            return Ok(());
        }
        self.ui.blank();
        self.ui.line(Text::styled(text, style::HEADING));
        self.ui.flush()
    }

    /// Begins all, and ends each of those that may run when its time has come.
    fn together(&mut self, calls: &[ToolCall], subagent: Option<&'static str>) -> Result<()> {
        let mut running = Vec::new();
        for call in calls {
            match self.begin(call, subagent)? {
                Decision::Deny => {}
                Decision::Ask => self.refuse(call, subagent)?,
                _ => running.push((Instant::now() + call.takes, call)),
            }
        }
        running.sort_by_key(|(ends, _)| *ends);
        for (ends, call) in running {
            self.wait_until(ends)?;
            self.end(call, subagent)?;
        }
        Ok(())
    }

    fn delegation(&mut self, call: &ToolCall, steps: &[Step]) -> Result<()> {
        if self.begin(call, None)? >= Decision::Ask {
            return Ok(());
        }
        let who = json!({"agent_id": SUBAGENT, "agent_type": "general-purpose"});
        self.send("SubagentStart", None, who.clone())?;
        self.steps(steps, Some(SUBAGENT))?;
        self.send("SubagentStop", None, who)?;
        self.wait_until(Instant::now() + call.takes)?;
        self.end(call, None)
    }

    /// Lets a question wait for a person.
    fn ask(&mut self, call: &ToolCall) -> Result<()> {
        let (payload, _) = self.payload("PreToolUse", None, fields(call));
        let mut hook = self.stage.hook("PreToolUse", self.agent.project);
        let hook = begun(&mut hook, payload.to_string().as_bytes()).map_err(cannot_run)?;
        self.waiting.push(hook);
        Ok(())
    }

    /// Says how full the context window is.
    fn window(&self, percent: u8) -> Result<()> {
        let status = json!({
            "session_id": self.agent.session,
            "cwd": self.stage.project(self.agent.project),
            "context_window": {"used_percentage": percent},
        });
        let mut line = self.stage.command(&["statusline"]);
        fed(&mut line, status.to_string().as_bytes()).map_err(cannot_run)?;
        Ok(())
    }

    /// Runs a command of this program as the agent would.
    fn command(&self, arguments: &[&str]) -> Result<()> {
        let mut command = self.stage.command(arguments);
        command
            .current_dir(self.stage.project(self.agent.project))
            .env(SESSION_VARIABLE, self.agent.session);
        let output = command.output();
        let output = output.map_err(|source| Error::file("start", self.stage.program(), source))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let message = format!("`bowline {}` failed: {said}", arguments.join(" "));
        Err(Error::new(ErrorKind::System, message))
    }

    fn begin(&mut self, call: &ToolCall, subagent: Option<&'static str>) -> Result<Decision> {
        self.send("PreToolUse", subagent, fields(call))
    }

    /// Here there is nobody to ask, so the answer is no. The agent reports that with the end of the batch.
    fn refuse(&mut self, call: &ToolCall, subagent: Option<&'static str>) -> Result<()> {
        let mut refused = fields(call);
        if let Some(refused) = refused.as_object_mut() {
            refused.insert("tool_response".to_owned(), REFUSAL.into());
        }
        let batch = json!({"tool_calls": [refused], "reason": REFUSAL});
        self.send("PostToolBatch", subagent, batch).map(|_| ())
    }

    fn end(&mut self, call: &ToolCall, subagent: Option<&'static str>) -> Result<()> {
        let mut fields = fields(call);
        let (event, (name, value)) = match &call.ends {
            Ok(response) => ("PostToolUse", ("tool_response", response.clone())),
            Err(error) => ("PostToolUseFailure", ("error", Value::from(*error))),
        };
        if let Some(fields) = fields.as_object_mut() {
            fields.insert(name.to_owned(), value);
        }
        self.send(event, subagent, fields).map(|_| ())
    }

    fn wait_until(&self, time: Instant) -> Result<()> {
        loop {
            if self.ended.load(Ordering::Relaxed) {
                return Err(Error::new(ErrorKind::System, "the demo was stopped"));
            }
            let left = time.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            thread::sleep(left.min(LOOK));
        }
    }

    /// What the agent reports, and the same in a few words.
    fn payload(&self, event: &str, subagent: Option<&str>, fields: Value) -> (Value, String) {
        let project = self.stage.project(self.agent.project).display().to_string();
        let mut payload = common(event, self.agent, subagent, &project);
        if let Value::Object(fields) = placed(fields, &project) {
            payload.extend(fields);
        }
        let what = what(&payload).replace(&format!("{project}/"), "");
        (Value::Object(payload), what)
    }

    /// Reports an event through the client, as an agent does.
    fn send(
        &mut self,
        event: &'static str,
        subagent: Option<&'static str>,
        fields: Value,
    ) -> Result<Decision> {
        let (payload, what) = self.payload(event, subagent, fields);
        let payload = payload.to_string();
        let began = Instant::now();
        let mut hook = self.stage.hook(event, self.agent.project);
        let output = fed(&mut hook, payload.as_bytes());
        let took = began.elapsed();
        self.wait_until(began)?;
        let output = output.map_err(cannot_run)?;
        let (decision, reason) = read(output.status.code(), &output.stdout, &output.stderr)?;
        let played = Played {
            event,
            subagent,
            what,
            decision,
            reason,
            hook_ms: (took.as_secs_f64() * 10_000.0).round() / 10.0,
        };
        if self.format == Format::Text {
            self.ui.tree(&shown(&played));
            self.ui.flush()?;
        }
        self.played.push(played);
        Ok(decision)
    }
}

/// Whether the user wants it to end.
fn listen_for_the_end() -> Arc<AtomicBool> {
    let ended = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&ended);
    // Without it Ctrl-C ends this process at once, and what is in its folder stays.
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .ok()?;
        runtime.block_on(async {
            let mut interrupt = signal(SignalKind::interrupt()).ok()?;
            let mut terminate = signal(SignalKind::terminate()).ok()?;
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            told.store(true, Ordering::Relaxed);
            Some(())
        })
    });
    ended
}

fn fields(call: &ToolCall) -> Value {
    json!({"tool_name": call.tool, "tool_input": call.input, "tool_use_id": call.id})
}

impl Drop for Player<'_> {
    fn drop(&mut self) {
        for hook in &mut self.waiting {
            let _ = hook.kill();
            let _ = hook.wait();
        }
    }
}

fn cannot_run(source: std::io::Error) -> Error {
    Error::new(ErrorKind::System, "`bowline-hook` cannot be run").caused_by(source)
}

/// What every event of the session has.
fn common(event: &str, agent: Agent, subagent: Option<&str>, project: &str) -> Map<String, Value> {
    let mut payload = Map::new();
    for (name, value) in [
        ("session_id", agent.session),
        ("cwd", project),
        ("prompt_id", &format!("{}-prompt", agent.session)),
        ("permission_mode", "default"),
        ("hook_event_name", event),
    ] {
        payload.insert(name.to_owned(), value.into());
    }
    if let Some(subagent) = subagent {
        payload.insert("agent_id".to_owned(), subagent.into());
        payload.insert("agent_type".to_owned(), "general-purpose".into());
    }
    payload
}

/// The value with its project's folder in it.
fn placed(value: Value, project: &str) -> Value {
    match value {
        Value::String(text) => text.replace("{project}", project).into(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| (name, placed(value, project)))
            .collect(),
        other => other,
    }
}

/// The event in a few words.
fn what(payload: &Map<String, Value>) -> String {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(ToOwned::to_owned);
    let input = payload.get("tool_input");
    let main = ["command", "file_path", "pattern", "description"]
        .iter()
        .find_map(|name| text(input?.get(name)));
    let about = ["error", "prompt", "source", "reason", "agent_type"]
        .iter()
        .find_map(|name| text(payload.get(*name)));
    match (text(payload.get("tool_name")), main, about) {
        (Some(tool), Some(main), _) => format!("{tool}  {main}"),
        (Some(tool), None, _) => tool,
        (None, _, about) => about.unwrap_or_default(),
    }
}

/// What the answer means, as the agent reads it.
fn read(code: Option<i32>, stdout: &[u8], stderr: &[u8]) -> Result<(Decision, Option<String>)> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    match code {
        Some(0) => {}
        Some(2) => return Ok((Decision::Deny, Some(text(stderr)))),
        code => {
            let message = format!("`bowline-hook` ended with {code:?}: {}", text(stderr));
            return Err(Error::new(ErrorKind::System, message));
        }
    }
    let Ok(answer) = serde_json::from_slice::<Value>(stdout) else {
        return Ok((Decision::NoOpinion, None));
    };
    let said = |path: &str| answer.pointer(path).and_then(Value::as_str);
    let decision = match said("/hookSpecificOutput/permissionDecision").or(said("/decision")) {
        Some("deny" | "block") => Decision::Deny,
        Some("ask") => Decision::Ask,
        Some("allow") => Decision::Grant,
        _ => Decision::NoOpinion,
    };
    let reason = said("/hookSpecificOutput/permissionDecisionReason").or(said("/reason"));
    Ok((decision, reason.map(ToOwned::to_owned)))
}

fn shown(played: &Played) -> Tree {
    let (word, colour) = match played.decision {
        Decision::Deny => ("DENY", style::BAD),
        Decision::Ask => ("ASK", style::CAUTION),
        Decision::Grant => ("grant", style::GOOD),
        Decision::NoOpinion => ("pass", style::GOOD),
    };
    let indent = if played.subagent.is_some() { "  " } else { "" };
    let label = Text::styled(format!("{indent}{:<20}", played.event), style::NAME)
        .with(format!("{word:<6}"), colour.bold())
        .with(format!("{:>5.1} ms  ", played.hook_ms), style::FAINT)
        .plain(&played.what);
    let mut tree = Tree::new(label);
    if let Some(reason) = &played.reason {
        tree.leaf(Text::styled(clipped(reason), style::FAINT));
    }
    tree
}
