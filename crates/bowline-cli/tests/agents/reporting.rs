//! A sandbox with both programs side by side, and an agent that reports events in it.

use bowline_agents::{Agent, claude_code};
use bowline_testkit::{Ran, Sandbox, client};
use serde_json::Value;

/// The agent that reports, unless another is named.
pub(super) const AGENT: &Agent = &claude_code::AGENT;

/// With both programs; the client looks for `bowline` beside itself.
pub(super) fn with_client() -> Sandbox {
    client();
    Sandbox::new()
}

pub(super) trait Reporting {
    /// What `bowline-hook` answers with just these arguments.
    fn report(&self, payload: &[u8], arguments: &[&str], variables: &[(&str, &str)]) -> Ran;

    /// What `bowline-hook` answers to this event.
    fn hook(&self, event: &str, payload: &[u8]) -> Ran {
        self.hook_with(event, payload, &[], &[])
    }

    /// The same, with further arguments, and with variables that the agent hands on.
    fn hook_with(
        &self,
        event: &str,
        payload: &[u8],
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Ran {
        let agent = [AGENT.name, event, "--on-failure", "closed"];
        self.report(payload, &[&agent, arguments].concat(), variables)
    }

    /// What `bowline-hook` answers to an agent that speaks no dialect of its own and runs no daemon.
    fn direct(&self, payload: &Value) -> String {
        let off = [("BOWLINE_DAEMON", "off")];
        self.report(payload.to_string().as_bytes(), &["generic"], &off)
            .stdout
    }
}

impl Reporting for Sandbox {
    fn report(&self, payload: &[u8], arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        let mut command = self.hook_command(arguments);
        Ran::with_stdin(command.envs(variables.iter().copied()), payload)
    }
}
