//! Feature 06.
