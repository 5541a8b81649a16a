//! The shapes of the agents' settings files.

use super::shape::{Entries, Events, Part, Shape, Unit, Value};
use super::{form, is_blank, status_line};
use crate::agent_settings::installable::{FileKind, SettingsForm, StatusLineForm};

/// [`CLAUDE`], with the status line.
pub(in crate::agent_settings) const CLAUDE_JSON: SettingsForm = SettingsForm {
    status_line: Some(StatusLineForm {
        install: status_line::install,
        uninstall: status_line::uninstall,
    }),
    ..form!(CLAUDE)
};
pub(in crate::agent_settings) const CODEX_JSON: SettingsForm = form!(CODEX);
pub(in crate::agent_settings) const COPILOT_JSON: SettingsForm = form!(COPILOT);
pub(in crate::agent_settings) const CURSOR_JSON: SettingsForm = form!(CURSOR);
pub(in crate::agent_settings) const DROID_JSON: SettingsForm = form!(DROID);
pub(in crate::agent_settings) const GEMINI_JSON: SettingsForm = form!(GEMINI);
pub(in crate::agent_settings) const WINDSURF_JSON: SettingsForm = form!(WINDSURF);

/// What a person calls Bowline's entries, where entries have names.
pub(in crate::agent_settings) const ENTRY_NAME: &str = "bowline";

const COMMAND: (&str, Part) = ("command", Part::Command);
const SECONDS: (&str, Part) = ("timeout", Part::Timeout(Unit::Seconds));
const TYPE: (&str, Part) = ("type", Part::Kind(Value::Text("command")));
const VERSION: (&str, Value) = ("version", Value::Number("1"));

/// `settings.json` of Claude Code.
pub(super) static CLAUDE: Shape = Shape {
    events: Events::Under("hooks"),
    entries: Entries::Groups,
    handler: &[
        TYPE,
        COMMAND,
        ("args", Part::Arguments),
        SECONDS,
        ("onFailure", Part::OnFailure(Value::Text("block"))),
    ],
    switches: &[],
    required: &[],
};

/// `hooks.json` of Codex and of Grok: Claude Code's, with lines for the shell only.
pub(super) static CODEX: Shape = Shape {
    handler: &[TYPE, COMMAND, SECONDS],
    ..CLAUDE
};

/// `hooks/*.json` of Copilot, in words that VS Code reads, too.
pub(super) static COPILOT: Shape = Shape {
    events: Events::Under("hooks"),
    entries: Entries::Handlers,
    handler: &[TYPE, COMMAND, SECONDS],
    switches: &[],
    required: &[VERSION],
};

/// `hooks.json` of Cursor.
pub(super) static CURSOR: Shape = Shape {
    events: Events::Under("hooks"),
    entries: Entries::Handlers,
    handler: &[
        COMMAND,
        SECONDS,
        ("failClosed", Part::OnFailure(Value::True)),
    ],
    switches: &[],
    required: &[VERSION],
};

/// `hooks.json` of Factory Droid.
pub(super) static DROID: Shape = Shape {
    events: Events::AtTopLevel,
    ..CODEX
};

/// `settings.json` of Gemini and of Qwen. A person can switch a hook off by its name.
pub(super) static GEMINI: Shape = Shape {
    handler: &[
        ("name", Part::Usually(Value::Text(ENTRY_NAME))),
        TYPE,
        COMMAND,
        ("timeout", Part::Timeout(Unit::Milliseconds)),
    ],
    switches: &["enabled", "disabled", "notifications"],
    ..CLAUDE
};

/// `hooks.json` of Windsurf.
pub(super) static WINDSURF: Shape = Shape {
    events: Events::Under("hooks"),
    entries: Entries::Handlers,
    handler: &[COMMAND, ("show_output", Part::Usually(Value::True))],
    switches: &[],
    required: &[],
};
