//! The superset of JSON answers: the names of every format that Bowline took over, in both spellings. The strictest of several
//! decisions in one answer wins.

use bowline_agents::claude_code::fields::is_event_field;
use bowline_agents::{Object, kind_of};
use serde_json::Value;

use crate::decision::Decision;
use crate::dialect::answer::quoted;
use crate::event::{EventClass, HookEvent};
use crate::opinion::{Opinion, Permission, add_text};

/// A JSON answer, understood.
pub(super) struct Read {
    /// What it says.
    pub output: Opinion,
    /// The reason that it gives, whatever it decided.
    pub reason: Option<String>,
}

type Names = &'static [&'static str];

const SPECIFIC: Names = &["hookSpecificOutput", "hook_specific_output"];
const EVENT_NAME: Names = &["hookEventName", "hook_event_name"];
const CONTINUE_EXECUTION: Names = &["continue_execution", "continueExecution"];
const CONTINUE: Names = &["continue"];
const DECISION: Names = &["decision"];
const ACTION: Names = &["action"];
const PERMISSION: Names = &["permissionDecision", "permission_decision"];
const REASON: Names = &[
    "permissionDecisionReason",
    "permission_decision_reason",
    "reason",
    "stop_reason",
    "stopReason",
];
const MESSAGE: Names = &["message"];
const ERROR: Names = &["error"];
const UPDATED_INPUT: Names = &[
    "updated_input",
    "updatedInput",
    "modifiedInput",
    "modified_input",
];
const SYSTEM_MESSAGE: Names = &["system_message", "systemMessage"];
const CONTEXT: Names = &["additional_context", "additionalContext"];
const SUPPRESS: Names = &[
    "suppress_logging",
    "suppressLogging",
    "suppressOutput",
    "suppress_output",
];
const ALL: [Names; 15] = [
    SPECIFIC,
    EVENT_NAME,
    CONTINUE_EXECUTION,
    CONTINUE,
    DECISION,
    ACTION,
    PERMISSION,
    REASON,
    MESSAGE,
    ERROR,
    UPDATED_INPUT,
    SYSTEM_MESSAGE,
    CONTEXT,
    SUPPRESS,
    &["async", "asyncTimeout"],
];

fn is_known(name: &str) -> bool {
    ALL.iter().any(|names| names.contains(&name)) || is_event_field(name)
}

/// Reads a JSON answer. What cannot be understood is a warning; a decision on a gate that cannot be understood blocks, because
/// nobody knows that the hook meant to let it pass.
pub(super) fn read(hook: &str, event: HookEvent, object: &Object) -> Read {
    if !object.is_empty() && !object.keys().any(|name| is_known(name)) {
        let output = Opinion {
            message: Some(Value::Object(object.clone()).to_string()),
            ..Opinion::allow()
        };
        let found = quoted(object.keys().map(String::as_str));
        return Read {
            output: output.warning(format!("no field of the answer is known: {found}")),
            reason: None,
        };
    }
    Reader::new(object).read(hook, event)
}

struct Reader<'a> {
    top: &'a Object,
    own: Option<&'a Object>,
    warnings: Vec<String>,
    /// The first decision that could not be understood.
    unclear: Option<String>,
}

/// The meaning of the words of an answer.
#[derive(Default)]
struct WordsSaid {
    decision: Decision,
    /// The message is for the model (`warn`, `continue`).
    remark: bool,
    defer: bool,
}

impl WordsSaid {
    fn strengthen(&mut self, decision: Decision) {
        self.decision = self.decision.max(decision);
    }
}

impl<'a> Reader<'a> {
    fn new(top: &'a Object) -> Self {
        let mut reader = Self {
            top,
            own: None,
            warnings: Vec::new(),
            unclear: None,
        };
        reader.own = reader.find(SPECIFIC, Value::as_object, "an object");
        let unknown: Vec<&str> = top
            .keys()
            .chain(reader.own.into_iter().flat_map(|own| own.keys()))
            .map(String::as_str)
            .filter(|name| !is_known(name))
            .collect();
        if !unknown.is_empty() {
            let unknown = quoted(unknown);
            reader.warnings.push(format!(
                "unknown fields of the answer were ignored: {unknown}"
            ));
        }
        reader
    }

