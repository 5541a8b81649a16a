//! Whether questions can wait in the inbox for as long as the settings say.

use std::time::Duration;

use bowline::hooks::humane_duration;
use bowline::settings::Wait;
use bowline_agents::HookEvent;
use bowline_builtins::inbox::longest_wait;
use bowline_wire::waits_within;

use super::check::Check;
use super::installed::{AGAIN_IN_EACH_SCOPE, Installed};

/// Nothing where no question is to wait, and where nothing is installed.
pub(super) fn check(installed: &Installed, wait: Wait) -> Option<Check> {
    let Wait::For(wanted) = wait else {
        return None;
    };
    let asks = installed.agent.registration.canary.event;
    let entries = installed.entries();
    let asking = entries.filter(|(_, found)| found.entry.event == asks);
    let limits = asking.map(|(file, found)| (found.entry.limit(), file));
    let (limit, file) = limits.min_by_key(|(limit, _)| *limit)?;
    let check = Check::new("inbox");
    let longest = longest(limit);
    let shown = humane_duration(wanted);
    if longest >= wanted {
        return Some(check.ok(format!("a question waits {shown} for a person")));
    }
    let file = installed.paths.show_absolute(&file.file);
    let title = installed.agent.title();
    let check = check
        .warning(format!(
            "a question waits {} instead of {shown} (`wait` in `[approvals]`)",
            humane_duration(longest)
        ))
        .detail(format!(
            "{title} waits {} for the answer to {asks}, says {file}",
            humane_duration(limit)
        ));
    let most = installed
        .agent
        .registration
        .timeout_of(HookEvent::PreToolUse);
    let most = Duration::from_secs(most.into());
    Some(if limit < most {
        check.advice(AGAIN_IN_EACH_SCOPE)
    } else {
        check.advice(format!(
            "make `wait` shorter: at most `{}s`",
            longest.as_secs()
        ))
    })
}

/// How long a question can wait where the answer of a hook may take so long.
fn longest(limit: Duration) -> Duration {
    longest_wait(waits_within(limit)).unwrap_or_default()
}
