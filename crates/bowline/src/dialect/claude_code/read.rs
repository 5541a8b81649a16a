//! Reading what a hook answers, as Claude Code reads it.

use bowline_agents::Object;
use bowline_agents::claude_code::fields::{COMMON, check, has_specific, is_event_field, specific};
use bowline_agents::claude_code::rules::{
    BlockEffect, Runner, block_effect, can_end_turn, forgives_missing_scripts, runner,
    stdout_is_context,
};
use serde_json::Value;

use crate::decision::Decision;
use crate::dialect::answer::{HookAnswer, failed, quoted};
use crate::dialect::{Exit, RawOutput};
use crate::error::{Error, Result};
use crate::event::HookEvent;
use crate::opinion::{Opinion, Permission, add_text};
use crate::settings::ExitPolicy;

/// Reads what a command hook printed. `Err` is a non-blocking error of the hook, not a block.
///
/// With [`ExitPolicy::AnyNonZero`] other exit codes block too, unless the JSON itself denies or asks; with
/// [`ExitPolicy::AnyFailure`] every other end is a failure, whatever the JSON permits.
pub(in crate::dialect) fn read_output(
    hook: &str,
    event: HookEvent,
    raw: &RawOutput,
    policy: ExitPolicy,
) -> Result<Opinion> {
    let said = Said::of(hook, event, raw);
    let mut output = match (meaning(event, raw.exit, policy), said) {
        (_, Said::Background(output))
        | (Meaning::Success | Meaning::JsonDecides, Said::Answer(output)) => Ok(*output),
        (Meaning::BlockUnlessRestricted | Meaning::Failure, Said::Answer(output))
            if output.decision() >= Decision::Ask =>
        {
            Ok(*output)
        }
        (Meaning::Failure, _) => Err(raw.failure(hook)),
        (Meaning::Block | Meaning::BlockUnlessRestricted, said) => blocked(hook, event, raw, said),
        (Meaning::Success, Said::Nothing) => Ok(Opinion::allow()),
        (Meaning::Success, Said::Text(text)) => Ok(text_output(event, text)),
        (Meaning::Success | Meaning::JsonDecides, Said::Invalid(error)) => closed(event, error),
        (Meaning::JsonDecides, Said::Nothing | Said::Text(_)) => closed(event, raw.failure(hook)),
    }?;
    output.warnings.extend(raw.cut_warnings());
    Ok(output)
}

/// The client gives the model no longer text than this, in UTF-16 units.
const LONGEST_CONTEXT: usize = 10_000;

/// Shortens what is too long for the model or the user. The client puts it into a file and says so; where there is no such
/// file, it cuts the text as here.
fn shorten(output: &mut Opinion) {
    for text in [&mut output.additional_context, &mut output.system_message]
        .into_iter()
        .flatten()
    {
        let mut units = 0;
        let end = text.char_indices().find_map(|(at, c)| {
            units += c.len_utf16();
            (units > LONGEST_CONTEXT).then_some(at)
        });
        if let Some(end) = end {
            let left_out = text.split_off(end).chars().count();
            let note =
                format!("\n[{left_out} more characters of this hook's output were left out]");
            text.push_str(&note);
            output.warnings.push(format!(
                "the output for the model was cut: {left_out} more characters"
            ));
        }
    }
}

/// The meaning of a process's exit.
enum Meaning {
    Success,
    Block,
    BlockUnlessRestricted,
    /// A failure, unless the JSON denies or asks.
    Failure,
    JsonDecides,
}

fn meaning(event: HookEvent, exit: Exit, policy: ExitPolicy) -> Meaning {
    match (exit, policy) {
        (Exit::Code(0), _) => Meaning::Success,
        (Exit::Code(2), _) => Meaning::Block,
        // Whatever the code is, no worktree is created.
        _ if event == HookEvent::WorktreeCreate => Meaning::Block,
        (_, ExitPolicy::AnyFailure) => Meaning::Failure,
        (Exit::Code(126 | 127) | Exit::Signal(_), _) | (_, ExitPolicy::OnlyTwo) => {
            Meaning::JsonDecides
        }
        (Exit::Code(_), ExitPolicy::AnyNonZero) => Meaning::BlockUnlessRestricted,
    }
}

/// What is on stdout, by the client's rules.
enum Said<'a> {
    Nothing,
    Text(&'a str),
    Answer(Box<Opinion>),
    /// It looks like an answer, and is void.
    Invalid(Error),
    /// The hook went into the background: it decides nothing, whatever its exit code.
    Background(Box<Opinion>),
}

