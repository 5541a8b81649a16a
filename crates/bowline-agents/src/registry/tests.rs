//! What must hold for every agent, also for the next one.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::*;
use crate::agent::Agent;
use crate::answer::Answer;
use crate::claude_code;
use crate::decision::Decision;
use crate::event::{EventClass, HookEvent};
use crate::last_resort::{Stake, ask, deny};
use crate::opinion::Opinion;
use crate::reading::Reading;
use crate::registration::{CanaryAnswer, CanaryCall};
use crate::reported::NATIVE;
use crate::reported::Reported;
use crate::spelling::{self, plain};
use crate::words::OwnTool;

const TEXT: &str = "nobody could judge this";

/// Every name that any agent has for an event, and one that none has.
fn all_names() -> BTreeSet<&'static str> {
    let all = all_spellings().chain([spelling::ELSEWHERE]).flatten();
    all.map(|(name, _)| *name).chain(["New"]).collect()
}

#[test]
fn names_are_unique_and_in_order() {
    let names: Vec<&str> = AGENTS.iter().map(|agent| agent.name).collect();
    let sorted: BTreeSet<&str> = names.iter().copied().collect();
    assert!(names.iter().eq(&sorted), "{names:?}");
    for agent in AGENTS {
        let fits = |c: char| c.is_ascii_lowercase() || c == '-';
        assert!(agent.name.chars().all(fits), "{}", agent.name);
        assert_eq!(named(agent.name).map(|it| it.title), Some(agent.title));
        assert!(last_resort(agent.name).is_some(), "{}", agent.name);
    }
    assert!(named("Claude-Code").is_none() && named("").is_none());
    assert_eq!(named(DEFAULT.name).map(|it| it.title), Some(DEFAULT.title));
    let told = supported_names("or");
    let quoted: Vec<&str> = told.split('`').skip(1).step_by(2).collect();
    let supported: Vec<&str> = supported().map(|(agent, _)| agent.name).collect();
    assert_eq!(quoted, supported, "{told}");
    assert!(told.contains("` or `"), "{told}");
}

#[test]
fn a_spelling_is_one_event_whoever_uses_it() {
    let mut known: BTreeMap<String, HookEvent> = BTreeMap::new();
    for (name, event) in all_spellings().chain([spelling::ELSEWHERE]).flatten() {
        assert_ne!(*event, HookEvent::Unknown, "{name}");
        let before = known.insert(plain(name), *event);
        assert!(before.is_none_or(|before| before == *event), "{name}");
        let canonical = HookEvent::from_name(name);
        assert!(canonical.is_none_or(|it| it == *event), "{name}");
    }
    for agent in AGENTS {
        let mut names = BTreeSet::new();
        let twice = agent.events.iter().find(|(it, _)| !names.insert(plain(it)));
        assert!(twice.is_none(), "{}: {twice:?}", agent.name);
        let gates = |(_, event): &(&str, HookEvent)| Stake::of(*event) == Stake::Action;
        assert!(agent.events.iter().any(gates), "{}", agent.name);
    }
}

#[test]
fn what_is_at_stake_follows_from_the_class_of_the_event() {
    use HookEvent as E;
    for event in HookEvent::ALL {
        let stake = Stake::of(*event);
        let fits = match event.class() {
            EventClass::Gate => matches!(stake, Stake::Action | Stake::Gate),
            EventClass::Redirect => matches!(stake, Stake::Turn | Stake::Nothing),
            EventClass::Observe => stake == Stake::Nothing,
        };
        assert!(fits, "{event}: {stake:?}");
        for agent in AGENTS {
            assert_eq!(Stake::of_name(agent.name, event.name()), stake, "{event}");
        }
        assert_eq!(Stake::of_name("somebody-new", event.snake_name()), stake);
    }
    let at = |stake: Stake| -> Vec<HookEvent> {
        let all = HookEvent::ALL.iter().copied();
        all.filter(|event| Stake::of(*event) == stake).collect()
    };
    assert_eq!(
        at(Stake::Action),
        [E::PreToolUse, E::PermissionRequest, E::PreModelSwitch]
    );
    assert_eq!(at(Stake::Turn), [E::Stop, E::SubagentStop, E::TeammateIdle]);
}

#[test]
fn tools_are_translated_into_known_ones() {
    for (agent, protocol) in supported() {
        let mut names = BTreeSet::new();
        for OwnTool { name, is, fields } in protocol.tools {
            assert!(names.insert(*name), "{}: {name} twice", agent.name);
            let known = claude_code::tools::known_names().chain(["Delete", "Move", "Shell"]);
            assert!(known.into_iter().any(|it| it == *is), "{name} is {is}");
            let own: BTreeSet<&str> = fields.iter().map(|(own, _)| *own).collect();
            let bowlines: BTreeSet<&str> = fields.iter().map(|(_, is)| *is).collect();
            assert_eq!(
                (own.len(), bowlines.len()),
                (fields.len(), fields.len()),
                "{name}"
            );
        }
    }
}

