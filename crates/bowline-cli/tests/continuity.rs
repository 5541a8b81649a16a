//! Work that outlives a context window, through both real programs.

#[cfg(test)]
mod continuity {
    mod agent;
    mod explained;
    mod fleet;
    mod interrupted;
    mod lease;
    mod lifecycle;
    mod many;
    mod story;
}
