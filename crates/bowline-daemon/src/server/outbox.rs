//! The writing half of a connection, which several threads share: the thread that has an answer writes it.

use std::io::{self, ErrorKind, Write};
use std::sync::{Arc, Mutex, PoisonError};

use mio::net::UnixStream;
use mio::{Token, Waker};

/// The state of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// It is idle.
    Free,
    /// Something is being answered.
    Busy,
    /// Something is being answered, and more has arrived.
    BusyWithMore,
}

/// Whether the other side has not taken everything yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unsent {
    Nothing,
    Some,
}

#[derive(Debug)]
struct State {
    progress: Progress,
    /// What the other side has not taken yet.
    unsent: Vec<u8>,
    /// The sign of life that it wants, while the answer is waited for.
    sign: Option<Vec<u8>>,
}

/// Whether a connection still waits for something that takes long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    GoesOn,
    Over,
}

/// The writing half of a connection.
#[derive(Debug)]
pub(super) struct Outbox {
    stream: UnixStream,
    token: Token,
    state: Mutex<State>,
    wake_list: Arc<WakeList>,
}

/// Connections that the polling thread has to look at, and how it is woken.
#[derive(Debug)]
pub(super) struct WakeList {
    waiting: Mutex<Vec<Token>>,
    waker: Waker,
}

impl WakeList {
    pub(super) fn new(waker: Waker) -> Self {
        Self {
            waiting: Mutex::default(),
            waker,
        }
    }

    pub(super) fn take(&self) -> Vec<Token> {
        std::mem::take(&mut self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Makes the polling thread look at a connection.
    pub(super) fn add(&self, token: Token) {
        self.waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(token);
        self.wake();
    }

    /// Wakes the polling thread.
    pub(super) fn wake(&self) {
        if let Err(error) = self.waker.wake() {
            tracing::error!("the polling thread cannot be woken: {error}");
        }
    }
}

impl Outbox {
    pub(super) fn new(stream: UnixStream, token: Token, wake_list: Arc<WakeList>) -> Self {
        let state = State {
            progress: Progress::Free,
            unsent: Vec::new(),
            sign: None,
        };
        Self {
            stream,
            token,
            state: Mutex::new(state),
            wake_list,
        }
    }

    pub(super) fn stream(&self) -> &UnixStream {
        &self.stream
    }

    pub(super) fn token(&self) -> Token {
        self.token
    }

    /// Begins to answer something.
    pub(super) fn begin(&self) {
        self.lock().progress = Progress::Busy;
    }

    /// Whether something is being answered. If so, further messages follow after it.
    pub(super) fn is_busy(&self, has_more: impl FnOnce() -> bool) -> bool {
        let mut state = self.lock();
        if state.progress == Progress::Busy && has_more() {
            state.progress = Progress::BusyWithMore;
        }
        state.progress != Progress::Free
    }

    /// Writes something ahead of the answer.
    pub(super) fn send(&self, bytes: &[u8]) {
        let mut state = self.lock();
        self.write(&mut state, bytes);
        let left = !state.unsent.is_empty();
        drop(state);
        if left {
            self.wake_list.add(self.token);
        }
    }

    /// Sends signs of life from now on, until there is an answer.
    pub(super) fn wait_with(&self, sign: Vec<u8>) {
        self.lock().sign = Some(sign);
    }

    /// The wait is over.
    pub(super) fn end_wait(&self) {
        self.lock().sign = None;
    }

    /// Sends a sign of life, if one is due. A client that does not read gets no more.
    pub(super) fn give_sign(&self) -> Wait {
        let mut state = self.lock();
        let Some(sign) = state.sign.clone() else {
            return Wait::Over;
        };
        if state.unsent.is_empty() {
            self.write(&mut state, &sign);
        }
        Wait::GoesOn
    }

    /// Writes the answer. Then the next message is handled.
    pub(super) fn finish(&self, bytes: &[u8]) {
        let mut state = self.lock();
        let more = state.progress == Progress::BusyWithMore;
        self.write(&mut state, bytes);
        state.progress = Progress::Free;
        state.sign = None;
        let left = !state.unsent.is_empty();
        drop(state);
        if more || left {
            self.wake_list.add(self.token);
        }
    }

    /// Writes what could not be written before.
    pub(super) fn flush(&self) -> Unsent {
        let mut state = self.lock();
        if state.unsent.is_empty() {
            return Unsent::Nothing;
        }
        self.write(&mut state, &[]);
        if state.unsent.is_empty() {
            Unsent::Nothing
        } else {
            Unsent::Some
        }
    }

    /// An error appears again when the connection is read. Here it only means that the client is gone.
    fn write(&self, state: &mut State, bytes: &[u8]) {
        let joined;
        let mut left = if state.unsent.is_empty() {
            bytes
        } else {
            joined = [&std::mem::take(&mut state.unsent), bytes].concat();
            &joined
        };
        while !left.is_empty() {
            match (&self.stream).write(left) {
                Ok(0) => return,
                Ok(written) => left = left.get(written..).unwrap_or_default(),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return log_lost(&error),
            }
        }
        state.unsent = left.to_vec();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn log_lost(error: &io::Error) {
    tracing::debug!("an answer found nobody: {error}");
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn the_room_of_a_long_answer_is_given_back_when_it_was_taken() {
        let poll = mio::Poll::new().unwrap();
        let waker = Waker::new(poll.registry(), Token(0)).unwrap();
        let (stream, mut peer) = UnixStream::pair().unwrap();
        let outbox = Outbox::new(stream, Token(1), Arc::new(WakeList::new(waker)));
        let answer: Vec<u8> = (0..=250).cycle().take(8 * 1024 * 1024).collect();
        outbox.begin();
        outbox.finish(&answer);
        assert_eq!(outbox.wake_list.take(), [Token(1)]);

        let (mut taken, mut buffer) = (Vec::new(), vec![0; 64 * 1024]);
        let mut left = answer.len();
        while outbox.flush() == Unsent::Some {
            let length = peer.read(&mut buffer).unwrap();
            taken.extend_from_slice(&buffer[..length]);
            let unsent = outbox.lock().unsent.len();
            assert!(unsent <= left, "{unsent} of {left}");
            left = unsent;
        }
        assert_eq!(outbox.lock().unsent.capacity(), 0);
        while taken.len() < answer.len() {
            let length = peer.read(&mut buffer).unwrap();
            taken.extend_from_slice(&buffer[..length]);
        }
        assert!(taken == answer);
    }
}
