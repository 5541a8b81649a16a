//! The tools of agents: what they do, whatever an agent calls them. Bowline calls them as Claude Code does, and an agent's own names are
//! translated when its payload is read.

use crate::claude_code;
use crate::parts::UNREAD;

/// Tools that Claude Code does not have.
const OTHERS: &[(&str, Tool)] = &[
    ("Delete", Tool::Delete),
    ("Move", Tool::Move),
    ("Shell", Tool::Shell),
    (UNREAD, Tool::Unread),
];

/// What a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// Runs a command of a POSIX shell.
    Shell,
    /// Runs a command of PowerShell.
    PowerShell,
    /// Reads a file.
    Read,
    /// Writes a whole file.
    Write,
    /// Changes a file.
    Edit,
    /// Deletes a file.
    Delete,
    /// Moves a file.
    Move,
    /// Looks for files by their names.
    Glob,
    /// Looks for text in files.
    Grep,
    /// Lists a folder.
    List,
    /// Asks something of the network.
    Fetch,
    /// Hands work to another agent.
    Delegate,
    /// Calls an MCP server ([`McpTool`] has its name).
    Mcp,
    /// Does what cannot be read.
    Unread,
    /// Anything else.
    Other,
}

impl Tool {
    /// The tool that Bowline calls so. Agents differ in how they capitalise, so that case does not count.
    pub fn named(name: &str) -> Self {
        if McpTool::named(name).is_some() {
            return Self::Mcp;
        }
        let mut tools = claude_code::tools::CURRENT.iter().chain(OTHERS);
        tools
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map_or(Self::Other, |(_, tool)| *tool)
    }

    /// Whether a tool of this name is known, whatever it does.
    pub fn is_known(name: &str) -> bool {
        let mut others = OTHERS.iter().map(|(known, _)| *known);
        let mut names = claude_code::tools::known_names();
        let is_name = |known: &str| known.eq_ignore_ascii_case(name);
        McpTool::named(name).is_some() || others.any(is_name) || names.any(is_name)
    }

    /// Whether a shell runs its `command`.
    pub const fn runs_a_shell(self) -> bool {
        matches!(self, Self::Shell | Self::PowerShell)
    }

    /// Whether it reads, changes or looks for files.
    pub const fn is_for_files(self) -> bool {
        match self {
            Self::Read
            | Self::Write
            | Self::Edit
            | Self::Delete
            | Self::Move
            | Self::Glob
            | Self::Grep
            | Self::List => true,
            Self::Shell
            | Self::PowerShell
            | Self::Fetch
            | Self::Delegate
            | Self::Mcp
            | Self::Unread
            | Self::Other => false,
        }
    }

    /// Whether it changes, deletes or moves a file.
    pub const fn changes_a_file(self) -> bool {
        matches!(self, Self::Write | Self::Edit | Self::Delete | Self::Move)
    }
}

/// A tool of an MCP server, as agents name it: `mcp__server__tool`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct McpTool<'a> {
    /// The server, as the user calls it.
    pub server: &'a str,
    /// The tool, as the server calls it.
    pub tool: &'a str,
}

impl<'a> McpTool<'a> {
    /// The server and the tool of this name. The server's own name may hold the sign between them.
    pub fn named(name: &'a str) -> Option<Self> {
        let (server, tool) = name.strip_prefix("mcp__")?.rsplit_once("__")?;
        Some(Self { server, tool })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_does_not_count_and_the_rest_of_a_name_does() {
        for (name, tool) in [
            ("Bash", Tool::Shell),
            ("bash", Tool::Shell),
            ("shell", Tool::Shell),
            ("Monitor", Tool::Shell),
            ("POWERSHELL", Tool::PowerShell),
            ("ls", Tool::List),
            ("multiEdit", Tool::Edit),
            ("NotebookRead", Tool::Read),
            ("WebFetch", Tool::Fetch),
            ("Agent", Tool::Delegate),
            ("Bash ", Tool::Other),
            ("TodoWrite", Tool::Other),
            ("mcp__files__read", Tool::Mcp),
            ("mcp__Bash", Tool::Other),
            ("", Tool::Other),
        ] {
            assert_eq!(Tool::named(name), tool, "{name}");
        }
    }

    #[test]
    fn a_server_may_have_any_name() {
        for (name, expected) in [
            ("mcp__files__read_file", Some(("files", "read_file"))),
            ("mcp__my__own__read", Some(("my__own", "read"))),
            ("mcp__files", None),
            ("files__read", None),
        ] {
            let expected = expected.map(|(server, tool)| McpTool { server, tool });
            assert_eq!(McpTool::named(name), expected, "{name}");
        }
    }
}
