//! The folder that a call of a shell names beside its command.

use serde_json::{Map, Value};

use crate::answer::Object;
use crate::shell_word::shell_word;

/// Says as a part of the command that it runs in another folder. Who judges it then sees where it does what it does, and the project
/// stays the one that the agent works in. Gives back what the input was, if that changes it.
pub(crate) fn enter(fields: &mut Object, folder: &str) -> Option<Value> {
    if folder.is_empty() || fields.get("cwd").and_then(Value::as_str) == Some(folder) {
        return None;
    }
    let input = fields.get("tool_input")?.as_object()?;
    let command = input.get("command")?.as_str()?;
    let command = entering(folder, command);
    let mut entered: Map<String, Value> = input.clone();
    entered.insert("command".to_owned(), command.into());
    fields.insert("tool_input".to_owned(), Value::Object(entered))
}

fn entering(folder: &str, command: &str) -> String {
    let enter = format!("cd {} && ", quoted(folder));
    if folder.starts_with('/') && command.starts_with(&enter) {
        // It was said before, and hooks have changed what follows.
        return command.to_owned();
    }
    // What runs in the background takes all that is chained to it along.
    if command.replace("&&", "").contains('&') {
        format!("{enter}{{\n{command}\n}}")
    } else {
        enter + command
    }
}

/// A folder may begin as an option does.
fn quoted(folder: &str) -> String {
    if folder.starts_with('-') {
        shell_word(&format!("./{folder}"))
    } else {
        shell_word(folder)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_command_says_where_it_runs() {
        for (folder, expected) in [
            ("/srv/data", Some("cd /srv/data && rm -r x")),
            ("sub", Some("cd sub && rm -r x")),
            ("/my data", Some("cd '/my data' && rm -r x")),
            ("/ann's", Some(r"cd '/ann'\''s' && rm -r x")),
            ("-x", Some("cd ./-x && rm -r x")),
            ("~", Some("cd '~' && rm -r x")),
            ("/p", None),
            ("", None),
        ] {
            let own = json!({"command": "rm -r x", "cwd": folder});
            let mut fields = json!({"cwd": "/p", "tool_input": own});
            let fields = fields.as_object_mut().unwrap();
            let before = enter(fields, folder);
            assert_eq!(before, expected.map(|_| own), "{folder}");
            let command = fields["tool_input"]["command"].as_str();
            assert_eq!(command, Some(expected.unwrap_or("rm -r x")), "{folder}");
        }
        for (command, expected) in [
            ("cd /srv && make", "cd /srv && make"),
            ("cd /srv/a && make", "cd /srv && cd /srv/a && make"),
            ("a && b", "cd /srv && a && b"),
            ("a & rm -r b", "cd /srv && {\na & rm -r b\n}"),
        ] {
            let mut fields = json!({"cwd": "/p", "tool_input": {"command": command}});
            let fields = fields.as_object_mut().unwrap();
            enter(fields, "/srv");
            assert_eq!(fields["tool_input"]["command"], expected);
        }
        for mut fields in [
            json!({}),
            json!({"tool_input": 3}),
            json!({"tool_input": {"command": 3}}),
        ] {
            assert_eq!(enter(fields.as_object_mut().unwrap(), "/x"), None);
        }
    }
}
