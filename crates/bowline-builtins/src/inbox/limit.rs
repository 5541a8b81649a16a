//! How long a question can wait: never longer than its agent waits for the hook.

use std::time::Duration;

use bowline::hooks::{HookEvent, humane_duration};
use bowline_agents::named;

/// The agent's own limit begins before ours and must not end before it: an answer after it lets the call run.
const MARGIN: Duration = Duration::from_secs(3);

/// How long a question can wait whose agent waits so long for the answer of its hook.
pub fn longest_wait(agent_waits: Duration) -> Option<Duration> {
    agent_waits.checked_sub(MARGIN)
}

/// Why a question waits for less time than `[approvals] wait` says, and what to do; `None` if it does not.
pub(super) fn cut_short(
    (wanted, limit): (Duration, Duration),
    agent: &str,
    agent_waits: Duration,
) -> Option<String> {
    if limit >= wanted {
        return None;
    }
    let limit = humane_duration(Duration::from_secs(limit.as_secs()));
    let wanted = humane_duration(wanted);
    let why =
        format!("{limit} instead of {wanted}, because the agent waits no longer for its hook");
    Some(match registered(agent) {
        Some(most) if agent_waits + MARGIN < most => {
            format!(
                "{why}: `bowline init` once more lets it wait {}",
                humane_duration(most)
            )
        }
        _ => why,
    })
}

/// How long an agent waits that `bowline init` puts Bowline into.
fn registered(agent: &str) -> Option<Duration> {
    let registration = named(agent)?.protocol()?.registration?;
    let seconds = registration.timeout_of(HookEvent::PreToolUse);
    Some(Duration::from_secs(seconds.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_that_cannot_wait_as_long_as_it_should_says_so() {
        for (wanted, agent_waits, agent, expected) in [
            (50, 59, "claude-code", None),
            (56, 59, "claude-code", None),
            (
                120,
                59,
                "claude-code",
                Some(
                    "56 s instead of 2 min, because the agent waits no longer for its hook: \
                     `bowline init` once more lets it wait 10 min",
                ),
            ),
            (
                1_200,
                599,
                "claude-code",
                Some("9.9 min instead of 20 min, because the agent waits no longer for its hook"),
            ),
            (
                120,
                59,
                "generic",
                Some("56 s instead of 2 min, because the agent waits no longer for its hook"),
            ),
        ] {
            let [wanted, agent_waits] = [wanted, agent_waits].map(Duration::from_secs);
            let limit = wanted.min(longest_wait(agent_waits).unwrap());
            let said = cut_short((wanted, limit), agent, agent_waits);
            assert_eq!(said.as_deref(), expected);
        }
        assert_eq!(longest_wait(Duration::from_secs(2)), None);
    }
}
