//! A driver for people who write the agent loop.
