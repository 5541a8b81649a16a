//! What the tools of Cline are given, as calls of Bowline's tools.
//!
//! The CLI's tools do several things in one call, and take their input in several shapes.

use serde_json::{Map, Value, json};

use crate::parts::{part, unread};
use crate::patch;
use crate::words::{Fields, renamed_input};

/// What a call of one of the CLI's tools does; nothing if the tool is none of them.
pub(super) fn calls(tool: &str, input: &Value, folder: Option<&str>) -> Option<Vec<Value>> {
    Some(match tool {
        "run_commands" => commands(input),
        "read_files" => each(&["files", "file_paths", "paths"], input, read),
        "search_codebase" => each(&["queries"], input, |query| {
            Some(part("Grep", json!({ "pattern": query.as_str()? })))
        }),
        "fetch_web_content" => each(&["requests"], input, |request| {
            request.get("url")?.as_str()?;
            Some(part("WebFetch", request.clone()))
        }),
        "editor" => vec![edit(input)],
        "apply_patch" => {
            let text = input.as_str().or_else(|| input.get("input")?.as_str());
            match text {
                Some(text) => patch::calls(text, folder),
                None => vec![unread("the patch is no text")],
            }
        }
        _ => return None,
    })
}

/// Any of these fields, or the input itself, has one thing or several. Of several fields nobody knows which one counts.
fn each(names: &[&str], input: &Value, call: impl Fn(&Value) -> Option<Value>) -> Vec<Value> {
    let listed = names.iter().filter_map(|name| input.get(name));
    let itself = call(input).map(|_| input);
    let mut said: Vec<&Value> = listed.chain(itself).collect();
    if said.is_empty() {
        said.push(input);
    }
    let calls = said
        .into_iter()
        .flat_map(items)
        .map(|item| call(item).unwrap_or_else(|| unread("a part of the input is not understood")));
    let calls: Vec<Value> = calls.collect();
    if calls.is_empty() {
        vec![unread("the input names nothing to do")]
    } else {
        calls
    }
}

fn items(said: &Value) -> &[Value] {
    match said {
        Value::Array(items) => items.as_slice(),
        item => std::slice::from_ref(item),
    }
}

/// The one text that these fields have. Of several that differ nobody knows which one counts.
fn only<'a>(names: &[&str], input: &'a Value) -> Option<&'a str> {
    let mut said = names.iter().filter_map(|name| input.get(name));
    let first = said.next()?;
    said.all(|other| other == first)
        .then(|| first.as_str())
        .flatten()
}

fn read(file: &Value) -> Option<Value> {
    let path = file
        .as_str()
        .or_else(|| only(&["path", "file_path", "filePath"], file))?;
    let mut input = Map::new();
    input.insert("file_path".to_owned(), path.into());
    for name in ["start_line", "end_line"] {
        if let Some(line) = file.get(name).filter(|line| !line.is_null()) {
            input.insert(name.to_owned(), line.clone());
        }
    }
    Some(part("Read", Value::Object(input)))
}

/// Without an old text and a line, all of a file is written.
fn edit(input: &Value) -> Value {
    let Some(fields) = input.as_object() else {
        return unread("the input is no object");
    };
    let says = |name: &str| fields.get(name).is_some_and(|it| !it.is_null() && it != "");
    let (tool, names): (_, Fields) = if says("old_text") || says("insert_line") {
        (
            "Edit",
            &[PATH, ("old_text", "old_string"), ("new_text", "new_string")],
        )
    } else {
        ("Write", &[PATH, ("new_text", "content")])
    };
    // The tool knows none of Bowline's names.
    let own = fields
        .iter()
        .filter(|(name, _)| !BOWLINES.contains(&name.as_str()));
    let own = own.map(|(name, value)| (name.clone(), value.clone()));
    part(tool, renamed_input(&Value::Object(own.collect()), names))
}

/// What the blocks of a change look for (`------- SEARCH`, `=======`, `+++++++ REPLACE`), one after another; nothing if one of them is not
/// in this form.
pub(super) fn searched(diff: &str) -> Option<String> {
    let ends = |line: &str, sign: char| !line.is_empty() && line.chars().all(|c| c == sign);
    let begins = |line: &str| {
        let sign = line.trim_end_matches('>').strip_suffix(" SEARCH");
        sign.is_some_and(|it| ends(it, '-') || ends(it, '<'))
    };
    let mut blocks: Vec<String> = Vec::new();
    let mut is_searched = false;
    for line in diff.lines() {
        let end = line.trim_end();
        if begins(end) && !is_searched {
            is_searched = true;
            blocks.push(String::new());
        } else if ends(end, '=') {
            is_searched = false;
        } else if let Some(block) = blocks.last_mut().filter(|_| is_searched) {
            block.push_str(line);
            block.push('\n');
        }
    }
    let is_whole = blocks.is_empty() || is_searched;
    if is_whole || blocks.iter().any(|block| block.trim().is_empty()) {
        return None;
    }
    Some(blocks.concat())
}

