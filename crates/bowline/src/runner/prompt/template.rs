//! The variables of a prompt hook's text.

use std::borrow::Cow;

use serde_json::Value;

use crate::context::HookContext;
use crate::dialect::Dialect;
use crate::input::{HookInput, plain_text};
use crate::runner::placeholder::{Escapes, substitute};

/// Replaces the variables in a prompt hook's text, in one pass: what was put in is not looked at again.
///
/// `$COMMAND`, `$TOOL_NAME`, `$TOOL_INPUT`, `$TOOL_OUTPUT`, `$ERROR_MESSAGE`, `$USER_PROMPT`, `$FILE_PATH`, `$EVENT`,
/// `$SESSION_ID`, `$WORKING_DIR`, `$TIMESTAMP` and `$ARGUMENTS` (the event's whole JSON, `payload`) are known, also
/// as `${NAME}`; one that has no value on this event is empty, other names are left alone. In the
/// claude-code dialect `\$` is a plain dollar sign, `$ARGUMENTS[0]` and `$0` are the first word of the JSON and so on, and the JSON
/// is appended where no argument is used.
pub fn expand(
    template: &str,
    input: &HookInput,
    ctx: &HookContext,
    payload: &Value,
    dialect: Dialect,
) -> String {
    let event = Event {
        input,
        ctx,
        payload,
    };
    event.expand(template, dialect, |_, value| value)
}

/// How the names of numbered arguments begin while a text is filled in: nobody writes this.
const NUMBERED: &str = "ARGUMENT_NUMBER_";

/// `$ARGUMENTS[1]` and `$1` as `${ARGUMENT_NUMBER_1}`. One behind a backslash is plain text.
fn with_numbered_names(template: &str) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let numbered = if let Some(index) = after.strip_prefix("ARGUMENTS[") {
            index.split_once(']')
        } else {
            let end = after.find(|c: char| !c.is_ascii_digit());
            Some(after.split_at(end.unwrap_or(after.len())))
        };
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        rest = match numbered {
            Some((number, behind)) if is_number(number) && !before.ends_with('\\') => {
                out.extend(["${", NUMBERED, number, "}"]);
                behind
            }
            _ => {
                out.push('$');
                after
            }
        };
    }
    out.push_str(rest);
    out
}

/// What the variables are filled with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Event<'a> {
    pub(crate) input: &'a HookInput,
    pub(crate) ctx: &'a HookContext,
    pub(crate) payload: &'a Value,
}

impl<'a> Event<'a> {
    /// Replaces the variables; `frame` gets the name and the value of each that has one, and says what is put in.
    pub(super) fn expand(
        &self,
        template: &str,
        dialect: Dialect,
        mut frame: impl FnMut(&str, Cow<'a, str>) -> Cow<'a, str>,
    ) -> String {
        let escapes = match dialect {
            Dialect::ClaudeCode => Escapes::Backslash,
            Dialect::Generic => Escapes::None,
        };
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut arguments_used = false;
        let numbered = match dialect {
            Dialect::ClaudeCode => Cow::Owned(with_numbered_names(template)),
            Dialect::Generic => Cow::Borrowed(template),
        };
        let mut text = substitute(&numbered, escapes, is_name, |name| {
            let number = name.strip_prefix(NUMBERED);
            arguments_used |= name == "ARGUMENTS" || number.is_some();
            let value = match number.and_then(|number| number.parse().ok()) {
                Some(number) => self.argument(number),
                None => self.value(name)?,
            };
            Some(if value.is_empty() {
                value
            } else {
                frame(name, value)
            })
        });
        if dialect == Dialect::ClaudeCode && !arguments_used {
            text.push_str("\n\nARGUMENTS:\n");
            text.push_str(&frame("ARGUMENTS", Cow::Owned(self.payload.to_string())));
        }
        text
    }

    /// One of the words of the event's JSON, from 0, as Claude Code counts arguments; empty behind the last.
    fn argument(&self, number: usize) -> Cow<'a, str> {
        let arguments = self.payload.to_string();
        let word = arguments.split_whitespace().nth(number).unwrap_or_default();
        Cow::Owned(word.to_owned())
    }

    /// The value of a variable, empty if this event has none; `None` for a name that is not ours.
    fn value(&self, name: &str) -> Option<Cow<'a, str>> {
        let Self {
            input,
            ctx,
            payload,
        } = *self;
        let text = |value: Option<&'a str>| Cow::Borrowed(value.unwrap_or_default());
        let json = |value: Option<&'a Value>| value.map_or(Cow::Borrowed(""), plain_text);
        Some(match name {
            "COMMAND" => text(input.command()),
            "TOOL_NAME" => text(input.tool_name()),
            "TOOL_INPUT" => json(input.tool_input()),
            "TOOL_OUTPUT" => json(input.tool_response()),
            "ERROR_MESSAGE" => text(input.error()),
            "USER_PROMPT" => text(input.prompt()),
            "FILE_PATH" => text(input.file_path()),
            "EVENT" => text(Some(input.event_name())),
            "SESSION_ID" => text(Some(&input.session_id)),
            "WORKING_DIR" => match &ctx.cwd {
                Some(cwd) => cwd.to_string_lossy(),
                None => text(input.cwd()),
            },
            "TIMESTAMP" => Cow::Owned(input.timestamp.to_rfc3339()),
            "ARGUMENTS" => Cow::Owned(payload.to_string()),
            _ => return None,
        })
    }
}
