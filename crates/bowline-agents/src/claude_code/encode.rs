//! Writing an answer that Claude Code follows: silence, or exactly one JSON object with exit code 0; exit code
//! 2 where the event knows no JSON for a block.

use serde_json::{Map, Value};

use super::fields::{Kind, has_specific, is_event_field, specific};
use super::rules::{BlockForm, block_form, can_end_turn, shows_system_message};
use crate::answer::{Answer, Object, plain_text};
use crate::decision::Decision;
use crate::event::HookEvent;
use crate::express;
use crate::opinion::{Opinion, add_text};

/// Writes an answer that Claude Code accepts for this event. Nothing but a grant is ever written as an
/// "allow".
pub(super) fn encode(event: HookEvent, output: &Opinion) -> Answer {
    match event {
        HookEvent::WorktreeCreate => encode_worktree(output),
        HookEvent::PreCompact if !stops(output) => Answer {
            stdout: plain_text(output.additional_context.as_deref()),
            ..Answer::default()
        },
        _ => Encoder::new(event, output).encode(),
    }
}

fn stops(output: &Opinion) -> bool {
    matches!(output.decision(), Decision::Deny | Decision::Ask)
}

/// Why it is stopped. A question that the event cannot ask is a block that says so.
fn reason(event: HookEvent, output: &Opinion) -> String {
    let reason = express::reason(output);
    let asks = block_form(event) == BlockForm::PermissionDecision;
    match output.decision() {
        Decision::Ask if !asks => format!("The user has to decide this: {reason}"),
        _ => reason.to_owned(),
    }
}

/// The client takes the last line of stdout for the path, so nothing else may be printed.
fn encode_worktree(output: &Opinion) -> Answer {
    if stops(output) {
        return exit_two(String::new(), reason(HookEvent::WorktreeCreate, output));
    }
    let path = output.event_fields.get("worktreePath");
    match path.and_then(Value::as_str).map(path_line) {
        None => Answer::default(),
        Some(Ok(stdout)) => Answer {
            stdout,
            ..Answer::default()
        },
        Some(Err(reason)) => exit_two(String::new(), reason),
    }
}

/// The line from which the client reads this path and no other.
fn path_line(path: &str) -> Result<String, String> {
    let path = path.trim();
    if path.contains(char::is_control) {
        return Err(format!(
            "A hook named the worktree {path:?}. Claude Code cannot be told a path with line breaks or other control characters. Use a path without them."
        ));
    }
    // What begins with a brace is taken for JSON.
    let here = if path.starts_with('{') { "./" } else { "" };
    Ok(format!("{here}{path}\n"))
}

fn exit_two(stdout: String, reason: String) -> Answer {
    Answer {
        exit: 2,
        stdout,
        stderr: format!("{reason}\n"),
    }
}

struct Encoder<'a> {
    event: HookEvent,
    output: &'a Opinion,
    top: Object,
    own: Object,
    system_message: Option<String>,
    context: Option<String>,
}

impl<'a> Encoder<'a> {
    fn new(event: HookEvent, output: &'a Opinion) -> Self {
        Self {
            event,
            output,
            top: Map::new(),
            own: Map::new(),
            system_message: output.system_message.clone(),
            context: output.additional_context.clone(),
        }
    }

    fn encode(mut self) -> Answer {
        let takes_context =
            has_specific(self.event, "additionalContext") && self.event != HookEvent::Notification;
        let mut reason = reason(self.event, self.output);
        if !takes_context && let Some(context) = self.context.take() {
            reason = format!("{reason}\n{context}");
        }
        let refusal = match block_form(self.event) {
            BlockForm::ExitTwo if stops(self.output) => Some(reason.clone()),
            _ => None,
        };
        self.decide(reason);
        self.pass_event_fields();
        if let Some(reason) = &self.output.end_turn
            && can_end_turn(self.event)
        {
            self.top("continue", false);
            self.top("stopReason", reason.as_str());
        }
        if let Some(context) = self.context.take().filter(|_| takes_context) {
            self.own("additionalContext", context);
        }
        if let Some(message) = self.system_message.take()
            && shows_system_message(self.event)
        {
            self.top("systemMessage", message);
        }
        let answer = self.into_answer();
        match refusal {
            Some(reason) => exit_two(answer.stdout, reason),
            None => answer,
        }
    }

    fn top(&mut self, name: &str, value: impl Into<Value>) {
        self.top.insert(name.to_owned(), value.into());
    }

    fn own(&mut self, name: &str, value: impl Into<Value>) {
        self.own.insert(name.to_owned(), value.into());
    }

    fn decide(&mut self, reason: String) {
        let decision = self.output.decision();
        match (block_form(self.event), decision) {
            (BlockForm::PermissionDecision, _) => self.permission_decision(reason),
            (BlockForm::RequestDecision, _) => self.request_decision(reason),
            // With exit code 2 alone, a reason that mentions a missing file could be taken for a missing script.
            (BlockForm::TopLevel | BlockForm::ExitTwo, Decision::Deny | Decision::Ask) => {
                self.top("decision", "block");
                self.top("reason", reason);
            }
            (BlockForm::Decline, _) => self.elicitation(),
            (BlockForm::Unenforceable, Decision::Deny | Decision::Ask) => {
                self.show_unenforced(&reason);
            }
            (BlockForm::TopLevel | BlockForm::ExitTwo | BlockForm::Unenforceable, _) => {}
        }
    }

