//! Feature 09.
