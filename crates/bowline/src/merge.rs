//! The pure fold of outputs.
