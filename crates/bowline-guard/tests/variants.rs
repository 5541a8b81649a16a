//! Variants of the ideas behind the label policy, and everyday look-alikes of them.
#![expect(clippy::unwrap_used, reason = "a broken row must fail the test")]

use bowline_guard::paths::StaticWorld;
use bowline_guard::sensitive::SensitivePolicy;
use bowline_guard::tool_call::{ToolCall, judge_tool_call};

/// Checks rows of a verdict and a command; reports all that differ at once.
fn check(tool: &str, table: &str) {
    let world = StaticWorld::new("/home/dev/project", "/home/dev");
    let mut wrong = Vec::new();
    let mut rows = 0;
    for row in table
        .lines()
        .filter(|it| !it.is_empty() && !it.starts_with('#'))
    {
        let (expected, command) = row.split_once(' ').unwrap();
        let command = command.replace('⏎', "\n");
        let call = ToolCall {
            command: Some(&command),
            ..ToolCall::default()
        };
        let verdict = judge_tool_call(tool, &call, &world, &SensitivePolicy::default());
        if verdict.decision.name() != expected {
            wrong.push(format!(
                "{command}\n    {}, expected {expected}: {}",
                verdict.decision,
                verdict.message().unwrap_or_default()
            ));
        }
        rows += 1;
    }
    assert!(rows > 50, "{rows} rows");
    assert!(
        wrong.is_empty(),
        "{} of {rows}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn shell_variants() {
    check("Bash", include_str!("data/variants.txt"));
}
