//! OpenAI's Codex CLI: Claude Code's events, read more strictly.
//!
//! Built against 0.166. What it does not accept in an answer, it takes for a failure of the hook, and goes on.

mod decode;
mod encode;
mod reads;
mod registration;
mod rules;

use crate::agent::{Agent, ClaudeHooks, Protocol, Support};
use crate::answer::Answer;
use crate::event::HookEvent;
use crate::last_resort::{LastResort, Unjudged, none};
use crate::registration::Registration;

/// Codex.
pub const AGENT: Agent = Agent {
    name: "codex",
    title: "Codex",
    events: &[
        ("SessionStart", HookEvent::SessionStart),
        ("SessionEnd", HookEvent::SessionEnd),
        ("UserPromptSubmit", HookEvent::UserPromptSubmit),
        ("PreToolUse", HookEvent::PreToolUse),
        ("PermissionRequest", HookEvent::PermissionRequest),
        ("PostToolUse", HookEvent::PostToolUse),
        ("PreCompact", HookEvent::PreCompact),
        ("PostCompact", HookEvent::PostCompact),
        ("SubagentStart", HookEvent::SubagentStart),
        ("SubagentStop", HookEvent::SubagentStop),
        ("Stop", HookEvent::Stop),
    ],
    marks: &["CODEX_SANDBOX", "CODEX_THREAD_ID"],
    last_resort: LastResort { ask, deny: none },
    support: Support::Full(PROTOCOL),
};

/// How its events are decided.
pub const PROTOCOL: Protocol = Protocol {
    decode: decode::decode,
    asks: rules::asks,
    rewrites: rules::rewrites,
    ends_turn: rules::can_end_turn,
    encode: encode::encode,
    reads: reads::reads,
    enforces: rules::enforces,
    repeats: &[],
    tools: decode::TOOLS,
    project_variable: None,
    limits: &[
        "It runs no hook before a person has trusted it, and says nothing of those that it leaves out. `bowline init` offers to do that for \
         Bowline's own entries; `/hooks` in Codex does it, too. A project's hooks also need a project that is trusted.",
        "It has no answer that asks. What Bowline would ask about is denied with the reason; only where Codex itself asks for a permission, \
         a question is left to it.",
        "A patch is a call of `Write`, `Edit`, `Delete` or `Move` for each of its files. It runs as a whole or not at all, and one part of it \
         cannot be changed by a hook.",
        "What is typed into a program that already runs (`write_stdin`) is reported to nobody.",
        "A tool that fails, and a patch that a shell command applies, end without an event: their traces stay open until the session ends.",
        "A block at the start of a sub-agent is only told to it. One at the start of a session, or before a compaction, ends the turn.",
    ],
    claude_hooks: ClaudeHooks::Bridge,
    borrows: None,
    registration: Some(&REGISTRATION),
};

/// How Bowline is put into its settings.
pub const REGISTRATION: Registration = registration::REGISTRATION;

/// It runs the call on any "ask"; only where a dialog comes anyway does silence ask.
fn ask(it: &Unjudged<'_>) -> Option<Answer> {
    (it.event == Some(HookEvent::PermissionRequest)).then(Answer::default)
}

#[cfg(test)]
mod tests;
