//! A hook as reports show it, to people and to programs alike.

mod added;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bowline::hooks::{
    Activation, Attempts, DEFAULT_TIMEOUT_CAP, Dialect, HookEvent, OnFailure, Repeat, RunMode,
    humane_duration,
};
use bowline::settings::{Action, ExitPolicy, HookDefinition, HookStatus, LoadedHook, Scope, Shape};
use bowline_agents::shell_word;
use bowline_builtins::Builtins;
use bowline_daemon::registration::starts_bowline;
use bowline_guard::secrets::redact;
use serde::Serialize;

use crate::project::{self, Paths};
use crate::ui::{masked, reveal};

/// The text for hooks whose exit code blocks unless it is 0.
pub(crate) const ANY_NON_ZERO: &str = "any non-zero exit blocks";

/// The priority right before that of the rules and the guards.
const BEFORE_THE_LAST: i32 = i32::MIN + 1;

/// One hook.
#[derive(Debug, Serialize)]
pub(crate) struct HookView {
    pub(crate) id: String,
    pub(crate) event: HookEvent,
    /// Its place among the hooks of its event that are in force, from 1.
    pub(crate) position: Option<usize>,
    pub(crate) status: StatusName,
    /// Why it is not in force.
    pub(crate) reason: Option<String>,
    pub(crate) scope: Scope,
    #[serde(serialize_with = "project::lossy_option")]
    pub(crate) file: Option<PathBuf>,
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// Absent for hooks that no file brings.
    pub(crate) shape: Option<Shape>,
    pub(crate) dialect: Option<Dialect>,
    pub(crate) plugin: Option<String>,
    /// The skill or sub-agent that it belongs to.
    pub(crate) only_while: Option<String>,
    pub(crate) matcher: Option<String>,
    #[serde(rename = "if")]
    pub(crate) condition: Option<String>,
    pub(crate) kind: String,
    /// Without the secrets in it.
    pub(crate) runs: String,
    pub(crate) timeout_ms: u64,
    /// How the timeout is written; nothing for the default.
    pub(crate) timeout_written: Option<String>,
    pub(crate) timeout: String,
    pub(crate) exit_policy: Option<ExitPolicy>,
    pub(crate) on_failure: OnFailure,
    pub(crate) attempts: u8,
    pub(crate) mode: &'static str,
    pub(crate) once: bool,
    pub(crate) priority: i32,
    /// Only for those who have to judge it.
    #[serde(skip)]
    pub(crate) given: Given,
    /// Why this process does not run it, although the daemon would.
    #[serde(skip)]
    pub(crate) idle: Option<&'static str>,
}

/// What a hook gets beside the event.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Given {
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) headers: BTreeMap<String, String>,
    /// The variables of the environment that headers may use.
    pub(crate) allowed_env_vars: Vec<String>,
    pub(crate) model: Option<String>,
}

impl Given {
    fn of(definition: &HookDefinition) -> Self {
        let mut given = Self {
            env: masked(&definition.env),
            ..Self::default()
        };
        match &definition.action {
            Action::Http(http) => {
                given.headers = masked(&http.headers);
                given.allowed_env_vars.clone_from(&http.allowed_env_vars);
            }
            Action::Prompt(prompt) => given.model.clone_from(&prompt.model),
            Action::Agent(agent) => given.model.clone_from(&agent.model),
            _ => {}
        }
        given
    }
}

/// Names and values without the secrets among them.
pub(crate) fn masked(values: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    values
        .iter()
        .map(|(name, value)| (name.clone(), masked::named(name, value)))
        .collect()
}

/// Whether a hook is in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StatusName {
    InForce,
    Duplicate,
    Untrusted,
    Disabled,
}

impl HookView {
    /// All hooks of the project's files: by event, and for each event in the order in which they would run.
    pub(crate) fn of_files(hooks: &[LoadedHook]) -> Vec<Self> {
        Self::arranged(hooks, Vec::new())
    }

    /// As [`HookView::of_files`], with the hooks that Bowline adds.
    pub(crate) fn all(hooks: &[LoadedHook], builtins: &Builtins) -> Vec<Self> {
        let mode = project::mode(builtins);
        let builtin = builtins.hooks.iter().flat_map(|builtin| {
            let events = builtin.hook.events().iter();
            events.map(move |event| Self::builtin(builtin, *event, mode))
        });
        let rules = builtins.rules.rules.iter().flat_map(|rule| {
            let hook = builtins.rules.hooks.iter();
            let hook = hook
                .map(Arc::as_ref)
                .find(|hook| hook.definition().id == rule.definition.id);
            let events = rule.definition.events.iter();
            events.map(move |event| Self::rule(rule, hook, *event))
        });
        Self::arranged(hooks, rules.chain(builtin).collect())
    }

