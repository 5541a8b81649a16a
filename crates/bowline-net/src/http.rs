//! Clients, bounded bodies, error texts without secrets.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::OnceLock;
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, Response, Url};
use rustls::crypto::CryptoProvider;

/// The most that is kept of an answer's body.
pub const BODY_LIMIT: usize = 8 * 1024 * 1024;

/// The most characters of a server's words that an error repeats.
const EXCERPT_LIMIT: usize = 200;

/// Shorter than the five seconds after which common servers drop an idle connection, so that a
/// request is never sent into one that is just being closed.
const IDLE_CONNECTION: Duration = Duration::from_secs(4);

/// Which client a URL needs.
#[derive(Debug, Clone, Copy)]
enum Route {
    /// This machine, in plain text: no proxy, and no certificates to load.
    LoopbackPlain,
    /// This machine, encrypted: no proxy.
    LoopbackTls,
    /// Anywhere else, through the proxy of the environment if there is one.
    Remote,
}

/// The client for a URL, built at its first use. It never follows redirects.
pub fn client_for(url: &Url) -> Result<&'static Client, reqwest::Error> {
    static LOOPBACK_PLAIN: OnceLock<Client> = OnceLock::new();
    static LOOPBACK_TLS: OnceLock<Client> = OnceLock::new();
    static REMOTE: OnceLock<Client> = OnceLock::new();

    let route = match (is_loopback(url), url.scheme()) {
        (true, "http") => Route::LoopbackPlain,
        (true, _) => Route::LoopbackTls,
        (false, _) => Route::Remote,
    };
    let cell = match route {
        Route::LoopbackPlain => &LOOPBACK_PLAIN,
        Route::LoopbackTls => &LOOPBACK_TLS,
        Route::Remote => &REMOTE,
    };
    if let Some(client) = cell.get() {
        return Ok(client);
    }
    let client = build(route)?;
    Ok(cell.get_or_init(|| client))
}

fn build(route: Route) -> Result<Client, reqwest::Error> {
    choose_cryptography();
    let builder = Client::builder()
        .redirect(Policy::none())
        .referer(false)
        .pool_idle_timeout(IDLE_CONNECTION)
        .user_agent(concat!("bowline/", env!("CARGO_PKG_VERSION")));
    // The name is trusted to be this machine, so it is not looked up.
    let localhost = [
        SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        SocketAddr::from((Ipv6Addr::LOCALHOST, 0)),
    ];
    match route {
        Route::LoopbackPlain => builder
            .no_proxy()
            .resolve_to_addrs("localhost", &localhost)
            .tls_certs_only([]),
        Route::LoopbackTls => builder.no_proxy().resolve_to_addrs("localhost", &localhost),
        Route::Remote => builder,
    }
    .build()
}

/// Without a choice of the program that this is a part of, rustls takes `ring`: it is built in seconds, without cmake.
pub fn choose_cryptography() {
    if CryptoProvider::get_default().is_none() {
        // Another thread may be faster, with the same choice.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
}

/// The host without the brackets of an IPv6 address.
pub fn host(url: &Url) -> &str {
    url.host_str()
        .unwrap_or_default()
        .trim_start_matches('[')
        .trim_end_matches(']')
}

/// Whether the URL's host is this machine.
pub fn is_loopback(url: &Url) -> bool {
    let host = host(url);
    host == "localhost"
        || host
            .parse::<IpAddr>()
            .is_ok_and(|address| address.to_canonical().is_loopback())
}

/// The body of an answer, as far as it was kept.
#[derive(Debug)]
pub struct Body {
    /// The text; what is not UTF-8 is replaced.
    pub text: String,
    /// There was more than the limit.
    pub cut: bool,
}

/// Reads a body, at most `limit` bytes of it.
pub async fn read_body(mut response: Response, limit: usize) -> Result<Body, reqwest::Error> {
    let mut bytes = Vec::new();
    let mut cut = false;
    while let Some(chunk) = response.chunk().await? {
        let room = limit.saturating_sub(bytes.len());
        cut = chunk.len() > room;
        bytes.extend(chunk.iter().take(room));
        if cut {
            break;
        }
    }
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Ok(Body { text, cut })
}

/// Why a request failed, in the words of the innermost cause. The URL, which may hold credentials, is left out.
pub fn cause(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut innermost: &dyn std::error::Error = &error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// The first line of a server's words, short and in one piece, with `secrets` blotted out: servers
/// like to repeat the credentials that they refuse.
pub fn excerpt(text: &str, secrets: &[&str]) -> String {
    let mut text = text.to_owned();
    for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
        text = text.replace(secret, "***");
    }
    let line = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    let mut short: String = line
        .chars()
        .filter(|c| !c.is_control())
        .take(EXCERPT_LIMIT)
        .collect();
    if line.chars().nth(EXCERPT_LIMIT).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_this_machine_in_every_spelling() {
        for (url, expected) in [
            ("http://localhost:8080/x", true),
            ("http://LOCALHOST/", true),
            ("http://127.0.0.1/", true),
            ("http://127.9.9.9:1/", true),
            ("http://127.1/", true),
            ("http://[::1]:9/", true),
            ("http://[::ffff:127.0.0.1]/", true),
            ("http://localhost.example.com/", false),
            ("http://127.0.0.1.example.com/", false),
            ("http://user@example.com/?localhost", false),
            ("http://127.0.0.1@example.com/", false),
            ("http://0.0.0.0/", false),
            ("http://[::]/", false),
            ("http://10.0.0.1/", false),
        ] {
            assert_eq!(is_loopback(&Url::parse(url).unwrap()), expected, "{url}");
        }
    }

    #[test]
    fn an_excerpt_is_one_short_line_without_secrets() {
        let long = "x".repeat(1000);
        let short = format!("{}…", "x".repeat(EXCERPT_LIMIT));
        for (text, expected) in [
            ("", ""),
            ("\n  \n first \u{1b}[31mline \nsecond", "first [31mline"),
            (
                "the key s3cr3t is wrong (s3cr3t)",
                "the key *** is wrong (***)",
            ),
            (long.as_str(), short.as_str()),
        ] {
            assert_eq!(excerpt(text, &["", "s3cr3t"]), expected);
        }
    }
}
