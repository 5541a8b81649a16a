//! Hooks made of settings.
