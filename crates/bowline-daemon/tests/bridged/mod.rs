//! Claude Code's hooks under other agents: what they get, and what becomes of what they answer.

use std::fs;

use serde_json::{Value, json};

use super::stage::Stage;

const BRIDGE: &str = "[bridge]\nclaude_hooks = true\n";

fn stage() -> Stage {
    let stage = Stage::new();
    stage.user_config(BRIDGE);
    stage
}

/// A command that keeps what it gets.
fn keeping(stage: &Stage) -> String {
    let seen = stage.path("seen.jsonl");
    let seen = seen.display();
    format!("(tr -d '\\n'; echo) >> '{seen}'")
}

/// The events that such a command got since the last look.
fn seen(stage: &Stage) -> Vec<Value> {
    let file = stage.path("seen.jsonl");
    let text = fs::read_to_string(&file).unwrap_or_default();
    let _ = fs::remove_file(file);
    let read = |line| serde_json::from_str(line).unwrap();
    text.lines().map(read).collect()
}

/// The only hook of the person's own settings for Claude Code.
fn only_hook(stage: &Stage, matcher: &str, command: &str) {
    let hook = json!({"type": "command", "command": command});
    let group = json!([{"matcher": matcher, "hooks": [hook]}]);
    let hooks = json!({"PreToolUse": group, "PostToolUse": group});
    let settings = json!({"hooks": hooks}).to_string();
    stage.write("home/.claude/settings.json", settings);
    stage.ask("daemon.reload");
}

/// A call as an agent reports it.
fn call(stage: &Stage, event: &str, tool: &str, input: &Value) -> Value {
    json!({
        "session_id": "s1", "cwd": stage.path("project"), "hook_event_name": event,
        "tool_name": tool, "tool_input": input,
    })
}

/// What the agent is told: what is printed for it, or why it is denied where that is an exit code.
fn told(stage: &Stage, agent: &str, payload: &Value) -> Value {
    let mut call = stage.call();
    agent.clone_into(&mut call.agent);
    call.env.remove("CLAUDE_PROJECT_DIR");
    let answer = stage.client().hook(call, payload);
    if answer.exit == 2 {
        return json!({"stderr": answer.stderr});
    }
    serde_json::from_str(&answer.stdout).unwrap_or_default()
}

#[test]
fn they_get_what_claude_code_would_have_sent() {
    let stage = stage();
    let file = stage.path("project/a.txt");
    let bash = json!({"command": "ls"});
    let patch =
        |lines: &str| json!({"command": format!("*** Begin Patch\n{lines}*** End Patch\n")});
    let written = json!({"file_path": file, "content": "one\n"});
    let edited = json!({"file_path": file, "old_string": "one", "new_string": "1"});
    for (agent, event, (tool, input), matcher, expected) in [
        (
            "codex",
            "PreToolUse",
            ("Bash", bash.clone()),
            "Bash",
            vec![("Bash", &bash)],
        ),
        (
            "codex",
            "PreToolUse",
            ("apply_patch", patch("*** Add File: a.txt\n+one\n")),
            "Write|Edit",
            vec![("Write", &written)],
        ),
        (
            "codex",
            "PreToolUse",
            (
                "apply_patch",
                patch("*** Update File: a.txt\n@@\n-one\n+1\n"),
            ),
            "Write|Edit",
            vec![("Edit", &edited)],
        ),
        // It would have been several calls.
        (
            "codex",
            "PreToolUse",
            (
                "apply_patch",
                patch(
                    "*** Add File: a.txt\n+one\n*** Delete File: b.txt\n*** Update File: a.txt\n@@\n-one\n+1\n",
                ),
            ),
            "Write|Edit",
            vec![("Write", &written), ("Edit", &edited)],
        ),
        (
            "gemini",
            "BeforeTool",
            ("run_shell_command", bash.clone()),
            "Bash",
            vec![("Bash", &bash)],
        ),
        (
            "gemini",
            "BeforeTool",
            ("write_file", written.clone()),
            "Write",
            vec![("Write", &written)],
        ),
        (
            "gemini",
            "BeforeTool",
            ("replace", edited.clone()),
            "Edit",
            vec![("Edit", &edited)],
        ),
        (
            "gemini",
            "BeforeTool",
            ("replace", edited.clone()),
            "Write",
            vec![],
        ),
        (
            "qwen",
            "PreToolUse",
            ("run_shell_command", bash.clone()),
            "Bash",
            vec![("Bash", &bash)],
        ),
        (
            "opencode",
            "tool.execute.before",
            ("write", json!({"filePath": file, "content": "one\n"})),
            "Write",
            vec![("Write", &written)],
        ),
        (
            "cursor",
            "preToolUse",
            ("Shell", bash.clone()),
            "Bash",
            vec![("Bash", &bash)],
        ),
    ] {
        only_hook(&stage, matcher, &keeping(&stage));
        told(&stage, agent, &call(&stage, event, tool, &input));
        let got = seen(&stage);
        let row = format!("{agent} {tool} {input} for {matcher}: {got:#?}");
        let calls: Vec<_> = got
            .iter()
            .map(|it| (it["tool_name"].as_str().unwrap(), &it["tool_input"]))
            .collect();
        assert_eq!(calls, expected, "{row}");
        assert!(
            got.iter().all(|it| it["hook_event_name"] == "PreToolUse"),
            "{row}"
        );
    }
}

