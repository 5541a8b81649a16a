//! Feature 11.
