//! Feature 06: plugin, skill and sub-agent hooks.

use bowline::hooks::{Activation, HookEvent, HookInput};
use bowline::settings::{FileKind, HookStatus, Scope, Severity};
use serde_json::json;

use super::place::{Place, commands, fire, nested};

fn skill(name: &str, command: &str) -> String {
    format!(
        "---\n{name}description: Does things\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: {command}\n---\n\n# Text\n"
    )
}

#[test]
fn f06_a_a_plugin_folder_brings_its_hooks() {
    for (shape, text) in [
        (
            "nested",
            r#"{"description": "d", "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
                {"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/a.sh"},
                {"type": "command", "command": "b"}]}]}}"#,
        ),
        (
            "flat",
            r#"{"hooks": {"PreToolUse": [{"command": "${CLAUDE_PLUGIN_ROOT}/a.sh"}, "b"]}}"#,
        ),
    ] {
        let mut place = Place::new();
        place.write("tools/hooks/hooks.json", text);
        place.write("tools/.claude-plugin/plugin.json", r#"{"name": "lint"}"#);
        let root = place.path("tools");
        place.locations.plugin_dirs.push(root.clone());
        let settings = place.load();

        let hooks: Vec<_> = settings.in_force().collect();
        let ids: Vec<&str> = hooks.iter().map(|hook| hook.id.as_str()).collect();
        assert_eq!(ids, ["lint:PreToolUse-1", "lint:PreToolUse-2"], "{shape}");
        assert_eq!(
            commands(&settings)[0],
            format!("{}/a.sh", root.display()),
            "{shape}"
        );
        for hook in hooks {
            assert_eq!(
                hook.env["CLAUDE_PLUGIN_ROOT"],
                root.to_str().unwrap(),
                "{shape}"
            );
            assert_eq!(hook.origin.scope, Scope::Plugin);
            assert_eq!(hook.origin.plugin.as_ref().unwrap().root, root);
        }
        assert_eq!(settings.files[0].kind, FileKind::PluginHooks);
    }
}

#[test]
fn f06_a_installed_plugins_count_when_they_are_enabled() {
    let place = Place::new();
    for name in ["one", "two", "three", "other"] {
        place.write(format!("cache/{name}/hooks/hooks.json"), nested(name));
    }
    let at = |name: &str| place.path(format!("cache/{name}")).display().to_string();
    place.write(
        "home/.claude/plugins/installed_plugins.json",
        format!(
            r#"{{"version": 2, "plugins": {{
                "one@m": {{"installPath": "{}"}},
                "two@m": [{{"scope": "project", "projectPath": "/elsewhere", "installPath": "{}"}},
                          {{"scope": "user", "installPath": "{}"}}],
                "three@m": [{{"installPath": "{}"}}],
                "four@m": 7}}}}"#,
            at("one"),
            at("other"),
            at("two"),
            at("three")
        ),
    );
    assert!(place.load().hooks.is_empty(), "none is enabled");
    place.write(
        "home/.claude/settings.json",
        r#"{"enabledPlugins": {"one@m": true, "two@m": true, "three@m": true, "four@m": true}}"#,
    );
    place.write(
        "project/.claude/settings.json",
        r#"{"enabledPlugins": {"three@m": false}}"#,
    );
    let settings = place.load();
    assert_eq!(commands(&settings), ["one", "two"]);
    assert_eq!(settings.hooks[0].definition.id, "one:PreToolUse-1");
    let [finding] = settings.diagnostics.as_slice() else {
        panic!("{:?}", settings.diagnostics);
    };
    assert!(finding.message.contains("four@m"), "{finding}");
}

