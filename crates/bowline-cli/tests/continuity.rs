//! Work that outlives a context window, through both real programs.

#[cfg(test)]
mod continuity {
    mod agent;
    mod fleet;
    mod lifecycle;
    mod many;
    mod story;
}
