//! Who may see the page and change something on it. Pure, but for the source of chance.
//!
//! A browser gets its cookie, a secret, by a link with a key that works once. The [`Gate`] knows browsers by what follows from their
//! secrets, and the token that a change needs follows from the secret that is presented: whoever reads what is kept gets in nowhere.

use std::fmt::Write as _;
use std::io::Read as _;
use std::time::{Duration, Instant};
use std::{fmt, fs, io};

use hmac_sha256::HMAC;

/// A key in a link is valid for this long.
const KEY_LASTS: Duration = Duration::from_mins(2);
/// At most this many keys are valid at a time; the oldest ones go first.
const MOST_KEYS: usize = 16;
/// At most this many cookies are known; the oldest ones go first.
const MOST_COOKIES: usize = 16;
/// The characters of the page's path, and of what is known of a cookie.
const PATH: usize = 32;
const DIGEST: usize = 64;

/// What every answer says to the browser.
pub(crate) const HEADERS: [(&str, &str); 6] = [
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-embedder-policy", "require-corp"),
    ("cross-origin-resource-policy", "same-origin"),
];

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'; worker-src 'self'";

/// 256 bits that nobody can guess.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret([u8; 32]);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl Secret {
    pub(crate) fn fresh() -> io::Result<Self> {
        let mut bytes = [0; 32];
        fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// As it is written into a link, a cookie or a file.
    pub(crate) fn hex(&self) -> String {
        hex(self.0.iter())
    }

    pub(crate) fn from_hex(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        if text.len() != 64 || !text.is_ascii() {
            return None;
        }
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
        }
        Some(Self(bytes))
    }

    /// By this the secret is recognised. The secret does not follow from it.
    fn digest(&self) -> String {
        self.derived("cookie")
    }

    /// What a change has to carry, beside the cookie.
    pub(crate) fn token(&self) -> String {
        self.derived("token")
    }

    fn derived(&self, what: &str) -> String {
        hex(HMAC::mac(format!("bowline page {what}"), self.0).iter())
    }
}

