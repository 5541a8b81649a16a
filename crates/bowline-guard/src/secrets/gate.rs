//! One automaton over all prefixes and keywords decides which detectors look, and where.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::commands;
use super::sentences;
use super::vendors::{self, Matcher};

/// What a keyword wakes up.
#[derive(Debug, Clone, Copy)]
pub(super) enum Trigger {
    /// A vendor's token, by the place of its matcher.
    Vendor(usize),
    /// A part of a telling name.
    Key,
    /// `://`: an address with credentials, perhaps.
    Url,
    /// `@tcp(` and the like: a data source name without a scheme.
    DataSource,
    /// The second part of a dotted token.
    Dot,
    /// The start of a JSON header in base64.
    Jwt,
    /// `-----BEGIN`.
    KeyBegin,
    /// `-----END`.
    KeyEnd,
    /// A PEM block that is encoded once more.
    EncodedKey,
    /// The private part of a PuTTY file.
    PuttyKey,
    /// `Bearer`, `Basic`.
    Scheme,
    /// `Cookie:`, `Set-Cookie:`.
    Cookie,
    /// A command that takes a secret by a short flag, by its place in the table.
    Command(usize),
    /// A flag that reads the secret from a pipe.
    Pipe,
    /// `IDENTIFIED BY`, `credentials are`.
    Phrase,
    /// `… as the password`.
    Named,
    /// A call or tuple of user and password.
    Pair,
    /// `$6$`, `$2y$`, …
    CryptHash,
    /// A line of a `.pgpass`.
    PgPass,
    /// A Kubernetes secret.
    Kubernetes,
    /// A word for a password in another language, by the number of the language.
    Noun(usize),
    /// Something that is escaped or coloured.
    Escape,
}

/// Parts of names that hold secrets, as stems.
const STEMS: &[&str] = &[
    "pass",
    "pwd",
    "pswd",
    "secret",
    "token",
    "key",
    "auth",
    "cred",
    "sess",
    "cookie",
    "salt",
    "sid",
    "jwt",
    "bearer",
    "psk",
    "mnemonic",
    "phrase",
    "bindpw",
    "rootpw",
    "_pw",
    "-pw",
    "pw:",
    "pw=",
    "_pat",
    "otp",
    "kennwort",
    "wachtwoord",
    "contrasena",
    "senha",
    "heslo",
    "haslo",
    "lozinka",
    "salasana",
    "losenord",
    "adgangskode",
    "jelszo",
    "kodeord",
    "geslo",
    "contrasenya",
    "mdp",
    "sig=",
    "signature=",
];

