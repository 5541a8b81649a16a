//! What tools do to files, as their names say: those of MCP servers, and those of agents that work as a program does.

use bowline_agents::{McpTool, Tool};

/// What a tool does to files, as its name says: `mcp__files__delete_file`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it all")]
pub enum FileVerb {
    Copy,
    Delete,
    Move,
    Write,
}

impl FileVerb {
    /// The verb of a tool, if it is one for files.
    pub fn of(tool: &str) -> Option<Self> {
        match Tool::named(tool) {
            Tool::Delete => return Some(Self::Delete),
            Tool::Move => return Some(Self::Move),
            _ => {}
        }
        let name = McpTool::named(tool)?.tool.to_ascii_lowercase();
        // What stands before the verb may be the rest of the server's name.
        let starts = name.match_indices(['_', '-']).map(|(at, _)| at + 1);
        let mut rests = std::iter::once(0)
            .chain(starts)
            .filter_map(|at| name.get(at..));
        rests.find_map(Self::of_words)
    }

    /// The verb in `delete_file` and the like.
    fn of_words(words: &str) -> Option<Self> {
        let (verb, object) = words.split_once(['_', '-'])?;
        let is_file = ["file", "text_file", "new_file"].contains(&object);
        let objects = ["directory", "folder", "path"];
        match (verb, object) {
            ("create" | "append" | "insert" | "patch", _) if is_file => return Some(Self::Write),
            // Desktop Commander's.
            ("edit", "block") => return Some(Self::Write),
            _ if is_file || objects.contains(&object) => {}
            _ => return None,
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
            ("mcp__commander__edit_block", Some(FileVerb::Write)),
            ("mcp__serena__create_text_file", Some(FileVerb::Write)),
            ("mcp__my__server_delete_file", Some(FileVerb::Delete)),
            ("mcp__my__server_read_file", None),
            ("mcp__fs__create_directory", None),
            ("mcp__fs__read_file", None),
            ("mcp__shop__delete_order", None),
            ("delete_file", None),
            ("Delete", Some(FileVerb::Delete)),
            ("Move", Some(FileVerb::Move)),
        ] {
            assert_eq!(FileVerb::of(name), verb, "{name}");
        }
    }
}