/// Bytes as two digits each.
pub(crate) fn hex<'a>(bytes: impl Iterator<Item = &'a u8>) -> String {
    bytes.fold(String::new(), |mut out, byte| {
        // Writing to a string cannot fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// Compares in a time that does not depend on where they differ.
pub(crate) fn is_same(given: &str, expected: &str) -> bool {
    let difference = given
        .bytes()
        .zip(expected.bytes())
        .fold(0, |all, (a, b)| std::hint::black_box(all | (a ^ b)));
    given.len() == expected.len() && difference == 0
}

/// The keys of links that were not followed yet.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    open: Vec<(String, Instant)>,
}

impl Keys {
    pub(crate) fn add(&mut self, key: &Secret, now: Instant) {
        self.open.retain(|(_, until)| *until > now);
        if self.open.len() >= MOST_KEYS {
            self.open.remove(0);
        }
        self.open.push((key.hex(), now + KEY_LASTS));
    }

    /// Whether a key is valid. It is not a second time.
    pub(crate) fn take(&mut self, key: &str, now: Instant) -> bool {
        self.open.retain(|(_, until)| *until > now);
        let before = self.open.len();
        self.open.retain(|(open, _)| !is_same(key, open));
        self.open.len() < before
    }
}

/// Which browsers may see the page, and where it is.
#[derive(Debug, Clone)]
pub(crate) struct Gate {
    path: String,
    /// What follows from the secrets of the browsers.
    known: Vec<String>,
    /// The secret that a browser gets which follows a link.
    given: Option<Secret>,
}

impl Gate {
    /// A gate through which nobody gets yet.
    pub(crate) fn fresh() -> io::Result<Self> {
        let mut path = Secret::fresh()?.hex();
        path.truncate(PATH);
        Ok(Self {
            path,
            known: Vec::new(),
            given: None,
        })
    }

    /// The folder below which everything is served. A browser sends a cookie to every port of a host, but only below its path: so no
    /// other server on this machine is sent ours.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// The secret for a browser that follows a link: one for all, because all tabs of a browser share a cookie.
    pub(crate) fn give(&mut self) -> io::Result<Secret> {
        if let Some(secret) = &self.given {
            return Ok(secret.clone());
        }
        let secret = Secret::fresh()?;
        if self.known.len() >= MOST_COOKIES {
            self.known.remove(0);
        }
        self.known.push(secret.digest());
        self.given = Some(secret.clone());
        Ok(secret)
    }

    /// The secret among these cookies that is known. Another server of this host may have set one of the same name: any may fit.
    fn recognised(&self, cookies: Option<&str>, port: u16) -> Option<Secret> {
        let name = cookie_name(port);
        let cookies = cookies.unwrap_or_default().split(';');
        cookies
            .filter_map(|cookie| cookie.trim().split_once('='))
            .filter(|(given, _)| *given == name)
            .filter_map(|(_, value)| Secret::from_hex(value))
            .find(|secret| {
                let digest = secret.digest();
                self.known.iter().any(|known| is_same(&digest, known))
            })
    }

    /// What is kept of it: enough to recognise a cookie, and not enough to make one.
    pub(crate) fn written(&self) -> String {
        format!("{} {}", self.path, self.known.join(","))
    }

    pub(crate) fn read(text: &str) -> Option<Self> {
        let (path, known) = text.split_once(' ')?;
        let known: Vec<String> = known.split(',').map(ToOwned::to_owned).collect();
        let is_hex = |text: &str, length| {
            text.len() == length && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        let is_good = is_hex(path, PATH)
            && known.len() <= MOST_COOKIES
            && known.iter().all(|digest| is_hex(digest, DIGEST));
        is_good.then(|| Self {
            path: path.to_owned(),
            known,
            given: None,
        })
    }
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// A page, or what belongs to one.
    View,
    /// The stream of what happens.
    Stream,
    /// A change.
    Change,
    /// The link that gives the cookie.
    Opening,
}

/// What a request says about where it comes from.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Claims<'a> {
    /// `Host`; absent if there is none, or more than one.
    pub(crate) host: Option<&'a str>,
    pub(crate) origin: Option<&'a str>,
    /// `Sec-Fetch-Site`
    pub(crate) site: Option<&'a str>,
    /// `Sec-Fetch-Mode`
    pub(crate) mode: Option<&'a str>,
    /// `Sec-Fetch-Dest`
    pub(crate) dest: Option<&'a str>,
    /// `Cookie`
    pub(crate) cookies: Option<&'a str>,
}

/// Why a request gets nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It is for another host: a name of somebody else leads here.
    Misdirected,
    /// Another site, or another server of this machine, has sent it.
    Foreign,
    /// It has no cookie of this page.
    Unknown,
}

/// Whether a request may have what it wants. Gives the secret that it presented; a link needs none.
pub(crate) fn check(
    claims: &Claims<'_>,
    wanted: Wanted,
    port: u16,
    gate: &Gate,
) -> Result<Option<Secret>, Refusal> {
    let host = claims.host.filter(|host| is_own_host(host, port));
    let host = host.ok_or(Refusal::Misdirected)?;
    if !comes_from_here(claims, wanted, host) {
        return Err(Refusal::Foreign);
    }
    if wanted == Wanted::Opening {
        return Ok(None);
    }
    let secret = gate.recognised(claims.cookies, port);
    secret.map(Some).ok_or(Refusal::Unknown)
}

fn is_own_host(host: &str, port: u16) -> bool {
    ["127.0.0.1", "localhost"]
        .iter()
        .any(|name| host == format!("{name}:{port}"))
}

fn comes_from_here(claims: &Claims<'_>, wanted: Wanted, host: &str) -> bool {
    let is_same_origin = claims.site == Some("same-origin");
    // A browser that is told to send no referrer sends the origin of a form as `null`, and says in `Sec-Fetch-Site` what it is.
    let is_own_origin = claims.origin.is_none_or(|origin| {
        origin.strip_prefix("http://") == Some(host) || (origin == "null" && is_same_origin)
    });
    if !is_own_origin {
        return false;
    }
    match wanted {
        Wanted::Change => is_same_origin || (claims.site.is_none() && claims.origin.is_some()),
        Wanted::Stream => is_same_origin || claims.site.is_none(),
        // Somebody may follow a link to a view from elsewhere. What is part of another page gets nothing.
        Wanted::View | Wanted::Opening => match claims.site {
            None | Some("same-origin" | "none") => true,
            // A frame navigates, too, and is a part of another page.
            Some(_) => {
                claims.mode == Some("navigate") && claims.dest.is_none_or(|dest| dest == "document")
            }
        },
    }
}

/// The name of the cookie. The port is in it, because all servers of a host share its cookies.
fn cookie_name(port: u16) -> String {
    format!("bowline_{port}")
}

/// The cookie as a browser is told to keep it.
pub(crate) fn cookie(port: u16, path: &str, secret: &Secret) -> String {
    let (name, value) = (cookie_name(port), secret.hex());
    format!("{name}={value}; HttpOnly; SameSite=Strict; Path=/{path}/")
}

#[cfg(test)]
mod tests;
