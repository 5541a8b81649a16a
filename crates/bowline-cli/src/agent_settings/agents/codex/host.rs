//! Asks Codex itself which hooks it finds, and whether it runs them.

use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use bowline::hooks::humane_duration;
use bowline_agents::HookEvent;
use bowline_agents::codex::AGENT;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::agent_settings::trust::{Listed, Question, TrustState};
use crate::process::Talk;
use crate::ui::clipped;

/// It usually takes less than a second.
const LIMIT: Duration = Duration::from_secs(15);

/// Nothing of these is needed for the answer, and each asks for something on the network.
const QUIET: &[&str] = &[
    "analytics.enabled=false",
    "check_for_update_on_startup=false",
    "features.apps=false",
    "features.plugins=false",
    "features.remote_plugin=false",
];

/// What Codex says of the hooks in a settings file.
pub(super) fn ask(question: &Question<'_>) -> Result<Vec<Listed>, String> {
    // What it notes for itself is not to be left in a person's folder because of a question.
    let notes =
        tempfile::tempdir().map_err(|error| format!("there is no temporary folder: {error}"))?;
    let mut talk = Talk::start(command(question, notes.path()), LIMIT)
        .map_err(|error| format!("`codex app-server` cannot be started: {error}"))?;
    let hello = json!({"clientInfo": {"name": "bowline", "version": env!("CARGO_PKG_VERSION")}});
    call(&mut talk, 1, "initialize", &hello)?;
    let listed = call(
        &mut talk,
        2,
        "hooks/list",
        &json!({"cwds": [question.project]}),
    )?;
    read(&listed, question.settings)
}

fn command(question: &Question<'_>, notes: &Path) -> Command {
    let mut command = Command::new(question.program);
    for setting in QUIET {
        command.args(["-c", setting]);
    }
    for place in ["sqlite_home", "log_dir"] {
        let value = Value::from(notes.to_string_lossy());
        command.args(["-c", &format!("{place}={value}")]);
    }
    command.arg("app-server").current_dir(question.project);
    // Inside Codex these would make it believe that it runs inside itself.
    for mark in AGENT.marks {
        command.env_remove(mark);
    }
    command
}

/// The result of one call. What Codex says in between is not for us.
fn call(talk: &mut Talk, id: u64, method: &str, params: &Value) -> Result<Value, String> {
    let failed = |error: &io::Error| match error.kind() {
        io::ErrorKind::TimedOut => {
            format!(
                "`codex app-server` gave no answer within {}",
                humane_duration(LIMIT)
            )
        }
        io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe => {
            "`codex app-server` ended without an answer".to_owned()
        }
        _ => format!("`codex app-server` cannot be asked: {error}"),
    };
    let asked = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    talk.say(&asked.to_string()).map_err(|it| failed(&it))?;
    loop {
        let line = talk.hear().map_err(|it| failed(&it))?;
        let Ok(Value::Object(mut said)) = serde_json::from_str::<Value>(&line) else {
            continue;
        };
        if said.get("id").and_then(Value::as_u64) != Some(id) {
            continue;
        }
        return match (said.remove("result"), said.remove("error")) {
            (Some(result), _) => Ok(result),
            (None, error) => {
                let error = error.unwrap_or_default();
                let message = error.get("message").and_then(Value::as_str);
                let message = message.map_or_else(|| error.to_string(), str::to_owned);
                Err(format!(
                    "`codex app-server` refuses `{method}`: {}",
                    clipped(&message)
                ))
            }
        };
    }
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Folder>,
}

