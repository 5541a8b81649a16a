//! Feature 19.
