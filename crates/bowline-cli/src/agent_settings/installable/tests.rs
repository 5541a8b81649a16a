use bowline_agents::EventClass;

use super::*;
use crate::agent_settings::CLAUDE_CODE;
use crate::agent_settings::agents::INSTALLABLE;
use crate::agent_settings::shell_words::words;

fn plan(scope: InstallScope, on_failure: FailMode) -> Plan {
    Plan {
        scope,
        client: ClientVersion::new(2, 1, 325),
        program: "/opt/bin/bowline-hook".to_owned(),
        on_failure,
        places: vec!["HOME=/home/ann".to_owned()],
        status_line: None,
    }
}

/// What only the text of one form can show is tested beside that form.
#[test]
fn every_agent_gets_its_settings_back() {
    for agent in INSTALLABLE {
        let scopes = InstallScope::ALL.into_iter();
        for scope in scopes.filter(|scope| agent.file_name(*scope).is_some()) {
            let context = format!("{} {scope:?}", agent.name());
            let older = Plan {
                client: agent.registration.client.oldest,
                ..plan(scope, FailMode::Ask)
            };
            let newer = Plan {
                program: "/srv/bin/bowline-hook".to_owned(),
                on_failure: FailMode::Closed,
                ..older.clone()
            };
            let events: Vec<&str> = agent.events(newer.client).collect();
            // Where each event has a file of its own, each comes and goes by itself.
            let files: Vec<&[&str]> = match agent.form.kind {
                FileKind::Scripts { .. } => events.chunks(1).collect(),
                FileKind::Settings | FileKind::Own => vec![events.as_slice()],
            };
            for events in files {
                let is_there = |event: &str| events.contains(&event);
                let before = agent.install_at("", &older, &is_there).unwrap();
                let after = agent.install_at(&before, &newer, &is_there).unwrap();
                let again = agent.install_at(&after, &newer, &is_there);
                assert_eq!(again.unwrap(), after, "{context}");
                assert_eq!(agent.shadowed(&after).unwrap(), [], "{context}");
                let found = agent.found(&after).unwrap();
                let found_events = found.iter().map(|it| it.entry.event.as_str());
                assert!(
                    found_events.eq(events.iter().copied()),
                    "{context}: {after}"
                );
                for Found { entry, .. } in &found {
                    let event = agent.agent.events.iter().find(|it| it.0 == entry.event);
                    let (name, event) = event.unwrap();
                    assert_eq!(*entry, agent.entry(name, *event, &newer), "{context}");
                }
                let without = agent.uninstall(&after, "").unwrap();
                assert!((agent.form.is_blank)(&without), "{context}: {without}");
            }
        }
    }
}

/// An answer after the agent's limit is useless.
#[test]
fn the_hook_knows_how_long_the_agent_waits() {
    for agent in INSTALLABLE {
        for (name, event) in agent.agent.events {
            let plan = Plan {
                client: agent.registration.client.oldest,
                ..plan(InstallScope::User, FailMode::Ask)
            };
            let entry = agent.entry(name, *event, &plan);
            let args = entry.args.or_else(|| words(&entry.command)).unwrap();
            let told = args.iter().find_map(|arg| arg.strip_prefix("--timeout="));
            let told = told.map_or(USUAL_TIMEOUT, |seconds| seconds.parse().unwrap());
            assert_eq!(told, agent.registration.timeout_of(*event), "{name}");
        }
    }
}

#[test]
fn every_event_is_registered_but_those_where_a_hook_replaces_the_agents_own_doing() {
    let text = CLAUDE_CODE
        .install("", &plan(InstallScope::User, FailMode::Ask))
        .unwrap();
    let found = CLAUDE_CODE.found(&text).unwrap();
    assert_eq!(found.len(), HookEvent::ALL.len() - 2);
    for name in ["WorktreeCreate", "MessageDisplay"] {
        assert!(!text.contains(name), "{name} is registered");
    }
    let entry = &found.first().unwrap().entry;
    assert_eq!(entry.command, "/opt/bin/bowline-hook");
    assert_eq!(
        entry.args.as_ref().unwrap(),
        &[
            "claude-code",
            "PreToolUse",
            "--timeout=600",
            "--env=HOME=/home/ann"
        ]
    );
    for it in &found {
        let Entry {
            event,
            timeout,
            args,
            ..
        } = &it.entry;
        // A question may wait there, or tests may run.
        let is_long = ["PreToolUse", "Stop", "SubagentStop"].contains(&event.as_str());
        let limit = if is_long { 600 } else { 60 };
        assert_eq!(*timeout, Some(limit), "{event}");
        let told = args.iter().flatten().any(|arg| arg == "--timeout=600");
        assert_eq!(told, is_long, "{event}");
    }
}

