//! Feature 14.
