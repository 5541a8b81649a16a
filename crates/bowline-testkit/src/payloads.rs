//! Payloads that real agents have sent, one folder per agent in `crates/bowline/tests/data`.

use std::fs;
use std::path::Path;

use bowline_agents::{AGENTS, Agent};

/// A payload that a real agent has sent.
#[derive(Debug)]
pub struct Recorded {
    /// Who sent it.
    pub agent: &'static Agent,
    /// The event in Bowline's spelling and a number: `PreToolUse-1`.
    pub name: String,
    /// What was sent.
    pub text: String,
}

/// Every recorded payload, by agent and name.
#[track_caller]
pub fn recorded() -> Vec<Recorded> {
    AGENTS.iter().copied().flat_map(recorded_of).collect()
}

/// The recorded payloads of one agent, by name. Nothing where none were recorded.
#[track_caller]
pub fn recorded_of(agent: &'static Agent) -> Vec<Recorded> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bowline/tests/data");
    let Ok(folder) = fs::read_dir(data.join(agent.name)) else {
        return Vec::new();
    };
    let mut recorded: Vec<_> = folder
        .map(|file| {
            let path = file.unwrap().path();
            Recorded {
                agent,
                name: path.file_stem().unwrap().to_str().unwrap().to_owned(),
                text: fs::read_to_string(&path).unwrap(),
            }
        })
        .collect();
    recorded.sort_by(|a, b| a.name.cmp(&b.name));
    recorded
}
