//! Feature 10.
