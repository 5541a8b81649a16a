//! The hooks that Bowline ships, one file each, every one an ordinary [`bowline::hooks::Hook`].

mod analyst;

pub use analyst::Analyst;
