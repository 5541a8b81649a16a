//! Guidance through the real binaries.

#[cfg(test)]
mod config;
#[cfg(test)]
mod report;
