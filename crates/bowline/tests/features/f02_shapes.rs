//! Feature 02.
