//! Feature 04.