#[test]
fn f06_a_the_manifest_names_files_and_holds_hooks() {
    let mut place = Place::new();
    place.write("tools/hooks/hooks.json", nested("standard"));
    place.write("tools/more.json", nested("more"));
    place.write("outside.json", nested("outside"));
    place.write(
        "tools/.claude-plugin/plugin.json",
        r#"{
  "name": "p",
  "hooks": ["./hooks/hooks.json", "./more.json", "../outside.json",
    {"Stop": [{"hooks": [{"type": "command", "command": "inline"}]}]},
    {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "wrapped"}]}]}}
  ]
}"#,
    );
    place.locations.plugin_dirs.push(place.path("tools"));
    let settings = place.load();
    assert_eq!(
        commands(&settings),
        ["standard", "more", "inline", "wrapped"]
    );
    let ids: Vec<&str> = settings.in_force().map(|hook| hook.id.as_str()).collect();
    assert_eq!(
        ids,
        ["p:PreToolUse-1", "p:PreToolUse-2", "p:Stop-1", "p:Stop-2"]
    );
    let lines: Vec<usize> = settings.in_force().map(|hook| hook.origin.line).collect();
    assert_eq!(lines[2..], [4, 5]);
    let outside: Vec<_> = settings
        .diagnostics
        .iter()
        .filter(|finding| finding.code == "outside-plugin")
        .collect();
    assert_eq!(outside.len(), 1, "{:?}", settings.diagnostics);

    place.write("tools/.claude-plugin/plugin.json", "{");
    let settings = place.load();
    assert_eq!(commands(&settings), ["standard"]);
    assert_eq!(settings.diagnostics[0].severity, Severity::Error);
}

#[test]
fn f06_b_skills_and_sub_agents_are_found_with_their_names() {
    let place = Place::new();
    place.write(
        "project/.claude/skills/deploy/SKILL.md",
        skill("name: ship\n", "s1"),
    );
    place.write("home/.claude/skills/tidy/SKILL.md", skill("", "s2"));
    place.write(
        "project/.claude/agents/review.md",
        skill("name: reviewer\n", "a1"),
    );
    place.write("project/.claude/agents/deep/er/plain.md", skill("", "a2"));
    place.write("home/.claude/agents/mine.md", skill("", "a3"));
    place.write(
        "project/.claude/skills/quiet/SKILL.md",
        "---\nname: quiet\n---\nNo hooks.\n",
    );
    place.write("project/.claude/agents/readme.md", "# Nothing: here\n");
    let settings = place.load();

    let mut found: Vec<_> = settings
        .in_force()
        .map(|hook| (hook.action.summary(), hook.activation.clone()))
        .collect();
    found.sort_by(|one, other| one.0.cmp(&other.0));
    let expected = [
        ("a1", Activation::Agent("reviewer".to_owned())),
        ("a2", Activation::Agent("plain".to_owned())),
        ("a3", Activation::Agent("mine".to_owned())),
        ("s1", Activation::Skill("ship".to_owned())),
        ("s2", Activation::Skill("tidy".to_owned())),
    ]
    .map(|(command, activation)| (command.to_owned(), activation));
    assert_eq!(found, expected);
    assert_eq!(
        settings.files.len(),
        5,
        "files without hooks are not listed"
    );
    assert!(
        settings.diagnostics.is_empty(),
        "{:?}",
        settings.diagnostics
    );
}

#[test]
fn f06_b_a_sub_agents_stop_is_its_own() {
    let place = Place::new();
    place.write(
        "project/.claude/agents/a.md",
        "---\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: x\n---\n",
    );
    let settings = place.load();
    let hook = settings.in_force().next().unwrap();
    assert_eq!(
        hook.event,
        HookEvent::SubagentStop,
        "{:?}",
        settings.diagnostics
    );
}

#[test]
fn f06_c_other_types_in_a_plugin_are_skipped_with_a_warning() {
    let mut place = Place::new();
    place.write(
        "tools/hooks/hooks.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [
            {"type": "prompt", "prompt": "Is it safe?"},
            {"type": "http", "url": "https://example.com"},
            {"type": "agent", "prompt": "Look around"},
            {"type": "mcp_tool", "server": "s", "tool": "t"},
            {"type": "command", "command": "ok"}]}]}}"#,
    );
    place.locations.plugin_dirs.push(place.path("tools"));
    let settings = place.load();
    assert_eq!(commands(&settings), ["ok"]);
    assert!(
        settings
            .hooks
            .iter()
            .all(|hook| hook.status == HookStatus::InForce)
    );
    let warnings: Vec<_> = settings
        .diagnostics
        .iter()
        .filter(|finding| finding.severity == Severity::Warning)
        .collect();
    assert_eq!(warnings.len(), 4, "{:?}", settings.diagnostics);
}

#[tokio::test]
async fn f06_a_a_plugins_command_knows_its_root_twice() {
    let mut place = Place::new();
    place.write(
        "plug/hooks/hooks.json",
        r#"{"hooks": {"SessionStart": [{"hooks": [{"type": "command",
            "command": "echo ${CLAUDE_PLUGIN_ROOT}/x $(printenv CLAUDE_PLUGIN_ROOT)/x"}]}]}}"#,
    );
    place.locations.plugin_dirs.push(place.path("plug"));
    let root = place.path("plug").display().to_string();
    let result = fire(&place, &place.manager(), HookInput::session_start("s")).await;
    assert_eq!(
        result.output.additional_context,
        Some(format!("{root}/x {root}/x"))
    );
}

