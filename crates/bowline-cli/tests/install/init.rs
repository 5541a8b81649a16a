//! `bowline init`.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use bowline_testkit::{Ran, Sandbox};
use serde_json::{Value, json};

use super::installed::{HONEST, Installed as _, installed, without_hook};

fn settings(sandbox: &Sandbox) -> Value {
    serde_json::from_str(&fs::read_to_string(sandbox.user_settings()).unwrap()).unwrap()
}

#[test]
fn the_user_scope_gets_the_exec_form_with_an_absolute_path_and_a_timeout() {
    let sandbox = installed();
    sandbox.run(&["init", "--yes"]).expect(
        0,
        &[
            "+  \"hooks\": {",
            "Installed: Claude Code asks Bowline at 28 events",
        ],
    );
    let settings = settings(&sandbox);
    assert_eq!(
        settings["hooks"]["PreToolUse"],
        json!([{"hooks": [{
            "type": "command",
            "command": sandbox.path("bin/bowline-hook"),
            "args": ["claude-code", "PreToolUse", "--timeout=600", format!("--home={}", sandbox.path("home").display())],
            "timeout": 600,
        }]}])
    );
    assert_eq!(settings["hooks"].as_object().unwrap().len(), 28);
    let mode = fs::metadata(sandbox.user_settings())
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(
        sandbox.copies(&sandbox.user_settings()).len(),
        0,
        "there was nothing to copy"
    );
    let text = fs::read_to_string(sandbox.user_settings()).unwrap();
    assert_eq!(text.lines().count(), 28 + 4, "{text}");
}

/// An entry that a client does not know makes it open every session with a warning.
#[test]
fn the_client_is_told_of_the_events_that_it_knows() {
    let newest = ["DirectoryAdded", "PreModelSwitch", "PostModelSwitch"];
    let file = |scope: &str| match scope {
        "user" => "home/.claude/settings.json",
        "project" => "project/.claude/settings.json",
        _ => "project/.claude/settings.local.json",
    };
    for (client, scope, more, has_newest, told) in [
        (
            Some("2.1.197"),
            "user",
            &[][..],
            false,
            "For Claude Code 2.1.197, which is installed here",
        ),
        (
            Some("2.1.325"),
            "user",
            &[],
            true,
            "For Claude Code 2.1.325",
        ),
        (None, "user", &[], false, "Claude Code was not found here"),
        (
            Some("broken"),
            "user",
            &[],
            false,
            "answered \"broken (Claude Code)\", which is no version",
        ),
        (
            Some("2.1.325"),
            "project",
            &[],
            false,
            "For Claude Code 2.1.197 and later: others may read this file",
        ),
        (
            Some("2.1.325"),
            "local",
            &[],
            false,
            "2.1.197 and later, whichever of them you use in this project",
        ),
        (
            Some("2.1.197"),
            "project",
            &["--client-version", "2.1.325"],
            true,
            "For Claude Code 2.1.325, as you said",
        ),
        (
            Some("2.1.325"),
            "user",
            &["--client-version", "2.1.100"],
            false,
            "Bowline is tried with Claude Code 2.1.197 and later",
        ),
    ] {
        let sandbox = installed();
        if let Some(version) = client {
            sandbox.put_client(version);
        }
        let args = [&["init", "--yes", "--scope", scope], more].concat();
        sandbox
            .run_with_client(&args)
            .expect(0, &["Installed", told]);
        let text = fs::read_to_string(sandbox.path(file(scope))).unwrap();
        for event in newest {
            assert_eq!(
                text.contains(event),
                has_newest,
                "{event}: {client:?} {args:?}"
            );
        }
        sandbox
            .run_with_client(&args)
            .expect(0, &["Already installed", told]);
    }
    let sandbox = installed();
    sandbox
        .run(&["init", "--yes", "--client-version", "two"])
        .expect_stderr(2, &["`two` is not a version", "2.1.197"]);
    // Another client, another set; and back.
    sandbox.put_client("2.1.325");
    sandbox
        .run_with_client(&["init", "--yes"])
        .expect(0, &["31 events"]);
    sandbox.put_client("2.1.197");
    sandbox
        .run_with_client(&["init", "--yes"])
        .expect(0, &["28 events"]);
    let text = fs::read_to_string(sandbox.user_settings()).unwrap();
    assert!(!text.contains("ModelSwitch"), "{text}");
}

