//! Feature 13.
