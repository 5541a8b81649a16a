//! The real binary, end to end, in a home and a project of its own.

#[cfg(test)]
mod cli {
    mod acceptance;
    mod actions;
    mod bench;
    mod check;
    mod events;
    mod hooks;
    mod program;
    #[path = "../shared/ran.rs"]
    mod ran;
    mod readme;
    mod rules;
    mod secrets;
    mod test;
}
