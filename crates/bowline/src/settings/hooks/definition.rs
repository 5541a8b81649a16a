//! One hook as it is written, a command or an object, becomes a definition.

use std::collections::BTreeMap;

use super::keys;
use super::matcher;
use super::policy::{FileDefaults, TIMEOUT_WORDS};
use crate::condition::Condition;
use crate::dialect::Dialect;
use crate::event::HookEvent;
use crate::hook::{Activation, Repeat, RunMode};
use crate::matcher::Matcher;
use crate::settings::claude::traps;
use crate::settings::syntax::fields::{Fields, Reported, Text, described, shortened};
use crate::settings::syntax::findings::Findings;
use crate::settings::syntax::node::{Key, Node, Span, Value};
use crate::settings::{HookDefinition, Origin, Shape, Source, Syntax};

/// Where a hook stands, and what it has from there.
#[derive(Debug, Clone, Copy)]
pub(in crate::settings) struct HookBlock<'n> {
    pub(in crate::settings) event: HookEvent,
    pub(in crate::settings) shape: Shape,
    pub(in crate::settings) dialect: Dialect,
    /// The group's matcher; `None` in shapes where each hook has its own.
    pub(in crate::settings) matcher: Option<&'n Matcher>,
    /// The key of a named map.
    pub(in crate::settings) name: Option<&'n Key>,
    pub(in crate::settings) group: Group,
}

/// The hooks that may run together.
#[derive(Debug, Clone, Copy)]
pub(in crate::settings) struct Group {
    pub(in crate::settings) id: u64,
    pub(in crate::settings) order: Order,
}

/// How the hooks of a group run, if they do not say so themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::settings) enum Order {
    OneAfterAnother,
    Together,
}

/// Claude Code's keys that have no meaning here and are no mistake.
const NOT_OURS: &[&str] = &["statusMessage", "rewakeMessage", "rewakeSummary", "cloud"];

/// Reads one hook. `None`: it is left out, and the findings say why. The id is left to the caller when no name is given.
pub(in crate::settings) fn read(
    node: &Node,
    block: &HookBlock<'_>,
    source: &Source,
    defaults: FileDefaults,
    findings: &mut Findings<'_>,
) -> Option<HookDefinition> {
    let mut reading = Reading {
        block,
        source,
        defaults: defaults.for_dialect(block.dialect),
        findings,
        fields: Fields::none(&node.span),
    };
    let result = reading.hook(node);
    let faulty = result.is_err() || reading.fields.faulty;
    if faulty && block.dialect == Dialect::ClaudeCode && traps::is_claude_settings(source) {
        traps::refused_entry(block.event, &node.span, findings);
    }
    result.ok()
}

/// One hook while it is read.
pub(in crate::settings) struct Reading<'r, 'n, 'a> {
    pub(in crate::settings) block: &'r HookBlock<'n>,
    pub(in crate::settings) source: &'r Source,
    pub(in crate::settings) defaults: FileDefaults,
    pub(in crate::settings) findings: &'r mut Findings<'a>,
    pub(in crate::settings) fields: Fields<'r>,
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
        let event = self.block.event;
        let dialect = self.block.dialect;
        let matcher = if let Some(matcher) = self.block.matcher {
            matcher.clone()
        } else {
            let written = self.fields.take("matcher");
            matcher::read(written, event, dialect, self.findings)?
        };
        let condition = self.condition()?;
        let timeout = self.timeout(action.kind());
        let (on_failure, attempts) = self.on_failure(&action);
        let (exit_policy, dedupe) = self.exit_policy_and_dedupe(on_failure);
        let definition = HookDefinition {
            id: self.name(),
            description: self.optional_text("description"),
            event,
            matcher,
            condition,
            timeout,
            exit_policy,
            on_failure,
            on_timeout: self.fields.word("on_timeout", TIMEOUT_WORDS, self.findings),
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
        self.fields.finish(&keys::known(), self.findings);
        Ok(definition)
    }

    fn condition(&mut self) -> Result<Option<Condition>, Reported> {
        let Some(rule) = self.fields.string("if", self.findings)? else {
            return Ok(None);
        };
        traps::condition_without_tool(self.block.event, rule.span, self.findings);
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
        if self.block.dialect == Dialect::ClaudeCode && !skill {
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
        (own || self.block.group.order == Order::Together).then_some(self.block.group.id)
    }

    fn env(&mut self) -> BTreeMap<String, String> {
        let mut env = self.fields.texts_by_name("env", self.findings);
        env.retain(|name, value| {
            let (problem, help) = if name.is_empty() || name.contains(['=', '\0']) {
                ("cannot be the name of a variable", "rename it")
            } else if value.contains('\0') {
                ("has a NUL character in its value", "remove the `\\u0000`")
            } else {
                return true;
            };
            self.findings.error(
                "invalid-env",
                self.fields.span,
                format!("`{}` {problem}; it is not set", shortened(name)),
                help,
            );
            false
        });
        if let Some(root) = self.plugin_root() {
            env.insert("CLAUDE_PLUGIN_ROOT".to_owned(), root);
        }
        env
    }

    /// The name that the file gives; empty when it gives none.
    fn name(&mut self) -> String {
        let name = self.optional_text("name");
        let id = self.optional_text("id");
        let key = self.block.name.map(|key| key.text.clone());
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

    pub(in crate::settings) fn optional_text(&mut self, key: &str) -> Option<String> {
        self.fields
            .string(key, self.findings)
            .unwrap_or_default()
            .map(|text| text.text.to_owned())
    }

    fn origin(&self, span: &Span) -> Origin {
        let start = self.block.name.map_or(span.start, |key| key.span.start);
        let (line, column) = self.findings.position(start);
        Origin {
            scope: self.source.scope,
            file: self.source.file.clone(),
            line,
            column,
            shape: self.block.shape,
            dialect: self.block.dialect,
            plugin: self.source.plugin.clone(),
        }
    }
}
