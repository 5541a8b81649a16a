//! What Claude Code does with an answer, by event.

use crate::event::HookEvent;

/// Which of its two runners the client uses for the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runner {
    /// The conversation's own.
    Loop,
    /// The simpler one outside of it, which looks at few fields.
    Side,
}

/// The meaning of exit code 2 or a top-level `decision: "block"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockEffect {
    /// It prevents, or its reason is an instruction for the model.
    Blocks,
    /// The user sees the reason, and that is all.
    Shown,
    /// Nothing.
    Ignored,
}

/// In which form a block has to be written so that the client follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockForm {
    /// `permissionDecision`, which can also ask.
    PermissionDecision,
    /// The `decision` object of `PermissionRequest`.
    RequestDecision,
    /// `decision: "block"` with a `reason`.
    TopLevel,
    /// Exit code 2 with the reason on stderr (and in JSON beside it, where that is read).
    ExitTwo,
    /// The reply to an MCP server.
    Decline,
    /// No effect: the reason can only be shown.
    Unenforceable,
}

/// Which of its runners the client uses.
pub const fn runner(event: HookEvent) -> Runner {
    match event {
        HookEvent::SessionEnd
        | HookEvent::StopFailure
        | HookEvent::PreCompact
        | HookEvent::PostCompact
        | HookEvent::Notification
        | HookEvent::Elicitation
        | HookEvent::ElicitationResult
        | HookEvent::ConfigChange
        | HookEvent::InstructionsLoaded
        | HookEvent::WorktreeCreate
        | HookEvent::WorktreeRemove
        | HookEvent::CwdChanged
        | HookEvent::FileChanged
        | HookEvent::DirectoryAdded => Runner::Side,
        _ => Runner::Loop,
    }
}

/// In which form a block has to be written.
pub const fn block_form(event: HookEvent) -> BlockForm {
    match event {
        HookEvent::PreToolUse | HookEvent::PreModelSwitch => BlockForm::PermissionDecision,
        HookEvent::PermissionRequest => BlockForm::RequestDecision,
        HookEvent::PostToolUse
        | HookEvent::PostToolUseFailure
        | HookEvent::PostToolBatch
        | HookEvent::UserPromptSubmit
        | HookEvent::UserPromptExpansion
        | HookEvent::Stop
        | HookEvent::SubagentStop
        | HookEvent::PreCompact
        | HookEvent::ConfigChange => BlockForm::TopLevel,
        HookEvent::TeammateIdle
        | HookEvent::TaskCreated
        | HookEvent::TaskCompleted
        | HookEvent::WorktreeCreate => BlockForm::ExitTwo,
        HookEvent::Elicitation | HookEvent::ElicitationResult => BlockForm::Decline,
        HookEvent::PermissionDenied
        | HookEvent::SessionStart
        | HookEvent::Setup
        | HookEvent::SessionEnd
        | HookEvent::StopFailure
        | HookEvent::SubagentStart
        | HookEvent::PostCompact
        | HookEvent::Notification
        | HookEvent::InstructionsLoaded
        | HookEvent::WorktreeRemove
        | HookEvent::CwdChanged
        | HookEvent::FileChanged
        | HookEvent::MessageDisplay
        | HookEvent::DirectoryAdded
        | HookEvent::PostModelSwitch
        | HookEvent::Unknown => BlockForm::Unenforceable,
    }
}

/// Whether Claude Code follows a block on this event: it prevents, or hands the reason to the model. Where it
/// cannot, the reason is shown to the user.
pub const fn enforces(event: HookEvent) -> bool {
    !matches!(block_form(event), BlockForm::Unenforceable)
}

/// The meaning of exit code 2 or a top-level block.
pub const fn block_effect(event: HookEvent) -> BlockEffect {
    match event {
        HookEvent::PermissionRequest
        | HookEvent::PermissionDenied
        | HookEvent::StopFailure
        | HookEvent::Notification
        | HookEvent::InstructionsLoaded
        | HookEvent::WorktreeRemove
        | HookEvent::MessageDisplay
        | HookEvent::DirectoryAdded
        | HookEvent::Unknown => BlockEffect::Ignored,
        event if enforces(event) => BlockEffect::Blocks,
        _ => BlockEffect::Shown,
    }
}

/// Whether text on stdout reaches the model.
pub const fn stdout_is_context(event: HookEvent) -> bool {
    matches!(
        event,
        HookEvent::SessionStart
            | HookEvent::UserPromptSubmit
            | HookEvent::UserPromptExpansion
            | HookEvent::PostModelSwitch
            | HookEvent::PreCompact
    )
}

