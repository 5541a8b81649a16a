//! Words are found where agents used them, and what is found leads on.

use bowline_testkit::needs;
use serde_json::json;

use super::stage::Stage;
use super::window::{Tab, Window};

/// Would leave a mark if it took effect.
const HOSTILE: &str =
    "<img src=x onerror=\"window.broken = 1\" id=intruder><script>window.broken = 2</script>";

fn furnished() -> Stage {
    let stage = Stage::without_inbox();
    stage.starts_work("The marzipan prices are off by one cent");
    stage.runs("toolu_command", "cargo test --package nougat", "ok");
    let failing = json!({"tool_name": "Bash", "tool_use_id": "toolu_error",
        "tool_input": {"command": "make bonbon"}});
    stage.reports("PreToolUse", failing.clone());
    let mut failed = failing;
    failed["error"] = "error[E0308]: praline has mismatched types".into();
    stage.reports("PostToolUseFailure", failed);
    stage.runs("toolu_hostile", &format!("echo truffle {HOSTILE}"), "ok");
    stage
}

/// Searches with the field that every view has.
fn search(tab: &Tab<'_>, words: &str) {
    tab.click("header nav a[href='./']");
    tab.until(
        "there is a field",
        "Boolean(document.getElementById('find'))",
    );
    tab.write("#find", words);
    tab.press_enter();
    tab.until(
        "there is an answer",
        "location.pathname.endsWith('/search')",
    );
}

#[needs(chromium)]
#[test]
fn commands_prompts_and_errors_are_found_and_lead_to_their_calls() {
    let stage = furnished();
    let window = Window::new(&stage);
    let tab = window.open(&stage.link());
    for (words, kind, found, leads_to) in [
        (
            "nougat",
            "command",
            "cargo test --package nougat",
            "cargo test",
        ),
        (
            "PRALINE mismatch",
            "error",
            "praline has mismatched types",
            "make bonbon",
        ),
        (
            "marzipan",
            "prompt",
            "The marzipan prices are off",
            "The marzipan prices are off",
        ),
    ] {
        search(&tab, words);
        tab.until_shown(found);
        let shown = tab.evaluate(
            "[[...document.querySelectorAll('main tbody tr')].length, document.querySelector('main tbody td[data-label=Kind]').innerText]",
        );
        assert_eq!(shown, json!([1, kind]), "{words}");
        let marked = tab.evaluate(
            "[...document.querySelectorAll('main mark')].map((it) => it.textContent.toLowerCase())",
        );
        let marked: Vec<String> = serde_json::from_value(marked).unwrap();
        for word in words.to_lowercase().split(' ') {
            assert!(
                marked.iter().any(|it| it.starts_with(word)),
                "{word}: {marked:?}"
            );
        }
        tab.click("main tbody td[data-label=Kind] a");
        let place = if kind == "prompt" {
            "/session"
        } else {
            "/call"
        };
        let is_there = |place: &str| format!("location.pathname.endsWith('{place}')");
        tab.until(&format!("it leads to {place}"), &is_there(place));
        tab.until_shown(leads_to);
        tab.evaluate("history.back()");
        tab.until("it goes back", &is_there("/search"));
        tab.until_shown(found);
        let kept = tab.evaluate("document.querySelector('main input[name=q]').value");
        assert_eq!(kept, words);
    }
    search(&tab, "gianduja");
    tab.until_shown("Nothing that is recorded has all of these words");
    drop(tab);
    window.close();
}

#[needs(chromium)]
#[test]
fn filters_narrow_a_search_and_are_an_address() {
    let stage = furnished();
    let window = Window::new(&stage);
    let tab = window.open(&stage.link());
    search(&tab, "bonbon");
    tab.until_shown("make bonbon");
    tab.evaluate("document.querySelector('main select[name=kind]').value = 'error'");
    tab.click("main form button");
    tab.until_shown("Nothing that is recorded has all of these words");
    assert!(tab.address().contains("kind=error"), "{}", tab.address());
    tab.reload();
    tab.until_shown("Nothing that is recorded has all of these words");
    tab.write("main input[name=tool]", "Bsh");
    tab.press_enter();
    tab.until_shown("No tool Bsh is known. Did you mean");
    drop(tab);
    window.close();
}

#[needs(chromium)]
#[test]
fn what_is_found_is_only_text() {
    let stage = furnished();
    let window = Window::new(&stage);
    let tab = window.open(&stage.link());
    for words in ["truffle", "intruder", "<script>", HOSTILE] {
        search(&tab, words);
        tab.until_shown("<script>window.broken = 2</script>");
        let broken = tab.evaluate("[window.broken ?? null, document.querySelectorAll('#intruder, main script, main img').length]");
        assert_eq!(broken, json!([null, 0]), "{words}");
    }
    drop(tab);
    window.close();
}
