//! Feature 18.
