//! A call that was stopped, and what can be done if that was a false alarm.

use std::path::PathBuf;

use bowline::hooks::Decision;
use bowline_agents::shell_word;
use bowline_builtins::false_alarm::{FalseAlarm, NoRemedy, Remedy};
use bowline_builtins::guard::{Way, exact_call, ways};
use bowline_store::{RecordedEvent, Result, Store};
use serde_json::{Value, json};

use super::call;
use super::guards::is_false_alarm;
use crate::site::Judge;
use crate::text::shown;

/// A stopped call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Alarm {
    /// The agent's id of the call.
    pub(crate) call: String,
    pub(crate) event: RecordedEvent,
    /// What a person can do; nothing before it is marked.
    pub(crate) aid: Option<Aid>,
}

/// What can be done about a false alarm.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Aid {
    pub(crate) remedy: std::result::Result<Remedy, NoAid>,
    pub(crate) ways: Vec<Way>,
    /// Nothing for a call that was not kept word for word.
    pub(crate) test: Option<Test>,
}

/// Why nothing lets it pass from now on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum NoAid {
    /// It was not kept word for word, or not where it was made.
    NotKept,
    /// It would have to be written with characters that nobody sees.
    Unseen,
    No(NoRemedy),
}

/// A call as a test: in its project, and as it is written on a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Test {
    /// One line of JSON for `bowline rules test`.
    pub(crate) case: String,
    /// Checks all cases and all examples of rules.
    pub(crate) of_all: String,
    /// Fires this call alone.
    pub(crate) of_call: String,
}

/// The stopped call of this id. Of several events about it one may be meant.
pub(crate) fn read(
    store: &dyn Store,
    judge: &dyn Judge,
    call: &str,
    event: Option<&str>,
) -> Result<Option<Alarm>> {
    let Some(event) = find(store, call, event)? else {
        return Ok(None);
    };
    let aid = if is_false_alarm(store, &event)? {
        Some(aid(judge, &event))
    } else {
        None
    };
    let call = call.to_owned();
    Ok(Some(Alarm { call, event, aid }))
}

/// Writes the entry that lets it pass from now on; nothing if there is no such call.
pub(crate) fn allow(
    store: &dyn Store,
    judge: &dyn Judge,
    call: &str,
    event: Option<&str>,
) -> Result<Option<std::result::Result<(), NoAid>>> {
    let event = find(store, call, event)?;
    Ok(event.map(|event| {
        let alarm = alarm(&event).ok_or(NoAid::NotKept)?;
        judge.allow(&alarm).map_err(NoAid::No)
    }))
}

/// The event that stopped a call, with what the call was.
fn find(store: &dyn Store, id: &str, event: Option<&str>) -> Result<Option<RecordedEvent>> {
    let Some(call) = call::read(store, id)? else {
        return Ok(None);
    };
    let mut stopped = call.events.into_iter();
    let found = stopped.find(|it| {
        let is_meant = event.is_none_or(|event| it.decided.id == event);
        is_meant && it.decided.decision >= Decision::Ask
    });
    Ok(found.map(|mut found| {
        found.input = call.trace.input;
        found
    }))
}

fn aid(judge: &dyn Judge, event: &RecordedEvent) -> Aid {
    let remedy = alarm(event).ok_or(NoAid::NotKept);
    Aid {
        remedy: remedy.and_then(|alarm| match judge.remedy(&alarm) {
            Ok(Remedy::Rule(rule)) if shown(&rule.text) != rule.text => Err(NoAid::Unseen),
            remedy => remedy.map_err(NoAid::No),
        }),
        ways: ways(&event.decided, event.input.as_ref()),
        test: test(event),
    }
}

/// The call to the letter; nothing if it was not kept so.
fn alarm(event: &RecordedEvent) -> Option<FalseAlarm> {
    let decided = &event.decided;
    let tool = decided.tool.as_deref()?;
    let input = event.input.as_ref()?;
    exact_call(tool, input)?;
    Some(FalseAlarm {
        agent: decided.agent.clone(),
        session: decided.session.clone(),
        project: PathBuf::from(decided.project.as_deref()?),
        tool: tool.to_owned(),
        input: input.clone(),
        rule: decided.rule.clone(),
    })
}

/// The call as a test. What a person would not see in it is in none.
fn test(event: &RecordedEvent) -> Option<Test> {
    let alarm = alarm(event)?;
    let folder = alarm.project.to_str()?;
    let command = alarm.input.get("command").and_then(Value::as_str);
    let case = match command.filter(|_| alarm.tool == "Bash") {
        Some(command) => json!({"command": command, "verdict": "allow", "cwd": folder}),
        None => {
            json!({"tool": alarm.tool, "tool_input": alarm.input, "verdict": "allow", "cwd": folder})
        }
    };
    let (dir, tool, input) = (
        shell_word(folder),
        shell_word(&alarm.tool),
        shell_word(&alarm.input.to_string()),
    );
    let test = Test {
        case: case.to_string(),
        of_all: format!("bowline rules test cases.jsonl --dir {dir}"),
        of_call: format!("bowline test PreToolUse --dir {dir} --tool {tool} --input {input}"),
    };
    let is_plain = [&test.case, &test.of_call].map(|text| shown(text) == *text);
    (is_plain == [true, true]).then_some(test)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::tests::event;

    #[test]
    fn a_call_is_a_test_in_its_project() {
        let mut event = event();
        event.input = Some(json!({"command": "git commit -m \"it's\"", "timeout": 5}));
        let found = test(&event).unwrap();
        assert_eq!(
            found.case,
            r#"{"command":"git commit -m \"it's\"","verdict":"allow","cwd":"/home/ada/shop"}"#
        );
        assert_eq!(
            found.of_call,
            r#"bowline test PreToolUse --dir /home/ada/shop --tool Bash --input '{"command":"git commit -m \"it'\''s\"","timeout":5}'"#
        );
        event.decided.tool = Some("Read".to_owned());
        event.input = Some(json!({"file_path": "/home/ada/shop/.env"}));
        assert_eq!(
            test(&event).unwrap().case,
            r#"{"tool":"Read","tool_input":{"file_path":"/home/ada/shop/.env"},"verdict":"allow","cwd":"/home/ada/shop"}"#
        );
    }

    #[test]
    fn what_is_not_kept_or_not_seen_is_no_test() {
        for command in ["TOKEN=[REDACTED:github-token] gh pr list", "echo \u{202e}x"] {
            let mut event = event();
            event.input = Some(json!({"command": command}));
            assert_eq!(test(&event), None, "{command}");
        }
        let mut nowhere = event();
        nowhere.decided.project = None;
        assert_eq!(test(&nowhere), None);
    }
}
