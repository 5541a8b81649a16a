//! Every view, narrow and wide, light and dark, and what those need who do not see it.

use std::env;

use bowline_testkit::needs;
use serde_json::{Value, json};

use super::stage::{DOUBTFUL, Stage};
use super::window::{Tab, Window};

/// A daemon with something to show in every view.
fn furnished() -> Stage {
    let stage = Stage::new();
    stage.starts_work("Fix the rounding of totals");
    // Words that nothing breaks make no table wider than the window.
    let wide = "W".repeat(300);
    stage.reports(
        "SessionStart",
        json!({"session_id": "wide", "source": "startup", "model": wide}),
    );
    stage.reports(
        "UserPromptSubmit",
        json!({"session_id": "wide", "prompt": wide}),
    );
    stage.runs("toolu_1", &format!("cargo test {}", "x".repeat(300)), "ok");
    let edit = json!({"tool_name": "Edit", "tool_use_id": "toolu_2", "tool_input": {
        "file_path": stage.project().join("src/cart.rs"),
        "old_string": "round(total)", "new_string": "total",
    }});
    stage.reports("PreToolUse", edit.clone());
    stage.reports("PostToolUse", edit);
    drop(
        stage
            .about_to_run("toolu_3", "git push --force origin main")
            .wait_with_output(),
    );
    // Its question waits until the daemon ends.
    drop(stage.about_to_run("toolu_4", DOUBTFUL));
    stage
}

fn until_asked(tab: &Tab<'_>) {
    tab.until(
        "the question waits",
        "document.getElementById('waiting').dataset.count === '1'",
    );
}

/// All views, with a rule and a false alarm among them.
fn views(tab: &Tab<'_>) -> Vec<String> {
    let home = tab.address();
    let rule = format!("{home}guards?rule=git.push-force");
    tab.goto(&rule);
    tab.click("button[value=false-alarm]");
    tab.until_shown("Let it pass from now on");
    let alarm = tab.address();
    tab.goto(&home);
    let mut views = tab.views();
    views.extend([
        rule,
        alarm,
        format!("{home}timeline?project=nobody&nothing=1"),
    ]);
    views
}

#[needs(chromium)]
#[test]
fn no_view_is_wider_than_a_small_screen() {
    let stage = furnished();
    let window = Window::new(&stage);
    let tab = window.open(&stage.link());
    until_asked(&tab);
    for view in views(&tab) {
        for width in [400, 760, 920, 1280, 2400] {
            tab.resize(width, 900);
            tab.goto(&view);
            let wide = tab.evaluate("document.documentElement.scrollWidth - innerWidth");
            assert!(
                wide.as_i64().unwrap() <= 0,
                "{view} at {width}: {wide} too wide"
            );
            let letters = "[...document.querySelectorAll('main svg text')].map((it) => it.getBoundingClientRect().height)";
            let letters: Vec<f64> = serde_json::from_value(tab.evaluate(letters)).unwrap();
            let smallest = letters.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(
                smallest >= 10.0,
                "{view} at {width}: letters of {smallest} pixels in a chart"
            );
        }
    }
    drop(tab);
    window.close();
}

#[needs(chromium)]
#[test]
fn it_is_dark_for_those_who_prefer_that() {
    let stage = furnished();
    let window = Window::new(&stage);
    let tab = window.open(&stage.link());
    let brightness = || {
        let colours = tab.evaluate(
            "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]",
        );
        let sum = |colour: &Value| -> u32 {
            let numbers = colour
                .as_str()
                .unwrap()
                .split(|c: char| !c.is_ascii_digit());
            numbers
                .filter_map(|it| it.parse::<u32>().ok())
                .take(3)
                .sum()
        };
        (sum(&colours[0]), sum(&colours[1]))
    };
    tab.prefer("light");
    let (paper, ink) = brightness();
    assert!(paper > 600 && ink < 200, "{paper} {ink}");
    tab.prefer("dark");
    let (paper, ink) = brightness();
    assert!(paper < 200 && ink > 500, "{paper} {ink}");
    drop(tab);
    window.close();
}

#[needs(chromium)]
#[test]
fn everything_is_reached_with_the_keyboard() {
    let stage = furnished();
    let window = Window::new(&stage);
    let tab = window.open(&stage.link());
    until_asked(&tab);
    for view in views(&tab) {
        tab.goto(&view);
        let unreachable = tab.evaluate(
            "[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary')]
                .filter((it) => it.tabIndex < 0 || it.disabled).map((it) => it.outerHTML)",
        );
        assert_eq!(unreachable, json!([]), "{view}");
        tab.press_tab();
        let focused = tab.evaluate(
            "(() => { const style = getComputedStyle(document.activeElement);
                return document.activeElement.textContent + '|' + style.outlineStyle + '|' + style.outlineWidth })()",
        );
        let focused = focused.as_str().unwrap();
        assert!(
            focused.starts_with("Skip to the content|"),
            "{view}: {focused}"
        );
        assert!(
            !focused.contains("|none|"),
            "{view}: the focus is not seen: {focused}"
        );
    }
    drop(tab);
    window.close();
}

/// The rules that are looked at.
const RULES: &str =
    "{runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}";

#[needs(chromium, axe)]
#[test]
fn no_view_keeps_anybody_out() {
    let axe = std::fs::read_to_string(env::var_os("AXE_CORE").unwrap()).unwrap();
    let stage = furnished();
    let window = Window::new(&stage);
    let tab = window.open(&stage.link());
    until_asked(&tab);
    let mut found = Vec::new();
    for view in views(&tab) {
        for (scheme, width) in [("light", 1280), ("dark", 1280), ("light", 400)] {
            tab.prefer(scheme);
            tab.resize(width, 900);
            tab.goto(&view);
            tab.evaluate(&format!("{axe}\n;0"));
            let violations = tab.evaluate(&format!(
                "axe.run(document, {RULES}).then((it) => it.violations.map((one) =>
                    [one.id, one.help, one.nodes.map((node) => node.html + ' ' + node.failureSummary)]))"
            ));
            let violations = violations.as_array().unwrap().clone();
            found.extend(
                violations
                    .iter()
                    .map(|it| format!("{view} {scheme} {width}: {it:#}")),
            );
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    drop(tab);
    window.close();
}
