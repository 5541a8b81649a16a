//! The keys of hooks in Bowline's own files. The readers in this folder ask for them by name, and
//! understand Claude Code's spellings as well.

use super::model::{Dedupe, ExitPolicy};
use super::policy::{FailureWord, TIMEOUT_LIST};
use crate::event::HookEvent;
use crate::settings::keys::{Chosen, Key, Kind, Map, Table, Union, Unknown};

/// The value of `hooks`.
pub(in crate::settings) static HOOKS: Union = Union {
    name: "Hooks",
    about: "",
    of: &[Kind::Map(&BY_EVENT), Kind::List(&Kind::Table(&HOOK))],
};

static BY_EVENT: Map = Map {
    name: Some("HooksByEvent"),
    about: "Hooks by event.",
    key: "EVENT",
    // Editors complete what is listed. Other casings of an event are read too, so they stay valid.
    names: || HookEvent::ALL.iter().map(|event| event.name()).collect(),
    others: Unknown::Fine,
    of: Kind::AnyOf(&EVENT_HOOKS),
};

static EVENT_HOOKS: Union = Union {
    name: "EventHooks",
    about: "For each event a list of groups, hooks and commands, or hooks by name.",
    of: &[Kind::List(&Kind::AnyOf(&ENTRY)), Kind::Map(&BY_NAME)],
};

static ENTRY: Union = Union {
    name: "Entry",
    about: "",
    of: &[Kind::Text, Kind::Table(&GROUP), Kind::Table(&HOOK)],
};

static BY_NAME: Map = by_name(Kind::AnyOf(&COMMAND_OR_HOOK));

static COMMAND_OR_HOOK: Union = Union {
    name: "CommandOrHook",
    about: "",
    of: &[Kind::Text, Kind::Table(&HOOK)],
};

static GROUP: Table = Table {
    name: "Group",
    about: "Hooks that share a matcher.",
    others: Unknown::Fine,
    keys: &[
        Key::new(
            "matcher",
            "Which occurrences of the event they are for.",
            MATCHER,
        ),
        Key::new(
            "hooks",
            "The hooks.",
            Kind::List(&Kind::AnyOf(&COMMAND_OR_HOOK)),
        )
        .required(),
        Key::new("parallel", "Whether they run together.", Kind::Flag),
    ],
};

const MATCHER: Kind = Kind::AnyOf(&Union {
    name: "Matcher",
    about: "Which occurrences of the event: a pattern, or an object of patterns.",
    of: &[Kind::Text, TEXTS_BY_NAME],
});

const TEXTS_BY_NAME: Kind = Kind::Map(&by_name(Kind::Text));

const TEXTS: Kind = Kind::List(&Kind::Text);

const fn by_name(of: Kind) -> Map {
    Map {
        name: None,
        about: "",
        key: "NAME",
        names: Vec::new,
        others: Unknown::Fine,
        of,
    }
}

/// One hook.
pub(in crate::settings) static HOOK: Table = Table {
    name: "Hook",
    about: "One hook.",
    others: Unknown::Fine,
    keys: &[
        Key::new(
            "type",
            "`command`, `prompt`, `http`, `agent` or `mcp_tool`; in a list of scripts, the event.",
            Kind::Text,
        ),
        Key::new("event", "The event, in a list of scripts.", Kind::Text),
        Key::new("name", "Its name.", Kind::Text),
        Key::new("description", "What it is for.", Kind::Text),
        Key::new(
            "command",
            "Shell text, or the program when there are `args`.",
            Kind::Text,
        ),
        Key::new(
            "args",
            "Arguments; present, even empty, means no shell.",
            TEXTS,
        ),
        Key::new(
            "script",
            "A program that is started without a shell.",
            Kind::Text,
        ),
        Key::new(
            "prompt",
            "The question to a model, or what an agent is to find out.",
            Kind::Text,
        ),
        Key::new(
            "model",
            "The model; else the one of `[prompt]`.",
            Kind::Text,
        ),
        Key::new("url", "Where to post the event to.", Kind::Text),
        Key::new(
            "headers",
            "Headers; `$NAME` stands for an allowed variable.",
            TEXTS_BY_NAME,
        ),
        Key::new(
            "allowed_env_vars",
            "The variables that headers may use.",
            TEXTS,
        ),
        Key::new(
            "server",
            "The MCP server whose tool is called; a plugin's is `plugin:PLUGIN:SERVER`.",
            Kind::Text,
        ),
        Key::new("tool", "The MCP server's tool.", Kind::Text),
        Key::new(
            "input",
            "What the tool gets; `${tool_input.command}` and the like stand for fields of the event.",
            Kind::Object,
        ),
        Key::new(
            "matcher",
            "Which occurrences of the event it is for.",
            MATCHER,
        ),
        Key::new(
            "if",
            "A further condition, such as `Bash(git *)`.",
            Kind::Text,
        ),
        Key::new(
            "timeout_secs",
            "How long it may take, in seconds.",
            Kind::Number,
        ),
        Key::new(
            "timeout_ms",
            "How long it may take, in milliseconds.",
            Kind::Number,
        ),
        Key::new(
            "timeout",
            "How long it may take: seconds below 1000, else milliseconds.",
            Kind::Number,
        ),
        Key::new(
            "exit_policy",
            "How exit codes are read.",
            Kind::Words(ExitPolicy::LIST),
        ),
        Key::new(
            "on_failure",
            "What it comes to when the hook fails.",
            Kind::Words(FailureWord::LIST),
        ),
        Key::new(
            "on_timeout",
            "What it comes to when the hook takes too long, if that is something else.",
            Kind::Words(&TIMEOUT_LIST),
        ),
        Key::new(
            "dedupe",
            "Which other hooks are the same as this one.",
            Kind::Words(Dedupe::LIST),
        ),
        Key::new(
            "priority",
            "Higher runs first; 0 if nothing is said.",
            Kind::WholeNumber,
        ),
        Key::new("async", "Started and not waited for.", Kind::Flag),
        Key::new(
            "observer",
            "Runs beside the others and does not decide.",
            Kind::Flag,
        ),
        Key::new(
            "once",
            "Until it has run successfully once in a session.",
            Kind::Flag,
        ),
        Key::new("parallel", "Runs together with its neighbours.", Kind::Flag),
        Key::new(
            "env",
            "Variables on top of the inherited ones.",
            TEXTS_BY_NAME,
        ),
    ],
};

/// Every key of a hook that is known, for suggestions: Claude Code's spellings first.
pub(in crate::settings) fn known() -> Vec<&'static str> {
    let claude_code = ["allowedEnvVars", "id", "statusMessage", "continue_on_block"];
    claude_code.into_iter().chain(HOOK.names()).collect()
}
