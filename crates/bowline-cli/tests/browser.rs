//! The page in a real browser, with both real programs behind it. Needs Chromium.
//!
//! Every test ends with [`browser::window::Window::close`], which checks that the page said nothing on its console, asked no other host
//! for anything and opened no dialogue.

#[cfg(test)]
mod browser {
    mod answering;
    mod demo;
    mod false_alarms;
    mod hostile;
    mod live;
    mod looks;
    mod net_log;
    mod searching;
    mod stage;
    mod staying;
    mod window;
}
