//! Puts Bowline's line into `statusLine`, beside the one that is there, and takes it out again.

use jsonc_parser::ast::{Object, ObjectProp};

use super::document::{Document, bounds};
use super::handler::{json, text_of};
use super::list::Left;
use super::shapes::CLAUDE;
use super::splice::Edits;
use super::{Unfit, body};
use crate::agent_settings::shell_words::words;

const KEY: &str = "statusLine";
const PROGRAM: &str = "bowline";
const COMMAND: &str = "statusline";
/// The options that say where a person's files are.
const PLACES: [&str; 2] = ["--home=", "--env="];

/// Puts it in. A line that is there already is kept, and given to Bowline to be shown as well.
pub(super) fn install(text: &str, program: &str, places: &[String]) -> Result<String, Unfit> {
    let document = Document::parse(&CLAUDE, body(text))?;
    let command = match status_line(&document) {
        Some(property) => {
            let command = command_of(&document, property)?;
            Some(match Ours::read(command) {
                Some(ours) => ours.beside,
                None => Some(command.to_owned()),
            })
        }
        None => None,
    };
    let ours = Ours {
        beside: command.clone().flatten(),
    };
    let wanted = json(&ours.command(program, places));
    CLAUDE.edited(text, |document, _, edits| {
        if command.is_some() {
            return replace_command(document, wanted, edits);
        }
        let value = format!("\"{KEY}\": {{\"type\": \"command\", \"command\": {wanted}}}");
        document.add_to_root(&[value], edits);
    })
}

/// Puts back what was there. A line that is not Bowline's stays as it is.
pub(super) fn uninstall(text: &str) -> Result<String, Unfit> {
    let document = Document::parse(&CLAUDE, body(text))?;
    let property = status_line(&document);
    let command = property.and_then(|it| text_of(it.value.as_object()?, "command"));
    match command.and_then(Ours::read) {
        None => Ok(text.to_owned()),
        Some(Ours {
            beside: Some(theirs),
        }) => CLAUDE.edited(text, |document, _, edits| {
            replace_command(document, json(&theirs), edits);
        }),
        Some(Ours { beside: None }) => {
            CLAUDE.edited(text, |document, _, edits| remove(document, edits))
        }
    }
}

/// A status line of Bowline's.
#[derive(Debug, PartialEq, Eq)]
struct Ours {
    /// The command that was there before.
    beside: Option<String>,
}

impl Ours {
    /// Anything that a person made of it is no longer Bowline's.
    fn read(command: &str) -> Option<Self> {
        let words = words(command)?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let [program, COMMAND, rest @ ..] = words.as_slice() else {
            return None;
        };
        let is_place = |word: &&str| PLACES.iter().any(|option| word.starts_with(option));
        let places = rest.iter().take_while(|word| is_place(word)).count();
        let beside = match rest.get(places..)? {
            [] => None,
            ["--", theirs] => Some((*theirs).to_owned()),
            _ => return None,
        };
        let name = program.rsplit('/').next();
        (name == Some(PROGRAM)).then_some(Self { beside })
    }

    fn command(&self, program: &str, places: &[String]) -> String {
        let places = places.iter().map(String::as_str);
        let beside = self.beside.iter().flat_map(|theirs| ["--", theirs]);
        let words = [program, COMMAND].into_iter().chain(places).chain(beside);
        let words: Vec<String> = words.map(bowline_agents::shell_word).collect();
        words.join(" ")
    }
}

/// The one that the agent reads.
fn status_line<'a, 'b>(document: &'b Document<'a>) -> Option<&'b ObjectProp<'a>> {
    let properties = document.root.as_ref()?.properties.iter();
    properties.rev().find(|it| it.name.as_str() == KEY)
}

fn command_of<'b>(document: &Document<'_>, property: &'b ObjectProp<'_>) -> Result<&'b str, Unfit> {
    let object = property.value.as_object();
    let is_command = |it: &&Object<'_>| text_of(it, "type") == Some("command");
    let command = object
        .filter(is_command)
        .and_then(|it| text_of(it, "command"));
    command.ok_or_else(|| {
        let expected = "an object with the type \"command\" and a command";
        document.unfit(&property.value, KEY, expected)
    })
}

