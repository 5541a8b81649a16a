//! Checkpoints: what an agent must show before its work counts as done.

use crate::handoff::normalise;
use crate::text::Text;

/// An orchestrator reports that a phase is complete.
pub const VALIDATE: Text = Text {
    key: "checkpoint.phase",
    says: "{agent} reports a completed phase. Execute next: Use the {target} subagent to validate it before the next phase begins.",
    names: &["agent", "target"],
};
/// Tests fail.
pub const TESTS_FAIL: Text = Text {
    key: "checkpoint.tests",
    says: "{count} in `{command}`{names}. Fix this, then report again.\n{output}",
    names: &["count", "command", "names", "output"],
};
/// The build fails.
pub const BUILD_FAILS: Text = Text {
    key: "checkpoint.build",
    says: "The tests pass, but `{command}` fails. Fix this, then report again.\n{output}",
    names: &["command", "output"],
};
/// A command takes too long.
pub const TOO_LONG: Text = Text {
    key: "checkpoint.time",
    says: "`{command}` did not end within {seconds} s and was stopped, so nothing shows that the work is done. Find out why, or say that it could not be tested.",
    names: &["command", "seconds"],
};

/// The texts of this rule.
pub const TEXTS: &[Text] = &[VALIDATE, TESTS_FAIL, BUILD_FAILS, TOO_LONG];

/// A part of the name of agents that orchestrate.
const ORCHESTRATOR: &str = "orchestrator";

/// What a completed phase is called: all words of a marker in this order, with anything between them on the same line.
const MARKERS: [&[&str]; 3] = [
    &["orchestration status", "completed"],
    &["all tasks successfully completed"],
    &["phase", "has been completed"],
];
/// Who speaks of these has validated already.
const DEPLOYMENT: [&str; 5] = ["deploy", "deployed", "deployment", "release", "production"];

/// Whether the output of an orchestrator says that a phase is complete, and nothing of a deployment.
pub fn completes_phase(agent: &str, output: &str) -> bool {
    if !agent.to_lowercase().contains(ORCHESTRATOR) {
        return false;
    }
    let lower = output.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    if words.any(|word| DEPLOYMENT.contains(&word)) {
        return false;
    }
    let mut lines = lower.lines();
    let on_a_line = lines.any(|line| MARKERS.iter().any(|marker| has_in_order(line, marker)));
    // A marker of one piece may be broken over lines.
    on_a_line || has_in_order(&normalise(&lower), MARKERS[1])
}

fn has_in_order(line: &str, marker: &[&str]) -> bool {
    let mut rest = line;
    marker.iter().all(|part| match rest.split_once(part) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f45_d_an_orchestrator_that_completed_a_phase_is_recognised() {
        let agent = "task-orchestrator";
        for (agent, output, expected) in [
            (agent, "ORCHESTRATION STATUS: phase 2 COMPLETED", true),
            (agent, "Orchestration status\nCOMPLETED", false),
            (agent, "All tasks successfully completed.", true),
            (agent, "ALL TASKS\nSUCCESSFULLY COMPLETED", true),
            (agent, "PHASE 1 (models) HAS BEEN COMPLETED", true),
            (
                agent,
                "Phase 1 has been completed, ready for deployment",
                false,
            ),
            (
                agent,
                "All tasks successfully completed and deployed",
                false,
            ),
            (agent, "Phase 1 goes on", false),
            (
                "unit-testing-agent",
                "All tasks successfully completed",
                false,
            ),
        ] {
            assert_eq!(
                completes_phase(agent, output),
                expected,
                "{agent}: {output}"
            );
        }
    }
}
