//! Commands that take a secret by a flag whose name does not tell, or from a pipe.

use std::ops::Range;

use super::text::{MAX_LINE, Text, is_key_byte, is_quote, is_word};
use super::values::{is_everyday_word, is_placeholder, is_reference};

/// How a flag carries its secret.
#[derive(Debug, Clone, Copy)]
enum Carries {
    /// `-pSECRET`, never `-p SECRET`.
    Attached,
    /// `-p SECRET` or `-p=SECRET`.
    Next,
    /// `-p SECRET` or `-pSECRET`.
    Either,
    /// `-u user:SECRET`, also with another separator.
    Pair(u8),
    /// `-pass pass:SECRET`.
    After(&'static str),
    /// `-cb FILE USER SECRET`: one of several letters, with the secret as the last word that is no flag.
    LastWord,
}

/// A command with its flags.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) names: &'static [&'static str],
    flags: &'static [(&'static str, Carries)],
}

/// The commands. A name may hold the subcommand that the flags belong to.
pub(super) const COMMANDS: &[Command] = &[
    Command {
        names: &["mysql", "mariadb", "mycli"],
        flags: &[("-p", Carries::Attached)],
    },
    Command {
        names: &["7z", "7za", "7zz", "unrar", "rar", "7zr"],
        flags: &[("-p", Carries::Attached), ("-hp", Carries::Attached)],
    },
    Command {
        names: &[
            "sshpass",
            "mongo",
            "cqlsh",
            "az login",
            "docker login",
            "podman login",
            "helm registry login",
            "buildah login",
            "skopeo login",
            "registry login",
            "influx",
            "nordvpn",
            "usermod",
            "useradd",
            "oc login",
            "snowsql",
            "bw",
            "twine upload",
        ],
        flags: &[("-p", Carries::Either)],
    },
    Command {
        names: &[
            "zip ",
            "unzip",
            "sqlcmd",
            "bcp ",
            "wpscan",
            "isql",
            "tsql",
            "mosquitto_",
        ],
        flags: &[("-P", Carries::Either)],
    },
    Command {
        names: &["redis-cli", "valkey-cli", "keydb-cli"],
        flags: &[("-a", Carries::Next)],
    },
    Command {
        names: &["curl"],
        flags: &[
            ("-u", Carries::Pair(b':')),
            ("--user", Carries::Pair(b':')),
            ("-U", Carries::Pair(b':')),
            ("--proxy-user", Carries::Pair(b':')),
            ("--oauth2-bearer", Carries::Next),
            ("--pass", Carries::Next),
        ],
    },
    Command {
        names: &["http ", "https ", "xh ", "httpie"],
        flags: &[
            ("-a", Carries::Pair(b':')),
            ("--auth", Carries::Pair(b':')),
            ("-A", Carries::Pair(b':')),
        ],
    },
    Command {
        names: &["openssl"],
        flags: &[
            ("-pass", Carries::After("pass:")),
            ("-passin", Carries::After("pass:")),
            ("-passout", Carries::After("pass:")),
            ("-k", Carries::Next),
            ("-K", Carries::Next),
        ],
    },
    Command {
        names: &[
            "ldapsearch",
            "ldapadd",
            "ldapmodify",
            "ldapwhoami",
            "ldapdelete",
            "ldappasswd",
            "security add-",
        ],
        flags: &[("-w", Carries::Either), ("-s", Carries::Next)],
    },
    Command {
        names: &["smbclient", "rpcclient", "winexe", "smbmap", "net rpc"],
        flags: &[("-U", Carries::Pair(b'%')), ("--user", Carries::Pair(b'%'))],
    },
    Command {
        names: &["lftp"],
        flags: &[("-u", Carries::Pair(b','))],
    },
    Command {
        names: &["keytool", "jarsigner", "apksigner"],
        flags: &[
            ("-storepass", Carries::Next),
            ("-keypass", Carries::Next),
            ("-srcstorepass", Carries::Next),
            ("-deststorepass", Carries::Next),
            ("--ks-pass", Carries::After("pass:")),
            ("--key-pass", Carries::After("pass:")),
        ],
    },
    Command {
        names: &["xfreerdp", "signtool", "mstsc"],
        flags: &[("/p:", Carries::Attached), ("/p", Carries::Next)],
    },
    Command {
        names: &["gh secret", "gh variable set", "gh auth"],
        flags: &[("--body", Carries::Next), ("-b", Carries::Next)],
    },
    Command {
        names: &[
            "vault login",
            "doppler configure set token",
            "ngrok authtoken",
            "ngrok config add-authtoken",
            "cargo login",
            "vault operator unseal",
            "snyk auth",
            "infracost configure set api_key",
        ],
        flags: &[("", Carries::Next)],
    },
    Command {
        names: &[
            "--password-command",
            "--pass-command",
            "--passcommand",
            "--passphrase-command",
        ],
        flags: &[("echo", Carries::Next), ("printf", Carries::Next)],
    },
    Command {
        names: &["htpasswd", "htdbm"],
        flags: &[("-b", Carries::LastWord)],
    },
    Command {
        names: &["mysqladmin", "wpa_passphrase", "nmcli"],
        flags: &[("password", Carries::Next)],
    },
];