impl<'a> Said<'a> {
    fn of(hook: &str, event: HookEvent, raw: &'a RawOutput) -> Self {
        match raw.answer() {
            HookAnswer::Blank => Self::Nothing,
            HookAnswer::Text(text) => Self::Text(text),
            HookAnswer::Json(object) if is_async(&object) => {
                Self::Background(Box::new(Opinion::allow()))
            }
            HookAnswer::Json(object) => match read_answer(hook, event, &object) {
                Ok(output) => Self::Answer(Box::new(output)),
                Err(error) => Self::Invalid(error),
            },
            HookAnswer::Broken { text, reason } => {
                if let Some(output) = background(text) {
                    return Self::Background(Box::new(output));
                }
                if !raw.stdout_cut && (!text.ends_with('}') || is_log(text)) {
                    return Self::Text(text);
                }
                Self::Invalid(failed(
                    hook,
                    format!("its stdout looks like JSON but cannot be read: {reason}"),
                ))
            }
        }
    }
}

fn is_async(object: &Object) -> bool {
    object.get("async") == Some(&Value::Bool(true))
}

/// A hook that prints `{"async": true}` as its first line is in the background from then on. Of its further
/// lines, the first JSON object counts, and of that only what is for the model or the user.
fn background(text: &str) -> Option<Opinion> {
    let mut objects = text
        .lines()
        .map(|line| serde_json::from_str::<Object>(line).ok());
    objects.next()?.filter(is_async)?;
    let answer = objects.flatten().find(|object| !is_async(object));
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    Some(answer.map_or_else(Opinion::allow, |answer| {
        let own = answer.get("hookSpecificOutput");
        Opinion {
            system_message: text(answer.get("systemMessage")),
            additional_context: text(own.and_then(|own| own.get("additionalContext"))),
            ..Opinion::allow()
        }
    }))
}

/// Whether every line is a JSON document of its own and none is an answer: a log, which is text.
fn is_log(text: &str) -> bool {
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .all(|line| match serde_json::from_str::<Value>(line) {
            Ok(Value::Object(object)) => !COMMON.iter().any(|(name, _)| object.contains_key(*name)),
            Ok(_) => true,
            Err(_) => false,
        })
}

fn text_output(event: HookEvent, text: &str) -> Opinion {
    let mut output = Opinion::allow();
    if stdout_is_context(event) {
        output.additional_context = Some(text.to_owned());
    } else if event == HookEvent::WorktreeCreate {
        let path = text
            .lines()
            .map(without_ansi_codes)
            .rfind(|line| !line.trim().is_empty());
        if let Some(path) = path {
            let path = path.trim().into();
            output.event_fields.insert("worktreePath".to_owned(), path);
        }
    } else {
        output.message = Some(text.to_owned());
    }
    shorten(&mut output);
    output
}

/// The text without colours and other terminal sequences.
fn without_ansi_codes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            plain.push(c);
            continue;
        }
        match chars.next() {
            Some('[') => {
                chars.find(|c| ('\u{40}'..='\u{7e}').contains(c));
            }
            Some(']') => {
                chars.find(|c| matches!(c, '\u{7}' | '\\'));
            }
            _ => {}
        }
    }
    plain
}

/// The client lets things go on when a hook fails, but for a model switch.
fn closed(event: HookEvent, error: Error) -> Result<Opinion> {
    match event {
        HookEvent::PreModelSwitch => Ok(Opinion::block(error.to_string())),
        _ => Err(error),
    }
}

/// A blocking exit code: it blocks whatever the JSON says, with the JSON's own blocking reason, else stderr.
fn blocked(hook: &str, event: HookEvent, raw: &RawOutput, said: Said<'_>) -> Result<Opinion> {
    if forgives_missing_scripts(event) && is_missing_script(raw) {
        return Err(raw.failure(hook));
    }
    let mut output = match said {
        Said::Answer(output) => *output,
        Said::Invalid(error) => Opinion::allow().warning(error.to_string()),
        Said::Text(text) => Opinion {
            message: Some(text.to_owned()),
            ..Opinion::allow()
        },
        Said::Nothing | Said::Background(_) => Opinion::allow(),
    };
    let told = match output.decision() {
        Decision::Deny => output.stop_reason.take(),
        Decision::Ask | Decision::Grant | Decision::NoOpinion => None,
    };
    if matches!(event, HookEvent::Elicitation | HookEvent::ElicitationResult) {
        output.event_fields.clear();
    }
    let denied = output.decision() == Decision::Deny;
    output.permission = None;
    output.continue_execution = true;
    let reason = told
        .or_else(|| raw.complaint().map(str::to_owned))
        .unwrap_or_else(|| format!("hook `{hook}` blocked this and printed no reason on stderr"));
    if denied {
        deny(&mut output, reason);
    } else {
        block(&mut output, event, reason);
    }
    Ok(output)
}

