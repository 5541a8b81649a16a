//! Who is at the other end of a connection.

use std::os::fd::AsFd;

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