/// An argument of a command line: its bytes without the quotes around it.
#[derive(Debug, Clone)]
struct Argument {
    span: Range<usize>,
}

/// The secrets in the rest of the command whose name ends at `end`, and how far it was read.
pub(super) fn find(
    text: Text<'_>,
    place: usize,
    start: usize,
    end: usize,
) -> (Vec<Range<usize>>, usize) {
    let Some(command) = COMMANDS.get(place) else {
        return (Vec::new(), end);
    };
    let starts_word = !is_key_byte(text.before(start)) || text.byte(start) == b'-';
    // `mysql` may be the start of `mysqldump`; other names end here.
    let end = match text.before(end) {
        b' ' => end,
        _ => text.run(end, 24, is_key_byte),
    };
    if !starts_word || !text.byte(end).is_ascii_whitespace() && text.before(end) != b' ' {
        return (Vec::new(), end);
    }
    let arguments = arguments(text, end);
    let mut found = Vec::new();
    for (i, argument) in arguments.iter().enumerate() {
        let word = text.slice(argument.span.clone());
        let next = arguments.get(i + 1);
        for (flag, carries) in command.flags {
            let span = match carries {
                Carries::LastWord => has_letter(word, flag).then(|| last_word(text, &arguments, i)),
                _ => Some(carried(text, flag, *carries, argument, next, word)),
            };
            if let Some(span) = span.flatten()
                && is_literal(text.slice(span.clone()))
            {
                found.push(span);
                break;
            }
        }
        if command.flags.iter().any(|(flag, _)| flag.is_empty()) {
            break;
        }
    }
    let read = arguments.last().map_or(end, |last| last.span.end);
    (found, read)
}

fn carried(
    text: Text<'_>,
    flag: &str,
    carries: Carries,
    argument: &Argument,
    next: Option<&Argument>,
    word: &[u8],
) -> Option<Range<usize>> {
    if flag.is_empty() {
        return (!word.starts_with(b"-")).then(|| argument.span.clone());
    }
    let rest = word.strip_prefix(flag.as_bytes())?;
    let attached = argument.span.start + flag.len()..argument.span.end;
    let value = match (rest.first(), carries) {
        (None, Carries::Attached) => return None,
        (None, _) => next?.span.clone(),
        (Some(b'='), Carries::Next | Carries::Pair(_) | Carries::Either | Carries::After(_)) => {
            attached.start + 1..attached.end
        }
        (Some(_), Carries::Attached | Carries::Either) => attached,
        (Some(_), Carries::Pair(_)) if flag.len() == 2 => attached,
        (Some(_), _) => return None,
    };
    let bytes = text.slice(value.clone());
    match carries {
        Carries::Attached | Carries::Either | Carries::Next => {
            (!bytes.starts_with(b"-")).then_some(value)
        }
        Carries::Pair(separator) => {
            let at = bytes.iter().position(|&b| b == separator)?;
            Some(value.start + at + 1..value.end)
        }
        Carries::After(prefix) => bytes
            .starts_with(prefix.as_bytes())
            .then(|| value.start + prefix.len()..value.end),
        Carries::LastWord => None,
    }
}

/// Whether a word is a bundle of short flags with this one among them.
fn has_letter(word: &[u8], flag: &str) -> bool {
    let Some(letters) = word.strip_prefix(b"-") else {
        return false;
    };
    letters.iter().all(u8::is_ascii_alphanumeric)
        && flag.bytes().skip(1).all(|letter| letters.contains(&letter))
}