fn is_missing_script(raw: &RawOutput) -> bool {
    let complaint = raw.stderr.to_lowercase();
    raw.exit == Exit::Code(2)
        && raw.stdout.trim().is_empty()
        && ["no such file", "can't open"]
            .iter()
            .any(|text| complaint.contains(text))
}

/// What exit code 2 and `decision: "block"` do on this event.
fn block(output: &mut Opinion, event: HookEvent, reason: String) {
    match block_effect(event) {
        BlockEffect::Blocks => deny(output, reason),
        BlockEffect::Shown => {
            output.warnings.push(format!(
                "Claude Code cannot block {}; the reason is shown to the user",
                event.name()
            ));
            add_text(&mut output.system_message, &reason);
        }
        BlockEffect::Ignored => output.warnings.push(format!(
            "Claude Code ignores a block on {}; the hook said: {reason}",
            event.name()
        )),
    }
}

fn deny(output: &mut Opinion, reason: String) {
    output.continue_execution = false;
    output.permission = None;
    output.stop_reason = Some(reason);
}

/// Reads a JSON answer; `Err` if the client would refuse it as a whole.
pub(in crate::dialect) fn read_answer(
    hook: &str,
    event: HookEvent,
    object: &Object,
) -> Result<Opinion> {
    if is_async(object) {
        return Ok(Opinion::allow());
    }
    let void = |problem| failed(hook, format!("its answer is void: {problem}"));
    let mut unknown = check(object, COMMON).map_err(void)?;
    let own = match object.get("hookSpecificOutput") {
        Some(Value::Object(own)) => {
            unknown.extend(check_specific(event, own).map_err(void)?);
            Some(own)
        }
        _ => None,
    };
    let answer = AnswerFields {
        event,
        top: object,
        own,
    };
    let mut output = answer.read(hook);
    if !unknown.is_empty() {
        output.warnings.push(format!(
            "Claude Code knows no such fields of an answer to {}, they were ignored: {}",
            event.name(),
            quoted(unknown)
        ));
    }
    shorten(&mut output);
    Ok(output)
}

fn check_specific(event: HookEvent, own: &Object) -> Result<Vec<&str>, String> {
    let name = event.name();
    match own.get("hookEventName").map(Value::as_str) {
        Some(Some(found)) if found == name => {}
        Some(Some(found)) => {
            let found: String = found.chars().take(60).collect();
            return Err(format!("`hookEventName` is `{found}`; expected `{name}`"));
        }
        _ => {
            return Err(format!(
                "`hookSpecificOutput` must have `hookEventName`: `{name}`"
            ));
        }
    }
    let fields = specific(event).ok_or_else(|| format!("{name} takes no `hookSpecificOutput`"))?;
    let mut unknown = check(own, fields)?;
    unknown.retain(|field| *field != "hookEventName");
    Ok(unknown)
}

/// The fields of an answer whose types have been checked.
struct AnswerFields<'a> {
    event: HookEvent,
    top: &'a Object,
    own: Option<&'a Object>,
}

