//! Where Claude Code would do something else with a file than its author expects.

use std::path::Path;
use std::time::Duration;

use bowline_agents::claude_code::rules::types_that_run;

use crate::dialect::Dialect;
use crate::duration::humane;
use crate::event::HookEvent;
use crate::settings::syntax::fields::{Text, shortened};
use crate::settings::syntax::findings::Findings;
use crate::settings::syntax::json::Reader;
use crate::settings::syntax::node::{Key, Span};
use crate::settings::{DialectChoice, Source, Syntax};

/// Whether Claude Code itself reads this file as settings.
pub(in crate::settings) fn is_claude_settings(source: &Source) -> bool {
    source.syntax == Syntax::Json
        && source.plugin.is_none()
        && source.dialect != DialectChoice::Fixed(Dialect::Generic)
}

/// Who else reads this file. Beside its settings, Claude Code's folders may hold any other files.
pub(in crate::settings) fn reader(source: &Source) -> Reader {
    let is_settings = source.file.as_deref().is_none_or(|file| {
        let names = [
            "settings.json",
            "settings.local.json",
            "managed-settings.json",
        ];
        let folder = file.parent().and_then(Path::file_name);
        file.file_name()
            .is_some_and(|name| names.iter().any(|it| name == *it))
            || folder.is_some_and(|name| name == "managed-settings.d")
    });
    if is_claude_settings(source) && is_settings {
        Reader::ClaudeCode
    } else {
        Reader::Other
    }
}

/// An entry that Claude Code's own check refuses.
pub(in crate::settings) fn refused_entry(
    event: HookEvent,
    span: &Span,
    findings: &mut Findings<'_>,
) {
    if takes_file_down(event) {
        findings.warning(
            "claude-code-ignores-file",
            span,
            format!(
                "because of this entry under {} Claude Code ignores the whole file, its deny rules too",
                event.name()
            ),
            "correct or remove the entry",
        );
    } else {
        findings.warning(
            "claude-code-drops-entry",
            span,
            "Claude Code drops this entry; its older versions ignore the whole file",
            "correct or remove the entry",
        );
    }
}

/// A form that only Bowline reads. `what` follows "Claude Code does not accept".
pub(in crate::settings) fn foreign_form(
    event: Option<HookEvent>,
    what: &str,
    span: &Span,
    findings: &mut Findings<'_>,
) {
    let consequence = match event {
        Some(event) if takes_file_down(event) => ", and ignores a file that has one",
        Some(_) | None => "",
    };
    findings.warning(
        "not-claude-code-form",
        span,
        format!("Claude Code does not accept {what}{consequence}"),
        "if Claude Code reads this file too, write a list of `{\"matcher\": \"…\", \"hooks\": […]}` \
         with the matcher as a string",
    );
}

/// A bad handler here makes Claude Code refuse the whole file; elsewhere only the entry is lost.
fn takes_file_down(event: HookEvent) -> bool {
    matches!(event, HookEvent::PreToolUse | HookEvent::PermissionRequest)
}

/// An event that Claude Code knows only in another casing.
pub(in crate::settings) fn event_casing(key: &Key, event: HookEvent, findings: &mut Findings<'_>) {
    if key.text != event.name() {
        findings.warning(
            "event-casing",
            &key.span,
            format!(
                "Claude Code does not know `{}` and drops it; it knows `{}`",
                key.text,
                event.name()
            ),
            format!("write `{}`", event.name()),
        );
    }
}

/// A bare number that was probably meant as milliseconds.
pub(in crate::settings) fn long_timeout(
    written: &str,
    limit: Duration,
    span: &Span,
    findings: &mut Findings<'_>,
) {
    if limit >= Duration::from_secs(1000) {
        findings.warning(
            "timeout-in-seconds",
            span,
            format!(
                "`{written}` is {}: Claude Code reads seconds",
                humane(limit)
            ),
            "write the timeout in seconds",
        );
    }
}

/// A matcher that names an MCP server, which matches none of its tools.
pub(in crate::settings) fn bare_mcp_server(
    event: HookEvent,
    matcher: Text<'_>,
    findings: &mut Findings<'_>,
) {
    let exact = matcher
        .text
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '|' | ',' | ' '));
    if !event.is_tool_event() || !exact {
        return;
    }
    let server = matcher.text.split(['|', ',']).map(str::trim).find(|name| {
        name.strip_prefix("mcp__")
            .is_some_and(|server| !server.contains("__"))
    });
    if let Some(server) = server {
        let server = shortened(server);
        findings.warning(
            "matches-nothing",
            matcher.span,
            format!(
                "`{server}` is compared with the whole tool name and matches no tool of that server"
            ),
            format!("write `{server}__.*` for all its tools"),
        );
    }
}

/// A type of hook that Claude Code does not run on this event. `kind` is the type as it is written.
pub(in crate::settings) fn handler_not_run(
    event: HookEvent,
    kind: &str,
    span: &Span,
    findings: &mut Findings<'_>,
) {
    let works = types_that_run(event);
    if !works.contains(&kind) {
        findings.warning(
            "handler-not-run",
            span,
            format!(
                "Claude Code runs no hook of type {kind} on {}: it skips it silently",
                event.name()
            ),
            format!("on {} these types work: {}", event.name(), works.join(", ")),
        );
    }
}

/// `if` where there is no tool call to look at.
pub(in crate::settings) fn condition_without_tool(
    event: HookEvent,
    span: &Span,
    findings: &mut Findings<'_>,
) {
    if !event.is_tool_event() {
        findings.warning(
            "if-never-true",
            span,
            format!(
                "`if` looks at a tool call, and {} has none: this hook never runs",
                event.name()
            ),
            "remove `if`, or use a tool event such as PreToolUse",
        );
    }
}
