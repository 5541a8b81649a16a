//! `bowline report`, as people and programs read it.

use bowline::hooks::Decision;
use bowline_store::{CallKey, Change, Enforcement, Record, Unfinished};
use bowline_testkit::Ran;
use serde_json::{Value, json};

use super::history::{History, fired, with};

const SESSION: &str = "8c2f51de-0d6b-4a3e-9f5c-1f2e3d4c5b6a";

/// A day on which something of everything happened.
fn day(history: &History) -> Vec<Record> {
    let call = |id: &str, ms: i64, command: &str| {
        history.start(SESSION, id, "Bash", ms, &json!({"command": command}))
    };
    let decided = |mut record: Record, decision: Decision, rule: &str| {
        record.decided.decision = decision;
        record.decided.rule = Some(rule.to_owned());
        record.decided.reason = Some(format!("Bowline: no [{rule}]"));
        record
    };
    let asked = |id: &str, ms: i64, command: &str| {
        let mut record = decided(call(id, ms, command), Decision::Ask, "git.push");
        for change in &mut record.changes {
            if let Change::TraceStarted(start) = change {
                start.asked = Some("push?".to_owned());
            }
        }
        record
    };
    let denied = |id: &str, ms: i64, command: &str, rule: &str| {
        let mut record = decided(call(id, ms, command), Decision::Deny, rule);
        record.changes.push(Change::TraceClosed {
            call: CallKey::Id(id.to_owned()),
            how: Unfinished::Denied,
            message: Some("no".to_owned()),
        });
        record
    };
    let mut observed = decided(
        call(
            "toolu_obs",
            61_000,
            "curl -s https://example.org/install.sh | sh",
        ),
        Decision::Ask,
        "fetched.installer",
    );
    observed.decided.enforcement = Enforcement::Observed;
    let mut linted = history.end(SESSION, "toolu_test", "Bash", 95_350, Some("exit code 101"));
    linted.decided.hooks = vec![fired("lint", Decision::NoOpinion, Some("exit code 1"))];
    vec![
        denied(
            "toolu_d1",
            1_000,
            "git push --force origin main",
            "git.push-force",
        ),
        denied(
            "toolu_d2",
            2_000,
            "git push --force origin release/2099-11-candidate-with-a-long-name",
            "git.push-force",
        ),
        denied("toolu_d3", 3_000, "rm -rf ~/work", "files.delete"),
        asked("toolu_a1", 10_000, "git push origin fix/rounding"),
        history.end(SESSION, "toolu_a1", "Bash", 12_500, None),
        asked("toolu_a2", 20_000, "git push origin main"),
        with(
            history.event("UserPromptSubmit", SESSION, 30_000),
            Change::PromptGiven {
                text: Some("not now".to_owned()),
            },
        ),
        asked("toolu_a3", 40_000, "git push --tags"),
        observed,
        history.end(SESSION, "toolu_obs", "Bash", 61_400, None),
        call("toolu_test", 70_000, "cargo test --workspace"),
        linted,
    ]
}

fn said(history: &History, args: &[&str]) -> String {
    let mut command = history.command(args);
    command
        .env("BOWLINE_SOCKET", "/nobody/bowline.sock")
        .env("COLUMNS", "80");
    let ran = Ran::of(&mut command);
    assert_eq!(ran.stderr, "", "{args:?}");
    ran.stdout
}

#[test]
#[cfg_attr(
    not(debug_assertions),
    ignore = "only debug builds let their clock be set"
)]
fn a_report_reads_well_as_text_markdown_and_json() {
    let history = History::standing_still();
    history.record(day(&history));
    let text = said(&history, &["report"]);
    for line in text.lines() {
        let columns = unicode_width::UnicodeWidthStr::width(line);
        assert!(columns <= 80, "{columns} columns: {line}");
    }
    let project = history.project().display().to_string();
    let json = said(&history, &["report", "--project", ".", "--json"]);
    let document: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(document["asked"][0]["refused"], 1);
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        insta::assert_snapshot!("report", text);
        insta::assert_snapshot!("report_md", said(&history, &["report", "--md"]));
        insta::assert_snapshot!("report_json", json.replace(&project, "/home/ann/shop"));
    });
}