    fn read(mut self, hook: &str, event: HookEvent) -> Read {
        self.check_event_name(event);
        let mut verdict = self.verdict(event);
        let unclear = self
            .unclear
            .take()
            .filter(|_| event.class() == EventClass::Gate && verdict.decision < Decision::Deny);
        if unclear.is_some() {
            verdict.strengthen(Decision::Deny);
        }
        let unclear = unclear.map(|what| {
            format!("hook `{hook}` gave a decision that is none, so that it blocks: {what}")
        });
        let reason = self.text(REASON);
        let message = self.text(MESSAGE);
        let error = self.text(ERROR);
        let request_message = self.request().and_then(|request| request.get("message"));
        let told = (unclear.as_deref())
            .or(reason)
            .or(request_message.and_then(Value::as_str))
            .or(message)
            .or(error);

        let mut output = Opinion {
            additional_context: self.text(CONTEXT).map(str::to_owned),
            system_message: self.text(SYSTEM_MESSAGE).map(str::to_owned),
            suppress_logging: self.flag(SUPPRESS) == Some(true),
            updated_input: self.updated_input(),
            event_fields: self.event_fields(),
            ..Opinion::allow()
        };
        match verdict.decision {
            Decision::Deny | Decision::Ask => {
                output.continue_execution = false;
                output.permission = (verdict.decision == Decision::Ask).then_some(Permission::Ask);
                output.stop_reason = Some(
                    told.map_or_else(|| format!("hook `{hook}` gave no reason"), str::to_owned),
                );
                output.message = message
                    .filter(|text| Some(*text) != told)
                    .map(str::to_owned);
            }
            Decision::Grant | Decision::NoOpinion if verdict.remark => {
                if let Some(text) = message.or(reason) {
                    add_text(&mut output.additional_context, text);
                }
            }
            Decision::Grant | Decision::NoOpinion => {
                output.message = message.or(reason).map(str::to_owned);
            }
        }
        if verdict.decision == Decision::Grant {
            output.permission = Some(Permission::Grant);
        }
        if verdict.defer {
            output
                .event_fields
                .insert("permissionDecision".to_owned(), "defer".into());
            self.warnings
                .push("`defer` has no opinion here; only Claude Code can honour it".to_owned());
        }
        if let Some(error) = error.filter(|text| Some(*text) != told || output.continue_execution) {
            self.warnings
                .push(format!("hook `{hook}` reported an error: {error}"));
        }
        let reason = told.map(str::to_owned);
        output.warnings = self.warnings;
        Read { output, reason }
    }

    fn check_event_name(&mut self, event: HookEvent) {
        let Some(name) = self.text(EVENT_NAME) else {
            return;
        };
        if event != HookEvent::Unknown && HookEvent::from_name(name) != Some(event) {
            self.warnings.push(format!(
                "the answer is for `{name}`, but the event is {}",
                event.name()
            ));
        }
    }

    /// The first of these fields that exists, event-specific ones first.
    fn find<T>(
        &mut self,
        names: Names,
        read: impl Fn(&'a Value) -> Option<T>,
        expected: &str,
    ) -> Option<T> {
        for object in self.own.into_iter().chain([self.top]) {
            for name in names {
                let Some(value) = object.get(*name).filter(|value| !value.is_null()) else {
                    continue;
                };
                if let Some(found) = read(value) {
                    return Some(found);
                }
                self.warnings.push(format!(
                    "`{name}` is {}; expected {expected}",
                    kind_of(value)
                ));
            }
        }
        None
    }

    fn text(&mut self, names: Names) -> Option<&'a str> {
        self.find(names, Value::as_str, "a string")
    }

    fn flag(&mut self, names: Names) -> Option<bool> {
        self.find(names, Value::as_bool, "true or false")
    }

    fn deciding_flag(&mut self, names: Names) -> Option<bool> {
        let before = self.warnings.len();
        let found = self.flag(names);
        if found.is_none()
            && let Some(warning) = self.warnings.get(before)
        {
            self.unclear.get_or_insert(warning.clone());
        }
        found
    }

