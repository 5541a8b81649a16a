//! What guides agents, through both real programs.

#[cfg(test)]
mod handoffs;