fn replace_command(document: &Document<'_>, wanted: String, edits: &mut Edits) {
    let object = status_line(document).and_then(|it| it.value.as_object());
    if let Some(command) = object.and_then(|it| it.get("command")) {
        edits.replace(bounds(&command.value), wanted);
    }
}

fn remove(document: &Document<'_>, edits: &mut Edits) {
    let (Some(root), Some(property)) = (&document.root, status_line(document)) else {
        return;
    };
    let is_it = |at: usize| {
        let other = root.properties.get(at);
        other.is_some_and(|it| it.range.start == property.range.start)
    };
    if document.properties(root).remove(&is_it, edits) == Left::Nothing {
        edits.replace(bounds(root), "{}".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "/opt/my bin/bowline";

    fn places() -> Vec<String> {
        vec!["--home=/home/ann".to_owned()]
    }

    #[test]
    fn it_comes_beside_and_goes_without_a_trace() {
        for (text, expected) in [
            (
                "{}",
                r#"{
  "statusLine": {"type": "command", "command": "'/opt/my bin/bowline' statusline --home=/home/ann"}
}"#,
            ),
            (
                "{\n    \"model\": \"opus\" // mine\n}\n",
                "{\n    \"model\": \"opus\", // mine\n    \"statusLine\": {\"type\": \"command\", \"command\": \"'/opt/my bin/bowline' statusline --home=/home/ann\"}\n}\n",
            ),
            (
                r#"{"statusLine": {"type": "command", "command": "~/line.sh", "padding": 0}}"#,
                r#"{"statusLine": {"type": "command", "command": "'/opt/my bin/bowline' statusline --home=/home/ann -- '~/line.sh'", "padding": 0}}"#,
            ),
            (
                r#"{"statusLine": {"type": "command", "command": "echo 'it''s' \"$(date)\" \\$x"}}"#,
                r#"{"statusLine": {"type": "command", "command": "'/opt/my bin/bowline' statusline --home=/home/ann -- 'echo '\\''it'\\'''\\''s'\\'' \"$(date)\" \\$x'"}}"#,
            ),
        ] {
            let installed = install(text, PATH, &places()).unwrap();
            assert_eq!(installed, expected);
            assert_eq!(
                install(&installed, PATH, &places()).unwrap(),
                expected,
                "again"
            );
            assert_eq!(uninstall(&installed).unwrap(), text);
            // A newer place of the program.
            let moved = install(&installed, "/new/bowline", &[]).unwrap();
            assert!(moved.contains("\"/new/bowline statusline"), "{moved}");
            assert_eq!(uninstall(&moved).unwrap(), text);
        }
        assert_eq!(uninstall(&install("", PATH, &[]).unwrap()).unwrap(), "{}\n");
    }

    #[test]
    fn what_is_not_bowlines_stays() {
        for text in [
            "",
            "{}",
            r#"{"statusLine": {"type": "command", "command": "bowline statusline | tee /tmp/x"}}"#,
            r#"{"statusLine": {"type": "command", "command": "bowline statusline -- a b"}}"#,
            r#"{"statusLine": {"type": "command", "command": "my-bowline statusline"}}"#,
            r#"{"statusLine": {"type": "command", "command": "bowline 'statusline"}}"#,
            r#"{"statusLine": null}"#,
        ] {
            assert_eq!(uninstall(text).unwrap(), text);
        }
    }

    #[test]
    fn a_status_line_that_is_not_understood_is_left_alone() {
        for (text, line) in [
            ("{\n  \"statusLine\": \"x\"\n}", 2),
            (r#"{"statusLine": {"type": "static", "command": "x"}}"#, 1),
            (r#"{"statusLine": {"type": "command"}}"#, 1),
        ] {
            let unfit = install(text, PATH, &places()).unwrap_err();
            assert_eq!(unfit.line, line, "{text}");
            assert!(unfit.message.contains("`statusLine` is "), "{unfit}");
        }
    }
}