    fn arranged(hooks: &[LoadedHook], builtin: Vec<Self>) -> Vec<Self> {
        // That an agent asks Bowline is no hook of the project's; `bowline doctor` shows it.
        let others = hooks
            .iter()
            .enumerate()
            .filter(|(_, hook)| !is_bowline(hook));
        let files = others.map(|(index, hook)| {
            let (status, reason) = standing(&hook.status);
            let view = Self::new(&hook.definition, status, reason);
            (Some(index), view)
        });
        let mut views: Vec<(Option<usize>, Self)> = files
            .chain(builtin.into_iter().map(|view| (None, view)))
            .collect();
        views.sort_by_key(|(_, view)| (place_of(view.event), Reverse(view.priority)));
        let mut counts = BTreeMap::new();
        for (_, view) in &mut views {
            if view.status == StatusName::InForce {
                let count: &mut usize = counts.entry(place_of(view.event)).or_default();
                *count += 1;
                view.position = Some(*count);
            }
        }
        let positions: BTreeMap<usize, usize> = views
            .iter()
            .filter_map(|(index, view)| Some(((*index)?, view.position?)))
            .collect();
        views
            .into_iter()
            .map(|(index, mut view)| {
                if let Some(HookStatus::Duplicate { of }) =
                    index.and_then(|index| Some(&hooks.get(index)?.status))
                {
                    let first = positions.get(of).map(|position| format!("#{position}"));
                    let first = first.unwrap_or_else(|| "a hook above".to_owned());
                    view.reason = Some(format!("duplicate of {first}"));
                }
                view
            })
            .collect()
    }

    /// A hook of a file that is looked at by itself.
    pub(crate) fn alone(definition: &HookDefinition) -> Self {
        Self::new(definition, StatusName::InForce, None)
    }

    fn new(definition: &HookDefinition, status: StatusName, reason: Option<String>) -> Self {
        let origin = &definition.origin;
        let matcher = definition.matcher.source();
        Self {
            id: definition.id.clone(),
            event: definition.event,
            position: None,
            status,
            reason,
            scope: origin.scope,
            file: origin.file.clone(),
            line: origin.line,
            column: origin.column,
            shape: Some(origin.shape),
            dialect: Some(origin.dialect),
            plugin: origin.plugin.as_ref().map(|plugin| plugin.name.clone()),
            only_while: only_while(&definition.activation),
            matcher: (!matcher.is_empty()).then(|| matcher.to_owned()),
            condition: definition
                .condition
                .as_ref()
                .map(|condition| condition.source().to_owned()),
            kind: definition.action.kind().to_owned(),
            runs: redact(&runs(&definition.action)).into_owned(),
            timeout_ms: milliseconds(definition.timeout.limit),
            timeout_written: definition.timeout.written.clone(),
            timeout: timeout(
                definition.timeout.limit,
                definition.timeout.written.as_deref(),
                Some(origin.dialect),
            ),
            exit_policy: match definition.action {
                Action::Command(_) => Some(definition.exit_policy),
                _ => None,
            },
            on_failure: definition.on_failure,
            attempts: attempts(definition.attempts),
            mode: mode(definition.mode),
            once: definition.repeat == Repeat::OncePerSession,
            priority: definition.priority,
            given: Given::of(definition),
            idle: None,
        }
    }

    /// `file:line`, as editors and terminals understand it.
    pub(crate) fn place(&self, paths: &Paths) -> String {
        match &self.file {
            Some(file) => format!("{}:{}", paths.show(file), self.line),
            None if self.scope == Scope::BuiltIn => "Bowline".to_owned(),
            None => format!("line {}", self.line),
        }
    }

    /// What it runs, with nothing hidden in it.
    pub(crate) fn code(&self) -> String {
        reveal::code(&self.runs)
    }

    /// How its exit code is read.
    pub(crate) fn exit_codes(&self) -> &'static str {
        let Some(policy) = self.exit_policy else {
            return "-";
        };
        match (self.dialect, self.event, policy) {
            // As the client has it: whatever the code is, there is no worktree and no other model.
            (
                Some(Dialect::ClaudeCode),
                HookEvent::WorktreeCreate | HookEvent::PreModelSwitch,
                _,
            )
            | (_, _, ExitPolicy::AnyFailure) => "any failing exit blocks",
            (_, _, ExitPolicy::OnlyTwo) => "only exit 2 blocks",
            _ => ANY_NON_ZERO,
        }
    }

    /// The result of a failure.
    pub(crate) fn failure(&self) -> String {
        let outcome = match self.on_failure {
            OnFailure::Ask => "ask",
            OnFailure::Allow => "allow",
            _ => "block",
        };
        match self.attempts {
            1 => outcome.to_owned(),
            _ => format!("retry, then {outcome}"),
        }
    }

    /// Why it is not in force, and what is unusual about it, in a few words.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let reason = self.reason.iter().cloned();
        reason.chain(self.peculiarities()).collect()
    }

    /// What is unusual about it, in a few words.
    pub(crate) fn peculiarities(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        remarks.extend(self.condition.as_ref().map(|rule| format!("if {rule}")));
        remarks.extend(
            self.only_while
                .as_ref()
                .map(|what| format!("only in {what}")),
        );
        match self.mode {
            "observe" => remarks.push("observes only".to_owned()),
            "background" => remarks.push("not waited for".to_owned()),
            _ => {}
        }
        if self.once {
            remarks.push("once per session".to_owned());
        }
        match self.priority {
            0 => {}
            // One that observes has no word.
            i32::MIN if self.mode == "observe" => {}
            i32::MIN => remarks.push("has the last word".to_owned()),
            BEFORE_THE_LAST => remarks.push("runs before the rules and the guards".to_owned()),
            priority => remarks.push(format!("priority {priority}")),
        }
        remarks
    }
}

