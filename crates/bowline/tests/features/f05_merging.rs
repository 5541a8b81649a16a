//! Feature 05.
