//! What was recorded, seen through the real binary on a machine without a daemon.

#[cfg(test)]
mod views {
    mod attacks;
    mod completions;
    mod daemon;
    mod follow;
    mod history;
    mod hooks;
    mod log;
    mod report;
    mod search;
    mod sessions;
    mod snapshots;
    mod store;
    mod terminal;
    mod traces;
}