#[tokio::test]
async fn f06_b_a_skills_hooks_fire_from_its_first_use_and_a_sub_agents_while_it_runs() {
    let place = Place::new();
    let front = |name: &str| {
        format!(
            "---\nname: {name}\nhooks:\n  UserPromptSubmit:\n    - hooks:\n        - type: command\n          command: echo {name}\n---\n"
        )
    };
    place.write("project/.claude/skills/review/SKILL.md", front("review"));
    place.write("project/.claude/agents/explorer.md", front("explorer"));
    let manager = place.manager();
    let prompt = |session: &str| HookInput::user_prompt_submit(session, "hello");
    let says = async |input: HookInput| {
        fire(&place, &manager, input)
            .await
            .output
            .additional_context
    };

    assert_eq!(says(prompt("one")).await, None, "nothing is active yet");
    let inside = prompt("one")
        .with_field("agent_id", "a1")
        .with_field("agent_type", "explorer");
    assert_eq!(says(inside).await.as_deref(), Some("explorer"));

    let used = HookInput::pre_tool_use("one", "Skill", json!({"skill": "review"}));
    fire(&place, &manager, used).await;
    assert_eq!(says(prompt("one")).await.as_deref(), Some("review"));
    assert_eq!(
        says(prompt("two")).await,
        None,
        "another session has not used it"
    );
    fire(&place, &manager, HookInput::session_end("one")).await;
    assert_eq!(says(prompt("one")).await, None, "the session ended");
}

