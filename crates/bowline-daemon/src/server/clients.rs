//! The clients: who connects, what they send, and who has left.

use std::io::ErrorKind;
use std::os::fd::AsRawFd;
use std::sync::Arc;

use bowline_wire::{Opening, Refusal};
use mio::event::Event;
use mio::net::UnixStream;
use mio::unix::SourceFd;
use mio::{Interest, Registry, Token};

use super::connection::ClientConnection;
use super::outbox::{Outbox, Unsent};
use super::{FIRST_CLIENT, Server};
use crate::peer;

/// At most this many messages of one client are taken in a row.
const IN_A_ROW: usize = 32;

impl Server {
    pub(super) fn accept(&mut self) {
        let was_told = std::mem::take(&mut self.turned_away);
        while let Some(listener) = &self.listener {
            match listener.accept() {
                Ok((stream, _)) => self.welcome(stream),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error)
                    if matches!(
                        error.kind(),
                        ErrorKind::Interrupted | ErrorKind::ConnectionAborted
                    ) => {}
                Err(error) => {
                    // Too many descriptors: clients wait in the socket's queue, or run without the daemon.
                    if !was_told {
                        tracing::warn!("a connection cannot be taken: {error}");
                    }
                    self.turned_away = true;
                    return;
                }
            }
        }
    }

    fn welcome(&mut self, mut stream: UnixStream) {
        if !peer::is_own_user(&stream) {
            tracing::warn!("a connection of another user was refused");
            return;
        }
        let token = Token(self.next_token);
        self.next_token = self.next_token.wrapping_add(1).max(FIRST_CLIENT);
        let registry = self.poll.registry();
        if let Err(error) = registry.register(&mut stream, token, Interest::READABLE) {
            tracing::warn!("a connection cannot be polled: {error}");
            return;
        }
        let outbox = Outbox::new(stream, token, Arc::clone(&self.wake_list));
        self.clients.insert(token, ClientConnection::new(outbox));
        self.shared.count_connections(self.clients.len());
    }

    /// Something has happened to a connection.
    pub(super) fn attend(&mut self, token: Token, event: &Event) {
        if event.is_write_closed() {
            return self.leave(token);
        }
        if let Some(client) = self.clients.get_mut(&token) {
            if event.is_read_closed() {
                client.note_end();
            } else if event.is_readable() {
                client.note_arrival();
            }
        }
        self.serve(token);
    }

    /// Reads what a client has sent, one message at a time.
    pub(super) fn serve(&mut self, token: Token) {
        for _ in 0..IN_A_ROW {
            let Some(client) = self.clients.get_mut(&token) else {
                return;
            };
            if client.outbox.flush() == Unsent::Some {
                // A client that does not read its answers gets no more of them.
                return await_writing(self.poll.registry(), client, token);
            }
            if client.outbox.is_busy(|| client.has_more()) {
                return;
            }
            let Some(arrived) = client.next(&mut self.scratch) else {
                if client.is_over() && client.outbox.flush() == Unsent::Nothing {
                    self.remove(token);
                }
                return;
            };
            let outbox = Arc::clone(&client.outbox);
            outbox.begin();
            match arrived {
                Ok(Opening::Call(frame)) => self.call(frame, outbox),
                Ok(Opening::Request(request)) => self.request(request, outbox),
                Err(Refusal::Request(response)) => outbox.finish(&response.encode()),
                // It names our version, and the connection ends.
                Err(Refusal::Call(_)) => outbox.finish(&self.acknowledgement),
            }
        }
        // Other clients have a turn, too.
        self.wake_list.add(token);
    }

    /// The client is gone: what runs only for it ends.
    pub(super) fn leave(&mut self, token: Token) {
        if let Some(cancellation) = self
            .clients
            .get(&token)
            .and_then(|client| client.cancellation.as_ref())
        {
            cancellation.cancel();
        }
        self.remove(token);
    }

    pub(super) fn remove(&mut self, token: Token) {
        if let Some(client) = self.clients.remove(&token) {
            deregister(self.poll.registry(), &client);
            self.shared.count_connections(self.clients.len());
        }
    }
}

// The stream is shared with threads that still answer; the poller needs only its descriptor.

fn deregister(registry: &Registry, client: &ClientConnection) {
    let descriptor = client.outbox.stream().as_raw_fd();
    if let Err(error) = registry.deregister(&mut SourceFd(&descriptor)) {
        tracing::debug!("a connection could not be taken from the poller: {error}");
    }
}

/// Asks the poller to report when the other side can take more.
fn await_writing(registry: &Registry, client: &ClientConnection, token: Token) {
    let descriptor = client.outbox.stream().as_raw_fd();
    let interest = Interest::READABLE.add(Interest::WRITABLE);
    if let Err(error) = registry.reregister(&mut SourceFd(&descriptor), token, interest) {
        tracing::warn!("a connection cannot be polled for writing: {error}");
    }
}