/// The words by which an agent would take an answer for a permission.
fn permits(value: &Value) -> bool {
    match value {
        Value::String(text) => ["allow", "approve", "grant", "accept"].contains(&text.as_str()),
        Value::Bool(flag) => *flag,
        Value::Array(items) => items.iter().any(permits),
        // The one flag that stops something.
        Value::Object(fields) => fields
            .iter()
            .any(|(name, it)| name != "cancel" && permits(it)),
        _ => false,
    }
}

/// The JSON of an answer, and nothing beside it.
fn printed(answer: &Answer) -> Option<Value> {
    assert_eq!((answer.exit, answer.stderr.as_str()), (0, ""), "{answer:?}");
    let line = answer.stdout.strip_suffix('\n')?;
    Some(serde_json::from_str(line).unwrap())
}

#[test]
fn no_answer_of_last_resort_permits_anything() {
    for agent in AGENTS {
        for name in all_names() {
            let asked = ask(agent.name, name, TEXT);
            let denied = deny(agent.name, name, TEXT);
            for answer in [&asked, &denied].into_iter().flatten() {
                let json = printed(answer);
                let context = format!("{} {name}: {json:?}", agent.name);
                assert!(!json.as_ref().is_some_and(permits), "{context}");
                let tells = |json: &Value| json.to_string().contains(TEXT);
                assert!(json.as_ref().is_none_or(tells), "{context}");
            }
            // Silence asks only where a dialog comes anyway, and never denies.
            let silent = asked.is_some_and(|it| it == Answer::default());
            let event = spelling::find_anywhere(name);
            let has_dialog = matches!(
                event,
                Some(HookEvent::PermissionRequest | HookEvent::Elicitation)
            );
            assert!(!silent || has_dialog, "{} {name}", agent.name);
            assert_ne!(denied, Some(Answer::default()), "{} {name}", agent.name);
        }
    }
    for name in all_names() {
        assert_eq!(ask("somebody-new", name, TEXT), None);
        assert_eq!(deny("somebody-new", name, TEXT), None);
    }
}

/// What another agent prints may be a silent "allow" to this one.
#[test]
fn no_agent_is_told_anything_in_the_form_of_another() {
    let shape = |json: &Value| -> String {
        let fields = json.as_object().unwrap();
        let words = fields.iter().map(|(name, value)| match value {
            Value::Object(own) => format!("{name}{:?}", own.keys().collect::<Vec<_>>()),
            _ => name.clone(),
        });
        words.collect::<Vec<_>>().join(" ")
    };
    let mut shapes: BTreeMap<String, &str> = BTreeMap::new();
    for agent in AGENTS {
        for name in all_names() {
            // The one form that agents share by design, because they read each other's entries.
            if ["copilot", "vscode"].contains(&agent.name) && plain(name) == "pretooluse" {
                continue;
            }
            let answers = [ask(agent.name, name, TEXT), deny(agent.name, name, TEXT)];
            for json in answers.iter().flatten().filter_map(printed) {
                let owner = *shapes.entry(shape(&json)).or_insert(agent.name);
                assert_eq!(owner, agent.name, "{name}: {json}");
            }
        }
    }
    for sharing in ["copilot", "vscode"] {
        assert_eq!(
            ask(sharing, "PreToolUse", TEXT),
            ask("claude-code", "PreToolUse", TEXT)
        );
    }
    assert!(!shapes.values().any(|agent| *agent == "codex"));
}

#[test]
fn no_opinion_is_silence_and_a_block_is_told() {
    for (agent, protocol) in supported() {
        for event in HookEvent::ALL {
            let reported = Reported::of(*event);
            let silence = protocol.encode(&reported, &Opinion::allow());
            let read = protocol.reads(&reported, &silence);
            assert_eq!(read, Some(Reading::silence()), "{} {event}", agent.name);
            let denied = protocol.encode(&reported, &Opinion::block(TEXT));
            let told = denied.stdout.contains(TEXT) || denied.stderr.contains(TEXT);
            let declines = denied.stdout.contains("decline");
            assert!(
                told || declines || !protocol.enforces(*event),
                "{} {event}",
                agent.name
            );
        }
    }
}

#[test]
fn a_payload_in_bowlines_own_form_is_read_as_it_stands() {
    let payload = json!({
        "session_id": "s", "cwd": "/p", "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"command": "ls"},
    });
    for (agent, protocol) in supported() {
        assert_eq!(protocol.decode(payload.clone()), payload, "{}", agent.name);
    }
}

