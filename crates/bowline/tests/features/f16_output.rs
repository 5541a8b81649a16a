//! Feature 16.
