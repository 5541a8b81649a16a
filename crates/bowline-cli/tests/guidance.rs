//! What guides agents, through both real programs.

#[cfg(test)]
mod guidance {
    #[path = "../continuity/agent.rs"]
    #[expect(dead_code, reason = "these tests need only a part of it")]
    mod agent;
    mod config;
    mod cost;
    mod errors;
    mod handoffs;
    mod loops;
    mod orchestrator;
    mod report;
    mod reporter;
    mod testing;
}
