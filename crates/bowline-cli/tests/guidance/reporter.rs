//! An agent that reports tool calls, to a daemon or without one.

use bowline_testkit::{Ran, Sandbox};
use serde_json::{Value, json};

use super::agent::{Answered, FakeAgent, with_client};

/// Who decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// A daemon.
    Daemon,
    /// A process for each event.
    Direct,
}

pub(crate) const WAYS: [Way; 2] = [Way::Daemon, Way::Direct];

/// A project with these settings.
pub(crate) fn project(way: Way, settings: &str) -> Sandbox {
    let sandbox = with_client();
    sandbox.write("home/.config/bowline/config.toml", settings);
    if way == Way::Daemon {
        sandbox.run(&["daemon", "start"]).expect(0, &[]);
    }
    sandbox
}

/// One agent in one session.
pub(crate) enum Reporter<'s> {
    Daemon(FakeAgent<'s>),
    Direct {
        sandbox: &'s Sandbox,
        session: String,
    },
}

impl<'s> Reporter<'s> {
    pub(crate) fn new(way: Way, sandbox: &'s Sandbox, session: &str) -> Self {
        match way {
            Way::Daemon => Self::Daemon(FakeAgent::start(sandbox, session)),
            Way::Direct => Self::Direct {
                sandbox,
                session: session.to_owned(),
            },
        }
    }

    pub(crate) fn report(&mut self, event: &str, fields: &Value) -> Answered {
        match self {
            Self::Daemon(agent) => agent.report(event, fields.clone()),
            Self::Direct { sandbox, session } => {
                let mut payload = json!({
                    "session_id": session, "transcript_path": "/dev/null",
                    "cwd": sandbox.project(), "hook_event_name": event,
                });
                let fields = fields.as_object().unwrap().clone();
                payload.as_object_mut().unwrap().extend(fields);
                let mut command = sandbox.command(&["hook", "--direct", "claude-code", event]);
                let ran = Ran::with_stdin(&mut command, payload.to_string().as_bytes());
                Answered {
                    code: ran.code.unwrap(),
                    json: serde_json::from_str(&ran.stdout).unwrap_or_default(),
                }
            }
        }
    }

    /// Is about to run a command.
    pub(crate) fn wants(&mut self, id: &str, command: &str) -> Answered {
        let fields =
            json!({"tool_name": "Bash", "tool_use_id": id, "tool_input": {"command": command}});
        self.report("PreToolUse", &fields)
    }

    /// A command failed.
    pub(crate) fn failed(&mut self, id: &str, command: &str, error: &str) -> Answered {
        let fields = json!({
            "tool_name": "Bash", "tool_use_id": id, "tool_input": {"command": command},
            "error": error, "is_interrupt": false,
        });
        self.report("PostToolUseFailure", &fields)
    }

    /// A command went well.
    pub(crate) fn ran(&mut self, id: &str, command: &str, stdout: &str) -> Answered {
        let response = json!({"stdout": stdout, "stderr": "", "interrupted": false});
        let fields = json!({
            "tool_name": "Bash", "tool_use_id": id, "tool_input": {"command": command},
            "tool_response": response,
        });
        self.report("PostToolUse", &fields)
    }
}
