//! Feature 15.
