//! Who is at the other end of a connection.

use std::os::fd::AsFd;

use bowline_builtins::inbox::Person;
use bowline_builtins::machine::standing::{agent_above, agents_mark, terminal_of};

/// A process that asks something, as the system knows it. What it says about itself is not believed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Peer {
    process: Option<u32>,
    user: Option<u32>,
}

impl Peer {
    pub(crate) fn of(stream: &impl AsFd) -> Self {
        Self {
            process: process(stream),
            user: uid(stream),
        }
    }

    /// Refuses what runs below an agent, with what gave it away. Where the system does not say who is there, the program that asks has
    /// looked by itself.
    pub(crate) fn no_agent(self) -> Result<(), String> {
        let Some(process) = self.process else {
            return Ok(());
        };
        let mark = agents_mark(process).map(|name| format!("{name} is set"));
        let above = || agent_above(process).map(|name| format!("`{name}` started it"));
        match mark.or_else(above) {
            Some(sign) => Err(format!("an agent must not do this itself: {sign}")),
            None => Ok(()),
        }
    }

    /// The person at the terminal of the process, or why there is none.
    pub(crate) fn person(self) -> Result<Person, String> {
        self.no_agent()?;
        let place = match self.process.map(terminal_of) {
            Some(Some(terminal)) => format!("on {terminal}"),
            Some(None) => return Err("this needs a person at a terminal".to_owned()),
            None => "at a terminal".to_owned(),
        };
        let passwd = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
        let name = self.user.map(|user| {
            user_name(&passwd, user).map_or_else(|| format!("user {user}"), ToOwned::to_owned)
        });
        Ok(Person {
            name: name.unwrap_or_else(|| "a user".to_owned()),
            place,
        })
    }
}

fn user_name(passwd: &str, user: u32) -> Option<&str> {
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        let number: u32 = fields.nth(1)?.parse().ok()?;
        (number == user).then_some(name)
    })
}

/// Whether the other end is our user or the administrator. The socket's folder already keeps others out.
pub(crate) fn is_own_user(stream: &impl AsFd) -> bool {
    let user = rustix::process::geteuid().as_raw();
    uid(stream).is_some_and(|peer| peer == user || peer == 0)
}

/// The number of the process at the other end, where the system provides it.
#[cfg(target_os = "linux")]
pub(crate) fn process(stream: &impl AsFd) -> Option<u32> {
    let credentials = rustix::net::sockopt::socket_peercred(stream).ok()?;
    u32::try_from(credentials.pid.as_raw_nonzero().get()).ok()
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn process(_: &impl AsFd) -> Option<u32> {
    None
}

#[cfg(target_os = "linux")]
fn uid(stream: &impl AsFd) -> Option<u32> {
    let credentials = rustix::net::sockopt::socket_peercred(stream).ok()?;
    Some(credentials.uid.as_raw())
}

/// Of a stream that does not block.
#[cfg(not(target_os = "linux"))]
fn uid(stream: &impl AsFd) -> Option<u32> {
    let own = stream.as_fd().try_clone_to_owned().ok()?;
    let stream = std::os::unix::net::UnixStream::from(own);
    // Needs the runtime that the polling thread has entered.
    let stream = tokio::net::UnixStream::from_std(stream).ok()?;
    Some(stream.peer_cred().ok()?.uid())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_have_names() {
        let passwd = "root:x:0:0:root:/root:/bin/sh\nbroken\nada:x:1000:1000::/home/ada:/bin/sh\n";
        for (user, name) in [(0, Some("root")), (1000, Some("ada")), (7, None)] {
            assert_eq!(user_name(passwd, user), name, "{user}");
        }
    }
}