/// An event that `decode` does not know passes every gate in silence.
#[test]
fn every_spelling_of_an_event_is_decoded() {
    for (agent, protocol) in supported() {
        for (spelling, event) in agent.events {
            let payload = protocol.decode(json!({"hook_event_name": spelling}));
            let name = payload.get("hook_event_name").and_then(Value::as_str);
            let decoded = name.and_then(HookEvent::from_name);
            assert_eq!(decoded, Some(*event), "{}: {spelling}", agent.name);
        }
    }
}

#[test]
fn settings_files_are_told_relative_to_their_folders() {
    for registration in registrations() {
        let (files, program) = (&registration.files, registration.client.name);
        let all = [
            Some(files.user),
            files.project,
            files.local,
            Some(registration.folder.in_home),
        ];
        let mut absolute = all.iter().flatten().filter(|file| file.starts_with('/'));
        assert_eq!(absolute.next(), None, "{program}");
        let is_one = files.project.is_some() && files.project == files.local;
        assert!(!is_one, "{program}");
    }
}

#[test]
fn variables_are_told_once() {
    let of_projects = project_variables();
    assert!(of_projects.is_sorted_by(|a, b| a < b), "{of_projects:?}");
    assert!(of_projects.iter().all(|name| is_project_variable(name)));
    assert!(of_projects.contains(&"CLAUDE_PROJECT_DIR"));
    assert!(!is_project_variable("PROJECT_DIR"));
    let of_folders: Vec<&str> = folder_variables().collect();
    let unique: BTreeSet<&str> = of_folders.iter().copied().collect();
    assert_eq!(of_folders.len(), unique.len(), "{of_folders:?}");
    assert!(unique.contains("CLAUDE_CONFIG_DIR") && unique.contains("CODEX_HOME"));
    let marks: Vec<&str> = marks().collect();
    let unique: BTreeSet<&str> = marks.iter().copied().collect();
    assert_eq!(marks.len(), unique.len());
    assert!(unique.contains("CLAUDECODE") && unique.contains("GEMINI_CLI"));
}

/// `bowline doctor` tells by this whether an installed entry works.
#[test]
fn what_an_agent_is_answered_means_what_was_decided() {
    let installable = supported().filter_map(|(agent, it)| Some((agent, it, it.registration?)));
    for (agent, protocol, registration) in installable {
        let (name, canary) = (agent.name, &registration.canary);
        let event = spelling::find(canary.event, agent.events);
        assert_eq!(event, Some(HookEvent::PreToolUse), "{name}");
        let oldest = registration.client.oldest;
        assert!(
            registration.registers((canary.event, HookEvent::PreToolUse), oldest),
            "{name}"
        );
        let payload = protocol.decode((canary.payload)(&CanaryCall {
            session: "s",
            folder: "/p",
            command: "make",
        }));
        let at = |field: &str| payload.pointer(field).and_then(Value::as_str);
        for (field, expected) in [
            ("/hook_event_name", "PreToolUse"),
            ("/session_id", "s"),
            ("/tool_name", "Bash"),
        ] {
            assert_eq!(at(field), Some(expected), "{name}: {field}");
        }
        let runs = (at("/cwd"), at("/tool_input/command"));
        assert_eq!(runs, (Some("/p"), Some("make")), "{name}");
        let own = payload
            .pointer("/native/tool_name")
            .or(payload.get("tool_name"));
        assert_eq!(own, Some(&canary.tool.into()), "{name}");
        let ask = || CanaryAnswer::Ask("why".to_owned());
        for (opinion, expected) in [
            (Opinion::default(), CanaryAnswer::Silent),
            (Opinion::block("why"), CanaryAnswer::Deny),
            (Opinion::ask("why"), ask()),
        ] {
            let reported = reported_of(&payload, HookEvent::PreToolUse);
            let opinion = protocol.express(agent.title, &reported, &opinion);
            let answer = protocol.encode(&reported, &opinion);
            let meaning = (canary.meaning)(&answer);
            // Where an agent cannot be made to ask, it is told to deny.
            let is_stricter = expected == ask() && meaning == Some(CanaryAnswer::Deny);
            assert!(
                meaning == Some(expected) || is_stricter,
                "{name}: {answer:?}"
            );
        }
    }
}

/// What an answer has to know of a payload that was decoded.
fn reported_of(payload: &Value, event: HookEvent) -> Reported<'_> {
    let tool = payload.get("tool_name").and_then(Value::as_str);
    Reported::decoded(
        event,
        payload.get(NATIVE),
        (tool, payload.get("tool_input")),
    )
    .in_mode(payload.get("permission_mode").and_then(Value::as_str))
}