/// Whether the user gets to see a `systemMessage`.
pub const fn shows_system_message(event: HookEvent) -> bool {
    !matches!(
        event,
        HookEvent::Notification
            | HookEvent::SessionEnd
            | HookEvent::PreCompact
            | HookEvent::PostCompact
            | HookEvent::InstructionsLoaded
            | HookEvent::ConfigChange
            | HookEvent::Elicitation
            | HookEvent::ElicitationResult
            | HookEvent::WorktreeCreate
            | HookEvent::WorktreeRemove
            | HookEvent::MessageDisplay
            | HookEvent::StopFailure
    )
}

/// Whether `continue: false` ends the turn.
pub const fn can_end_turn(event: HookEvent) -> bool {
    matches!(
        event,
        HookEvent::PreToolUse
            | HookEvent::PostToolUse
            | HookEvent::PostToolUseFailure
            | HookEvent::PostToolBatch
            | HookEvent::UserPromptSubmit
            | HookEvent::UserPromptExpansion
            | HookEvent::Stop
            | HookEvent::SubagentStop
            | HookEvent::TeammateIdle
            | HookEvent::TaskCompleted
    )
}

/// Whether an interpreter that exits with 2 because its script is missing is taken for a failure, so that
/// it does not trap the session.
pub const fn forgives_missing_scripts(event: HookEvent) -> bool {
    matches!(
        event,
        HookEvent::Stop
            | HookEvent::SubagentStop
            | HookEvent::TaskCompleted
            | HookEvent::TeammateIdle
    )
}

/// The types of hooks that Claude Code runs on an event.
pub const fn types_that_run(event: HookEvent) -> &'static [&'static str] {
    match event {
        HookEvent::PreToolUse
        | HookEvent::PermissionDenied
        | HookEvent::PostToolUse
        | HookEvent::PostToolUseFailure
        | HookEvent::PostToolBatch
        | HookEvent::UserPromptSubmit
        | HookEvent::UserPromptExpansion
        | HookEvent::Stop
        | HookEvent::SubagentStop
        | HookEvent::TeammateIdle
        | HookEvent::TaskCreated
        | HookEvent::TaskCompleted
        // Not one of Claude Code's: nothing is known of it.
        | HookEvent::Unknown => &["command", "http", "prompt", "agent", "mcp_tool"],
        HookEvent::PermissionRequest => &["command", "http", "prompt", "mcp_tool"],
        HookEvent::SessionStart | HookEvent::Setup => &["command", "mcp_tool"],
        HookEvent::WorktreeCreate => &["command", "http"],
        HookEvent::SessionEnd
        | HookEvent::StopFailure
        | HookEvent::SubagentStart
        | HookEvent::PreCompact
        | HookEvent::PostCompact
        | HookEvent::Notification
        | HookEvent::Elicitation
        | HookEvent::ElicitationResult
        | HookEvent::ConfigChange
        | HookEvent::InstructionsLoaded
        | HookEvent::WorktreeRemove
        | HookEvent::CwdChanged
        | HookEvent::FileChanged
        | HookEvent::MessageDisplay
        | HookEvent::DirectoryAdded
        | HookEvent::PreModelSwitch
        | HookEvent::PostModelSwitch => &["command", "http", "mcp_tool"],
    }
}

/// Whether a matcher may also list names with commas and blanks between them.
pub const fn allows_wide_lists(event: HookEvent) -> bool {
    use HookEvent as E;
    match event {
        E::PreToolUse
        | E::PostToolUse
        | E::PostToolUseFailure
        | E::PermissionRequest
        | E::PermissionDenied
        | E::UserPromptExpansion
        | E::SessionStart
        | E::SessionEnd
        | E::Setup
        | E::PreCompact
        | E::PostCompact
        | E::Notification
        | E::SubagentStart
        | E::SubagentStop
        | E::Elicitation
        | E::ElicitationResult
        | E::ConfigChange
        | E::InstructionsLoaded
        | E::PreModelSwitch
        | E::PostModelSwitch
        | E::DirectoryAdded => true,
        E::PostToolBatch
        | E::UserPromptSubmit
        | E::Stop
        | E::StopFailure
        | E::TeammateIdle
        | E::TaskCreated
        | E::TaskCompleted
        | E::WorktreeCreate
        | E::WorktreeRemove
        | E::CwdChanged
        | E::FileChanged
        | E::MessageDisplay
        | E::Unknown => false,
    }
}
