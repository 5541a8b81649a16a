//! One hook as it is written, a command or an object, becomes a definition.

use std::collections::BTreeMap;
use std::path::Path;

use super::fields::{Fields, Reported, Text, described, nearest, shortened, unique};
use super::findings::Findings;
use super::node::{Entry, Key, Node, Span, Value};
use super::timeouts::{self, Unit, Unusable};
use super::{
    Action, CommandAction, Dedupe, ExitPolicy, HookDefinition, HttpAction, Origin, Plugin,
    PromptAction, Shape, Source, Syntax, Timeout, traps,
};
use crate::condition::Condition;
use crate::dialect::Dialect;
use crate::event::HookEvent;
use crate::hook::{Activation, Attempts, OnFailure, Repeat, RunMode};
use crate::matcher::Matcher;

/// Where a hook stands, and what it has from there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'n> {
    pub(super) event: HookEvent,
    pub(super) shape: Shape,
    pub(super) dialect: Dialect,
    /// The group's matcher; `None` in shapes where each hook has its own.
    pub(super) matcher: Option<&'n Matcher>,
    /// The key of a named map.
    pub(super) name: Option<&'n Key>,
    pub(super) group: Group,
}

/// The hooks that may run together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    pub(super) id: u64,
    pub(super) order: Order,
}

/// How the hooks of a group run, if they do not say so themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    OneAfterAnother,
    Together,
}

/// What a file sets for those of its hooks that do not say otherwise.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FileDefaults {
    exit_policy: Option<ExitPolicy>,
    on_failure: Option<FailureWord>,
    dedupe: Option<Dedupe>,
}

impl FileDefaults {
    /// Takes the keys that are defaults; what is not there stays as it is.
    pub(super) fn read(&mut self, fields: &mut Fields<'_>, findings: &mut Findings<'_>) {
        let found = Self {
            exit_policy: fields.word("exit_policy", EXIT_POLICIES, findings),
            on_failure: fields.word("on_failure", FAILURE_WORDS, findings),
            dedupe: fields.word("dedupe", DEDUPES, findings),
        };
        self.exit_policy = found.exit_policy.or(self.exit_policy);
        self.on_failure = found.on_failure.or(self.on_failure);
        self.dedupe = found.dedupe.or(self.dedupe);
    }

    /// The file's own word counts only where the file is ours, not Claude Code's.
    fn for_dialect(self, dialect: Dialect) -> Self {
        match dialect {
            Dialect::Generic => self,
            Dialect::ClaudeCode => Self::default(),
        }
    }
}

/// `on_failure` as it is written: `retry` leaves open what happens in the end.
#[derive(Debug, Clone, Copy)]
enum FailureWord {
    Is(OnFailure),
    Retry,
}

const FAILURE_WORDS: &[(&str, FailureWord)] = &[
    ("block", FailureWord::Is(OnFailure::Block)),
    ("allow", FailureWord::Is(OnFailure::Allow)),
    ("ask", FailureWord::Is(OnFailure::Ask)),
    ("retry", FailureWord::Retry),
    ("continue", FailureWord::Is(OnFailure::Allow)),
];

const EXIT_POLICIES: &[(&str, ExitPolicy)] = &[
    ("any_non_zero", ExitPolicy::AnyNonZero),
    ("only_two", ExitPolicy::OnlyTwo),
    ("only_2", ExitPolicy::OnlyTwo),
];

const DEDUPES: &[(&str, Dedupe)] = &[("matcher", Dedupe::Matcher), ("event", Dedupe::Event)];

const TYPES: &[&str] = &["command", "prompt", "http", "agent", "mcp_tool"];

/// Every key of a hook that is read, for suggestions.
const KNOWN: &[&str] = &[
    "type",
    "command",
    "args",
    "script",
    "prompt",
    "model",
    "url",
    "headers",
    "allowedEnvVars",
    "matcher",
    "timeout",
    "timeout_secs",
    "timeout_ms",
    "if",
    "once",
    "async",
    "observer",
    "parallel",
    "priority",
    "on_failure",
    "exit_policy",
    "dedupe",
    "env",
    "name",
    "id",
    "description",
    "statusMessage",
];

