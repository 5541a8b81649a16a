//! Feature 03.
