//! Claude Code's own tools. Payloads carry the current name; settings may still use an old one.

use crate::tool::Tool;

/// The tools by their current names.
pub(crate) const CURRENT: &[(&str, Tool)] = &[
    ("Agent", Tool::Delegate),
    ("AskUserQuestion", Tool::Other),
    ("Bash", Tool::Shell),
    ("Edit", Tool::Edit),
    ("EnterPlanMode", Tool::Other),
    ("ExitPlanMode", Tool::Other),
    ("Glob", Tool::Glob),
    ("Grep", Tool::Grep),
    ("LS", Tool::List),
    ("ListAgents", Tool::Other),
    ("ListMcpResourcesTool", Tool::Other),
    ("Monitor", Tool::Shell),
    ("MultiEdit", Tool::Edit),
    ("NotebookEdit", Tool::Edit),
    ("NotebookRead", Tool::Read),
    ("PowerShell", Tool::PowerShell),
    ("Read", Tool::Read),
    ("ReadMcpResourceDirTool", Tool::Other),
    ("ReadMcpResourceTool", Tool::Other),
    ("SendUserMessage", Tool::Other),
    ("Skill", Tool::Other),
    ("SlashCommand", Tool::Other),
    ("TaskCreate", Tool::Other),
    ("TaskGet", Tool::Other),
    ("TaskList", Tool::Other),
    ("TaskOutput", Tool::Other),
    ("TaskStop", Tool::Other),
    ("TaskUpdate", Tool::Other),
    ("TodoWrite", Tool::Other),
    ("ToolSearch", Tool::Other),
    ("WebFetch", Tool::Fetch),
    ("WebSearch", Tool::Fetch),
    ("Write", Tool::Write),
];

/// Old names, with the current ones.
const RENAMED: &[(&str, &str)] = &[
    ("Task", "Agent"),
    ("KillShell", "TaskStop"),
    ("KillBash", "TaskStop"),
    ("ListPeers", "ListAgents"),
    ("Brief", "SendUserMessage"),
    ("ListMcpResources", "ListMcpResourcesTool"),
    ("ReadMcpResource", "ReadMcpResourceTool"),
    ("ReadMcpResourceDir", "ReadMcpResourceDirTool"),
    ("AgentOutputTool", "TaskOutput"),
    ("BashOutputTool", "TaskOutput"),
    ("AgentOutput", "TaskOutput"),
    ("BashOutput", "TaskOutput"),
];

/// Every name that a tool has or had.
pub fn known_names() -> impl Iterator<Item = &'static str> {
    let current = CURRENT.iter().map(|(name, _)| *name);
    let old = RENAMED.iter().map(|(old, _)| *old);
    current.chain(old)
}

/// The current name of a tool.
pub fn current_name(name: &str) -> &str {
    RENAMED
        .iter()
        .find(|(old, _)| *old == name)
        .map_or(name, |(_, current)| current)
}

/// The names that a tool had before.
pub fn old_names(current: &str) -> impl Iterator<Item = &'static str> {
    RENAMED
        .iter()
        .filter(move |(_, now)| *now == current)
        .map(|(old, _)| *old)
}
