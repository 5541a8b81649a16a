//! The folder that a call of a shell names beside its command.

use std::path::Path;

use serde_json::{Map, Value};

use crate::answer::Object;
use crate::reported::WORKS_IN;
use crate::shell_word::shell_word;
use crate::words::keep_native;

/// Says that a call runs in another folder, seen from that of the session. Who judges it then sees where it does what it does, the command
/// stays as it is, and the project stays the one that the agent works in.
pub(crate) fn enter(fields: &mut Object, folder: &str) {
    let here = fields.get("cwd").and_then(Value::as_str);
    let here = here.filter(|here| here.starts_with('/')).map(str::to_owned);
    let there = match &here {
        Some(here) => Path::new(here).join(folder),
        None => folder.into(),
    };
    let Some(there) = there.to_str().filter(|_| !folder.is_empty()) else {
        return;
    };
    if here.as_deref() == Some(there) {
        return;
    }
    if !there.starts_with('/') {
        enter_by_command(fields, folder);
        return;
    }
    // Where nobody says it, the agent works where it starts its hooks.
    let works_in = here.unwrap_or_else(|| ".".to_owned());
    fields.insert("cwd".to_owned(), there.into());
    keep_native(
        fields,
        Map::from_iter([(WORKS_IN.to_owned(), works_in.into())]),
    );
}

/// Says as a part of the command that it runs in another folder, and keeps what the agent said.
fn enter_by_command(fields: &mut Object, folder: &str) {
    let own = fields.get("tool_input").cloned();
    let Some(input) = fields.get_mut("tool_input").and_then(Value::as_object_mut) else {
        return;
    };
    if run_in(input, folder).is_some() {
        let own = own.map(|own| ("tool_input".to_owned(), own));
        keep_native(fields, own.into_iter().collect());
    }
}

/// The same in an input that has nothing beside it which could say where it runs.
pub(crate) fn run_in(input: &mut Object, folder: &str) -> Option<()> {
    let command = entering(folder, input.get("command")?.as_str()?);
    input.insert("command".to_owned(), command.into());
    Some(())
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
    fn a_call_says_where_it_runs() {
        for (here, folder, cwd, works_in) in [
            (Some("/p"), "/srv/data", "/srv/data", Some("/p")),
            (Some("/p"), "sub", "/p/sub", Some("/p")),
            (Some("/p"), "~", "/p/~", Some("/p")),
            (None, "/srv", "/srv", Some(".")),
            (Some("p"), "/srv", "/srv", Some(".")),
            (Some("/p"), "/p", "/p", None),
            (Some("/p"), "", "/p", None),
        ] {
            let input = json!({"command": "rm -r x"});
            let mut said = json!({"cwd": here, "tool_input": input});
            enter(said.as_object_mut().unwrap(), folder);
            assert_eq!(said["cwd"], cwd, "{folder}");
            assert_eq!(said["native"][WORKS_IN].as_str(), works_in, "{folder}");
            assert_eq!(said["tool_input"], input, "{folder}");
        }
    }

    /// Nobody knows from where the folder is seen.
    #[test]
    fn a_command_enters_a_folder_that_is_not_known() {
        for (folder, expected) in [
            ("sub", "cd sub && rm -r x"),
            ("my data", "cd 'my data' && rm -r x"),
            ("ann's", r"cd 'ann'\''s' && rm -r x"),
            ("-x", "cd ./-x && rm -r x"),
            ("~", "cd '~' && rm -r x"),
        ] {
            let own = json!({"command": "rm -r x", "cwd": folder});
            let mut said = json!({"tool_input": own});
            enter(said.as_object_mut().unwrap(), folder);
            assert_eq!(said["tool_input"]["command"], expected);
            assert_eq!(said["native"]["tool_input"], own);
        }
        for mut said in [
            json!({}),
            json!({"tool_input": 3}),
            json!({"tool_input": {"command": 3}}),
        ] {
            let before = said.clone();
            enter(said.as_object_mut().unwrap(), "x");
            assert_eq!(said, before);
        }
    }

    #[test]
    fn a_folder_is_entered_once_and_for_all_of_a_command() {
        for (command, expected) in [
            ("cd /srv && make", "cd /srv && make"),
            ("cd /srv/a && make", "cd /srv && cd /srv/a && make"),
            ("a && b", "cd /srv && a && b"),
            ("a & rm -r b", "cd /srv && {\na & rm -r b\n}"),
        ] {
            let mut input = Map::from_iter([("command".to_owned(), command.into())]);
            run_in(&mut input, "/srv");
            assert_eq!(input["command"], expected);
        }
    }
}