#[test]
fn of_entries_that_are_alike_one_is_shown() {
    let sandbox = installed();
    let short = sandbox.run(&["init", "--dry-run"]);
    short.expect(
        0,
        &[
            "+    \"PreToolUse\": [",
            "… and 2 events as PreToolUse: Stop, SubagentStop",
            "… and 24 events as PermissionRequest: PermissionDenied, ",
            "--full shows every line",
        ],
    );
    let lines = short.stdout.lines().count();
    assert!(lines < 20, "{lines} lines:\n{}", short.stdout);
    short.lacks(&["\"SubagentStop\""]);
    sandbox
        .run(&["init", "--dry-run", "--full"])
        .expect(0, &["+    \"PreToolUse\": [", "+    \"Stop\": ["]);
    let (_, report) = sandbox.code_and_json(&["init", "--dry-run"]);
    let diff = report["diff"].as_array().unwrap();
    assert_eq!(diff.len(), 1 + 28 + 4, "{diff:#?}");

    sandbox.run(&["init", "--yes"]).expect(0, &[]);
    let short = sandbox.run(&["uninstall", "--dry-run"]);
    short.expect(
        0,
        &["-    \"PreToolUse\": [", "… and 2 events as PreToolUse"],
    );
    short.lacks(&["\"SubagentStop\""]);
    sandbox
        .run(&["uninstall", "--dry-run", "--full"])
        .expect(0, &["-    \"Stop\": ["]);
}

#[test]
fn a_second_run_changes_nothing_and_an_older_entry_is_updated() {
    let sandbox = installed();
    sandbox.run(&["init", "--yes"]).expect(0, &["Installed"]);
    let before = fs::read_to_string(sandbox.user_settings()).unwrap();
    sandbox.run(&["init"]).expect(0, &["Already installed"]);
    assert_eq!(fs::read_to_string(sandbox.user_settings()).unwrap(), before);

    sandbox
        .run(&[
            "init",
            "--yes",
            "--on-failure",
            "closed",
            "--client-version",
            "2.1.325",
        ])
        .expect(0, &["+", "--on-failure=closed", "The file as it was"]);
    let closed = settings(&sandbox);
    let gate = &closed["hooks"]["PreToolUse"][0]["hooks"][0];
    assert_eq!(
        (&gate["args"][2], &gate["onFailure"]),
        (&json!("--on-failure=closed"), &json!("block"))
    );
    assert_eq!(
        closed["hooks"]["Stop"][0]["hooks"][0].get("onFailure"),
        None
    );
    assert_eq!(closed["hooks"]["PreToolUse"].as_array().unwrap().len(), 1);
}

#[test]
fn nothing_is_written_without_a_yes() {
    let sandbox = installed();
    sandbox
        .run(&["init"])
        .expect(2, &["+  \"hooks\": {"])
        .expect_stderr(2, &["not a terminal", "--yes"]);
    sandbox
        .run(&["init", "--dry-run"])
        .expect(0, &["+  \"hooks\": {", "Nothing was written"]);
    let (code, report) = sandbox.code_and_json(&["init"]);
    assert_eq!((code, &report["state"]), (Some(1), &json!("declined")));
    assert!(!sandbox.user_settings().exists());
    let (code, report) = sandbox.code_and_json(&["init", "--yes"]);
    assert_eq!((code, &report["state"]), (Some(0), &json!("installed")));
}