/// A script that looks at how a command begins is not escaped by a folder beside it.
#[test]
fn they_get_the_command_as_it_is_with_the_folder_that_it_runs_in() {
    let stage = stage();
    let folder = stage.path("project/sub");
    for (agent, event, tool, field) in [
        ("gemini", "BeforeTool", "run_shell_command", "dir_path"),
        ("qwen", "PreToolUse", "run_shell_command", "directory"),
        ("kimi", "PreToolUse", "Bash", "cwd"),
        ("opencode", "tool.execute.before", "bash", "workdir"),
        ("cursor", "preToolUse", "Shell", "cwd"),
    ] {
        only_hook(&stage, "Bash", &keeping(&stage));
        let input = json!({"command": "git push", field: folder});
        told(&stage, agent, &call(&stage, event, tool, &input));
        let got = seen(&stage);
        let [got] = got.as_slice() else {
            panic!("{agent}: {got:#?}")
        };
        assert_eq!(got["tool_input"]["command"], "git push", "{agent}");
        assert_eq!(got["cwd"], folder.to_str().unwrap(), "{agent}");
    }
}

#[test]
fn what_they_answer_is_told_in_the_agents_own_words() {
    let stage = stage();
    let specific = |event: &str, mut fields: Value| {
        fields["hookEventName"] = event.into();
        json!({"hookSpecificOutput": fields})
    };
    let denies = specific(
        "PreToolUse",
        json!({"permissionDecision": "deny", "permissionDecisionReason": "not now"}),
    );
    let rewrites = specific("PreToolUse", json!({"updatedInput": {"command": "ls -l"}}));
    let adds = |event: &str| specific(event, json!({"additionalContext": "mind it"}));
    let blocks = json!({"decision": "block", "reason": "not now"});
    for (agent, event, tool, answer, pointer, expected) in [
        (
            "codex",
            "PreToolUse",
            "Bash",
            &denies,
            "/hookSpecificOutput/permissionDecision",
            "deny",
        ),
        (
            "codex",
            "PreToolUse",
            "Bash",
            &blocks,
            "/hookSpecificOutput/permissionDecisionReason",
            "not now",
        ),
        (
            "codex",
            "PreToolUse",
            "Bash",
            &rewrites,
            "/hookSpecificOutput/updatedInput/command",
            "ls -l",
        ),
        (
            "codex",
            "PostToolUse",
            "Bash",
            &adds("PostToolUse"),
            "/hookSpecificOutput/additionalContext",
            "mind it",
        ),
        (
            "gemini",
            "BeforeTool",
            "run_shell_command",
            &denies,
            "/decision",
            "deny",
        ),
        (
            "gemini",
            "BeforeTool",
            "run_shell_command",
            &denies,
            "/reason",
            "not now",
        ),
        (
            "gemini",
            "BeforeTool",
            "run_shell_command",
            &rewrites,
            "/hookSpecificOutput/tool_input/command",
            "ls -l",
        ),
        (
            "gemini",
            "AfterTool",
            "run_shell_command",
            &adds("PostToolUse"),
            "/hookSpecificOutput/additionalContext",
            "mind it",
        ),
        (
            "cursor",
            "preToolUse",
            "Shell",
            &denies,
            "/permission",
            "deny",
        ),
        (
            "droid",
            "PreToolUse",
            "Execute",
            &denies,
            "/stderr",
            "not now\n",
        ),
    ] {
        let file = stage.write("answer.json", answer.to_string());
        only_hook(&stage, "Bash", &format!("cat '{}'", file.display()));
        let said = told(
            &stage,
            agent,
            &call(&stage, event, tool, &json!({"command": "ls"})),
        );
        let found = said.pointer(pointer).and_then(Value::as_str);
        assert_eq!(found, Some(expected), "{agent} {event} {answer}: {said:#}");
    }
}