/// The last of at least two words after the flag, before anything is redirected.
fn last_word(text: Text<'_>, arguments: &[Argument], flag: usize) -> Option<Range<usize>> {
    let mut words = arguments
        .iter()
        .skip(flag + 1)
        .map(|argument| argument.span.clone())
        .take_while(|span| {
            let digits = text.run(span.start, 2, |b| b.is_ascii_digit());
            !matches!(text.byte(digits), b'>' | b'<')
        })
        .filter(|span| text.byte(span.start) != b'-');
    words.next()?;
    words.last()
}

/// A value that is no variable, no stand-in, no port mapping and no file.
fn is_literal(value: &[u8]) -> bool {
    value.len() >= 4
        && !is_reference(value)
        && !is_placeholder(value)
        && !is_everyday_word(value)
        && !value.starts_with(b"$")
        && !value.iter().all(|b| b.is_ascii_digit() || *b == b':')
}

/// The words from `at` to the end of the simple command.
fn arguments(text: Text<'_>, at: usize) -> Vec<Argument> {
    const MOST: usize = 64;
    let limit = (at + MAX_LINE).min(text.len());
    let mut arguments = Vec::new();
    let mut at = at;
    let mut enclosing = 0;
    while at < limit && arguments.len() < MOST {
        at = text.run(at, MAX_LINE, |b| b == b' ' || b == b'\t' || b == b'\\');
        // A line break after a backslash continues the command.
        if text.byte(at) == b'\n' && text.before(at) == b'\\' {
            at += 1;
            continue;
        }
        let quote = text.byte(at);
        if is_quote(quote) {
            if quote == enclosing {
                break;
            }
            let end = text.run(at + 1, MAX_LINE, |b| b != quote && b != b'\n');
            let inner = at + 1..end;
            // A command within quotes is read on as a command.
            if text.slice(inner.clone()).starts_with(b"echo ") {
                enclosing = quote;
                at += 1;
                continue;
            }
            arguments.push(Argument { span: inner });
            at = end + 1;
            continue;
        }
        let end = text.run(at, MAX_LINE, |b| {
            !b.is_ascii_whitespace()
                && !matches!(b, b'|' | b';' | b'&' | b')' | b'"' | b'\'' | b'`')
        });
        let mut span = at..end;
        // `-p'secret'`: the quotes are no part of the value.
        if is_quote(text.byte(end)) && text.byte(end) != enclosing && end > at {
            let quote = text.byte(end);
            let close = text.run(end + 1, MAX_LINE, |b| b != quote && b != b'\n');
            let inner = end + 1..close;
            let flag = text.slice(at..end);
            if flag.starts_with(b"-") && flag.len() <= 3 {
                arguments.push(Argument { span: at..end });
                span = inner;
            } else {
                span = at..close;
            }
            arguments.push(Argument { span });
            at = close + 1;
            continue;
        }
        if end == at {
            break;
        }
        arguments.push(Argument { span });
        at = end;
    }
    arguments
}

/// The secret that is piped into the command at `at`: `echo SECRET | …`.
pub(super) fn piped(text: Text<'_>, at: usize) -> Option<Range<usize>> {
    let line = text.line_start(at);
    let pipe = text
        .slice(line..at)
        .iter()
        .rposition(|&b| b == b'|')
        .map(|i| line + i);
    let (start, end) = match pipe {
        Some(pipe) => (line, pipe),
        None => return here_string(text, at),
    };
    let echo = [&b"echo "[..], b"printf "]
        .iter()
        .filter_map(|word| {
            let found = text.find(start..end, word)?;
            Some(found + word.len())
        })
        .max()?;
    let mut arguments = arguments(text, echo);
    arguments.retain(|argument| {
        let word = text.slice(argument.span.clone());
        argument.span.end <= end && !word.starts_with(b"-") && !word.starts_with(b"%")
    });
    let span = arguments.last()?.span.clone();
    let value = text.slice(span.clone());
    let span = match value.iter().position(|&b| b == b':') {
        // `echo user:secret | chpasswd`
        Some(colon) if text.starts_with(at, b"chpasswd") => span.start + colon + 1..span.end,
        _ => span,
    };
    is_literal(text.slice(span.clone())).then_some(span)
}

/// `command <<< SECRET`.
fn here_string(text: Text<'_>, at: usize) -> Option<Range<usize>> {
    let arrow = text.find(at..text.line_end(at), b"<<<")?;
    let span = arguments(text, arrow + 3).first()?.span.clone();
    let value = text.slice(span.clone());
    (is_literal(value) && value.iter().any(|&b| is_word(b))).then_some(span)
}