#[test]
fn what_is_there_stays_and_a_copy_is_kept_for_the_person_alone() {
    let sandbox = installed();
    let text = "{\n    // mine\n    \"env\": {\"API_TOKEN\": \"s3cr3t-value\"},\n    \"hooks\": {\n        \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"notify bowline-hook\"}]}],\n    },\n}\n";
    let file = sandbox.write("home/.claude/settings.json", text);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    sandbox
        .run(&["init", "--yes"])
        .expect(1, &["Written, but", "The file as it was"]);
    let after = fs::read_to_string(&file).unwrap();
    for line in [
        "    // mine\n    \"env\": {\"API_TOKEN\": \"s3cr3t-value\"},\n",
        "\"command\": \"notify bowline-hook\"}]}",
    ] {
        assert!(after.contains(line), "{after}");
    }
    let [copy] = sandbox.copies(&file).try_into().unwrap();
    assert_eq!(fs::read_to_string(&copy).unwrap(), text);
    for (path, mode) in [(&file, 0o640), (&copy, 0o600)] {
        assert_eq!(
            fs::metadata(path).unwrap().permissions().mode() & 0o777,
            mode
        );
    }
    let beside = fs::read_dir(file.parent().unwrap()).unwrap().count();
    assert_eq!(beside, 1, "something was left beside the settings");
}

#[test]
fn copies_are_kept_in_bowlines_folder_ten_of_a_file() {
    let sandbox = installed();
    let file = sandbox.write("home/.claude/settings.json", "{}\n");
    for time in 0..7 {
        sandbox.run(&["init", "--yes"]).expect(0, &["Installed"]);
        fs::write(&file, format!("{{\"time\": {time}}}\n")).unwrap();
        sandbox.run(&["init", "--yes"]).expect(0, &["Installed"]);
        sandbox
            .run(&["uninstall", "--yes"])
            .expect(0, &["Uninstalled"]);
    }
    let copies = sandbox.copies(&file);
    assert_eq!(copies.len(), 10, "{copies:#?}");
    let newest = fs::read_to_string(copies.last().unwrap()).unwrap();
    assert!(newest.contains("\"time\": 6") && newest.contains("bowline-hook"));
    sandbox
        .run(&["uninstall", "--purge", "--yes"])
        .expect(0, &["backups", "has been deleted"])
        .lacks(&["The file as it was"]);
    assert!(!sandbox.data().exists());
    // None lies in a repository.
    let file = sandbox.write("project/.claude/settings.json", "{}\n");
    (sandbox.run(&["init", "--yes", "--scope", "project"])).expect(0, &["Installed"]);
    assert_eq!(sandbox.copies(&file).len(), 1);
    let beside = fs::read_dir(sandbox.path("project/.claude")).unwrap();
    assert_eq!(beside.count(), 1);
}

/// Claude Code refuses a whole file for one comment: nobody may believe that Bowline is at work then.
#[test]
fn a_file_that_the_client_refuses_is_told_before_the_question_with_lines() {
    let sandbox = installed();
    let text = "{\n  // mine\n  \"model\": \"opus\",\n  \"env\": {\"A\": \"1\",}\n}\n";
    let file = sandbox.write("home/.claude/settings.json", text);
    let told = [
        "runs no hooks of",
        "line 2: a comment",
        "line 4: a comma before the closing bracket",
    ];
    // Nobody can be asked here, so that what is said comes before the question.
    sandbox.run(&["init"]).expect(2, &told);
    sandbox.run(&["init", "--dry-run"]).expect(0, &told);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    let ran = sandbox.run(&["init", "--yes"]);
    ran.expect(1, &told).lacks(&["Installed"]);
    ran.expect(1, &["Written, but Claude Code will not run it"]);
    let (code, report) = sandbox.code_and_json(&["init", "--yes", "--on-failure", "closed"]);
    assert_eq!((code, &report["state"]), (Some(1), &json!("written")));
    assert_eq!(report["refusals"][0]["line"], 2);
    sandbox
        .run(&["init", "--on-failure", "closed"])
        .expect(1, &["Already installed, but not in force", told[1]]);
    sandbox
        .run(&["doctor"])
        .expect(1, &["runs no hooks of", told[1]]);
}

