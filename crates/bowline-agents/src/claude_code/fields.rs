//! The fields that Claude Code reads in an answer, and of what type each must be. One field of a wrong
//! type voids the whole answer.

use serde_json::Value;

use crate::answer::Object;
use crate::event::HookEvent;
use crate::json::kind_of;

/// What a field must be.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A string.
    Text,
    /// True or false.
    Flag,
    /// A number.
    Number,
    /// An object.
    Object,
    /// A list of objects.
    Objects,
    /// A list of strings.
    Texts,
    /// One of these words.
    Word(&'static [&'static str]),
    /// An object with a word in this field that decides which other fields it has.
    Variants(&'static str, &'static [(&'static str, Fields)]),
    /// Anything.
    Any,
}

/// The fields of an object.
pub type Fields = &'static [(&'static str, Kind)];

/// The fields of every answer.
pub const COMMON: Fields = &[
    ("continue", Kind::Flag),
    ("stopReason", Kind::Text),
    ("suppressOutput", Kind::Flag),
    ("systemMessage", Kind::Text),
    ("terminalSequence", Kind::Text),
    ("decision", Kind::Word(&["approve", "block"])),
    ("reason", Kind::Text),
    ("hookSpecificOutput", Kind::Object),
    ("async", Kind::Flag),
    ("asyncTimeout", Kind::Number),
    ("metrics", Kind::Any),
    ("rewakeSummary", Kind::Any),
];

const CONTEXT: (&str, Kind) = ("additionalContext", Kind::Text);
const WATCH_PATHS: (&str, Kind) = ("watchPaths", Kind::Texts);
const REASON: (&str, Kind) = ("permissionDecisionReason", Kind::Text);
const ELICITATION: Fields = &[
    ("action", Kind::Word(&["accept", "decline", "cancel"])),
    ("content", Kind::Object),
];
const REQUEST_DECISION: Kind = Kind::Variants(
    "behavior",
    &[
        (
            "allow",
            &[
                ("updatedInput", Kind::Object),
                ("updatedPermissions", Kind::Objects),
            ],
        ),
        (
            "deny",
            &[("message", Kind::Text), ("interrupt", Kind::Flag)],
        ),
    ],
);

/// The fields of `hookSpecificOutput` beside `hookEventName`; `None` where the client refuses one.
pub const fn specific(event: HookEvent) -> Option<Fields> {
    Some(match event {
        HookEvent::PreToolUse => &[
            (
                "permissionDecision",
                Kind::Word(&["allow", "deny", "ask", "defer"]),
            ),
            REASON,
            ("updatedInput", Kind::Object),
            CONTEXT,
            ("permissionDisplay", Kind::Any),
        ],
        HookEvent::PreModelSwitch => &[
            ("permissionDecision", Kind::Word(&["allow", "deny", "ask"])),
            REASON,
        ],
        HookEvent::PermissionRequest => &[("decision", REQUEST_DECISION)],
        HookEvent::PermissionDenied => &[("retry", Kind::Flag)],
        HookEvent::PostToolUse => &[
            CONTEXT,
            ("updatedToolOutput", Kind::Any),
            ("updatedMCPToolOutput", Kind::Any),
            ("classifierContext", Kind::Text),
        ],
        HookEvent::SessionStart => &[
            CONTEXT,
            ("initialUserMessage", Kind::Text),
            ("sessionTitle", Kind::Text),
            WATCH_PATHS,
            ("reloadSkills", Kind::Flag),
        ],
        HookEvent::UserPromptSubmit => &[
            CONTEXT,
            ("sessionTitle", Kind::Text),
            ("suppressOriginalPrompt", Kind::Flag),
        ],
        HookEvent::UserPromptExpansion => &[CONTEXT, ("suppressOriginalPrompt", Kind::Flag)],
        HookEvent::PostToolUseFailure
        | HookEvent::PostToolBatch
        | HookEvent::Setup
        | HookEvent::Stop
        | HookEvent::SubagentStart
        | HookEvent::SubagentStop
        | HookEvent::Notification
        | HookEvent::PostModelSwitch => &[CONTEXT],
        HookEvent::MessageDisplay => &[("displayContent", Kind::Text)],
        HookEvent::Elicitation | HookEvent::ElicitationResult => ELICITATION,
        HookEvent::CwdChanged | HookEvent::FileChanged => &[WATCH_PATHS],
        HookEvent::WorktreeCreate => &[("worktreePath", Kind::Text)],
        HookEvent::SessionEnd
        | HookEvent::StopFailure
        | HookEvent::TeammateIdle
        | HookEvent::TaskCreated
        | HookEvent::TaskCompleted
        | HookEvent::PreCompact
        | HookEvent::PostCompact
        | HookEvent::ConfigChange
        | HookEvent::InstructionsLoaded
        | HookEvent::WorktreeRemove
        | HookEvent::DirectoryAdded
        | HookEvent::Unknown => return None,
    })
}

