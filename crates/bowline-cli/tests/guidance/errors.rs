//! Failures across sessions.

use bowline_testkit::{Sandbox, until};
use serde_json::Value;

use super::reporter::{Reporter, WAYS, project};

fn failures(sandbox: &Sandbox) -> Vec<Value> {
    let report = sandbox.json(&["errors", "--project", "."]);
    report["failures"].as_array().unwrap().clone()
}

#[test]
fn f27_b_three_failures_in_two_sessions_are_one_follow_up_and_the_next_one_is_told_the_fix() {
    for way in WAYS {
        let sandbox = project(way, "[errors]\nmemory = true\n");
        let boom = |line: u32| format!("Exit code 101\nsrc/a.rs:{line}: error: no such table: x");
        let mut first = Reporter::new(way, &sandbox, "first");
        for n in 1..=2 {
            let said = first.failed(&format!("a{n}"), "cargo test", &boom(n));
            assert_eq!(said.context(), "", "{way:?}");
        }
        let mut second = Reporter::new(way, &sandbox, "second");
        let third = second.failed("b1", "cargo test", &boom(30));
        assert!(
            third.context().contains("failed like this 3 times"),
            "{way:?} {third:?}"
        );
        let fourth = second.failed("b2", "cargo test", &boom(31));
        assert_eq!(fourth.context(), "", "{way:?}");
        second.ran("b3", "sqlx migrate run", "Applied 3");
        second.ran("b4", "cargo test", "ok");
        until("the fix is known", || {
            !failures(&sandbox)[0]["fixed_by"].is_null()
        });
        let found = failures(&sandbox);
        assert_eq!(found.len(), 1, "{way:?} {found:?}");
        assert_eq!(
            (&found[0]["count"], &found[0]["sessions"]),
            (&4.into(), &2.into())
        );
        assert_eq!(found[0]["follow_up"]["status"], "open");

        let mut next = Reporter::new(way, &sandbox, "next");
        let told = next.failed("c1", "cargo test", &boom(77));
        let fix = "Bash cargo test went well after Bash sqlx migrate run";
        assert!(told.context().contains(fix), "{way:?} {told:?}");

        let id = found[0]["id"].to_string();
        sandbox
            .run(&["errors"])
            .expect(0, &["no such table", "open"]);
        sandbox
            .run(&["errors", "show", &id])
            .expect(0, &[fix, "session next"]);
        let lines = sandbox.run(&["errors", "--jsonl"]);
        let lines: Vec<Value> = lines
            .stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines.len(), 5, "f27_a: {way:?}");
        assert_eq!(
            (&lines[0]["tool"], &lines[0]["session"]),
            (&"Bash".into(), &"first".into())
        );
        sandbox.run(&["errors", "done", &id]).expect(0, &["Done"]);
        assert_eq!(failures(&sandbox)[0]["follow_up"]["status"], "done");
        sandbox
            .run(&["errors", "forget", &id])
            .expect(0, &["Forgot"]);
        assert_eq!(failures(&sandbox), Vec::<Value>::new());
        sandbox
            .run(&["errors", "show", &id])
            .expect_stderr(2, &["no failure"]);
    }
}