#[test]
fn nothing_is_written_that_the_client_does_not_know() {
    let installed = |scope, version: &str| {
        let plan = Plan {
            client: version.parse().unwrap(),
            program: "/opt/my bin/bowline-hook".to_owned(),
            ..plan(scope, FailMode::Closed)
        };
        CLAUDE_CODE.install("", &plan).unwrap()
    };
    for scope in InstallScope::ALL {
        for (version, unknown) in [
            (
                "2.1.197",
                &["DirectoryAdded", "ModelSwitch", "onFailure"][..],
            ),
            ("2.1.250", &["ModelSwitch", "onFailure"]),
            ("2.1.100", &["PostToolBatch", "\"args\"", "onFailure"]),
        ] {
            let text = installed(scope, version);
            for part in unknown {
                assert!(!text.contains(part), "{part} for {version}: {text}");
            }
            assert!(text.contains("\"PreToolUse\""), "{text}");
        }
    }
    // The shell's form is known again as ours.
    let text = installed(InstallScope::User, "2.1.100");
    let found = CLAUDE_CODE.found(&text).unwrap();
    let entry = &found.first().unwrap().entry;
    assert!(
        entry
            .command
            .starts_with("'/opt/my bin/bowline-hook' claude-code PreToolUse "),
        "{}",
        entry.command
    );
    // An entry that the client does not know goes when it is written anew.
    let newer = installed(InstallScope::User, "2.1.325");
    assert!(newer.contains("DirectoryAdded") && newer.contains("onFailure"));
    let older = Plan {
        client: CLAUDE_CODE.registration.client.oldest,
        ..plan(InstallScope::User, FailMode::Closed)
    };
    let text = CLAUDE_CODE.install(&newer, &older).unwrap();
    assert!(!text.contains("DirectoryAdded") && !text.contains("onFailure"));
    assert_eq!(CLAUDE_CODE.found(&text).unwrap().len(), 28);
}

#[test]
fn the_agents_own_on_failure_is_set_for_closed_gates_only() {
    for mode in [FailMode::Open, FailMode::Ask] {
        let text = CLAUDE_CODE
            .install("", &plan(InstallScope::User, mode))
            .unwrap();
        assert!(!text.contains("onFailure"));
    }
    let closed = plan(InstallScope::Project, FailMode::Closed);
    let text = CLAUDE_CODE.install("", &closed).unwrap();
    for found in CLAUDE_CODE.found(&text).unwrap() {
        let event: HookEvent = found.entry.event.parse().unwrap();
        let expected = event.class() == EventClass::Gate && event != HookEvent::TaskCompleted;
        assert_eq!(found.entry.blocks_on_failure, expected, "{event}");
        assert!(found.entry.command.contains("--on-failure=closed"));
    }
}

#[test]
fn bowlines_own_check_finds_nothing_wrong_with_the_entries() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(".claude/settings.json");
    std::fs::create_dir(file.parent().unwrap()).unwrap();
    for scope in InstallScope::ALL {
        for mode in [FailMode::Ask, FailMode::Closed] {
            let text = CLAUDE_CODE.install("", &plan(scope, mode)).unwrap();
            std::fs::write(&file, text).unwrap();
            let report = bowline::settings::check_file(&file, None);
            assert_eq!(report.parsed.diagnostics, [], "{scope:?} {mode}");
            assert_eq!(report.parsed.hooks.len(), HookEvent::ALL.len() - 2);
        }
    }
}
