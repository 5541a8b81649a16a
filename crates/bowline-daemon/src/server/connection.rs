//! The reading half of a connection: cuts what arrives into hook calls and requests.

use std::io::{ErrorKind, Read};
use std::sync::Arc;

use bowline::hooks::CancellationToken;
use bowline_wire::{CallFrame, MAX_HEADER, Opening, Refusal, WireError};

use super::outbox::Outbox;

/// Whether anything more can arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// Nothing has arrived yet.
    Silent,
    Open,
    Ended,
}

/// One client.
#[derive(Debug)]
pub(super) struct ClientConnection {
    pub(super) outbox: Arc<Outbox>,
    /// Ends what is being decided for it.
    pub(super) cancellation: Option<CancellationToken>,
    arrived: Vec<u8>,
    /// How much of what arrived has no newline.
    searched: usize,
    /// A call whose body has not arrived.
    call: Option<CallFrame>,
    source: Source,
    /// Whether the system may hold more than was read.
    unread: Unread,
}

/// Whether more can be read without waiting. The poller reports each arrival once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unread {
    Nothing,
    Perhaps,
    /// The end was reported. It is read last.
    End,
}

impl ClientConnection {
    pub(super) fn new(outbox: Outbox) -> Self {
        Self {
            outbox: Arc::new(outbox),
            cancellation: None,
            arrived: Vec::new(),
            searched: 0,
            call: None,
            source: Source::Silent,
            unread: Unread::Nothing,
        }
    }

    /// Something has arrived.
    pub(super) fn note_arrival(&mut self) {
        if self.unread == Unread::Nothing {
            self.unread = Unread::Perhaps;
        }
    }

    /// Nothing more will arrive.
    pub(super) fn note_end(&mut self) {
        self.unread = Unread::End;
    }

    /// Whether there is something to read once it is free.
    pub(super) fn has_more(&self) -> bool {
        !self.arrived.is_empty() || self.unread != Unread::Nothing
    }

    /// The next complete thing, reading as far as is needed; `None` if it is not here yet, or never will be.
    pub(super) fn next(&mut self, scratch: &mut [u8]) -> Option<Result<Opening, Refusal>> {
        loop {
            if let Some(arrived) = self.cut() {
                return Some(arrived);
            }
            if self.source == Source::Ended || self.unread == Unread::Nothing {
                return None;
            }
            let mut stream = self.outbox.stream();
            match stream.read(scratch) {
                Ok(0) => {
                    self.source = Source::Ended;
                    self.unread = Unread::Nothing;
                }
                Ok(length) => {
                    self.source = Source::Open;
                    // A short read has emptied the socket. The poller reports what comes later.
                    if length < scratch.len() && self.unread == Unread::Perhaps {
                        self.unread = Unread::Nothing;
                    }
                    self.arrived
                        .extend_from_slice(scratch.get(..length).unwrap_or_default());
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.unread = Unread::Nothing;
                    return None;
                }
                Err(_) => self.source = Source::Ended,
            }
        }
    }

    /// Whether it has ever said anything: a hook whose agent leaves it waiting for the event has not.
    pub(super) fn has_spoken(&self) -> bool {
        self.source != Source::Silent
    }

    /// Whether it is finished.
    pub(super) fn is_over(&self) -> bool {
        self.source == Source::Ended
    }

    /// Cuts the next complete thing off what has arrived.
    fn cut(&mut self) -> Option<Result<Opening, Refusal>> {
        loop {
            if let Some(call) = self
                .call
                .take_if(|call| self.arrived.len() >= call.body_bytes())
            {
                let body = self.take(call.body_bytes());
                return Some(Ok(Opening::Call(call.with_body(body))));
            }
            if self.call.is_some() {
                return None;
            }
            let opening = match self.line() {
                Ok(None) => return None,
                Ok(Some(line)) if line.iter().all(u8::is_ascii_whitespace) => continue,
                Ok(Some(line)) => Opening::decode(&line),
                Err(error) => Err(Refusal::Call(error)),
            };
            match opening {
                Ok(Opening::Call(call)) => self.call = Some(call),
                Err(Refusal::Call(error)) => {
                    tracing::info!("a hook call cannot be taken: {error}");
                    self.end();
                    return Some(Err(Refusal::Call(error)));
                }
                complete => return Some(complete),
            }
        }
    }