/// Claude Code's keys that have no meaning here and are no mistake.
const NOT_OURS: &[&str] = &[
    "statusMessage",
    "continueOnBlock",
    "rewakeMessage",
    "rewakeSummary",
    "cloud",
    "server",
    "tool",
    "input",
];

/// Reads one hook. `None`: it is left out, and the findings say why. The id is left to the caller when no name is given.
pub(super) fn read(
    node: &Node,
    place: &Place<'_>,
    source: &Source,
    defaults: FileDefaults,
    findings: &mut Findings<'_>,
) -> Option<HookDefinition> {
    let mut reading = Reading {
        place,
        source,
        defaults: defaults.for_dialect(place.dialect),
        findings,
        fields: Fields::none(&node.span),
    };
    let result = reading.hook(node);
    let faulty = result.is_err() || reading.fields.faulty;
    if faulty && place.dialect == Dialect::ClaudeCode && traps::is_claude_settings(source) {
        traps::refused_entry(place.event, &node.span, findings);
    }
    result.ok()
}

/// One hook while it is read.
struct Reading<'r, 'n, 'a> {
    place: &'r Place<'n>,
    source: &'r Source,
    defaults: FileDefaults,
    findings: &'r mut Findings<'a>,
    fields: Fields<'r>,
}

impl<'r> Reading<'r, '_, '_> {
    fn hook(&mut self, node: &'r Node) -> Result<HookDefinition, Reported> {
        let action = match &node.value {
            Value::String(command) => {
                self.type_is_missing("command");
                self.command(Text {
                    text: command,
                    span: &node.span,
                })?
            }
            Value::Map(_) => {
                if let Some(fields) = Fields::of(node, self.findings) {
                    self.fields = fields;
                }
                self.action()?
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::List(_) => {
                self.findings.error(
                    "wrong-type",
                    &node.span,
                    format!(
                        "a hook is {}; expected a command or an object",
                        described(node)
                    ),
                    "write the command as a string, or an object with `command`",
                );
                return Err(Reported);
            }
        };
        let event = self.place.event;
        let dialect = self.place.dialect;
        let matcher = match self.place.matcher {
            Some(matcher) => matcher.clone(),
            None => {
                let written = self.fields.take("matcher");
                read_matcher(written, event, dialect, self.findings)?
            }
        };
        let condition = self.condition()?;
        let timeout = self.timeout(action.kind());
        let (on_failure, attempts) = self.on_failure(&action);
        let (exit_policy, dedupe) = self.exit_policy_and_dedupe();
        let definition = HookDefinition {
            id: self.name(),
            description: self.optional_text("description"),
            event,
            matcher,
            condition,
            timeout,
            exit_policy,
            on_failure,
            attempts,
            mode: self.mode(),
            repeat: self.repeat(),
            parallel_group: self.parallel_group(),
            priority: self
                .fields
                .whole_number("priority", self.findings)
                .unwrap_or(0),
            dedupe,
            env: self.env(),
            activation: self.source.activation.clone(),
            origin: self.origin(&node.span),
            action,
        };
        self.shell();
        self.fields.skip(NOT_OURS);
        self.fields.finish(KNOWN, self.findings);
        Ok(definition)
    }

    fn action(&mut self) -> Result<Action, Reported> {
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
        match kind {
            "command" => self.command_action(),
            "prompt" => {
                let prompt = self.required("prompt", kind)?;
                Ok(Action::Prompt(PromptAction {
                    prompt: prompt.text.to_owned(),
                    model: self.optional_text("model"),
                }))
            }
            "http" => self.http_action(),
            other => {
                let span = self.fields.span;
                self.fields.skip(&["prompt", "model"]);
                self.findings.warning(
                    "unsupported-type",
                    span,
                    format!("type `{other}` is recognised, but not supported yet: this hook does nothing"),
                    "use a hook of type command, prompt or http",
                );
                Ok(Action::Unsupported {
                    kind: other.to_owned(),
                })
            }
        }
    }

    /// The type: written, or what the other keys make it.
    fn kind(&mut self) -> Result<&'static str, Reported> {
        // In a script list `type` is the event, unless there is an `event`.
        let in_script_list = self.place.shape == Shape::ScriptList;
        if in_script_list && self.fields.take("event").is_none() {
            self.fields.skip(&["type"]);
        }
        if let Some(written) = self.fields.string("type", self.findings)? {
            if let Some(kind) = TYPES.iter().find(|kind| **kind == written.text) {
                return Ok(kind);
            }
            let help = match nearest(written.text, TYPES) {
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
    fn type_is_missing(&mut self, kind: &str) {
        if !matches!(
            self.place.shape,
            Shape::Nested | Shape::Direct | Shape::FrontMatter
        ) {
            return;
        }
        let help = format!("add `type: {kind}`");
        match self.place.dialect {
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
        Ok(Action::Command(CommandAction {
            command: with_plugin_root(program, self.source.plugin.as_ref(), Form::Exec),
            args: Some(Vec::new()),
        }))
    }

    fn command(&mut self, command: Text<'_>) -> Result<Action, Reported> {
        let text = self.not_blank("command", command)?;
        let args = self.fields.strings("args", self.findings)?;
        let plugin = self.source.plugin.as_ref();
        if plugin.is_none() && text.contains(PLUGIN_ROOT) {
            self.findings.warning(
                "plugin-root-outside-plugin",
                command.span,
                format!("`{PLUGIN_ROOT}` is set only for the hooks of a plugin"),
                "name the folder, or use `${CLAUDE_PROJECT_DIR}`",
            );
        }
        let form = if args.is_some() {
            Form::Exec
        } else {
            Form::Shell
        };
        Ok(Action::Command(CommandAction {
            command: with_plugin_root(text, plugin, form),
            args: args.map(|args| {
                args.iter()
                    .map(|arg| with_plugin_root(arg, plugin, Form::Exec))
                    .collect()
            }),
        }))
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

    fn condition(&mut self) -> Result<Option<Condition>, Reported> {
        let Some(rule) = self.fields.string("if", self.findings)? else {
            return Ok(None);
        };
        traps::condition_without_tool(self.place.event, rule.span, self.findings);
        Condition::parse(rule.text).map(Some).map_err(|error| {
            self.findings.error(
                "invalid-if",
                rule.span,
                format!("{error}; this hook is left out"),
                "write one rule, such as `Bash(git *)`",
            );
            Reported
        })
    }

    /// A number that is no timeout is reported and the default applies: the hook itself is worth keeping.
    fn timeout(&mut self, kind: &str) -> Timeout {
        let written = [
            ("timeout_ms", Unit::Milliseconds),
            ("timeout_secs", Unit::Seconds),
            ("timeout", Unit::Bare),
        ]
        .into_iter()
        .filter_map(|(key, unit)| Some((self.fields.take(key)?, unit)))
        .collect::<Vec<_>>();
        let mut written = written.into_iter();
        let used = written.next();
        for (ignored, _) in written {
            self.findings.warning(
                "two-timeouts",
                &ignored.key.span,
                format!(
                    "`{}` has no effect beside a timeout with its unit",
                    ignored.key.text
                ),
                "keep one of them",
            );
        }
        let limit = used.and_then(|(entry, unit)| self.written_timeout(entry, unit));
        limit.unwrap_or_else(|| Timeout {
            limit: timeouts::default_limit(self.place.event, kind, self.place.dialect),
            written: None,
        })
    }

    fn written_timeout(&mut self, entry: &Entry, unit: Unit) -> Option<Timeout> {
        let amount: Option<f64> = match &entry.value.value {
            Value::Number(digits) => digits.parse().ok(),
            _ => None,
        };
        let Some(amount) = amount else {
            self.fields
                .wrong_kind(entry, "a number; the default applies", self.findings);
            return None;
        };
        let span = entry.key.span.start..entry.value.span.end;
        let digits = self.findings.source(&entry.value.span);
        let written = format!("{}: {}", entry.key.text, shortened(digits));
        let limit = match timeouts::limit(amount, unit, self.place.dialect) {
            Ok(limit) => limit,
            Err(unusable) => {
                self.fields.faulty = true;
                let why = match unusable {
                    Unusable::NotPositive => "no time at all",
                    Unusable::TooLong => "more than a year",
                };
                self.findings.error(
                    "invalid-timeout",
                    &span,
                    format!("`{written}` is {why}; the default applies"),
                    "write how long the hook may take, such as `timeout: 30`",
                );
                return None;
            }
        };
        if self.place.dialect == Dialect::ClaudeCode {
            match unit {
                Unit::Bare => traps::long_timeout(&written, limit, &span, self.findings),
                Unit::Seconds | Unit::Milliseconds => self.findings.warning(
                    "not-claude-code-field",
                    &entry.key.span,
                    format!(
                        "Claude Code does not know `{}` and takes its default",
                        entry.key.text
                    ),
                    "write `timeout` in seconds",
                ),
            }
        }
        Some(Timeout {
            limit,
            written: Some(written),
        })
    }

    fn on_failure(&mut self, action: &Action) -> (OnFailure, Attempts) {
        let by_shape = match (self.place.dialect, self.place.shape, action) {
            (_, _, Action::Prompt(_)) => OnFailure::Allow,
            (Dialect::Generic, Shape::NamedMap, _) => OnFailure::Block,
            (Dialect::Generic | Dialect::ClaudeCode, _, _) => OnFailure::Allow,
        };
        let word = self.fields.word("on_failure", FAILURE_WORDS, self.findings);
        match word.or(self.defaults.on_failure) {
            Some(FailureWord::Is(on_failure)) => (on_failure, Attempts::Once),
            Some(FailureWord::Retry) => (by_shape, Attempts::RetryOnce),
            None => (by_shape, Attempts::Once),
        }
    }

    fn exit_policy_and_dedupe(&mut self) -> (ExitPolicy, Dedupe) {
        let exit_policy = self
            .fields
            .word("exit_policy", EXIT_POLICIES, self.findings)
            .or(self.defaults.exit_policy)
            .unwrap_or(match self.place.dialect {
                Dialect::ClaudeCode => ExitPolicy::OnlyTwo,
                Dialect::Generic => ExitPolicy::AnyNonZero,
            });
        let dedupe = self
            .fields
            .word("dedupe", DEDUPES, self.findings)
            .or(self.defaults.dedupe)
            .unwrap_or_default();
        (exit_policy, dedupe)
    }

    fn mode(&mut self) -> RunMode {
        let background = self.fields.flag("async", self.findings);
        let rewake = self.fields.flag("asyncRewake", self.findings);
        let observer = self.fields.flag("observer", self.findings);
        if background || rewake {
            RunMode::Background
        } else if observer {
            RunMode::Observe
        } else {
            RunMode::Decide
        }
    }

    /// Claude Code honours `once` in the front matter of a skill alone.
    fn repeat(&mut self) -> Repeat {
        let key = self.fields.key_span("once");
        if !self.fields.flag("once", self.findings) {
            return Repeat::Always;
        }
        let skill = self.source.syntax == Syntax::FrontMatter
            && matches!(self.source.activation, Activation::Skill(_));
        if self.place.dialect == Dialect::ClaudeCode && !skill {
            if let Some(span) = key {
                self.findings.warning(
                    "once-has-no-effect",
                    span,
                    "`once` has no effect here: Claude Code reads it in the front matter of a skill only",
                    "remove it",
                );
            }
            return Repeat::Always;
        }
        Repeat::OncePerSession
    }

    fn parallel_group(&mut self) -> Option<u64> {
        let own = self.fields.flag("parallel", self.findings);
        (own || self.place.group.order == Order::Together).then_some(self.place.group.id)
    }

    fn env(&mut self) -> BTreeMap<String, String> {
        let mut env = self.fields.texts_by_name("env", self.findings);
        env.retain(|name, _| {
            let usable = !name.is_empty() && !name.contains(['=', '\0']);
            if !usable {
                self.findings.error(
                    "invalid-env",
                    self.fields.span,
                    format!("`{}` cannot be the name of a variable", shortened(name)),
                    "rename it",
                );
            }
            usable
        });
        if let Some(root) = self
            .source
            .plugin
            .as_ref()
            .and_then(|plugin| plugin.root.to_str())
        {
            env.insert("CLAUDE_PLUGIN_ROOT".to_owned(), root.to_owned());
        }
        env
    }

    /// The name that the file gives; empty when it gives none.
    fn name(&mut self) -> String {
        let name = self.optional_text("name");
        let id = self.optional_text("id");
        let key = self.place.name.map(|key| key.text.clone());
        [name, id, key]
            .into_iter()
            .flatten()
            .find(|name| !name.trim().is_empty())
            .unwrap_or_default()
    }

    fn shell(&mut self) {
        if let Ok(Some(shell)) = self.fields.string("shell", self.findings)
            && !matches!(shell.text, "bash" | "sh")
        {
            self.findings.warning(
                "unsupported-shell",
                shell.span,
                format!(
                    "the shell `{}` is not supported; `sh` is used",
                    shortened(shell.text)
                ),
                "write the command for `sh`, or call the program with `args`",
            );
        }
    }

    fn optional_text(&mut self, key: &str) -> Option<String> {
        self.fields
            .string(key, self.findings)
            .unwrap_or_default()
            .map(|text| text.text.to_owned())
    }

    fn origin(&self, span: &Span) -> Origin {
        let start = self.place.name.map_or(span.start, |key| key.span.start);
        let (line, column) = self.findings.position(start);
        Origin {
            scope: self.source.scope,
            file: self.source.file.clone(),
            line,
            column,
            shape: self.place.shape,
            dialect: self.place.dialect,
            plugin: self.source.plugin.clone(),
        }
    }
}

/// Reads a matcher: a string, or an object of which every key has to match.
pub(super) fn read_matcher(
    written: Option<&Entry>,
    event: HookEvent,
    dialect: Dialect,
    findings: &mut Findings<'_>,
) -> Result<Matcher, Reported> {
    let Some(Entry { value: node, .. }) = written else {
        return Ok(Matcher::all());
    };
    let matcher = match &node.value {
        Value::String(text) => {
            let span = &node.span;
            traps::bare_mcp_server(event, Text { text, span }, findings);
            Matcher::from_text(text, dialect)
        }
        Value::Map(_) => {
            let mut keys = Vec::new();
            for entry in unique(node, str::to_owned, findings).unwrap_or_default() {
                let Value::String(pattern) = &entry.value.value else {
                    invalid_matcher(&entry.value.span, described(&entry.value), findings);
                    return Err(Reported);
                };
                keys.push((entry.key.text.as_str(), pattern.as_str()));
            }
            Matcher::from_keys(keys, dialect)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::List(_) => {
            invalid_matcher(&node.span, described(node), findings);
            return Err(Reported);
        }
    };
    matcher.map_err(|error| {
        invalid_matcher(&node.span, error.to_string(), findings);
        Reported
    })
}

fn invalid_matcher(span: &Span, why: String, findings: &mut Findings<'_>) {
    findings.error(
        "invalid-matcher",
        span,
        format!("invalid matcher: {why}; the hooks under it are left out"),
        "write a pattern such as \"Bash|Write\", or `{\"toolName\": \"…\", \"agentName\": \"…\"}`",
    );
}

const PLUGIN_ROOT: &str = "${CLAUDE_PLUGIN_ROOT}";

/// Who reads the text: a shell, or nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Shell,
    Exec,
}

/// Puts the plugin's folder in. A path that a shell would take apart is left for the shell to fill in from the
/// environment, where it cannot do harm.
fn with_plugin_root(text: &str, plugin: Option<&Plugin>, form: Form) -> String {
    match plugin
        .map(|plugin| plugin.root.as_path())
        .and_then(Path::to_str)
    {
        Some(root) if form == Form::Exec || is_plain(root) => text.replace(PLUGIN_ROOT, root),
        _ => text.to_owned(),
    }
}

fn is_plain(path: &str) -> bool {
    path.chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | '@' | ':' | ','))
}