/// Claude Code's JSON parser keeps the last of two keys: what is under the first one counts for nothing.
#[test]
fn a_key_that_comes_twice_is_told_before_the_question_with_lines() {
    let sandbox = installed();
    let text = "{\n  \"hooks\": {\"Stop\": []},\n  \"hooks\": {\"PreToolUse\": []}\n}\n";
    let file = sandbox.write("home/.claude/settings.json", text);
    let told = "line 2: `hooks` comes again in line 3, and only that one is read";
    sandbox.run(&["init"]).expect(2, &[told]);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    sandbox
        .run(&["init", "--yes"])
        .expect(0, &["Installed", told]);
    let written = fs::read_to_string(&file).unwrap();
    let read: serde_json::Value = serde_json::from_str(&written).unwrap();
    assert!(read["hooks"]["SessionStart"].is_array(), "{written}");
    sandbox.run(&["doctor"]).expect(0, &[told, "names Bowline"]);

    // As an older Bowline wrote it.
    let hidden = "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \
                  \"/bin/bowline-hook\", \"args\": [\"claude-code\", \"Stop\"]}]}]},\n\"hooks\": {}}";
    fs::write(&file, hidden).unwrap();
    sandbox.run(&["doctor"]).expect(
        1,
        &[
            "does not name Bowline where Claude Code reads it",
            "line 1: `hooks` comes again in line 2",
        ],
    );
}

#[test]
fn a_client_that_hangs_is_not_called_missing() {
    let sandbox = installed();
    sandbox.put_client("2.1.325");
    let client = sandbox.path("client/claude");
    fs::write(&client, "#!/bin/sh\nsleep 60\n").unwrap();
    sandbox
        .run_with_client(&["init", "--dry-run"])
        .expect(0, &["gave no answer within 5 s"])
        .lacks(&["not found"]);
}

#[test]
fn hints_name_the_scope() {
    for (scope, hint) in [
        ("user", "`bowline uninstall` takes it out"),
        (
            "project",
            "`bowline uninstall --scope project` takes it out",
        ),
        ("local", "`bowline uninstall --scope local` takes it out"),
    ] {
        let sandbox = installed();
        sandbox
            .run(&["init", "--yes", "--scope", scope])
            .expect(0, &[hint]);
    }
}

#[test]
fn a_file_that_cannot_be_edited_is_left_alone() {
    for (text, expected) in [
        (
            "{\n  \"a\": 1\n  \"b\": 2\n}",
            "settings.json:2: not valid JSON",
        ),
        (
            "[]",
            "settings.json:1: the file holds something else than an object",
        ),
        (
            "{\"hooks\": 7}",
            "`hooks` is the number 7; expected an object",
        ),
        (
            "{\"hooks\": {\"Stop\": \"x\"}}",
            "`hooks.Stop` is a text; expected a list",
        ),
    ] {
        let sandbox = installed();
        let file = sandbox.write("home/.claude/settings.json", text);
        sandbox
            .run(&["init", "--yes"])
            .expect_stderr(2, &[expected, "nothing was changed", "bowline check"]);
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        assert_eq!(sandbox.copies(&file).len(), 0);
    }
    let sandbox = installed();
    let file = sandbox.write("home/.claude/settings.json", "{}");
    fs::write(&file, b"{\"a\": \"\xff\"}").unwrap();
    sandbox
        .run(&["init", "--yes"])
        .expect_stderr(2, &["not UTF-8"]);
    fs::write(&file, "{}").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    sandbox
        .run(&["init", "--yes"])
        .expect_stderr(2, &["read-only", "nothing was changed"]);
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    sandbox
        .run(&["init", "--yes"])
        .expect_stderr(2, &["not a settings file"]);
}