/// What the editor calls the file.
const PATH: (&str, &str) = ("path", "file_path");
/// What Bowline calls the fields of the editor.
const BOWLINES: [&str; 4] = ["file_path", "old_string", "new_string", "content"];

/// An input of Bowline's in the tool's own words.
pub(super) fn own(tool: &str, input: &Value) -> Value {
    let text = |name: &str| input.get(name).cloned().unwrap_or_default();
    let renamed = |names: &[(&str, &str)]| {
        let fields = input.as_object().into_iter().flatten();
        let fields = fields.map(|(name, value)| {
            let own = names.iter().find(|(is, _)| is == name);
            let name = own.map_or(name.as_str(), |(_, own)| own);
            (name.to_owned(), value.clone())
        });
        Value::Object(fields.collect())
    };
    match tool {
        "run_commands" => json!({"commands": [text("command")]}),
        "read_files" => json!({"files": [renamed(&[("file_path", "path")])]}),
        "search_codebase" => json!({"queries": [text("pattern")]}),
        "fetch_web_content" => json!({"requests": [input]}),
        _ => renamed(&[
            ("file_path", "path"),
            ("old_string", "old_text"),
            ("new_string", "new_text"),
            ("content", "new_text"),
        ]),
    }
}

/// The commands of a call. They run side by side, each in a shell of its own.
fn commands(input: &Value) -> Vec<Value> {
    let listed = input.get("commands");
    let itself = listed.is_none() || COMMAND.iter().any(|name| input.get(name).is_some());
    let said = listed.into_iter().chain(itself.then_some(input));
    let commands: Option<Vec<Said>> = said.flat_map(items).map(command).collect();
    match commands {
        Some(commands) if !commands.is_empty() => {
            let commands = joined(commands).into_iter();
            commands
                .map(|command| part("Bash", json!({ "command": command })))
                .collect()
        }
        _ => vec![unread("the commands are not understood")],
    }
}

/// What a command, or its program, is called.
const COMMAND: [&str; 2] = ["command", "cmd"];

/// A command as the model gave it.
enum Said {
    /// A line for the shell, which may be a part of a here-document.
    Line(String),
    /// A line that is a command by itself. Of a program with its arguments it is one that runs the same.
    Command(String),
}

