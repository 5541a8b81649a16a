//! What was recorded, seen through the real binary on a machine without a daemon.

#[cfg(test)]
mod views {
    mod attacks;
    mod completions;
    mod daemon;
    mod follow;
    mod hooks;
    mod log;
    mod machine;
    #[path = "../shared/person.rs"]
    mod person;
    #[path = "../shared/ran.rs"]
    mod ran;
    mod sessions;
    mod snapshots;
    mod store;
    mod terminal;
    mod traces;
}
