//! Whose process is at the other end of a connection. A link can be seen by other users, because the command line of a browser can.

use std::fs;
use std::net::SocketAddr;

/// The other end of a connection, and our own port.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer {
    pub(crate) address: Option<SocketAddr>,
    pub(crate) port: u16,
}

impl Peer {
    /// Whether another user is known to be there. Where the system does not say it, nobody is.
    pub(crate) fn is_another_user(self) -> bool {
        let own = rustix::process::geteuid().as_raw();
        let tables = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];
        let tables = tables
            .iter()
            .filter_map(|file| fs::read_to_string(file).ok());
        let mut owners = tables.filter_map(|table| self.owner(&table));
        owners.next().is_some_and(|owner| owner != own)
    }

    /// The user whose socket is the other end, by a table of the system.
    fn owner(self, table: &str) -> Option<u32> {
        let theirs = self.address?.port();
        table.lines().skip(1).find_map(|line| {
            let mut fields = line.split_whitespace();
            let (local, remote) = (fields.nth(1)?, fields.next()?);
            let is_it = port_of(local)? == theirs && port_of(remote)? == self.port;
            // An address may be written as one of version 6.
            let is_here = local.contains("0100007F:") && remote.contains("0100007F:");
            let user = fields.nth(4)?;
            (is_it && is_here).then(|| user.parse().ok()).flatten()
        })
    }
}

fn port_of(address: &str) -> Option<u16> {
    u16::from_str_radix(address.rsplit_once(':')?.1, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_says_whose_a_socket_is() {
        let table = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1267 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0
   1: 0100007F:1267 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 2 1 0 20 4 30 10 -1
   2: 0100007F:C350 0100007F:1267 01 00000000:00000000 00:00000000 00000000  1001        0 3 1 0 20 4 30 10 -1
   3: 0200000A:C351 0100007F:1267 01 00000000:00000000 00:00000000 00000000  1002        0 4 1 0 20 4 30 10 -1
   4: 0000000000000000FFFF00000100007F:C352 0000000000000000FFFF00000100007F:1267 01 0:0 00:0 0  1003        0 5
   broken
";
        for (theirs, expected) in [
            (50_000, Some(1001)),
            (50_001, None),
            (50_002, Some(1003)),
            (1, None),
        ] {
            let peer = Peer {
                address: Some(SocketAddr::from(([127, 0, 0, 1], theirs))),
                port: 4711,
            };
            assert_eq!(peer.owner(table), expected, "{theirs}");
        }
        for table in ["", "x", "a b c\nd e f g h i j k"] {
            let address = Some(SocketAddr::from(([127, 0, 0, 1], 50_000)));
            assert_eq!(
                Peer {
                    address,
                    port: 4711
                }
                .owner(table),
                None
            );
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_connection_of_our_own_is_nobody_elses() {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let client = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
        let address = Some(client.local_addr().unwrap());
        let peer = Peer { address, port };
        assert!(!peer.is_another_user());
        let table = std::fs::read_to_string("/proc/self/net/tcp").unwrap();
        let own = rustix::process::geteuid().as_raw();
        assert_eq!(peer.owner(&table), Some(own));
    }
}
