//! What a settings file says, after reading and before running.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::condition::Condition;
use crate::dialect::Dialect;
use crate::event::HookEvent;
use crate::hook::{Activation, Attempts, OnFailure, Repeat, RunMode};
use crate::matcher::Matcher;

/// Whose file a hook comes from, in the order in which hooks of equal priority run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Scope {
    /// Set by the machine's administrator.
    Managed,
    /// The project's own, not committed.
    Local,
    /// The project's own.
    Project,
    /// A plugin's. Skills and sub-agents count here too.
    Plugin,
    /// The user's.
    Global,
    /// Shipped with Bowline.
    BuiltIn,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Managed => "managed",
            Self::Local => "local",
            Self::Project => "project",
            Self::Plugin => "plugin",
            Self::Global => "global",
            Self::BuiltIn => "built in",
        })
    }
}

/// The form in which a block of hooks is written. It supplies defaults where nothing else is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Shape {
    /// Event → list of `{matcher, hooks: […]}`.
    Nested,
    /// Event → `{name → command or {command, timeout_secs, matcher}}`.
    NamedMap,
    /// Event → list of commands or such objects.
    Flat,
    /// `hooks` is a list of `{name, type = event, description, script}`.
    ScriptList,
    /// The nested object without the outer `hooks`.
    Direct,
    /// The nested form in YAML front matter.
    FrontMatter,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Nested => "nested",
            Self::NamedMap => "named map",
            Self::Flat => "flat",
            Self::ScriptList => "script list",
            Self::Direct => "direct",
            Self::FrontMatter => "front matter",
        })
    }
}

/// Where a hook is written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Origin {
    /// Whose file it is.
    pub scope: Scope,
    /// The file; `None` for text that came from elsewhere.
    pub file: Option<PathBuf>,
    /// Line of the hook, from 1.
    pub line: usize,
    /// Column of the hook, from 1, in characters.
    pub column: usize,
    /// The form of the block.
    pub shape: Shape,
    /// The rules that the file is read by.
    pub dialect: Dialect,
    /// The plugin, for a plugin's hooks.
    pub plugin: Option<Plugin>,
}

/// A plugin that brings hooks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Plugin {
    /// Its name.
    pub name: String,
    /// Its folder, which its commands know as `CLAUDE_PLUGIN_ROOT`.
    pub root: PathBuf,
}

impl Plugin {
    /// A plugin in a folder.
    pub fn new(name: impl Into<String>, root: impl Into<PathBuf>) -> Self {
        Self {
            name: name.into(),
            root: root.into(),
        }
    }
}

/// How exit codes are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ExitPolicy {
    /// Any non-zero exit blocks a gate, except 126, 127 and signals, which are failures.
    AnyNonZero,
    /// Only 2 blocks; valid JSON decides at any other code.
    OnlyTwo,
    /// 2 blocks, and any other end but 0 is a failure, unless JSON itself denies or asks: Claude Code's `onFailure: "block"`.
    AnyFailure,
}

/// A timeout and how it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timeout {
    /// How long the hook may take.
    pub limit: Duration,
    /// How it was written, such as `timeout: 5000`; `None` for the default.
    pub written: Option<String>,
}

/// What identical means when hooks are de-duplicated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Dedupe {
    /// Same event, matcher and action.
    #[default]
    Matcher,
    /// Same event and action, whatever the matcher.
    Event,
}

/// What a hook does.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Action {
    /// Runs a program.
    Command(CommandAction),
    /// Posts the event to a URL.
    Http(HttpAction),
    /// Asks a model.
    Prompt(PromptAction),
    /// Lets a model look at the project before it answers.
    Agent(AgentAction),
    /// Calls a tool of an MCP server.
    McpTool(McpToolAction),
}

impl Action {
    /// The type as settings files spell it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Command(_) => "command",
            Self::Http(_) => "http",
            Self::Prompt(_) => "prompt",
            Self::Agent(_) => "agent",
            Self::McpTool(_) => "mcp_tool",
        }
    }

    /// What it runs, in one line, for people.
    pub fn summary(&self) -> String {
        match self {
            Self::Command(action) => match &action.args {
                Some(args) => std::iter::once(&action.command)
                    .chain(args)
                    .cloned()
                    .collect::<Vec<_>>()
                    .join(" "),
                None => action.command.clone(),
            },
            Self::Http(action) => format!("POST {}", action.url),
            Self::Prompt(action) => format!("prompt: {}", action.prompt),
            Self::Agent(action) => format!("agent: {}", action.prompt),
            Self::McpTool(action) => action.summary(),
        }
    }
}

/// Runs a program: through the shell, or directly when `args` is given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommandAction {
    /// Shell text, or the program in the exec form.
    pub command: String,
    /// The exec form's arguments; present, even empty, means no shell.
    pub args: Option<Vec<String>>,
}

/// Posts the event to a URL.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HttpAction {
    /// Where to.
    pub url: String,
    /// Headers; `$NAME` and `${NAME}` are replaced for allowed variables.
    pub headers: BTreeMap<String, String>,
    /// The variables that headers may use.
    pub allowed_env_vars: Vec<String>,
}

/// Asks a model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PromptAction {
    /// The question, with `$COMMAND` and the like.
    pub prompt: String,
    /// The model; `None` for the configured one.
    pub model: Option<String>,
    /// Claude Code's `continueOnBlock`: a block does not end the turn as well.
    pub continue_on_block: bool,
}

/// Lets a model look at the project before it answers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentAction {
    /// The question, with `$ARGUMENTS` and the like.
    pub prompt: String,
    /// The model; `None` for the configured one.
    pub model: Option<String>,
}

/// Calls a tool of an MCP server.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct McpToolAction {
    /// The server, by its name in the settings; a plugin's is `plugin:PLUGIN:SERVER`.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// What the tool gets; `${tool_input.command}` and the like stand for fields of the event.
    pub input: serde_json::Map<String, serde_json::Value>,
}

impl McpToolAction {
    fn summary(&self) -> String {
        let call = format!("mcp: {} of {}", self.tool, self.server);
        if self.input.is_empty() {
            call
        } else {
            format!("{call} {}", serde_json::Value::Object(self.input.clone()))
        }
    }
}

/// One hook from a settings file.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HookDefinition {
    /// Its name: given, or made of scope or plugin, event and position.
    pub id: String,
    /// What it is for, if the file says so.
    pub description: Option<String>,
    /// The event.
    pub event: HookEvent,
    /// Which occurrences.
    pub matcher: Matcher,
    /// `if`: a further condition on the tool's arguments.
    pub condition: Option<Condition>,
    /// What it does.
    pub action: Action,
    /// How long it may take.
    pub timeout: Timeout,
    /// How exit codes are read.
    pub exit_policy: ExitPolicy,
    /// The result of a failure on a gate.
    pub on_failure: OnFailure,
    /// The result of a timeout, if it differs.
    pub on_timeout: Option<OnFailure>,
    /// Whether a failure is tried again.
    pub attempts: Attempts,
    /// Waited for or not, deciding or not.
    pub mode: RunMode,
    /// Always, or once per session.
    pub repeat: Repeat,
    /// Neighbours of the same group run together.
    pub parallel_group: Option<u64>,
    /// Higher runs first.
    pub priority: i32,
    /// What counts as the same hook.
    pub dedupe: Dedupe,
    /// Variables on top of the inherited ones.
    pub env: BTreeMap<String, String>,
    /// When the hook is in force.
    pub activation: Activation,
    /// Where it is written.
    pub origin: Origin,
}
