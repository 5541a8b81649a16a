//! Matchers for tools that no tool ever matches.

use bowline_agents::ClientVersion;
use bowline_agents::claude_code::Feature;
use bowline_agents::claude_code::tools::known_names;

use super::model::HookDefinition;
use super::scripts::{Written, written};
use crate::dialect::Dialect;
use crate::event::HookEvent;
use crate::matcher::{listed_names, misspelt};
use crate::settings::syntax::fields::{Text, shortened};
use crate::settings::syntax::findings::Findings;
use crate::settings::{Diagnostic, Severity};

/// What is wrong with a matcher, whatever the version of the client is.
pub(in crate::settings) fn check(
    event: HookEvent,
    matcher: Text<'_>,
    dialect: Dialect,
    findings: &mut Findings<'_>,
) {
    if !event.is_tool_event() {
        ignored(event, matcher, findings);
        return;
    }
    if let Some(tool) = permission_rule(matcher.text) {
        findings.warning(
            "matches-nothing",
            matcher.span,
            format!(
                "`{}` is a permission rule; a matcher is compared with the tool's name alone, and this one matches none",
                shortened(matcher.text)
            ),
            format!(
                "write `\"matcher\": \"{tool}\"`, and `\"if\": \"{}\"` in the hook",
                shortened(matcher.text)
            ),
        );
        return;
    }
    for name in listed_names(matcher.text) {
        let shown = shortened(name);
        let (message, meant) = match (other_casing(name), misspelt(name)) {
            (Some(meant), _) => (
                format!(
                    "`{shown}` matches no tool of Claude Code: names are compared letter for letter"
                ),
                meant,
            ),
            (None, Some(meant)) => (
                format!("`{shown}` matches no tool of Claude Code that is known"),
                meant,
            ),
            (None, None) => continue,
        };
        let help = format!("did you mean `{meant}`?");
        match dialect {
            Dialect::ClaudeCode => {
                findings.warning("matches-nothing", matcher.span, message, help);
            }
            // Other agents' tools have other names.
            Dialect::Generic => findings.note("matches-nothing", matcher.span, message, help),
        }
    }
}

/// A matcher where there is nothing to compare it with.
fn ignored(event: HookEvent, matcher: Text<'_>, findings: &mut Findings<'_>) {
    let matches_all = matches!(matcher.text.trim(), "" | "*" | ".*");
    if matches_all || event == HookEvent::Unknown || event.subject_field().is_some() {
        return;
    }
    findings.warning(
        "matcher-ignored",
        matcher.span,
        format!(
            "{} has nothing that a matcher is compared with: `{}` is ignored, and the hooks under it always run",
            event.name(),
            shortened(matcher.text)
        ),
        "remove the matcher, or use another event",
    );
}

/// Matchers of Claude Code's files that this version of the client reads in another way than they look. Without a version, they are
/// noted.
pub fn matcher_findings<'h>(
    hooks: impl IntoIterator<Item = &'h HookDefinition>,
    client: Option<ClientVersion>,
) -> Vec<Diagnostic> {
    if client.is_some_and(|version| Feature::CommaMatchers.is_known_to(version)) {
        return Vec::new();
    }
    let mut findings: Vec<Diagnostic> = Vec::new();
    for hook in hooks {
        let matcher = hook.matcher.source();
        let has_commas = matcher.contains(',') && listed_names(matcher).next().is_some();
        if hook.origin.dialect != Dialect::ClaudeCode || !hook.event.is_tool_event() || !has_commas
        {
            continue;
        }
        let finding = commas(hook, matcher, client);
        // The hooks of a group have one matcher.
        if !findings.contains(&finding) {
            findings.push(finding);
        }
    }
    findings
}

fn commas(hook: &HookDefinition, matcher: &str, client: Option<ClientVersion>) -> Diagnostic {
    let since = Feature::CommaMatchers.since();
    let (severity, message) = match client {
        Some(version) => (
            Severity::Warning,
            format!(
                "Claude Code {version} reads `{matcher}` as one pattern, which matches no tool"
            ),
        ),
        None => (
            Severity::Note,
            format!(
                "Claude Code reads `{matcher}` as a list since {since}; before, it matches no tool"
            ),
        ),
    };
    let names: Vec<&str> = listed_names(matcher).collect();
    let Written { line, column, span } = written(hook, matcher);
    Diagnostic {
        severity,
        code: "matches-nothing",
        file: hook.origin.file.clone(),
        line,
        column,
        span,
        message,
        help: Some(format!("write `{}`", names.join("|"))),
    }
}

/// The tool that has this name in another casing, and not in this one.
fn other_casing(name: &str) -> Option<&'static str> {
    if known_names().any(|known| known == name) {
        return None;
    }
    known_names().find(|known| known.eq_ignore_ascii_case(name))
}

