//! The tools of agents that a guard knows, by their names.

/// A tool of which a guard knows what it does with its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it all")]
pub enum Tool {
    Bash,
    Edit,
    Glob,
    Grep,
    Ls,
    Monitor,
    MultiEdit,
    NotebookEdit,
    NotebookRead,
    PowerShell,
    Read,
    Shell,
    Write,
}

const NAMES: &[(&str, Tool)] = &[
    ("Bash", Tool::Bash),
    ("Edit", Tool::Edit),
    ("Glob", Tool::Glob),
    ("Grep", Tool::Grep),
    ("LS", Tool::Ls),
    ("Monitor", Tool::Monitor),
    ("MultiEdit", Tool::MultiEdit),
    ("NotebookEdit", Tool::NotebookEdit),
    ("NotebookRead", Tool::NotebookRead),
    ("PowerShell", Tool::PowerShell),
    ("Read", Tool::Read),
    ("Shell", Tool::Shell),
    ("Write", Tool::Write),
];

impl Tool {
    /// The tool that an agent calls so. Agents differ in how they capitalise, so that case does not count.
    pub fn named(name: &str) -> Option<Self> {
        NAMES
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, tool)| *tool)
    }

    /// Whether a shell runs its `command`.
    pub const fn runs_a_shell(self) -> bool {
        matches!(
            self,
            Self::Bash | Self::Monitor | Self::PowerShell | Self::Shell
        )
    }

    /// Whether it reads, changes or looks for files.
    pub const fn is_for_files(self) -> bool {
        match self {
            Self::Bash | Self::Monitor | Self::PowerShell | Self::Shell => false,
            Self::Edit
            | Self::Glob
            | Self::Grep
            | Self::Ls
            | Self::MultiEdit
            | Self::NotebookEdit
            | Self::NotebookRead
            | Self::Read
            | Self::Write => true,
        }
    }

    /// Whether it changes a file.
    pub const fn changes_a_file(self) -> bool {
        matches!(
            self,
            Self::Edit | Self::MultiEdit | Self::NotebookEdit | Self::Write
        )
    }
}

/// What a tool of a server does to files, as its name says: `mcp__files__delete_file`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it all")]
pub enum FileVerb {
    Copy,
    Delete,
    Move,
    Write,
}

impl FileVerb {
    /// The verb of a server's tool, if it is one for files.
    pub fn of(tool: &str) -> Option<Self> {
        let (_, name) = tool.strip_prefix("mcp__")?.rsplit_once("__")?;
        let name = name.to_ascii_lowercase();
        let (verb, object) = name.split_once(['_', '-'])?;
        let objects = ["file", "directory", "folder", "path", "text_file"];
        if !objects.contains(&object) {
            return None;
        }
        match verb {
            "copy" => Some(Self::Copy),
            "delete" | "remove" => Some(Self::Delete),
            "move" | "rename" => Some(Self::Move),
            "write" | "overwrite" | "edit" | "save" | "replace" | "update" => Some(Self::Write),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_of_a_server_is_known_by_its_verb() {
        for (name, verb) in [
            ("mcp__files__delete_file", Some(FileVerb::Delete)),
            ("mcp__my__own__remove_directory", Some(FileVerb::Delete)),
            ("mcp__fs__Move-File", Some(FileVerb::Move)),
            ("mcp__fs__write_file", Some(FileVerb::Write)),
            ("mcp__fs__read_file", None),
            ("mcp__shop__delete_order", None),
            ("delete_file", None),
        ] {
            assert_eq!(FileVerb::of(name), verb, "{name}");
        }
    }

    #[test]
    fn case_does_not_count_and_the_rest_of_a_name_does() {
        for (name, tool) in [
            ("Bash", Some(Tool::Bash)),
            ("bash", Some(Tool::Bash)),
            ("POWERSHELL", Some(Tool::PowerShell)),
            ("ls", Some(Tool::Ls)),
            ("multiEdit", Some(Tool::MultiEdit)),
            ("Bash ", None),
            ("mcp__files__read", None),
            ("mcp__Bash", None),
            ("", None),
        ] {
            assert_eq!(Tool::named(name), tool, "{name}");
        }
    }
}
