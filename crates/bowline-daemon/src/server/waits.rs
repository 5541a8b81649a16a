//! The connections that wait for something that takes long, and get signs of life meanwhile. One clock serves all of them.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use bowline_wire::SIGN_EVERY;
use mio::Token;

use super::connection::ClientConnection;
use super::outbox::Wait;

/// The connections that wait, and perhaps some that no longer do.
#[derive(Debug)]
pub(super) struct Waits {
    waiting: Vec<Token>,
    /// When they last got a sign of life.
    given: Instant,
}

impl Waits {
    pub(super) fn new() -> Self {
        Self {
            waiting: Vec::new(),
            given: Instant::now(),
        }
    }

    pub(super) fn begin(&mut self, token: Token) {
        if self.waiting.is_empty() {
            self.given = Instant::now();
        }
        self.waiting.push(token);
    }

    /// The time until the next signs are due, if any connection waits.
    pub(super) fn due_in(&self) -> Option<Duration> {
        let left = || SIGN_EVERY.saturating_sub(self.given.elapsed());
        (!self.waiting.is_empty()).then(left)
    }

    /// Sends signs of life, if they are due.
    pub(super) fn give(&mut self, clients: &HashMap<Token, ClientConnection>) {
        if self.due_in() != Some(Duration::ZERO) {
            return;
        }
        self.given = Instant::now();
        self.waiting.sort_unstable();
        // A connection that has waited several times is listed as often.
        self.waiting.dedup();
        self.waiting.retain(|token| {
            let client = clients.get(token);
            client.is_some_and(|client| client.outbox.give_sign() == Wait::GoesOn)
        });
    }
}