/// The tool of a text such as `Bash(git push*)`. As a pattern it would match a tool whose name continues with the text in the parentheses.
fn permission_rule(text: &str) -> Option<&'static str> {
    let (tool, rest) = text.trim().split_once('(')?;
    let inside = rest.strip_suffix(')')?;
    let tool = known_names().find(|known| *known == tool)?;
    let goes_on = inside.split('|').any(|more| {
        let whole = format!("{tool}{more}");
        known_names().any(|known| known == whole)
    });
    (!goes_on).then_some(tool)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{DialectChoice, Parsed, Source, Syntax, parse_source};

    fn parsed(event: &str, matcher: &str, dialect: Dialect) -> Parsed {
        let hook = r#"[{"type": "command", "command": "true"}]"#;
        let text =
            format!(r#"{{"hooks": {{"{event}": [{{"matcher": "{matcher}", "hooks": {hook}}}]}}}}"#);
        parse_source(
            &text,
            &Source::new(Syntax::Json, DialectChoice::Fixed(dialect)),
        )
    }

    #[test]
    fn matchers_that_never_match_are_found() {
        for (matcher, expected) in [
            ("bash", Some("did you mean `Bash`?")),
            ("Write|edit", Some("did you mean `Edit`?")),
            ("webfetch", Some("did you mean `WebFetch`?")),
            ("Bash(git push*)", Some("\"if\": \"Bash(git push*)\"")),
            ("Bash(ls)", Some("\"matcher\": \"Bash\"")),
            ("Read(./.env)", Some("\"matcher\": \"Read\"")),
            ("Wrte", Some("did you mean `Write`?")),
            ("Bash|Edti", Some("did you mean `Edit`?")),
            ("Bash", None),
            ("Task", None),
            ("Write, Edit", None),
            ("Notebook(Edit|Read)", None),
            ("Task(Create|Update)", None),
            ("mcp__files__read", None),
            ("mytool", None),
            ("Ba.*", None),
        ] {
            let found = parsed("PreToolUse", matcher, Dialect::ClaudeCode).diagnostics;
            let help = found.first().and_then(|it| it.help.as_deref());
            match expected {
                Some(text) => {
                    let finding = found.first().unwrap();
                    assert_eq!(
                        (finding.code, finding.severity),
                        ("matches-nothing", Severity::Warning)
                    );
                    assert!(
                        help.unwrap_or_default().contains(text),
                        "{matcher}: {help:?}"
                    );
                }
                None => assert_eq!(found, [], "{matcher}"),
            }
        }
        assert_eq!(
            parsed("SessionStart", "bash", Dialect::ClaudeCode).diagnostics,
            []
        );
        let other = parsed("PreToolUse", "bash", Dialect::Generic).diagnostics;
        assert!(
            other.iter().all(|it| it.severity == Severity::Note),
            "{other:?}"
        );
    }

    #[test]
    fn matchers_that_are_ignored_are_found() {
        for (event, matcher, expected) in [
            ("Stop", "Bash", Some("matcher-ignored")),
            ("UserPromptSubmit", "x", Some("matcher-ignored")),
            ("Stop", "", None),
            ("Stop", "*", None),
            ("Stop", ".*", None),
            ("SessionStart", "startup", None),
        ] {
            for dialect in [Dialect::ClaudeCode, Dialect::Generic] {
                let found = parsed(event, matcher, dialect).diagnostics;
                let code = found.first().map(|it| it.code);
                assert_eq!(code, expected, "{event} {matcher}: {found:?}");
            }
        }
    }

    #[test]
    fn commas_are_read_by_the_version() {
        let hooks = |matcher| parsed("PreToolUse", matcher, Dialect::ClaudeCode).hooks;
        for (matcher, client, expected) in [
            ("Write,Edit", None, Some(Severity::Note)),
            ("Write,Edit", Some((2, 1, 190)), Some(Severity::Warning)),
            ("Write,Edit", Some((2, 1, 191)), None),
            ("Write,Edit", Some((2, 1, 325)), None),
            ("Write|Edit", Some((2, 1, 190)), None),
            ("Ba{1,2}sh", Some((2, 1, 190)), None),
        ] {
            let client =
                client.map(|(major, minor, patch)| ClientVersion::new(major, minor, patch));
            let found = matcher_findings(&hooks(matcher), client);
            let severity = found.first().map(|it| it.severity);
            assert_eq!(severity, expected, "{matcher} {client:?}");
        }
        let found = matcher_findings(&hooks("Write, Edit"), None);
        assert_eq!(
            found.first().unwrap().help.as_deref(),
            Some("write `Write|Edit`")
        );
    }
}