/// Whether a hook of an agent's settings is Bowline itself.
pub(crate) fn is_bowline(hook: &LoadedHook) -> bool {
    match &hook.definition.action {
        Action::Command(action) => starts_bowline(&action.command, action.args.as_deref()),
        _ => false,
    }
}

/// Where the event stands in the table of events.
fn place_of(event: HookEvent) -> usize {
    HookEvent::ALL
        .iter()
        .position(|other| *other == event)
        .unwrap_or(usize::MAX)
}

/// Whether a hook is in force, and why not.
fn standing(status: &HookStatus) -> (StatusName, Option<String>) {
    match status {
        HookStatus::Duplicate { .. } => (StatusName::Duplicate, None),
        HookStatus::Untrusted => (
            StatusName::Untrusted,
            Some("not trusted: run `bowline trust`".to_owned()),
        ),
        HookStatus::Disabled { by } => (StatusName::Disabled, Some(format!("disabled by {by}"))),
        _ => (StatusName::InForce, None),
    }
}

fn only_while(activation: &Activation) -> Option<String> {
    match activation {
        Activation::Skill(name) => Some(format!("skill {name}")),
        Activation::Agent(name) => Some(format!("sub-agent {name}")),
        _ => None,
    }
}

/// How a timeout is understood: "`timeout: 5000` = 83.3 min (seconds, claude-code), capped at 10 min".
fn timeout(limit: Duration, written: Option<&str>, dialect: Option<Dialect>) -> String {
    let shown = humane_duration(limit);
    let read = match written {
        None => format!("{shown} (default)"),
        Some(written) => match unit(written, limit).zip(dialect) {
            Some((unit, dialect)) => format!("`{written}` = {shown} ({unit}, {dialect})"),
            None => format!("`{written}` = {shown}"),
        },
    };
    let effective = effective(limit);
    if effective < limit {
        format!("{read}, capped at {}", humane_duration(effective))
    } else {
        read
    }
}

fn milliseconds(limit: Duration) -> u64 {
    u64::try_from(effective(limit).as_millis()).unwrap_or(u64::MAX)
}

fn attempts(attempts: Attempts) -> u8 {
    match attempts {
        Attempts::RetryOnce => 2,
        _ => 1,
    }
}

fn mode(mode: RunMode) -> &'static str {
    match mode {
        RunMode::Observe | RunMode::Told => "observe",
        RunMode::Background => "background",
        _ => "decide",
    }
}

/// How long the hook really gets.
fn effective(limit: Duration) -> Duration {
    limit.min(DEFAULT_TIMEOUT_CAP)
}

/// What an action runs, in one text: arguments quoted, passwords masked.
fn runs(action: &Action) -> String {
    match action {
        Action::Command(command) => {
            let args = command.args.iter().flatten();
            let program = match &command.args {
                Some(_) => shell_word(&command.command),
                None => command.command.clone(),
            };
            args.fold(program, |text, arg| text + " " + &shell_word(arg))
        }
        Action::Http(http) => format!("POST {}", reveal::url(&http.url)),
        action => action.summary(),
    }
}

/// The unit in which a bare number was read.
fn unit(written: &str, limit: Duration) -> Option<&'static str> {
    let (key, number) = written.split_once([':', '='])?;
    let number: f64 = number.trim().parse().ok()?;
    if key.trim() != "timeout" {
        return None;
    }
    let is = |value: f64| (value - number).abs() < 0.001;
    if is(limit.as_secs_f64()) {
        Some("seconds")
    } else if is(limit.as_secs_f64() * 1e3) {
        Some("milliseconds")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_of_a_bare_number_is_told() {
        for (written, ms, expected) in [
            ("timeout: 5000", 5_000_000, Some("seconds")),
            ("timeout: 5000", 5000, Some("milliseconds")),
            ("timeout: 2.5", 2500, Some("seconds")),
            ("timeout = 10", 10_000, Some("seconds")),
            ("timeout_ms: 100", 100, None),
            ("nonsense", 100, None),
        ] {
            assert_eq!(
                unit(written, Duration::from_millis(ms)),
                expected,
                "{written}"
            );
        }
    }
}
