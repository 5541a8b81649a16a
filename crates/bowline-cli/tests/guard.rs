//! The commands of the guard, end to end, with the real binary in a home and a project of its own.

#[cfg(test)]
mod guard {
    mod eval;
    mod explain;
    mod redact;
    mod rules;
}