fn command(item: &Value) -> Option<Said> {
    if let Some(line) = item.as_str() {
        return Some(Said::Line(line.to_owned()));
    }
    let program = only(&COMMAND, item)?;
    let Some(arguments) = item.get("args") else {
        return Some(Said::Command(program.to_owned()));
    };
    let arguments = arguments.as_array()?.iter().map(Value::as_str);
    let words = std::iter::once(Some(program)).chain(arguments);
    let words: Option<Vec<String>> = words.map(|word| word.map(quoted)).collect();
    Some(Said::Command(words?.join(" ")))
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Lines of which one begins a here-document and a later one ends it are one command.
fn joined(commands: Vec<Said>) -> Vec<String> {
    let (mut whole, mut lines) = (Vec::new(), Vec::new());
    for said in commands {
        match said {
            Said::Line(line) => lines.push(line),
            Said::Command(command) => {
                whole.append(&mut with_documents(&std::mem::take(&mut lines)));
                whole.push(command);
            }
        }
    }
    whole.append(&mut with_documents(&lines));
    whole
}

fn with_documents(lines: &[String]) -> Vec<String> {
    let mut whole = Vec::new();
    let mut rest = lines;
    while let Some((line, after)) = rest.split_first() {
        let end = document(line).and_then(|end| {
            let place = after.iter().position(|line| line.trim() == end);
            Some(place? + 1)
        });
        let (document, others) = after
            .split_at_checked(end.unwrap_or(0))
            .unwrap_or((&[], after));
        let parts = std::iter::once(line).chain(document);
        whole.push(parts.map(String::as_str).collect::<Vec<_>>().join("\n"));
        rest = others;
    }
    whole
}

/// What ends the here-document that a line begins.
fn document(line: &str) -> Option<&str> {
    let starts = line.match_indices("<<").map(|(at, _)| at);
    let starts = starts.filter(|at| !line.get(..*at).unwrap_or_default().ends_with('<'));
    starts.filter_map(|at| line.get(at + 2..)).find_map(|rest| {
        let after_hyphen = rest.strip_prefix('-').and_then(end);
        after_hyphen.or_else(|| end(rest))
    })
}

fn end(text: &str) -> Option<&str> {
    let text = text.trim_start();
    for quote in ['"', '\''] {
        if let Some(quoted) = text.strip_prefix(quote) {
            return quoted
                .split_once(quote)
                .map(|(end, _)| end)
                .filter(|it| !it.is_empty());
        }
    }
    let fits = |c: char| c.is_ascii_alphanumeric() || "_./-".contains(c);
    let length = text.find(|c| !fits(c)).unwrap_or(text.len());
    text.get(..length).filter(|it| !it.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &Value) -> Vec<String> {
        let calls = calls("run_commands", input, None).unwrap().into_iter();
        let line = |call: Value| match call["tool_name"].as_str() {
            Some("Bash") => call["tool_input"]["command"].as_str().unwrap().to_owned(),
            _ => "?".to_owned(),
        };
        calls.map(line).collect()
    }

    #[test]
    fn every_command_is_found_whatever_the_shape() {
        for (input, expected) in [
            (json!({"commands": ["ls", "rm a"]}), &["ls", "rm a"][..]),
            (json!({"commands": "ls"}), &["ls"]),
            (json!({"commands": {"command": "ls"}}), &["ls"]),
            (json!({"command": "ls"}), &["ls"]),
            (json!({"cmd": "ls"}), &["ls"]),
            (json!(["ls", "rm a"]), &["ls", "rm a"]),
            (json!("ls"), &["ls"]),
            (
                json!({"commands": [{"command": "rm", "args": ["-r", "it's"]}, "ls"]}),
                &[r"'rm' '-r' 'it'\''s'", "ls"],
            ),
            (json!([{"command": "a b", "args": []}]), &["'a b'"]),
            (
                json!({"commands": ["ls"], "command": "rm a"}),
                &["ls", "rm a"],
            ),
            (json!({"command": "ls", "cmd": "rm a"}), &["?"]),
            (json!({"commands": []}), &["?"]),
            (json!({"commands": ["ls", 3]}), &["?"]),
            (
                json!({"commands": [{"command": "ls", "args": "x"}]}),
                &["?"],
            ),
            (json!({}), &["?"]),
            (json!(null), &["?"]),
        ] {
            assert_eq!(lines(&input), expected, "{input}");
        }
    }

    /// As Cline joins them.
    #[test]
    fn the_lines_of_a_here_document_are_one_command() {
        for (input, expected) in [
            (
                json!(["bash <<EOF", "rm \\", "-rf /", "EOF", "ls"]),
                &["bash <<EOF\nrm \\\n-rf /\nEOF", "ls"][..],
            ),
            (
                json!(["cat <<-'E O' > a", "x", " E O "]),
                &["cat <<-'E O' > a\nx\n E O "],
            ),
            (json!(["cat << \"E\"", "E"]), &["cat << \"E\"\nE"]),
            (json!(["cat <<EOF", "x"]), &["cat <<EOF", "x"]),
            (json!(["cat <<< x", "x"]), &["cat <<< x", "x"]),
            (
                json!(["cat <<EOF", {"command": "ls", "args": []}, "EOF"]),
                &["cat <<EOF", "'ls'", "EOF"],
            ),
            (json!(["cat <<A <<B", "B", "A"]), &["cat <<A <<B\nB\nA"]),
            (json!(["cat <<< a <<B", "B"]), &["cat <<< a <<B\nB"]),
            (json!(["cat <<-", "-"]), &["cat <<-\n-"]),
            (
                json!([{"command": "cat <<EOF"}, "EOF"]),
                &["cat <<EOF", "EOF"],
            ),
        ] {
            assert_eq!(lines(&input), expected, "{input}");
        }
    }

    #[test]
    fn every_file_of_a_call_is_found() {
        let files = |input: &Value| -> Vec<String> {
            let calls = calls("read_files", input, None).unwrap().into_iter();
            let file = |call: Value| {
                call["tool_input"]["file_path"]
                    .as_str()
                    .unwrap_or("?")
                    .to_owned()
            };
            calls.map(file).collect()
        };
        for (input, expected) in [
            (
                json!({"files": [{"path": "a", "start_line": 1}, "b"]}),
                &["a", "b"][..],
            ),
            (json!({"files": {"filePath": "a"}}), &["a"]),
            (json!({"file_paths": ["a", "b"]}), &["a", "b"]),
            (json!({"paths": "a"}), &["a"]),
            (json!({"file_path": "a"}), &["a"]),
            (json!(["a", {"file_path": "b"}]), &["a", "b"]),
            (json!("a"), &["a"]),
            (json!({"files": [{"start_line": 1}]}), &["?"]),
            (
                json!({"files": ["a"], "file_paths": ["b"], "path": "c"}),
                &["a", "b", "c"],
            ),
            (json!({"paths": ["a"], "files": 3}), &["?", "a"]),
            (json!({"path": "a", "file_path": "b"}), &["?"]),
            (json!({"files": []}), &["?"]),
            (json!(3), &["?"]),
        ] {
            assert_eq!(files(&input), expected, "{input}");
        }
    }

    /// The editor goes by its own fields, whatever a model puts beside them.
    #[test]
    fn the_editor_knows_none_of_bowlines_names() {
        for (input, tool, expected) in [
            (
                json!({"path": "a", "file_path": "b", "new_text": "x", "content": "y"}),
                "Write",
                json!({"file_path": "a", "content": "x"}),
            ),
            (
                json!({"file_path": "b", "content": "y", "new_text": "x", "path": "a", "old_string": "z"}),
                "Write",
                json!({"content": "x", "file_path": "a"}),
            ),
            (
                json!({"path": "a", "old_text": "o", "old_string": "b", "new_text": "x", "content": "y", "new_string": "z"}),
                "Edit",
                json!({"file_path": "a", "old_string": "o", "new_string": "x"}),
            ),
            (
                json!({"path": "a", "old_text": "", "new_text": "x"}),
                "Write",
                json!({"file_path": "a", "old_text": "", "content": "x"}),
            ),
        ] {
            let found = calls("editor", &input, None).unwrap();
            assert_eq!(found, [part(tool, expected)], "{input}");
        }
    }

    #[test]
    fn a_change_by_blocks_names_what_goes() {
        for (diff, expected) in [
            (
                "------- SEARCH\na\n b\n=======\nc\n+++++++ REPLACE\n",
                Some("a\n b\n"),
            ),
            (
                "<<<<<<< SEARCH\r\na\r\n=======\r\nc\r\n>>>>>>> REPLACE",
                Some("a\n"),
            ),
            (
                "------- SEARCH\na\n=======\n+++++++ REPLACE\n------- SEARCH\nb\n=======\nc\n+++++++ REPLACE",
                Some("a\nb\n"),
            ),
            // This is how a whole file is replaced.
            ("------- SEARCH\n=======\nc\n+++++++ REPLACE", None),
            ("------- SEARCH>\n=======\nc\n+++++++ REPLACE", None),
            (
                "------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n------- SEARCH\n\n=======\nc\n+++++++ REPLACE",
                None,
            ),
            ("------- SEARCH\na\n", None),
            ("a", None),
            ("", None),
        ] {
            assert_eq!(searched(diff).as_deref(), expected, "{diff}");
        }
    }

    #[test]
    fn what_bowline_knows_is_said_in_the_tools_own_words() {
        for (tool, own_input) in [
            ("run_commands", json!({"commands": ["ls"]})),
            (
                "read_files",
                json!({"files": [{"path": "a", "start_line": 2}]}),
            ),
            ("search_codebase", json!({"queries": ["x"]})),
            (
                "fetch_web_content",
                json!({"requests": [{"url": "http://a", "prompt": "b"}]}),
            ),
            ("editor", json!({"path": "a", "new_text": "x"})),
            (
                "editor",
                json!({"path": "a", "old_text": "x", "new_text": "y"}),
            ),
            (
                "editor",
                json!({"path": "a", "new_text": "y", "insert_line": 3}),
            ),
        ] {
            let calls = calls(tool, &own_input, None).unwrap();
            let [call] = calls.as_slice() else {
                panic!("{tool}: {calls:?}")
            };
            assert_eq!(own(tool, &call["tool_input"]), own_input, "{tool}");
        }
    }
}
