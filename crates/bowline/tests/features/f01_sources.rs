//! Feature 01.