#[test]
fn that_the_agent_runs_no_hooks_is_told() {
    let sandbox = installed();
    sandbox.write(
        "home/.claude/settings.json",
        "{\n  \"disableAllHooks\": true\n}\n",
    );
    let told = [
        "nothing of Bowline: disableAllHooks in",
        "home/.claude/settings.json",
        "change that setting",
    ];
    for (args, code) in [
        (&["init", "--dry-run"][..], 0),
        (&["init", "--yes"], 1),
        (&["init"], 1),
        (&["init", "--scope", "project", "--yes"], 1),
    ] {
        sandbox.run(args).expect(code, &told);
    }
    let (_, report) = sandbox.code_and_json(&["init"]);
    assert!(report["notes"][0].as_str().unwrap().contains(told[0]));

    // The project's word counts for more than the user's.
    sandbox.write(
        "project/.claude/settings.local.json",
        "{\"disableAllHooks\": false}",
    );
    sandbox.run(&["init"]).lacks(&told[..1]);
}

#[test]
fn a_linked_settings_file_stays_a_link() {
    let sandbox = installed();
    let real = sandbox.write("dotfiles/claude.json", "{}\n");
    fs::create_dir_all(sandbox.path("home/.claude")).unwrap();
    symlink(&real, sandbox.user_settings()).unwrap();
    sandbox.run(&["init", "--yes"]).expect(0, &["Installed"]);
    assert!(sandbox.user_settings().is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("PreToolUse"));
    assert_eq!(sandbox.copies(&real).len(), 1);
    fs::remove_file(&real).unwrap();
    sandbox
        .run(&["init", "--yes"])
        .expect_stderr(2, &["it leads nowhere"]);
}

#[test]
fn the_agents_folder_may_be_elsewhere() {
    let sandbox = installed();
    let ran = Ran::of(
        sandbox
            .command(&["init", "--yes"])
            .env("CLAUDE_CONFIG_DIR", sandbox.path("elsewhere")),
    );
    ran.expect(0, &["Installed"]);
    assert!(sandbox.path("elsewhere/settings.json").exists());
    assert!(!sandbox.user_settings().exists());
}

#[test]
fn without_the_program_there_is_nothing_to_install() {
    let sandbox = without_hook();
    sandbox
        .run(&["init", "--yes"])
        .expect_stderr(2, &["cannot find `bowline-hook`", "cargo xtask install"]);
    assert!(!sandbox.user_settings().exists());
}

#[test]
fn the_home_folder_is_no_project() {
    let sandbox = installed();
    let ran = Ran::of(
        sandbox
            .command(&["init", "--scope", "project", "--yes"])
            .current_dir(sandbox.path("home")),
    );
    ran.expect_stderr(2, &["your user settings file", "--scope user"]);
}

