//! What guides agents, through both real programs.

mod handoffs;
