//! Agents at work, and what a person sees of them: `bowline fleet`, tmux, the status line, notifications, supervision.

#[cfg(test)]
mod fleet {
    mod listing;
    mod notifying;
    mod questions;
    mod run;
    mod screen;
    mod stage;
    mod statusline;
    mod supervise;
    mod tmux;
    mod top;
}