#[derive(Deserialize)]
struct Folder {
    hooks: Vec<Hook>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hook {
    key: String,
    event_name: String,
    command: Option<String>,
    matcher: Option<String>,
    source_path: String,
    enabled: bool,
    current_hash: String,
    trust_status: String,
}

/// The hooks of one settings file.
fn read(answer: &Value, settings: &Path) -> Result<Vec<Listed>, String> {
    let answer = Answer::deserialize(answer).map_err(|error| {
        format!("`codex app-server` answers in another form than that of 0.166: {error}")
    })?;
    let same = |path: &str| {
        let path = Path::new(path);
        let real = |path: &Path| path.canonicalize().ok();
        path == settings || (real(path).is_some() && real(path) == real(settings))
    };
    let hooks = answer.data.into_iter().flat_map(|folder| folder.hooks);
    let hooks = hooks.filter(|hook| {
        same(&hook.source_path) && matches!(hook.matcher.as_deref(), None | Some("" | "*"))
    });
    Ok(hooks.filter_map(listed).collect())
}

fn listed(hook: Hook) -> Option<Listed> {
    let state = match hook.trust_status.as_str() {
        _ if !hook.enabled => TrustState::Off,
        "trusted" | "managed" => TrustState::Trusted,
        "untrusted" => TrustState::Untrusted,
        // Somebody trusted something else under its name.
        _ => TrustState::Changed,
    };
    Some(Listed {
        event: HookEvent::from_name(&hook.event_name)?,
        command: hook.command?,
        key: hook.key,
        hash: hook.current_hash,
        state,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook(key: &str, event: &str, more: &Value) -> Value {
        let mut hook = json!({
            "key": key, "eventName": event, "handlerType": "command", "command": "bowline-hook codex Stop", "async": false,
            "matcher": null, "timeoutSec": 600, "statusMessage": null, "sourcePath": "/home/ann/.codex/hooks.json",
            "source": "user", "enabled": true, "isManaged": false, "currentHash": "sha256:1", "trustStatus": "untrusted",
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            hook[name] = value.clone();
        }
        hook
    }

    #[test]
    fn the_hooks_of_one_file_are_read_with_their_state() {
        let hooks = [
            hook("a", "stop", &json!({})),
            hook("b", "preToolUse", &json!({"trustStatus": "trusted"})),
            hook("c", "sessionEnd", &json!({"trustStatus": "modified"})),
            hook(
                "d",
                "postToolUse",
                &json!({"trustStatus": "trusted", "enabled": false}),
            ),
            hook(
                "e",
                "stop",
                &json!({"sourcePath": "/home/ann/.codex/config.toml"}),
            ),
            hook("f", "stop", &json!({"matcher": "Bash"})),
            hook("g", "stop", &json!({"command": null})),
            hook("h", "somethingNew", &json!({})),
        ];
        let answer = json!({"data": [{"cwd": "/p", "hooks": hooks, "warnings": [], "errors": []}]});
        let listed = read(&answer, Path::new("/home/ann/.codex/hooks.json")).unwrap();
        let told: Vec<_> = (listed.iter())
            .map(|it| (it.key.as_str(), it.event, it.state))
            .collect();
        assert_eq!(
            told,
            [
                ("a", HookEvent::Stop, TrustState::Untrusted),
                ("b", HookEvent::PreToolUse, TrustState::Trusted),
                ("c", HookEvent::SessionEnd, TrustState::Changed),
                ("d", HookEvent::PostToolUse, TrustState::Off),
            ]
        );
    }

    #[test]
    fn another_form_of_answer_is_said_to_be_one() {
        for answer in [
            json!({}),
            json!({"data": [{}]}),
            json!({"data": [{"hooks": [{"key": 1}]}]}),
        ] {
            let problem = read(&answer, Path::new("/x")).unwrap_err();
            assert!(problem.contains("another form"), "{problem}");
        }
    }

    /// What stands in for Codex.
    fn asked(script: &str) -> Result<Vec<Listed>, String> {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("codex");
        bowline_testkit::script(&program, &format!("#!/bin/sh\n{script}\n"));
        ask(&Question {
            program: &program,
            project: folder.path(),
            settings: Path::new("/home/ann/.codex/hooks.json"),
        })
    }

    #[test]
    fn codex_is_asked_and_what_it_says_besides_is_passed_over() {
        let answer =
            json!({"id": 2, "result": {"data": [{"hooks": [hook("a", "stop", &json!({}))]}]}});
        let listed = asked(&format!(
            "read hello; echo noise; echo '{{\"method\":\"notice\"}}'; echo '{{\"id\":1,\"result\":{{}}}}'; read list; echo '{answer}'"
        ));
        assert_eq!(listed.unwrap().len(), 1);
    }

    #[test]
    fn one_that_cannot_be_asked_is_told() {
        for (script, told) in [
            ("exit 0", "ended without an answer"),
            (
                "read x; echo '{\"id\":1,\"error\":{\"code\":-1,\"message\":\"unknown method\"}}'",
                "refuses `initialize`: unknown method",
            ),
        ] {
            let problem = asked(script).unwrap_err();
            assert!(problem.contains(told), "{problem}");
        }
    }
}
