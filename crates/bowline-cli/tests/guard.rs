//! The commands of the guard, end to end, with the real binary in a home and a project of its own.

#[cfg(test)]
#[expect(dead_code, reason = "these tests need only a part of it")]
#[path = "cli/bench.rs"]
mod bench;

#[cfg(test)]
#[path = "shared/ran.rs"]
mod ran;

#[cfg(test)]
mod guard {
    mod eval;
    mod explain;
    mod redact;
    mod rules;
}