    fn permission_decision(&mut self, reason: String) {
        let rewrites = has_specific(self.event, "updatedInput");
        // In the client, deferring beats asking too. A guard's question must not get lost by it.
        if self.defers() && self.output.decision() < Decision::Ask {
            self.own("permissionDecision", "defer");
            return;
        }
        let rewritten = self.output.rewritten_input().filter(|_| rewrites);
        let (word, reason) = match (self.output.decision(), rewritten) {
            (Decision::Grant | Decision::Ask | Decision::NoOpinion, Some(input))
                if !input.is_object() =>
            {
                let reason = "A hook rewrote the tool's input to something that is not an object.";
                (Some("deny"), Some(reason.to_owned()))
            }
            (Decision::Deny, _) => (Some("deny"), Some(reason)),
            (Decision::Ask, _) => (Some("ask"), Some(reason)),
            (Decision::Grant, _) => (Some("allow"), None),
            (Decision::NoOpinion, _) => (None, None),
        };
        if let Some(word) = word {
            self.own("permissionDecision", word);
        }
        if let Some(reason) = reason {
            self.own("permissionDecisionReason", reason);
        }
        if let Some(input) = rewritten.filter(|input| input.is_object()) {
            self.own("updatedInput", input.clone());
        }
    }

    fn defers(&self) -> bool {
        self.event == HookEvent::PreToolUse
            && self.field("permissionDecision").and_then(Value::as_str) == Some("defer")
    }

    /// Silence lets the user decide, which is what "ask" asks for.
    fn request_decision(&mut self, reason: String) {
        let rewritten = self.output.rewritten_input();
        let mut decision = Map::new();
        let mut add = |name: &str, value: Value| {
            decision.insert(name.to_owned(), value);
        };
        match self.output.decision() {
            Decision::Deny => {
                add("behavior", "deny".into());
                add("message", reason.into());
                if self.output.end_turn.is_some() {
                    add("interrupt", true.into());
                }
                self.own("decision", decision);
            }
            Decision::Grant if rewritten.is_none_or(Value::is_object) => {
                add("behavior", "allow".into());
                if let Some(input) = rewritten {
                    add("updatedInput", input.clone());
                }
                if let Some(permissions) = self.field("updatedPermissions")
                    && Kind::Objects.check(permissions).is_ok()
                {
                    add("updatedPermissions", permissions.clone());
                }
                self.own("decision", decision);
            }
            Decision::Grant | Decision::Ask | Decision::NoOpinion => {}
        }
    }

    /// The reply to an MCP server. Silence leaves the dialog to the user, or their answer as it is.
    fn elicitation(&mut self) {
        let action = self.field("action").and_then(Value::as_str);
        match (self.output.decision(), action) {
            (Decision::Ask, _) if self.event == HookEvent::Elicitation => {}
            (Decision::Deny, Some("cancel")) => self.own("action", "cancel"),
            (Decision::Deny | Decision::Ask, _) => self.own("action", "decline"),
            (Decision::Grant, Some("accept")) => {
                self.own("action", "accept");
                let content = self.field("content").filter(|value| value.is_object());
                if let Some(content) = content.cloned() {
                    self.own("content", content);
                }
            }
            (Decision::Grant | Decision::NoOpinion, _) => {}
        }
    }

    fn show_unenforced(&mut self, reason: &str) {
        let event = self.event.name();
        let shown = format!("A hook blocked {event}, which Claude Code cannot enforce: {reason}");
        add_text(&mut self.system_message, &shown);
        let told =
            format!("{shown}\nDo not go on before you have told the user and the user has agreed.");
        add_text(&mut self.context, &told);
    }

    fn field(&self, name: &str) -> Option<&'a Value> {
        self.output.event_fields.get(name)
    }

    /// A field of a wrong type would void the whole answer, so it is left out.
    fn pass_event_fields(&mut self) {
        let decided_above = block_form(self.event) == BlockForm::Decline;
        for (name, kind) in specific(self.event).unwrap_or_default() {
            if let Some(value) = self.field(name)
                && !decided_above
                && is_event_field(name)
                && kind.check(value).is_ok()
            {
                self.own(name, value.clone());
            }
        }
        if let Some(sequence) = self.field("terminalSequence").filter(|v| v.is_string()) {
            self.top("terminalSequence", sequence.clone());
        }
    }

    fn into_answer(mut self) -> Answer {
        if !self.own.is_empty() {
            let mut specific = Map::new();
            specific.insert("hookEventName".to_owned(), self.event.name().into());
            specific.extend(std::mem::take(&mut self.own));
            self.top("hookSpecificOutput", specific);
        }
        if self.output.suppress_logging && !self.top.is_empty() {
            self.top("suppressOutput", true);
        }
        Answer::json(self.top)
    }
}