/// The keywords that are neither a vendor's nor a command's.
const KEYWORDS: &[(&str, Trigger)] = &[
    ("://", Trigger::Url),
    ("@tcp(", Trigger::DataSource),
    ("@unix(", Trigger::DataSource),
    (".", Trigger::Dot),
    ("eyJ", Trigger::Jwt),
    ("-----BEGIN", Trigger::KeyBegin),
    ("---- BEGIN", Trigger::KeyBegin),
    ("-----END", Trigger::KeyEnd),
    ("LS0tLS1CRUdJTi", Trigger::EncodedKey),
    ("Private-Lines:", Trigger::PuttyKey),
    ("Private-MAC:", Trigger::PuttyKey),
    ("bearer ", Trigger::Scheme),
    ("basic ", Trigger::Scheme),
    ("cookie:", Trigger::Cookie),
    ("cookie\":", Trigger::Cookie),
    ("cookie':", Trigger::Cookie),
    ("--password-stdin", Trigger::Pipe),
    ("--with-token", Trigger::Pipe),
    ("--passphrase-fd", Trigger::Pipe),
    ("sudo -S", Trigger::Pipe),
    ("chpasswd", Trigger::Pipe),
    ("passwd --stdin", Trigger::Pipe),
    ("login --stdin", Trigger::Pipe),
    ("secret set", Trigger::Pipe),
    ("secret put", Trigger::Pipe),
    ("identified by", Trigger::Phrase),
    ("identified with", Trigger::Phrase),
    ("log in with", Trigger::Phrase),
    ("login with", Trigger::Phrase),
    ("login is", Trigger::Phrase),
    ("as the password", Trigger::Named),
    ("as password", Trigger::Named),
    ("as your password", Trigger::Named),
    ("auth=(", Trigger::Pair),
    ("auth = (", Trigger::Pair),
    ("auth(", Trigger::Pair),
    ("auth: (", Trigger::Pair),
    (".login(", Trigger::Pair),
    ("credentials(", Trigger::Pair),
    ("$2a$", Trigger::CryptHash),
    ("$2b$", Trigger::CryptHash),
    ("$2y$", Trigger::CryptHash),
    ("$1$", Trigger::CryptHash),
    ("$5$", Trigger::CryptHash),
    ("$6$", Trigger::CryptHash),
    ("$y$", Trigger::CryptHash),
    ("$7$", Trigger::CryptHash),
    ("$apr1$", Trigger::CryptHash),
    ("$argon2", Trigger::CryptHash),
    ("{SHA}", Trigger::CryptHash),
    ("{SSHA}", Trigger::CryptHash),
    ("pbkdf2_sha", Trigger::CryptHash),
    (":5432:", Trigger::PgPass),
    (":5433:", Trigger::PgPass),
    (":6432:", Trigger::PgPass),
    (":*:", Trigger::PgPass),
    ("kind: Secret", Trigger::Kubernetes),
    ("\"kind\": \"Secret\"", Trigger::Kubernetes),
    ("\"kind\":\"Secret\"", Trigger::Kubernetes),
    ("\u{1b}", Trigger::Escape),
    ("\\u00", Trigger::Escape),
    ("\\x", Trigger::Escape),
    ("\\033[", Trigger::Escape),
    ("\\e[", Trigger::Escape),
    ("^[[", Trigger::Escape),
    ("&#", Trigger::Escape),
    ("&quot;", Trigger::Escape),
    ("&apos;", Trigger::Escape),
    ("&lt;", Trigger::Escape),
    ("&equals;", Trigger::Escape),
];

/// The automaton with what each of its patterns wakes up.
#[derive(Debug)]
pub(super) struct Gate {
    /// `None` only if the tables were too large for an automaton, which a test rules out.
    automaton: Option<AhoCorasick>,
    triggers: Vec<Trigger>,
    matchers: Vec<Matcher>,
}

/// A keyword in the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) trigger: Trigger,
}

static GATE: LazyLock<Gate> = LazyLock::new(Gate::new);

impl Gate {
    pub(super) fn get() -> &'static Self {
        &GATE
    }

    fn new() -> Self {
        let matchers = vendors::matchers();
        let vendor = matchers
            .iter()
            .enumerate()
            .map(|(i, matcher)| (matcher.prefix(), Trigger::Vendor(i)));
        let stems = STEMS.iter().map(|stem| (*stem, Trigger::Key));
        let commands = commands::COMMANDS
            .iter()
            .enumerate()
            .flat_map(|(i, command)| {
                command
                    .names
                    .iter()
                    .map(move |name| (*name, Trigger::Command(i)))
            });
        let (patterns, triggers): (Vec<&str>, Vec<Trigger>) = vendor
            .chain(stems)
            .chain(commands)
            .chain(KEYWORDS.iter().copied())
            .chain(sentences::nouns().map(|(noun, number)| (noun, Trigger::Noun(number))))
            .unzip();
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(patterns)
            .ok();
        Self {
            automaton,
            triggers,
            matchers,
        }
    }

    pub(super) fn matcher(&self, place: usize) -> Option<&Matcher> {
        self.matchers.get(place)
    }

    /// All keywords of the text, in the order of their ends.
    pub(super) fn hits<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Hit> + 't {
        self.automaton
            .iter()
            .flat_map(move |automaton| automaton.find_overlapping_iter(text))
            .filter_map(|found| {
                Some(Hit {
                    start: found.start(),
                    end: found.end(),
                    trigger: *self.triggers.get(found.pattern().as_usize())?,
                })
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_automaton_is_built() {
        assert!(Gate::get().automaton.is_some());
    }
}
