//! Where code comes from, and whether that is a place to trust.

use super::{HIDDEN, INSTALLER, MADE, UNTRUSTED};
use crate::effect::Effect;

/// How far a source of code can be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    Untrusted(String),
    Installer(String),
    Hidden(String),
    Destructive(String),
}

impl Source {
    pub(super) fn effect(self, into: &str) -> Effect {
        match self {
            Self::Untrusted(from) => {
                UNTRUSTED.grave(format!("runs what comes from {from} with {into}"))
            }
            Self::Installer(from) => {
                INSTALLER.doubtful(format!("runs what comes from {from} with {into}"))
            }
            Self::Hidden(how) => {
                HIDDEN.doubtful(format!("runs with {into} what comes out of {how}"))
            }
            Self::Destructive(how) => {
                MADE.grave(format!("runs with {into} the commands that `{how}` makes"))
            }
        }
    }
}

pub(super) fn source(programs: &[String]) -> Option<Source> {
    for program in programs {
        let mut words = program
            .split_whitespace()
            .map(|it| it.trim_matches(['"', '\'']));
        let mut name = words.next().unwrap_or_default();
        while matches!(
            name,
            "sudo" | "command" | "env" | "timeout" | "torsocks" | "proxychains"
        ) {
            name = words.next().unwrap_or_default();
        }
        let name = name.rsplit('/').next().unwrap_or(name);
        let rest: Vec<&str> = words.collect();
        match name {
            "curl" | "wget" | "wget2" | "fetch" | "http" | "https" | "xh" | "httpie" | "aria2c"
            | "lynx" | "w3m" | "curlie" | "axel" | "lwp-request" | "GET" | "Invoke-WebRequest"
            | "iwr" | "irm" => {
                return Some(address_of(name, &rest));
            }
            "nc" | "ncat" | "netcat" | "socat" | "telnet" | "dig" | "nslookup" | "host" | "ftp"
            | "tftp" | "openssl"
                if name != "openssl" || rest.contains(&"s_client") =>
            {
                return Some(Source::Untrusted(format!("the network ({name})")));
            }
            "aws" | "gsutil" | "gcloud" | "az" | "mc" | "s3cmd" | "rclone" | "ssh" | "scp"
            | "gh" | "ipfs" => {
                return Some(Source::Installer(program.clone()));
            }
            _ if program.contains("urlopen") || program.contains("http://") => {
                return Some(Source::Untrusted(name.to_owned()));
            }
            _ => {}
        }
    }
    programs.iter().find_map(|program| {
        if destroys(program) {
            return Some(Source::Destructive(program.clone()));
        }
        let name = program.split_whitespace().next().unwrap_or_default();
        let name = name.rsplit('/').next().unwrap_or(name);
        let hidden = matches!(
            name,
            "base64"
                | "base32"
                | "basenc"
                | "openssl"
                | "xxd"
                | "uudecode"
                | "gpg"
                | "rev"
                | "tr"
                | "gunzip"
                | "zcat"
                | "gzip"
                | "bzcat"
                | "xzcat"
                | "zstdcat"
                | "unzip"
                | "age"
                | "steghide"
                | "strings"
                | "awk"
                | "sed"
                | "perl"
                | "python"
                | "python3"
                | "ruby"
                | "node"
                | "php"
                | "jq"
                | "xargs"
        );
        hidden.then(|| Source::Hidden(program.clone()))
    })
}

/// Whether the text of a program that makes commands names one that destroys.
fn destroys(program: &str) -> bool {
    let padded = format!(
        " {} ",
        program.replace(['/', '"', '\'', '^', '$', ',', '=', '(', ')', '\\'], " ")
    );
    [
        "rm ",
        "unlink ",
        "shred ",
        "dropdb ",
        "mkfs",
        "branch -D ",
        "reset --hard",
        "push --force",
        "push -f ",
        "stash drop",
        "clean -f",
        "drop table",
        "DROP TABLE",
        "rmdir ",
    ]
    .iter()
    .any(|act| padded.contains(&format!(" {act}")))
}

/// Where a download comes from.
pub(super) fn address_of(program: &str, words: &[&str]) -> Source {
    let known: Vec<&&str> = words.iter().filter(|it| !it.starts_with('-')).collect();
    let url = known
        .iter()
        .find(|it| it.contains("://"))
        .or_else(|| known.iter().find(|it| it.contains(['.', '/'])));
    match url {
        Some(url) => judge_address(url),
        None => Source::Untrusted(format!("an address that is not known ({program})")),
    }
}

/// Places where anybody can leave anything without a name.
const ANONYMOUS: &[&str] = &[
    "pastebin.com",
    "paste.ee",
    "hastebin.com",
    "transfer.sh",
    "0x0.st",
    "ix.io",
    "termbin.com",
    "bit.ly",
    "tinyurl.com",
    "t.co",
    "is.gd",
    "goo.gl",
    "ngrok.io",
    "ngrok-free.app",
    "trycloudflare.com",
    "webhook.site",
    "requestbin.com",
    "pipedream.net",
    "file.io",
    "anonfiles.com",
    "discordapp.com",
    "onion",
    "sslip.io",
    "nip.io",
    "rentry.co",
    "dpaste.org",
    "ghostbin.com",
    "serveo.net",
    "loca.lt",
    "gofile.io",
    "catbox.moe",
];

pub(super) fn judge_address(url: &str) -> Source {
    let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let host = authority.rsplit('@').next().unwrap_or(authority);
    let host = if host.starts_with('[') {
        host
    } else {
        host.split(':').next().unwrap_or(host)
    };
    if is_local(host) {
        return Source::Installer(url.to_owned());
    }
    let unknown = host.is_empty() || host.contains(['…', '$', '`', '{']);
    let bare = host.starts_with('[')
        || host
            .chars()
            .all(|it| it.is_ascii_digit() || it == '.' || it == 'x');
    let anonymous = ANONYMOUS
        .iter()
        .any(|it| host == *it || host.ends_with(&format!(".{it}")))
        || host.contains("xn--");
    if scheme.eq_ignore_ascii_case("https") && !unknown && !bare && !anonymous {
        Source::Installer(url.to_owned())
    } else {
        Source::Untrusted(url.to_owned())
    }
}

/// Whether a host is this machine.
pub(in crate::families) fn is_local(host: &str) -> bool {
    matches!(
        host,
        "localhost" | "127.0.0.1" | "[::1]" | "0.0.0.0" | "host.docker.internal"
    ) || host.ends_with(".localhost")
}
