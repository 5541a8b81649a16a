//! What guides agents, through both real programs.

#[cfg(test)]
#[path = "../continuity/agent.rs"]
#[expect(dead_code, reason = "these tests need only a part of it")]
mod agent;
#[cfg(test)]
mod orchestrator;
