//! Cutting what arrives into lines.

use crate::WireError;

/// Collects what arrives until a line is complete. What follows the line, such as a payload's first bytes, is kept.
#[derive(Debug, Clone)]
pub struct Lines {
    arrived: Vec<u8>,
    searched: usize,
    limit: usize,
}

impl Lines {
    /// Begins with nothing. A longer line than this, its newline included, is refused.
    pub const fn new(limit: usize) -> Self {
        Self {
            arrived: Vec::new(),
            searched: 0,
            limit,
        }
    }

    /// Adds what arrived.
    pub fn push(&mut self, bytes: &[u8]) {
        self.arrived.extend_from_slice(bytes);
    }

    /// Takes the next line with its newline, if it is complete.
    pub fn next_line(&mut self) -> Result<Option<Vec<u8>>, WireError> {
        let unseen = self.arrived.get(self.searched..).unwrap_or_default();
        let end = unseen.iter().position(|byte| *byte == b'\n');
        let end = end.map(|at| self.searched + at + 1);
        let bytes = end.unwrap_or(self.arrived.len());
        if bytes > self.limit {
            let (what, limit) = ("line", self.limit);
            return Err(WireError::TooLong { what, bytes, limit });
        }
        let Some(end) = end else {
            self.searched = self.arrived.len();
            return Ok(None);
        };
        self.searched = 0;
        let rest = self.arrived.split_off(end);
        Ok(Some(std::mem::replace(&mut self.arrived, rest)))
    }

    /// Gives up what arrived after the last line.
    pub fn into_rest(self) -> Vec<u8> {
        self.arrived
    }
}