/// The project's line, run by `sh` as the agent does it.
#[test]
fn a_projects_entry_runs_bowline_where_it_is_and_nothing_where_it_is_not() {
    let sandbox = installed();
    for (scope, name) in [
        ("project", "settings.json"),
        ("local", "settings.local.json"),
    ] {
        sandbox
            .run(&["init", "--scope", scope, "--yes"])
            .expect(0, &["Installed", "not on your PATH"]);
        let file = sandbox.path("project/.claude").join(name);
        sandbox
            .run(&["check", file.to_str().unwrap()])
            .expect(0, &["28 hooks"]);
        let text = fs::read_to_string(&file).unwrap();
        assert!(
            !text.contains(sandbox.path("").to_str().unwrap()),
            "a path of this machine"
        );
        let settings: Value = serde_json::from_str(&text).unwrap();
        let line = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
            .as_str()
            .unwrap();

        let missing = Ran::of(sandbox.program("sh").args(["-c", line]));
        assert_eq!(
            (
                missing.code,
                missing.stdout.as_str(),
                missing.stderr.as_str()
            ),
            (Some(0), "", "")
        );
        let path = format!("{}:/usr/bin:/bin", sandbox.path("bin").display());
        let there = Ran::of(sandbox.program("sh").args(["-c", line]).env("PATH", &path));
        assert_eq!(there.code, Some(0), "{}", there.stderr);
        let log = fs::read_to_string(sandbox.path("home/hook.log")).unwrap();
        assert_eq!(
            log.lines().last().unwrap(),
            "claude-code PreToolUse --timeout=600 scope=project tracking="
        );
        // What it says and how it ends is the answer.
        sandbox.put_hook("#!/bin/sh\necho answer\nexit 2\n");
        let there = Ran::of(sandbox.program("sh").args(["-c", line]).env("PATH", &path));
        assert_eq!((there.code, there.stdout.as_str()), (Some(2), "answer\n"));
        sandbox.put_hook(HONEST);
    }
    let mode = |name: &str| {
        let found = fs::metadata(sandbox.path("project/.claude").join(name)).unwrap();
        found.permissions().mode() & 0o777
    };
    assert_eq!(
        (mode("settings.json"), mode("settings.local.json")),
        (0o644, 0o600)
    );
    // Both of a project are spelled alike, so that the agent itself takes them for one.
    let entries = ["settings.json", "settings.local.json"]
        .map(|name| fs::read_to_string(sandbox.path("project/.claude").join(name)).unwrap());
    assert_eq!(entries[0], entries[1]);
}

/// In both files the agent runs both entries for one event. That they are one is known to the daemon; without it each is decided,
/// and neither is left without an answer.
#[test]
fn each_entry_leads_to_an_answer() {
    let sandbox = installed();
    // As the client does where there is no daemon.
    sandbox.put_hook("#!/bin/sh\nexec \"${0%/*}/bowline\" hook --direct \"$1\" \"$2\"\n");
    let path = format!("{}:/usr/bin:/bin", sandbox.path("bin").display());
    let payload = json!({
        "session_id": "s1", "transcript_path": "/dev/null", "cwd": sandbox.path("project"),
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "toolu_1",
        "tool_input": {"command": "rm -rf /"},
    });
    sandbox.write("payload.json", payload.to_string());
    let fire = |event: &str| {
        let mut answers = Vec::new();
        for file in [
            "home/.claude/settings.json",
            "project/.claude/settings.json",
        ] {
            let text = fs::read_to_string(sandbox.path(file)).unwrap_or_else(|_| "{}".to_owned());
            let settings: Value = serde_json::from_str(&text).unwrap();
            let hook = &settings["hooks"][event][0]["hooks"][0];
            let Some(command) = hook["command"].as_str() else {
                continue;
            };
            let args = hook["args"].as_array().map(|args| {
                let args = args.iter().map(|arg| arg.as_str().unwrap().to_owned());
                (command, args.collect())
            });
            let (program, args) =
                args.unwrap_or_else(|| ("sh", vec!["-c".to_owned(), command.to_owned()]));
            let mut process = sandbox.program(program);
            process.args(args);
            let stdin = fs::File::open(sandbox.path("payload.json")).unwrap();
            let output = process
                .env("PATH", &path)
                .env("CLAUDE_PROJECT_DIR", sandbox.path("project"))
                .stdin(stdin)
                .output()
                .unwrap();
            assert!(output.status.success(), "{output:?}");
            answers.push(String::from_utf8(output.stdout).unwrap());
        }
        answers
    };
    sandbox
        .run(&["init", "--yes", "--scope", "project"])
        .expect(0, &[]);
    let [alone] = fire("PreToolUse").try_into().unwrap();
    assert!(alone.contains("\"deny\""), "{alone}");

    sandbox.run(&["init", "--yes"]).expect(0, &[]);
    let [user, project] = fire("PreToolUse").try_into().unwrap();
    for answer in [user, project] {
        assert!(answer.contains("\"deny\""), "{answer}");
    }
}

