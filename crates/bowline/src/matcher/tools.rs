//! Tool names that Claude Code renamed. Payloads carry the current name; matchers may still use an old one.

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

/// The current name of a tool.
pub(crate) fn current_name(name: &str) -> &str {
    RENAMED
        .iter()
        .find(|(old, _)| *old == name)
        .map_or(name, |(_, current)| current)
}

/// The names that a tool had before.
pub(super) fn old_names(current: &str) -> impl Iterator<Item = &'static str> {
    RENAMED
        .iter()
        .filter(move |(_, now)| *now == current)
        .map(|(old, _)| *old)
}
