//! The files that a call of a tool names in its fields.

use bowline::hooks::HookInput;
use bowline_agents::Tool;
use bowline_guard::interpret::At;
use bowline_guard::paths::{World, resolve_literal, resolve_words};
use bowline_guard::tool::FileVerb;
use serde_json::Value;

use super::apply::Quantity;
use super::subject::Touched;

/// The tools that a bare text can be about, with the field that holds it.
pub(super) const TOOLS: &[(&str, &str)] = &[
    ("Bash", COMMAND),
    ("PowerShell", COMMAND),
    ("Shell", COMMAND),
    ("Monitor", COMMAND),
    ("Write", FILE_PATH),
    ("Edit", FILE_PATH),
    ("MultiEdit", FILE_PATH),
    ("Read", FILE_PATH),
    ("NotebookEdit", NOTEBOOK_PATH),
    ("NotebookRead", NOTEBOOK_PATH),
    ("Glob", PATH),
    ("Grep", PATH),
    ("LS", PATH),
];

pub(super) const COMMAND: &str = "command";
const FILE_PATH: &str = "file_path";
const NOTEBOOK_PATH: &str = "notebook_path";
const PATH: &str = "path";
const GLOB: &str = "glob";
const PATTERN: &str = "pattern";

/// Every file that a call names. Which of the fields a tool goes by is its own business, so that all count.
pub(super) fn named(input: &HookInput, world: &dyn World, quantity: Quantity) -> Vec<Touched> {
    let field = |name: &str| input.tool_input().and_then(|fields| fields.get(name));
    let mut named: Vec<Touched> = [FILE_PATH, NOTEBOOK_PATH, PATH]
        .into_iter()
        .filter_map(field)
        .map(|value| match value {
            Value::String(path) => Touched::Path(resolve_literal(path, world)),
            _ => Touched::Unknown,
        })
        .collect();
    let folder = field(PATH).and_then(Value::as_str);
    let folder = folder.map(|folder| resolve_literal(folder, world).path);
    // The pattern of a search for text is no name.
    let pattern = field(PATTERN).filter(|_| input.tool_name().map(Tool::named) == Some(Tool::Glob));
    for value in [field(GLOB), pattern].into_iter().flatten() {
        let Some(pattern) = value.as_str() else {
            named.push(Touched::Unknown);
            continue;
        };
        // Only the file system knows where a wildcard before `..` leads.
        if pattern.split('/').any(|part| part == "..") {
            named.push(Touched::Unknown);
        }
        let mut add = |world: &dyn World| {
            named.extend(resolve_words(pattern, world).into_iter().map(Touched::Path));
        };
        match &folder {
            Some(folder) => {
                add(&At::directory(folder, world));
                if quantity == Quantity::Any {
                    add(world);
                }
            }
            None => add(world),
        }
    }
    // A server's source may be any text.
    let verb = input.tool_name().and_then(FileVerb::of);
    if matches!(verb, Some(FileVerb::Move | FileVerb::Copy)) {
        let places = ["source", "destination"].into_iter().filter_map(field);
        named.extend(
            places
                .filter_map(Value::as_str)
                .map(|path| Touched::Path(resolve_literal(path, world))),
        );
    }
    if named.is_empty() {
        let own = input.file_path().map(|path| resolve_literal(path, world));
        named.extend(own.map(Touched::Path));
    }
    named
}
