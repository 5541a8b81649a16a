//! `[http]`.

use crate::settings::keys::describe::{Key, Table, Unknown};
use crate::settings::keys::slot::{Put, Tightens::Never};

/// `[http]`: what HTTP hooks may do.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct HttpConfig {
    /// Hosts, other than this machine, that hooks may post to without TLS.
    pub allow_insecure_hosts: Vec<String>,
}

pub(super) static TABLE: Table = Table {
    name: "Http",
    about: "",
    others: Unknown::Wrong,
    keys: &[Key::setting(
        "allow_insecure_hosts",
        "Hosts, other than this machine, that hooks may post to without TLS.",
        &Put(
            |config, _, hosts| config.http.allow_insecure_hosts = hosts,
            Never,
        ),
    )],
};
