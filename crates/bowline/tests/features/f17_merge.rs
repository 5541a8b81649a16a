//! Feature 17.
