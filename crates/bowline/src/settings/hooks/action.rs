//! What a hook does: a command, a prompt, a request, an agent or the tool of an MCP server.

use std::path::Path;

use bowline_agents::near::nearest;

use super::definition::Reading;
use crate::dialect::Dialect;
use crate::hook::Activation;
use crate::settings::claude::traps;
use crate::settings::syntax::fields::{Reported, Text, shortened};
use crate::settings::syntax::node::Span;
use crate::settings::syntax::node::Value;
use crate::settings::{
    Action, AgentAction, CommandAction, HttpAction, McpToolAction, PromptAction, Shape,
};

const TYPES: &[&str] = &["command", "prompt", "http", "agent", "mcp_tool"];

impl<'r> Reading<'r, '_, '_> {
    pub(in crate::settings) fn action(&mut self) -> Result<Action, Reported> {
        let kind = self.kind()?;
        if let Some(plugin) = &self.source.plugin
            && kind != "command"
        {
            self.findings.warning(
                "plugin-hook-type",
                self.fields.span,
                format!(
                    "plugin `{}` has a hook of type {kind}, which is not run",
                    plugin.name
                ),
                "plugins may bring hooks of type command only",
            );
            return Err(Reported);
        }
        if self.block.dialect == Dialect::ClaudeCode {
            traps::handler_not_run(self.block.event, kind, self.fields.span, self.findings);
        }
        match kind {
            "command" => self.command_action(),
            "prompt" => {
                let prompt = self.required("prompt", kind)?;
                Ok(Action::Prompt(PromptAction {
                    prompt: prompt.text.to_owned(),
                    model: self.optional_text("model"),
                    continue_on_block: self.fields.flag("continue_on_block", self.findings),
                }))
            }
            "http" => self.http_action(),
            "agent" => {
                let prompt = self.required("prompt", kind)?;
                Ok(Action::Agent(AgentAction {
                    prompt: prompt.text.to_owned(),
                    model: self.optional_text("model"),
                }))
            }
            _ => self.mcp_tool_action(),
        }
    }

