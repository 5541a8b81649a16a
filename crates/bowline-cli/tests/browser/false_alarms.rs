//! A person says that a call was stopped although it was fine, and its like passes from then on.

use bowline_testkit::{Ran, needs, until};
use serde_json::{Value, json};

use super::stage::Stage;
use super::window::{Tab, Window};

const OWN_RULE: &str = r#"# Ours.
[[rule]]
id = "no-make"
command = "make *"
verdict = "deny"
[rule.examples]
match = ["make clean"]
"#;

fn call(command: &str, id: &str) -> Value {
    json!({"tool_name": "Bash", "tool_use_id": id, "tool_input": {"command": command}})
}

/// What is decided about a command; nothing if it passes.
fn decided(stage: &Stage, command: &str, id: &str) -> Option<String> {
    let answer = stage.reports("PreToolUse", call(command, id));
    if answer.stdout.is_empty() {
        return None;
    }
    let decision = &answer.json()["hookSpecificOutput"]["permissionDecision"];
    Some(decision.as_str().unwrap().to_owned())
}

/// A tab in which the only call that this rule stopped is marked.
fn marked<'window>(stage: &Stage, window: &'window Window, rule: &str) -> Tab<'window> {
    let tab = window.open(&stage.link());
    tab.click("header nav a[href='./guards']");
    tab.until_shown(rule);
    tab.click(&format!("main a[href='./guards?rule={rule}']"));
    tab.until_shown("1 call, the last first");
    tab.click("button[value=false-alarm]");
    tab.until_shown("Let it pass from now on");
    tab
}

/// Runs a line in a shell of the person's, as it is on the page.
fn in_a_shell(stage: &Stage, line: &str) -> Ran {
    let mut shell = stage.program("sh");
    let folders = std::env::var("PATH").unwrap();
    let own = bowline_testkit::built();
    shell.env("PATH", format!("{}:{folders}", own.display()));
    Ran::of(shell.args(["-c", line]).current_dir(stage.root()))
}

/// The texts that can be copied.
fn texts(tab: &Tab<'_>) -> Vec<String> {
    let texts = "[...document.querySelectorAll('div.copyable code')].map((it) => it.textContent)";
    serde_json::from_value(tab.evaluate(texts)).unwrap()
}

#[needs(chromium)]
#[test]
fn a_false_alarm_of_the_guard_becomes_an_entry_and_a_test() {
    let stage = Stage::without_inbox();
    let command = "terraform apply -var name=its";
    assert_eq!(decided(&stage, command, "toolu_1").as_deref(), Some("ask"));
    let window = Window::new(&stage);
    let tab = marked(&stage, &window, "infrastructure.apply");
    let file = stage.project().join("bowline.local.toml");
    tab.until_shown(&format!("This is written to {}", file.display()));
    tab.until_shown(&format!("+ commands = [\"{command}\"]"));
    assert!(!file.exists(), "it is only shown");

    let [case, rules_test, call_test] = <[String; 3]>::try_from(texts(&tab)).unwrap();
    stage.write("cases.jsonl", case + "\n");
    for line in [&rules_test, &call_test] {
        assert_eq!(in_a_shell(&stage, line).code, Some(1), "{line}");
    }
    tab.click("main button.primary");
    tab.until_shown("Written: the guard says nothing to such a call any more");
    tab.until_shown("The guard lets this call pass now");
    let written = std::fs::read_to_string(&file).unwrap();
    assert_eq!(
        written,
        format!("[guard.allow]\ncommands = [\"{command}\"]\n")
    );
    for line in [&rules_test, &call_test] {
        assert_eq!(in_a_shell(&stage, line).code, Some(0), "{line}");
    }
    assert_eq!(decided(&stage, command, "toolu_2"), None);
    let other = decided(&stage, "terraform apply", "toolu_3");
    assert_eq!(other.as_deref(), Some("ask"));

    tab.click("button[value=none]");
    tab.until_shown("This was a false alarm");
    drop(tab);
    window.close();
}

#[needs(chromium)]
#[test]
fn a_false_alarm_of_ones_own_rule_becomes_an_exception_to_paste() {
    let stage = Stage::without_inbox();
    let file = stage.write_in_project("bowline.toml", OWN_RULE);
    assert_eq!(
        decided(&stage, "make docs", "toolu_1").as_deref(),
        Some("deny")
    );
    let window = Window::new(&stage);
    let tab = marked(&stage, &window, "no-make");
    tab.until_shown(&format!("in its place in {}, line 2", file.display()));
    let [rule, case, rules_test, call_test] = <[String; 4]>::try_from(texts(&tab)).unwrap();
    stage.write("cases.jsonl", case + "\n");
    for line in [&rules_test, &call_test] {
        assert_eq!(in_a_shell(&stage, line).code, Some(1), "{line}");
    }
    tab.click("div.copyable button.copy");
    tab.until(
        "it is copied or selected",
        "document.querySelector('div.copyable button.copy').textContent === 'Copied'
            || getSelection().toString().includes('no-make')",
    );
    // As the page says: in the place of the old one.
    stage.write_in_project("bowline.toml", rule);
    stage.run(&["check", file.to_str().unwrap()]).expect(0, &[]);
    for line in [&rules_test, &call_test] {
        assert_eq!(in_a_shell(&stage, line).code, Some(0), "{line}");
    }
    let mut asked = 0;
    until("the daemon has read it", || {
        asked += 1;
        decided(&stage, "make docs", &format!("toolu_again_{asked}")).is_none()
    });
    assert_eq!(
        decided(&stage, "make clean", "toolu_3").as_deref(),
        Some("deny")
    );
    tab.reload();
    tab.until_shown("Your rule does not apply to this call now");
    drop(tab);
    window.close();
}
