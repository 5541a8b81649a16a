//! Guidance, through both real programs.

#[cfg(test)]
mod cost;