    /// The next line, with its newline. A line without an end is not a line, because what follows could not be separated from it.
    fn line(&mut self) -> Result<Option<Vec<u8>>, WireError> {
        let unseen = self.arrived.get(self.searched..).unwrap_or_default();
        match unseen.iter().position(|byte| *byte == b'\n') {
            Some(end) => {
                let line = self.take(self.searched + end + 1);
                self.searched = 0;
                Ok(Some(line))
            }
            None if self.arrived.len() > MAX_HEADER => Err(WireError::TooLong {
                what: "line",
                bytes: self.arrived.len(),
                limit: MAX_HEADER,
            }),
            None => {
                self.searched = self.arrived.len();
                Ok(None)
            }
        }
    }

    /// Reads nothing more from the other side.
    fn end(&mut self) {
        self.source = Source::Ended;
        self.arrived = Vec::new();
        self.searched = 0;
    }

    fn take(&mut self, length: usize) -> Vec<u8> {
        if self.arrived.len() == length {
            return std::mem::take(&mut self.arrived);
        }
        let rest = self.arrived.split_off(length.min(self.arrived.len()));
        std::mem::replace(&mut self.arrived, rest)
    }
}

#[cfg(test)]
mod tests {
    use bowline_wire::Call;
    use mio::net::UnixStream;
    use mio::{Poll, Token, Waker};

    use super::super::outbox::WakeList;
    use super::*;

    /// At most this much is read at a time.
    const PIECE: usize = 64 * 1024;

    fn connection() -> ClientConnection {
        let poll = Poll::new().unwrap();
        let waker = Waker::new(poll.registry(), Token(0)).unwrap();
        let (stream, _) = UnixStream::pair().unwrap();
        let wake_list = Arc::new(WakeList::new(waker));
        ClientConnection::new(Outbox::new(stream, Token(1), wake_list))
    }

    /// A hook call as it comes over the wire.
    fn frame(payload: &[u8]) -> Vec<u8> {
        let env = [("HOME", "/home/me")].into_iter().collect();
        let mut call = Call::new("/".into(), env);
        "generic".clone_into(&mut call.agent);
        call.payload_bytes = payload.len();
        [&call.encode(), payload].concat()
    }

    #[test]
    fn the_room_of_a_long_payload_is_given_back_whatever_comes_after_it() {
        let long = vec![b'x'; 8 * 1024 * 1024];
        let short = frame(b"{}");
        let (line, body) = short.split_at(short.len() - 1);
        for (now, later) in [
            (&b""[..], &b"{\"cmd\":\"daemon.status\"}\n"[..]),
            (b"{\"cmd\":", b"\"daemon.status\"}\n"),
            (b"{\"cmd\":\"daemon.status\"}\n", b""),
            (b"", &short),
            (line, body),
            (&short, b""),
        ] {
            let after = String::from_utf8_lossy(now);
            let mut connection = connection();
            let mut arrived = Vec::new();
            let mut arrive = |bytes: &[u8]| {
                connection.arrived.extend_from_slice(bytes);
                arrived.extend(std::iter::from_fn(|| connection.cut()));
                connection.arrived.capacity()
            };
            let sent = [&frame(&long), now].concat();
            let room = sent.chunks(PIECE).map(&mut arrive).last().unwrap();
            assert!(room <= PIECE, "{room} after {after:?}");
            arrive(later);
            let [first, next]: [Result<Opening, Refusal>; 2] = arrived.try_into().unwrap();
            let Ok(Opening::Call(first)) = first else {
                panic!("{first:?} after {after:?}");
            };
            assert!(first.into_parts().1 == long, "{after:?}");
            match next {
                Ok(Opening::Call(call)) => assert_eq!(call.into_parts().1, b"{}", "{after:?}"),
                Ok(Opening::Request(it)) => assert_eq!(it.command, "daemon.status", "{after:?}"),
                other => panic!("{other:?} after {after:?}"),
            }
        }
    }
}