    /// Notes a decision that cannot be understood. `action` is a word that others use for more than decisions.
    fn not_understood(&mut self, name: &str, warning: String) {
        if !ACTION.contains(&name) {
            self.unclear.get_or_insert(warning.clone());
        }
        self.warnings.push(warning);
    }

    /// The `decision` object of a `PermissionRequest` answer.
    fn request(&self) -> Option<&'a Object> {
        self.own?.get("decision")?.as_object()
    }

    fn verdict(&mut self, event: HookEvent) -> WordsSaid {
        let mut verdict = WordsSaid::default();
        let (top, own) = (self.top, self.own);
        for name in DECISION.iter().chain(ACTION).chain(PERMISSION) {
            self.weigh(&mut verdict, name, top.get(*name), Decision::NoOpinion);
        }
        for name in PERMISSION {
            let word = own.and_then(|own| own.get(*name));
            self.weigh(&mut verdict, name, word, Decision::Grant);
        }
        match own.and_then(|own| own.get("decision")) {
            Some(Value::Object(request)) => {
                let behavior = request.get("behavior");
                self.weigh(&mut verdict, "behavior", behavior, Decision::Grant);
            }
            word => self.weigh(&mut verdict, "decision", word, Decision::NoOpinion),
        }
        let reply = own.and_then(|own| own.get("action")?.as_str());
        if matches!(event, HookEvent::Elicitation | HookEvent::ElicitationResult) {
            match reply {
                Some("accept") => verdict.strengthen(Decision::Grant),
                Some("decline" | "cancel") => verdict.strengthen(Decision::Deny),
                _ => {}
            }
        }
        // Answers that ask carry `continue_execution: false` for readers who know nothing else.
        if self.deciding_flag(CONTINUE_EXECUTION) == Some(false)
            && verdict.decision != Decision::Ask
        {
            verdict.strengthen(Decision::Deny);
        }
        if self.deciding_flag(CONTINUE) == Some(false) {
            verdict.strengthen(Decision::Deny);
        }
        verdict
    }

    /// `allow` is what "allow" means in this place: a grant only where the agent itself takes it for one.
    fn weigh(
        &mut self,
        verdict: &mut WordsSaid,
        name: &str,
        word: Option<&Value>,
        allow: Decision,
    ) {
        let word = match word {
            None | Some(Value::Null) => return,
            Some(Value::String(word)) => word.trim().to_ascii_lowercase(),
            Some(other) => {
                let found = kind_of(other);
                return self.not_understood(name, format!("`{name}` is {found}; expected a word"));
            }
        };
        match word.as_str() {
            "block" | "deny" | "fail" => verdict.strengthen(Decision::Deny),
            "ask" => verdict.strengthen(Decision::Ask),
            "grant" => verdict.strengthen(Decision::Grant),
            "allow" | "approve" => verdict.strengthen(allow),
            "warn" | "continue" => verdict.remark = true,
            "defer" => verdict.defer = true,
            unknown => {
                let unknown: String = unknown.chars().take(60).collect();
                self.not_understood(
                    name,
                    format!(
                        "`{name}: {unknown}` is not a decision; expected allow, ask, deny or block"
                    ),
                );
            }
        }
    }

    /// A rewritten input: an object, or the JSON text of one.
    fn updated_input(&mut self) -> Option<Value> {
        let request = self
            .request()
            .and_then(|request| request.get("updatedInput"));
        if let Some(input @ Value::Object(_)) = request {
            return Some(input.clone());
        }
        self.find(
            UPDATED_INPUT,
            input_object,
            "an object, or the JSON text of one",
        )
    }

    fn event_fields(&self) -> Object {
        let specific = self
            .own
            .into_iter()
            .flatten()
            .filter(|(name, _)| is_event_field(name));
        let everywhere = self.top.get_key_value("terminalSequence");
        let permissions = self
            .request()
            .and_then(|request| request.get_key_value("updatedPermissions"));
        specific
            .chain(everywhere)
            .chain(permissions)
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }
}

fn input_object(value: &Value) -> Option<Value> {
    match value {
        Value::Object(_) => Some(value.clone()),
        Value::String(text) => serde_json::from_str::<Object>(text).ok().map(Value::Object),
        _ => None,
    }
}
