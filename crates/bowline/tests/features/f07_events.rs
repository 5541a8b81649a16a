//! Feature 07.