#[test]
fn those_of_plugins_skills_and_sub_agents_run_too() {
    let stage = stage();
    let denies = |word: &str| format!("echo {word} >&2; exit 2");
    let front = |name: &str| {
        let command = denies(name);
        format!(
            "---\nname: {name}\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: {command}\n---\n"
        )
    };
    let hook = json!({"type": "command", "command": denies("${CLAUDE_PLUGIN_ROOT}/of-a-plugin")});
    let hooks = json!({"hooks": {"PreToolUse": [{"matcher": "Write", "hooks": [hook]}]}});
    stage.write("plugins/lint/hooks/hooks.json", hooks.to_string());
    let root = stage.path("plugins/lint");
    let installed = json!({"version": 2, "plugins": {"lint@m": {"installPath": root}}});
    stage.write(
        "home/.claude/plugins/installed_plugins.json",
        installed.to_string(),
    );
    stage.write(
        "home/.claude/settings.json",
        r#"{"enabledPlugins": {"lint@m": true}}"#,
    );
    stage.write("home/.claude/skills/reviewing/SKILL.md", front("reviewing"));
    stage.write("home/.claude/agents/explorer.md", front("explorer"));
    stage.ask("daemon.reload");

    let shell = call(
        &stage,
        "BeforeTool",
        "run_shell_command",
        &json!({"command": "ls"}),
    );
    let mut of_sub_agent = call(&stage, "PreToolUse", "Bash", &json!({"command": "ls"}));
    of_sub_agent["agent_id"] = "a1".into();
    of_sub_agent["agent_type"] = "explorer".into();
    let write = call(
        &stage,
        "BeforeTool",
        "write_file",
        &json!({"file_path": "/a", "content": "x"}),
    );
    let skill = call(
        &stage,
        "BeforeTool",
        "activate_skill",
        &json!({"name": "reviewing"}),
    );
    let patch = call(
        &stage,
        "PreToolUse",
        "apply_patch",
        &json!({"command": "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n"}),
    );
    let plugin = format!("{}/of-a-plugin", root.display());
    for (agent, payload, expected) in [
        ("gemini", &write, Some(plugin.as_str())),
        ("codex", &patch, Some(&plugin)),
        ("codex", &of_sub_agent, Some("explorer")),
        ("gemini", &shell, None),
        ("gemini", &skill, None),
        ("gemini", &shell, Some("reviewing")),
    ] {
        let said = told(&stage, agent, payload).to_string();
        let fits = expected.map_or(said == "null", |word| {
            said.contains("deny") && said.contains(word)
        });
        assert!(fits, "{agent} {payload}: {said}, expected {expected:?}");
    }
}