#[test]
fn the_skill_for_efforts_is_installed_once_and_removed_unless_it_was_changed() {
    let sandbox = installed();
    let skill = sandbox.path("home/.claude/skills/effort/SKILL.md");
    let init = ["init", "--with-efforts", "--yes"];

    sandbox
        .run(&["init", "--with-efforts", "--dry-run"])
        .expect(0, &["skills/effort/SKILL.md (new file)", "+name: effort"]);
    assert!(!skill.exists());
    sandbox.run(&["init", "--yes"]).expect(0, &[]);
    assert!(!skill.exists(), "it was not asked for");
    sandbox.run(&init).expect(
        0,
        &["Already installed", "The skill for efforts is in", "now"],
    );
    let text = fs::read_to_string(&skill).unwrap();
    assert!(text.starts_with("---\nname: effort\n"), "{text}");
    sandbox
        .run(&init)
        .expect(0, &["already"])
        .lacks(&["SKILL.md now"]);
    assert_eq!(fs::read_to_string(&skill).unwrap(), text);
    sandbox.run(&["doctor"]).expect(
        0,
        &["efforts: ~/.claude/skills/effort/SKILL.md is up to date"],
    );

    // A person's own words stay.
    let own = format!("{text}\nAlso say hello.\n");
    fs::write(&skill, &own).unwrap();
    sandbox.run(&init).expect(0, &["it stays as it is"]);
    sandbox.run(&["doctor"]).expect(
        0,
        &["efforts: ~/.claude/skills/effort/SKILL.md is not as Bowline wrote it"],
    );
    let report = sandbox.json(&["uninstall", "--yes"]);
    assert_eq!(report["effort_skill"]["state"], "changed");
    assert_eq!(fs::read_to_string(&skill).unwrap(), own);

    fs::write(&skill, &text).unwrap();
    sandbox
        .run(&["uninstall", "--dry-run"])
        .expect(0, &["skills/effort/SKILL.md (is removed)"]);
    assert!(skill.exists());
    let report = sandbox.json(&["uninstall", "--yes"]);
    assert_eq!(report["effort_skill"]["state"], "removed");
    assert!(!sandbox.path("home/.claude/skills").exists());
    let report = sandbox.json(&["uninstall", "--yes"]);
    assert_eq!(report["effort_skill"], Value::Null);
}

#[test]
fn an_older_skill_for_efforts_is_brought_up_to_date() {
    let sandbox = installed();
    let skill = sandbox.path("home/.claude/skills/effort/SKILL.md");
    sandbox
        .run(&["init", "--with-efforts", "--yes"])
        .expect(0, &[]);
    let text = fs::read_to_string(&skill).unwrap();
    // As if another version had written it.
    let written = sandbox
        .data()
        .join("backups")
        .join(skill.strip_prefix("/").unwrap());
    for file in [&skill, &written.join("written")] {
        fs::write(file, "---\nname: effort\n---\nolder\n").unwrap();
    }
    sandbox
        .run(&["doctor"])
        .expect(0, &["is of another version", "bowline init --with-efforts"]);
    sandbox
        .run(&["init", "--with-efforts", "--yes"])
        .expect(0, &["-older", "+# Efforts", "now"]);
    assert_eq!(fs::read_to_string(&skill).unwrap(), text);
}

#[test]
fn a_projects_skill_for_efforts_is_in_the_project() {
    let sandbox = installed();
    let skill = sandbox.project().join(".claude/skills/effort/SKILL.md");
    let report = sandbox.json(&["init", "--with-efforts", "--scope", "project", "--yes"]);
    assert_eq!(report["effort_skill"]["state"], "installed");
    assert_eq!(report["effort_skill"]["file"], skill.to_str().unwrap());
    assert!(skill.exists());
    assert!(!sandbox.path("home/.claude/skills").exists());
    sandbox
        .run(&["uninstall", "--scope", "project", "--yes"])
        .expect(0, &["was removed"]);
    assert!(!skill.exists());
}