impl<'a> AnswerFields<'a> {
    fn top_text(&self, name: &str) -> Option<&'a str> {
        self.top.get(name)?.as_str()
    }

    /// A field that is the event's own. The client does not look at those of other events.
    fn own(&self, name: &str) -> Option<&'a Value> {
        self.own?
            .get(name)
            .filter(|_| has_specific(self.event, name))
    }

    fn own_text(&self, name: &str) -> Option<&'a str> {
        self.own(name)?.as_str()
    }

    fn read(&self, hook: &str) -> Opinion {
        let event = self.event;
        let mut output = Opinion {
            system_message: self.top_text("systemMessage").map(str::to_owned),
            suppress_logging: self.top.get("suppressOutput") == Some(&Value::Bool(true)),
            updated_input: self.own("updatedInput").cloned(),
            event_fields: self.event_fields(),
            ..Opinion::allow()
        };
        if let Some(context) = self.own_text("additionalContext") {
            if event == HookEvent::Notification {
                let warning = "Claude Code does not use `additionalContext` on Notification";
                output.warnings.push(warning.to_owned());
            } else {
                output.additional_context = Some(context.to_owned());
            }
        }
        if self.top.get("continue") == Some(&Value::Bool(false)) {
            self.end_turn(&mut output, hook, event);
        }
        let reason = self.top_text("reason");
        let gave_none = || format!("hook `{hook}` gave no reason");
        match self.top_text("decision") {
            Some("block") => {
                let reason = reason.map_or_else(gave_none, str::to_owned);
                block(&mut output, event, reason);
            }
            Some("approve") if event == HookEvent::PreToolUse => {
                output.permission = Some(Permission::Grant);
            }
            _ => {}
        }
        let reason = self.own_text("permissionDecisionReason").or(reason);
        let told = || reason.map_or_else(gave_none, str::to_owned);
        match self.own_text("permissionDecision") {
            Some("deny") => deny(&mut output, told()),
            Some("ask") if output.decision() < Decision::Ask => {
                output.continue_execution = false;
                output.permission = Some(Permission::Ask);
                output.stop_reason = Some(told());
            }
            Some("allow") if output.decision() < Decision::Grant => {
                output.permission = Some(Permission::Grant);
            }
            Some("defer") => {
                output.updated_input = None;
                let field = "permissionDecision".to_owned();
                output.event_fields.insert(field, "defer".into());
                let warning = "`defer` has no opinion here; only Claude Code can honour it";
                output.warnings.push(warning.to_owned());
            }
            _ => {}
        }
        if let Some(Value::Object(request)) = self.own("decision") {
            read_request(&mut output, request, gave_none);
        }
        match self.own_text("action") {
            Some("accept") if output.decision() < Decision::Grant => {
                output.permission = Some(Permission::Grant);
            }
            Some("decline" | "cancel") if output.decision() < Decision::Deny => {
                deny(&mut output, told());
            }
            _ => {}
        }
        if matches!(event, HookEvent::Stop | HookEvent::SubagentStop) {
            settle_stop(&mut output);
        }
        output
    }

    fn end_turn(&self, output: &mut Opinion, hook: &str, event: HookEvent) {
        if can_end_turn(event) {
            let reason = self
                .top_text("stopReason")
                .map_or_else(|| format!("hook `{hook}` ended the turn"), str::to_owned);
            output.end_turn = Some(reason);
        } else if runner(event) == Runner::Loop {
            let event = event.name();
            output
                .warnings
                .push(format!("Claude Code ignores `continue: false` on {event}"));
        }
    }

    fn event_fields(&self) -> Object {
        let everywhere = self.top.get_key_value("terminalSequence");
        self.own
            .into_iter()
            .flatten()
            .filter(|(name, _)| is_event_field(name) && has_specific(self.event, name))
            .chain(everywhere)
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }
}

/// The `decision` object of `PermissionRequest`.
fn read_request(output: &mut Opinion, request: &Object, gave_none: impl Fn() -> String) {
    if request.get("behavior").and_then(Value::as_str) == Some("deny") {
        let message = request.get("message").and_then(Value::as_str);
        let reason = message.map_or_else(gave_none, str::to_owned);
        if request.get("interrupt") == Some(&Value::Bool(true)) {
            output.end_turn = Some(reason.clone());
        }
        deny(output, reason);
        return;
    }
    output.permission = Some(Permission::Grant);
    output.updated_input = request.get("updatedInput").cloned();
    if let Some(permissions) = request.get("updatedPermissions") {
        let field = "updatedPermissions".to_owned();
        output.event_fields.insert(field, permissions.clone());
    }
}

/// At the end of a turn, `continue: false` beats a block, and context makes the agent go on as a block does.
fn settle_stop(output: &mut Opinion) {
    if output.end_turn.is_some() {
        output.continue_execution = true;
        output.permission = None;
        output.stop_reason = None;
    } else if output.decision() < Decision::Deny
        && let Some(context) = output.additional_context.take()
    {
        deny(output, context);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_sequences_are_taken_out() {
        for (text, expected) in [
            ("/plain", "/plain"),
            ("\u{1b}[1;32m/path\u{1b}[0m", "/path"),
            ("\u{1b}]0;title\u{7}/path", "/path"),
            ("\u{1b}]8;;x\u{1b}\\/path", "/path"),
            ("/path\u{1b}", "/path"),
            ("/path\u{1b}[", "/path"),
        ] {
            assert_eq!(without_ansi_codes(text), expected);
        }
    }

    #[test]
    fn a_log_is_lines_of_json_without_an_answer() {
        for (text, expected) in [
            ("{\"level\":\"info\"}\n\n{\"level\":\"warn\"}", true),
            ("{\"level\":\"info\"}\n5", true),
            ("{\"level\":\"info\"}\n{\"decision\":\"block\"}", false),
            ("{\"level\":\"info\"}\n{oops}", false),
        ] {
            assert_eq!(is_log(text), expected, "{text}");
        }
    }
}