/// Whether the event has this field in `hookSpecificOutput`.
pub fn has_specific(event: HookEvent, name: &str) -> bool {
    specific(event)
        .unwrap_or_default()
        .iter()
        .any(|(field, _)| *field == name)
}

/// Whether a field says something else than a decision, an input or a context, for which outputs have
/// fields of their own.
pub fn is_event_field(name: &str) -> bool {
    const OUTPUT_FIELDS: [&str; 5] = [
        "permissionDecision",
        "permissionDecisionReason",
        "updatedInput",
        "additionalContext",
        "decision",
    ];
    name == "terminalSequence"
        || !OUTPUT_FIELDS.contains(&name)
            && HookEvent::ALL
                .iter()
                .any(|event| has_specific(*event, name))
}

/// Checks the fields that are known, and names those that are not.
pub fn check(object: &Object, fields: Fields) -> Result<Vec<&str>, String> {
    let mut unknown = Vec::new();
    for (name, value) in object {
        match fields.iter().find(|(field, _)| field == name) {
            Some((_, kind)) => kind
                .check(value)
                .map_err(|problem| format!("`{name}` {problem}"))?,
            None => unknown.push(name.as_str()),
        }
    }
    Ok(unknown)
}

impl Kind {
    /// Whether the client takes this value; the error says what it is and what it should be.
    pub fn check(self, value: &Value) -> Result<(), String> {
        let expect = |fits: bool, expected: &str| {
            if fits {
                Ok(())
            } else {
                Err(format!("is {}; expected {expected}", kind_of(value)))
            }
        };
        let all =
            |fits: fn(&Value) -> bool| value.as_array().is_some_and(|items| items.iter().all(fits));
        match self {
            Self::Any => Ok(()),
            Self::Text => expect(value.is_string(), "a string"),
            Self::Flag => expect(value.is_boolean(), "true or false"),
            Self::Number => expect(value.is_number(), "a number"),
            Self::Object => expect(value.is_object(), "an object"),
            Self::Objects => expect(all(Value::is_object), "a list of objects"),
            Self::Texts => expect(all(Value::is_string), "a list of strings"),
            Self::Word(words) => match value.as_str() {
                Some(word) if words.contains(&word) => Ok(()),
                Some(word) => Err(format!(
                    "is `{}`; expected {}",
                    word.chars().take(60).collect::<String>(),
                    words.join(" or ")
                )),
                None => expect(false, &words.join(" or ")),
            },
            Self::Variants(tag, variants) => {
                let Some(object) = value.as_object() else {
                    return expect(false, "an object");
                };
                let word = object.get(tag).and_then(Value::as_str);
                let Some((_, fields)) = variants.iter().find(|(name, _)| Some(*name) == word)
                else {
                    let words: Vec<&str> = variants.iter().map(|(name, _)| *name).collect();
                    return Err(format!("must have `{tag}`: {}", words.join(" or ")));
                };
                check(object, fields).map(|_| ())
            }
        }
    }
}