#[test]
fn f06_a_a_skills_hooks_know_its_folder_as_their_root() {
    let place = Place::new();
    let uses = |variable: &str| skill("", &format!("${{{variable}}}/check.sh"));
    place.write(
        "project/.claude/skills/tidy/SKILL.md",
        uses("CLAUDE_PLUGIN_ROOT"),
    );
    let settings = place.load();
    assert!(
        settings.diagnostics.is_empty(),
        "{:?}",
        settings.diagnostics
    );
    let hook = settings.in_force().next().unwrap();
    let folder = place.path("project/.claude/skills/tidy");
    assert_eq!(hook.env["CLAUDE_PLUGIN_ROOT"], folder.to_str().unwrap());

    for (file, text) in [
        ("project/.claude/agents/a.md", uses("CLAUDE_PLUGIN_ROOT")),
        (
            "project/.claude/skills/tidy/SKILL.md",
            uses("CLAUDE_PLUGIN_DATA"),
        ),
        (
            "project/.claude/settings.json",
            nested("${CLAUDE_PLUGIN_ROOT}/x"),
        ),
        (
            "project/.claude/settings.json",
            nested("${CLAUDE_PLUGIN_DATA}/x"),
        ),
        (
            "project/.claude/settings.json",
            nested(r#"x", "args": ["${CLAUDE_PLUGIN_ROOT}"], "shell": "sh"#),
        ),
    ] {
        let place = Place::new();
        place.write(file, &text);
        let settings = place.load();
        let codes: Vec<_> = settings
            .diagnostics
            .iter()
            .map(|finding| finding.code)
            .collect();
        assert_eq!(codes, ["plugin-root-outside-plugin"], "{text}");
        let root = settings.hooks[0].definition.env.get("CLAUDE_PLUGIN_ROOT");
        assert_eq!(root.is_some(), file.ends_with("SKILL.md"), "{text}");
    }
}

#[test]
fn f06_a_a_plugins_files_are_checked_as_a_plugins() {
    use bowline::hooks::Dialect;
    use bowline::settings::{check_file, plugin_files};
    let place = Place::new();
    place.write("plain/hooks/hooks.json", nested("${CLAUDE_PLUGIN_ROOT}/a"));
    let files = plugin_files(&place.path("plain"));
    assert_eq!(files, [place.path("plain/hooks/hooks.json")]);
    let report = check_file(&files[0], None);
    assert!(report.parsed.diagnostics.is_empty(), "{report:?}");
    let [hook] = report.parsed.hooks.as_slice() else {
        panic!("{report:?}");
    };
    assert_eq!(hook.origin.dialect, Dialect::ClaudeCode);
    assert_eq!(hook.id, "plain:PreToolUse-1");
    assert_eq!(
        hook.origin.plugin.as_ref().unwrap().root,
        place.path("plain")
    );

    place.write(
        "lint/.claude-plugin/plugin.json",
        r#"{"name": "lint", "hooks": ["./more.json", "./gone.json", "../out.json"]}"#,
    );
    place.write("lint/more.json", nested("${CLAUDE_PLUGIN_ROOT}/b"));
    let files = plugin_files(&place.path("lint"));
    assert_eq!(
        files,
        [
            place.path("lint/.claude-plugin/plugin.json"),
            place.path("lint/more.json"),
            place.path("lint/gone.json")
        ]
    );
    let codes: Vec<Vec<_>> = files
        .iter()
        .map(|file| {
            let findings = check_file(file, None).parsed.diagnostics;
            findings.iter().map(|finding| finding.code).collect()
        })
        .collect();
    assert_eq!(
        codes,
        [vec!["outside-plugin"], vec![], vec!["no-such-file"]]
    );
    let more = check_file(&files[1], None);
    assert_eq!(more.parsed.hooks[0].id, "lint:PreToolUse-1");

    for project in [
        ".claude/settings.json",
        "bowline.toml",
        "bowline.local.toml",
    ] {
        place.write(format!("both/{project}"), "");
        place.write("both/hooks/hooks.json", nested("a"));
        assert!(plugin_files(&place.path("both")).is_empty(), "{project}");
        std::fs::remove_dir_all(place.path("both")).unwrap();
    }
    assert!(plugin_files(&place.path("project")).is_empty());
    assert!(plugin_files(&place.path("nowhere")).is_empty());
}

#[test]
fn f06_b_front_matter_that_never_ends_is_said() {
    use bowline::settings::check_file;
    let place = Place::new();
    let text = skill("", "x").replace("\n---\n\n# Text\n", "\n");
    let file = "project/.claude/skills/tidy/SKILL.md";
    place.write(file, &text);
    place.write("project/.claude/agents/a.md", format!("\u{feff}{text}"));
    place.write("project/.claude/agents/b.md", "# Text\n\n---\n");
    let found = place.load();
    assert!(found.hooks.is_empty());
    let codes: Vec<_> = found
        .diagnostics
        .iter()
        .map(|finding| (finding.code, finding.severity))
        .collect();
    assert_eq!(
        codes,
        [("unclosed-front-matter", Severity::Warning); 2],
        "{:?}",
        found.diagnostics
    );
    let report = check_file(&place.path(file), None);
    assert_eq!(report.parsed.diagnostics[0].code, "unclosed-front-matter");
}

#[tokio::test]
async fn f06_b_skills_and_sub_agents_of_a_plugin_bring_their_hooks() {
    let mut place = Place::new();
    let front = |name: &str| {
        format!(
            "---\nname: {name}\nhooks:\n  UserPromptSubmit:\n    - hooks:\n        - type: command\n          command: echo {name}\n---\n"
        )
    };
    place.write("plug/.claude-plugin/plugin.json", r#"{"name": "tools"}"#);
    place.write("plug/skills/review/SKILL.md", front("review"));
    place.write("plug/agents/explorer.md", front("explorer"));
    place.locations.plugin_dirs.push(place.path("plug"));
    let settings = place.load();
    let activations: Vec<_> = settings
        .in_force()
        .map(|hook| hook.activation.clone())
        .collect();
    assert_eq!(
        activations,
        [
            Activation::Skill("tools:review".into()),
            Activation::Agent("tools:explorer".into())
        ]
    );
    for (skill, agent) in [("tools:review", "tools:explorer"), ("review", "explorer")] {
        let manager = place.manager();
        let says = async |input: HookInput| {
            let output = fire(&place, &manager, input).await.output;
            output.additional_context
        };
        let prompt = || HookInput::user_prompt_submit("one", "hello");
        assert_eq!(says(prompt()).await, None);
        let inside = prompt()
            .with_field("agent_id", "a1")
            .with_field("agent_type", agent);
        assert_eq!(says(inside).await.as_deref(), Some("explorer"));
        let used = HookInput::pre_tool_use("one", "Skill", json!({"skill": skill}));
        fire(&place, &manager, used).await;
        assert_eq!(says(prompt()).await.as_deref(), Some("review"));
    }
}
