//! Cline has no settings for hooks: it runs the scripts that are named after its events.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;

use bowline_testkit::{Sandbox, script};
use serde_json::{Value, json};

use super::installed::{Installed as _, installed};

const HOOKS: &str = "home/Documents/Cline/Hooks";

/// Denies what is destructive, as `bowline-hook` denies it for Cline.
const HONEST: &str = r#"#!/bin/sh
payload=$(cat)
echo "$* scope=$BOWLINE_SCOPE" >> "$HOME/hook.log"
case $payload in
*'rm -rf'*) echo '{"cancel": true, "errorMessage": "no"}' ;;
esac
"#;

const THEIRS: &str = "#!/bin/sh\necho mine\n";

const EVENTS: [&str; 10] = [
    "TaskStart",
    "TaskResume",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PreCompact",
    "TaskComplete",
    "TaskError",
    "TaskCancel",
    "SessionShutdown",
];

fn with_cline() -> Sandbox {
    let sandbox = installed();
    sandbox.put_hook(HONEST);
    sandbox
}

/// The names in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).unwrap();
    let names = files.map(|it| it.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

fn sorted(names: &[&str]) -> Vec<String> {
    let mut names: Vec<String> = names.iter().map(|it| (*it).to_owned()).collect();
    names.sort();
    names
}

/// Starts a script as Cline does, and gives what it prints.
fn started(sandbox: &Sandbox, script: &str, payload: &Value) -> String {
    sandbox.write("payload.json", payload.to_string());
    let stdin = fs::File::open(sandbox.path("payload.json")).unwrap();
    let mut command = sandbox.program(sandbox.path(script));
    let output = command.stdin(Stdio::from(stdin)).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The mark says what was written, with its paths, in a number.
fn without_digest(text: &str) -> String {
    let line = |line: &str| match line.split_once(": written by") {
        Some((_, rest)) => format!("+# bowline VERSION DIGEST: written by{rest}\n"),
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

fn check<'a>(report: &'a Value, name: &str) -> &'a Value {
    let checks = report["checks"].as_array().unwrap();
    let found = checks.iter().find(|it| it["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {report:#}"))
}

#[test]
fn every_event_gets_a_script_that_can_be_started() {
    let sandbox = with_cline();
    let shown = sandbox.run(&["init", "--agent", "cline", "--dry-run"]);
    let root = sandbox.path("home").parent().unwrap().display().to_string();
    let shown = without_digest(&shown.stdout.replace(&root, "ROOT"));
    insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!("init_cline", shown);
    });
    assert!(!sandbox.path("home/Documents").exists());

    let init = ["init", "--agent", "cline", "--yes"];
    sandbox
        .run(&init)
        .expect(0, &["Installed: Cline asks Bowline at 10 events"]);
    assert_eq!(names(&sandbox.path(HOOKS)), sorted(&EVENTS));
    for event in EVENTS {
        let mode = fs::metadata(sandbox.path(HOOKS).join(event))
            .unwrap()
            .permissions();
        assert_eq!(mode.mode() & 0o777, 0o700, "{event}");
    }
    let call = |command: &str| json!({"tool_call": {"input": {"commands": [command]}}});
    let script = format!("{HOOKS}/PreToolUse");
    assert_eq!(started(&sandbox, &script, &call("ls")), "");
    let denied = started(&sandbox, &script, &call("rm -rf /"));
    assert!(denied.contains("\"cancel\": true"), "{denied}");
    let log = fs::read_to_string(sandbox.path("home/hook.log")).unwrap();
    let home = sandbox.path("home");
    let line = format!(
        "cline PreToolUse --timeout=30 --home={} scope=\n",
        home.display()
    );
    assert_eq!(log, line.repeat(2));

    sandbox
        .run(&init)
        .expect(0, &["Already installed", "10 events"]);
    let (code, report) = sandbox.code_and_json(&["doctor", "--agent", "cline"]);
    assert_eq!(code, Some(0), "{report:#}");
    for (name, text) in [
        ("installed (user)", "10 events"),
        ("canary (user)", "denies a destructive one"),
    ] {
        let check = check(&report, name);
        assert_eq!(check["status"], "ok", "{check}");
        assert!(check["message"].as_str().unwrap().contains(text), "{check}");
    }

    sandbox
        .run(&["uninstall", "--agent", "cline", "--yes"])
        .expect(0, &["Uninstalled: Cline no longer asks Bowline"]);
    assert!(!sandbox.path("home/Documents").exists());
}

/// Cline runs every script of an event, whatever its ending.
#[test]
fn a_persons_own_scripts_stay_as_they_are_and_bowlines_stand_beside_them() {
    let sandbox = with_cline();
    sandbox.folder(HOOKS);
    for own in ["PreToolUse", "TaskStart.sh", "notes.txt"] {
        script(sandbox.path(HOOKS).join(own), THEIRS);
    }
    let before = names(&sandbox.path(HOOKS));
    sandbox.run(&["init", "--agent", "cline", "--yes"]).expect(
        0,
        &[
            "UserPromptSubmit, PreToolUse.sh, PostToolUse",
            "Hooks/PreToolUse is not Bowline's and stays as it is",
            "Installed: Cline asks Bowline at 10 events",
        ],
    );
    let all = [&EVENTS[..], &["PreToolUse.sh", "TaskStart.sh", "notes.txt"]].concat();
    assert_eq!(names(&sandbox.path(HOOKS)), sorted(&all));
    let (_, report) = sandbox.code_and_json(&["doctor", "--agent", "cline"]);
    let installed = check(&report, "installed (user)");
    assert_eq!(installed["status"], "warning", "{installed}");
    assert!(
        installed
            .to_string()
            .contains("runs Bowline's PreToolUse.sh"),
        "{installed}"
    );
    sandbox
        .run(&["uninstall", "--agent", "cline", "--yes"])
        .expect(0, &["Uninstalled"]);
    assert_eq!(names(&sandbox.path(HOOKS)), before);
    for own in before {
        let text = fs::read_to_string(sandbox.path(HOOKS).join(&own)).unwrap();
        assert_eq!(text, THEIRS, "{own}");
    }
}

