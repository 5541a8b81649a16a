//! Feature 12.
