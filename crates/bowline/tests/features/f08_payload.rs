//! Feature 08.