fn in_camel_case(name: &str) -> String {
    let (first, rest) = name.split_at(1);
    first.to_ascii_lowercase() + rest
}

/// Every event as an agent may report it: under each of its own names, with a call of each of its tools, in several modes.
fn all_reported(agent: &'static Agent, protocol: &'static Protocol) -> Vec<Value> {
    let tools = protocol.tools.iter().map(|tool| tool.name);
    let tools: Vec<&str> = tools.chain(["Bash", "Write", "mcp__files__read"]).collect();
    let names = agent.events.iter().map(|(name, _)| (*name).to_owned());
    // Some agents answer to two spellings of one name.
    let names = names.flat_map(|name| [in_camel_case(&name), name]);
    let tools = &tools;
    let with_tools = names.flat_map(|name| tools.iter().map(move |tool| (name.clone(), *tool)));
    let in_modes = with_tools.flat_map(|(name, tool)| {
        ["default", "bypassPermissions", "unheard-of"].map(|mode| {
            json!({
                "session_id": "s", "cwd": "/p", "hook_event_name": name, "tool_name": tool,
                "permission_mode": mode,
                "tool_input": {"command": "make", "file_path": "/p/a", "content": "x"},
            })
        })
    });
    in_modes.map(|payload| protocol.decode(payload)).collect()
}

/// Read by the agent's own rules, an answer is never milder than what was decided, and nothing but a grant skips its permissions.
#[test]
fn an_answer_is_never_read_as_something_milder() {
    let rewritten = || json!({"command": "make -n", "file_path": "/p/b", "content": "y"});
    for (agent, protocol) in supported() {
        for payload in all_reported(agent, protocol) {
            let event = payload["hook_event_name"].as_str().unwrap();
            let event = HookEvent::from_name(event).unwrap();
            let reported = reported_of(&payload, event);
            for opinion in [
                Opinion::allow(),
                Opinion::allow().context(TEXT),
                Opinion::allow().system_message(TEXT),
                Opinion::allow().updated_input(rewritten()),
                Opinion::grant(),
                Opinion::grant().updated_input(rewritten()),
                Opinion::ask(TEXT),
                Opinion::ask(TEXT).updated_input(rewritten()),
                Opinion::block(TEXT),
                Opinion::block(""),
                Opinion::block(TEXT).context(TEXT).system_message(TEXT),
                Opinion {
                    end_turn: Some(TEXT.to_owned()),
                    ..Opinion::allow()
                },
            ] {
                let said = protocol.express(agent.title, &reported, &opinion);
                let answer = protocol.encode(&reported, &said);
                let read = protocol.reads(&reported, &answer);
                let context = format!("{} {} {opinion:?}: {answer:?}", agent.name, reported.name);
                let read = read.unwrap_or_else(|| panic!("a failure: {context}"));
                assert!(
                    read.decision != Decision::Grant || opinion.decision() == Decision::Grant,
                    "{context}"
                );
                let stops = protocol.enforces(event) && Stake::of(event) != Stake::Nothing;
                let asks_anyway =
                    event == HookEvent::PermissionRequest || event == HookEvent::Elicitation;
                let wanted = match opinion.decision() {
                    Decision::Deny => Decision::Deny,
                    Decision::Ask if asks_anyway => Decision::NoOpinion,
                    Decision::Ask => Decision::Ask,
                    // Never more is asked for than the agent's own permissions.
                    Decision::Grant | Decision::NoOpinion => Decision::NoOpinion,
                };
                assert!(!stops || read.decision >= wanted, "{context}");
                let ends = read.ends_turn || read.decision == Decision::Deny;
                let wants_end = opinion.end_turn.is_some() && event == HookEvent::PreToolUse;
                assert!(!wants_end || ends, "{context}");
                let runs_then = event == HookEvent::PreToolUse
                    || (event == HookEvent::PermissionRequest && protocol.enforces(event));
                let changes = opinion.rewritten_input().is_some() && runs_then;
                let is_safe = read.input.is_some() || read.decision == Decision::Deny;
                assert!(!changes || is_safe, "{context}");
            }
        }
    }
}

#[test]
fn an_agent_enforces_what_it_is_said_to_enforce() {
    for (agent, protocol) in supported() {
        for payload in all_reported(agent, protocol) {
            let event = payload["hook_event_name"].as_str().unwrap();
            let event = HookEvent::from_name(event).unwrap();
            let reported = reported_of(&payload, event);
            let answer = protocol.encode(&reported, &Opinion::block(TEXT));
            let read = protocol.reads(&reported, &answer).unwrap();
            let follows = read.decision == Decision::Deny;
            assert_eq!(
                follows,
                protocol.enforces(event),
                "{} {}: {answer:?}",
                agent.name,
                reported.name
            );
        }
    }
}
