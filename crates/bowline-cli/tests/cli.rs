//! The real binary, end to end, in a home and a project of its own.

#[cfg(test)]
mod cli {
    mod acceptance;
    mod actions;
    mod check;
    mod events;
    mod example;
    mod hooks;
    mod program;
    mod readme;
    mod rules;
    mod secrets;
    mod test;
}