    /// The type: written, or what the other keys make it.
    fn kind(&mut self) -> Result<&'static str, Reported> {
        // In a script list `type` is the event, unless there is an `event`.
        let in_script_list = self.block.shape == Shape::ScriptList;
        if in_script_list && self.fields.take("event").is_none() {
            self.fields.skip(&["type"]);
        }
        if let Some(written) = self.fields.string("type", self.findings)? {
            if let Some(kind) = TYPES.iter().find(|kind| **kind == written.text) {
                return Ok(kind);
            }
            let help = match nearest(written.text, TYPES.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("expected one of {}", TYPES.join(", ")),
            };
            self.findings.error(
                "unknown-type",
                written.span,
                format!(
                    "no hook type is called `{}`; this hook is left out",
                    shortened(written.text)
                ),
                help,
            );
            return Err(Reported);
        }
        let kind = [
            ("command", "command"),
            ("script", "command"),
            ("prompt", "prompt"),
            ("url", "http"),
        ]
        .into_iter()
        .find_map(|(key, kind)| self.fields.has(key).then_some(kind));
        match kind {
            Some(kind) => {
                self.type_is_missing(kind);
                Ok(kind)
            }
            None => Err(self.missing("`command`, `prompt` or `url`")),
        }
    }

    /// Only the shapes that Claude Code has demand a type.
    pub(in crate::settings) fn type_is_missing(&mut self, kind: &str) {
        if !matches!(
            self.block.shape,
            Shape::Nested | Shape::Direct | Shape::FrontMatter
        ) {
            return;
        }
        let help = format!("add `type: {kind}`");
        match self.block.dialect {
            Dialect::Generic => self.findings.warning(
                "missing-type",
                self.fields.span,
                format!("a hook without `type`; it is read as type {kind}"),
                help,
            ),
            Dialect::ClaudeCode => {
                self.fields.faulty = true;
                self.findings.error(
                    "missing-type",
                    self.fields.span,
                    format!("a hook without `type`: Bowline reads it as type {kind}, Claude Code refuses it"),
                    help,
                );
            }
        }
    }

    fn command_action(&mut self) -> Result<Action, Reported> {
        if let Some(command) = self.fields.string("command", self.findings)? {
            return self.command(command);
        }
        let Some(script) = self.fields.string("script", self.findings)? else {
            return Err(self.missing("`command`"));
        };
        // A script says itself what runs it, in its first line: no shell.
        let program = self.not_blank("script", script)?;
        self.check_command("script", program, script.span);
        Ok(Action::Command(CommandAction {
            command: with_plugin_root(program, self.plugin_root().as_deref(), Form::Exec),
            args: Some(Vec::new()),
        }))
    }

    pub(in crate::settings) fn command(&mut self, command: Text<'_>) -> Result<Action, Reported> {
        let text = self.not_blank("command", command)?;
        let args = self.fields.strings("args", self.findings)?;
        self.check_command("command", text, command.span);
        for arg in args.iter().flatten() {
            self.check_command("args", arg, command.span);
        }
        let root = self.plugin_root();
        let form = if args.is_some() {
            Form::Exec
        } else {
            Form::Shell
        };
        Ok(Action::Command(CommandAction {
            command: with_plugin_root(text, root.as_deref(), form),
            args: args.map(|args| {
                args.iter()
                    .map(|arg| with_plugin_root(arg, root.as_deref(), Form::Exec))
                    .collect()
            }),
        }))
    }

    /// Reports what will keep a command from starting. The hook stays, because it has its own failure policy.
    fn check_command(&mut self, key: &str, text: &str, span: &Span) {
        if text.contains('\0') {
            self.findings.error(
                "nul-in-command",
                span,
                format!("`{key}` has a NUL character in it: this hook cannot be started"),
                "remove the `\\u0000`",
            );
        }
        let unset = [
            (
                PLUGIN_ROOT,
                self.plugin_root().is_none(),
                "a plugin or a skill",
            ),
            (PLUGIN_DATA, self.source.plugin.is_none(), "a plugin"),
        ];
        for (variable, is_unset, owner) in unset {
            if is_unset && text.contains(variable) {
                self.findings.warning(
                    "plugin-root-outside-plugin",
                    span,
                    format!("`{variable}` is set only for the hooks of {owner}"),
                    "name the folder, or use `${CLAUDE_PROJECT_DIR}`",
                );
            }
        }
    }

    /// What the hook's command knows as `CLAUDE_PLUGIN_ROOT`: the plugin's folder, or the skill's.
    pub(in crate::settings) fn plugin_root(&self) -> Option<String> {
        let source = self.source;
        let root = match (&source.plugin, &source.activation) {
            (Some(plugin), _) => Some(plugin.root.as_path()),
            (None, Activation::Skill(_)) => source.file.as_deref().and_then(Path::parent),
            (None, Activation::Agent(_) | Activation::Always) => None,
        };
        root.and_then(Path::to_str).map(str::to_owned)
    }

    fn http_action(&mut self) -> Result<Action, Reported> {
        let url = self.required("url", "http")?;
        if !(url.text.starts_with("http://") || url.text.starts_with("https://")) {
            self.findings.error(
                "invalid-url",
                url.span,
                format!(
                    "`{}` is not a URL; this hook is left out",
                    shortened(url.text)
                ),
                "write a URL that begins with http:// or https://",
            );
            return Err(Reported);
        }
        Ok(Action::Http(HttpAction {
            url: url.text.to_owned(),
            headers: self.fields.texts_by_name("headers", self.findings),
            allowed_env_vars: self
                .fields
                .strings("allowedEnvVars", self.findings)
                .unwrap_or_default()
                .unwrap_or_default(),
        }))
    }

    fn mcp_tool_action(&mut self) -> Result<Action, Reported> {
        let server = self.required("server", "mcp_tool")?.text.to_owned();
        let tool = self.required("tool", "mcp_tool")?.text.to_owned();
        let input = match self.fields.take("input") {
            None => serde_json::Map::new(),
            Some(entry) if matches!(entry.value.value, Value::Map(_)) => {
                match entry.value.to_json() {
                    serde_json::Value::Object(input) => input,
                    _ => serde_json::Map::new(),
                }
            }
            Some(entry) => return Err(self.fields.wrong_kind(entry, "an object", self.findings)),
        };
        Ok(Action::McpTool(McpToolAction {
            server,
            tool,
            input,
        }))
    }

    fn required(&mut self, key: &str, kind: &str) -> Result<Text<'r>, Reported> {
        let Some(text) = self.fields.string(key, self.findings)? else {
            return Err(self.missing(&format!("`{key}`, which type {kind} needs")));
        };
        self.not_blank(key, text)?;
        Ok(text)
    }

    fn not_blank<'t>(&mut self, key: &str, text: Text<'t>) -> Result<&'t str, Reported> {
        if text.text.trim().is_empty() {
            self.findings.error(
                "missing-field",
                text.span,
                format!("`{key}` is empty; this hook is left out"),
                format!("fill in `{key}`, or remove the hook"),
            );
            return Err(Reported);
        }
        Ok(text.text)
    }

    fn missing(&mut self, what: &str) -> Reported {
        self.findings.error(
            "missing-field",
            self.fields.span,
            format!("a hook without {what}; this hook is left out"),
            "say what it does, or remove it",
        );
        Reported
    }
}

const PLUGIN_ROOT: &str = "${CLAUDE_PLUGIN_ROOT}";
const PLUGIN_DATA: &str = "${CLAUDE_PLUGIN_DATA}";

/// Who reads the text: a shell, or nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Shell,
    Exec,
}

/// Puts the plugin's folder in. A path that a shell would take apart is left for the shell to fill in from the
/// environment, where it cannot do harm.
fn with_plugin_root(text: &str, root: Option<&str>, form: Form) -> String {
    match root {
        Some(root) if form == Form::Exec || is_plain(root) => text.replace(PLUGIN_ROOT, root),
        _ => text.to_owned(),
    }
}

fn is_plain(path: &str) -> bool {
    path.chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | '@' | ':' | ','))
}