#[test]
fn a_script_that_somebody_changed_is_named_and_stays() {
    let sandbox = with_cline();
    let init = ["init", "--agent", "cline", "--yes"];
    sandbox.run(&init).expect(0, &["Installed"]);
    let file = sandbox.path(HOOKS).join("PreToolUse");
    let changed = fs::read_to_string(&file).unwrap().replace("exec ", "");
    fs::write(&file, &changed).unwrap();
    sandbox.run(&init).expect(
        1,
        &[
            "Hooks/PreToolUse is not Bowline's, or somebody has changed it",
            "Not installed",
        ],
    );
    let (code, report) = sandbox.code_and_json(&["doctor", "--agent", "cline"]);
    assert_eq!(code, Some(1));
    let installed = check(&report, "installed (user)").to_string();
    assert!(
        installed.contains("PreToolUse, line 2: somebody has changed what Bowline wrote"),
        "{installed}"
    );
    sandbox
        .run(&["uninstall", "--agent", "cline", "--yes"])
        .expect(
            1,
            &[
                "Not all of it is uninstalled: Cline still asks Bowline.",
                "Hooks/PreToolUse is not as Bowline wrote it; it was left as it is, and still starts bowline-hook",
            ],
        );
    assert_eq!(names(&sandbox.path(HOOKS)), ["PreToolUse"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), changed);
    let uninstall = ["uninstall", "--agent", "cline"];
    let (code, report) = sandbox.code_and_json(&[&uninstall[..], &["--yes"]].concat());
    assert_eq!((code, &report["state"]), (Some(1), &json!("left_alone")));

    let harmless = changed.replace("bowline-hook", "true");
    fs::write(&file, harmless).unwrap();
    sandbox
        .run(&uninstall)
        .expect(0, &["Bowline is not in", "it was left as it is."]);
}

#[test]
fn a_plugin_that_somebody_changed_is_not_said_to_be_gone() {
    let sandbox = with_cline();
    sandbox
        .run(&["init", "--agent", "opencode", "--yes"])
        .expect(0, &["Installed"]);
    let file = sandbox.path("home/.config/opencode/plugin/bowline.js");
    let changed = format!("{}// mine\n", fs::read_to_string(&file).unwrap());
    fs::write(&file, &changed).unwrap();
    let ran = sandbox.run(&["uninstall", "--agent", "opencode", "--yes"]);
    ran.expect(
        1,
        &[
            "Not all of it is uninstalled: OpenCode still asks Bowline.",
            "bowline.js is not as Bowline wrote it; it was left as it is, and still starts bowline-hook",
        ],
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), changed);
}

/// VS Code's extension passes over such a script without a word.
#[test]
fn a_script_that_cannot_be_started_is_found_out() {
    let sandbox = with_cline();
    sandbox
        .run(&["init", "--agent", "cline", "--yes"])
        .expect(0, &["Installed"]);
    let file = sandbox.path(HOOKS).join("PreToolUse");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let (code, report) = sandbox.code_and_json(&["doctor", "--agent", "cline"]);
    assert_eq!(code, Some(1));
    let installed = check(&report, "installed (user)");
    assert_eq!(installed["status"], "problem", "{installed}");
    assert!(
        installed.to_string().contains("chmod u+x PreToolUse"),
        "{installed}"
    );
}

#[test]
fn a_projects_scripts_run_bowline_where_it_is_and_nothing_where_it_is_not() {
    let sandbox = with_cline();
    let arguments = ["--agent", "cline", "--scope", "project", "--yes"];
    sandbox
        .run(&[&["init"], &arguments[..]].concat())
        .expect(0, &["Installed: Cline asks Bowline at 10 events"]);
    let hooks = "project/.clinerules/hooks";
    assert_eq!(names(&sandbox.path(hooks)), sorted(&EVENTS));
    let script = sandbox.path(hooks).join("PreToolUse");
    let mode = fs::metadata(&script).unwrap().permissions().mode();
    assert_eq!(mode & 0o100, 0o100);
    let text = fs::read_to_string(&script).unwrap();
    let programs = sandbox.path("bin").display().to_string();
    assert!(!text.contains(&programs), "{text}");
    let call = json!({"tool_call": {"input": {"commands": ["rm -rf /"]}}});
    let script = format!("{hooks}/PreToolUse");
    assert_eq!(started(&sandbox, &script, &call), "");
    assert!(!sandbox.path("home/hook.log").exists());
    let mut sandbox = sandbox;
    sandbox.set("PATH", format!("{programs}:/usr/bin:/bin"));
    assert!(started(&sandbox, &script, &call).contains("cancel"));
    let log = fs::read_to_string(sandbox.path("home/hook.log")).unwrap();
    assert!(log.contains("scope=project"), "{log}");
}
