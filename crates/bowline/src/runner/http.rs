//! HTTP hooks: the event's JSON is posted to a URL, and the body of a 2xx answer is the hook's output.

use std::borrow::Cow;
use std::time::Duration;

use bowline_net::http::{BODY_LIMIT, cause, client_for, excerpt, host, is_loopback, read_body};
use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

use super::placeholder::{Escapes, substitute};
use crate::dialect::Completeness;
use crate::settings::HttpAction;

/// How much of a refusal's body is read, for the error's text.
const REFUSAL_LIMIT: usize = 4096;

/// Headers that belong to the connection: set by hand they could only break the request.
const OWN_HEADERS: [&str; 4] = [
    "connection",
    "content-length",
    "transfer-encoding",
    "upgrade",
];

/// What HTTP hooks may do beyond the safe default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HttpPolicy {
    /// Hosts beside this machine that may be talked to in plain text.
    pub allow_insecure_hosts: Vec<String>,
}

impl HttpPolicy {
    fn permits(&self, url: &Url) -> bool {
        url.scheme() == "https"
            || is_loopback(url)
            || self.allow_insecure_hosts.iter().any(|allowed| {
                let allowed = allowed.trim_start_matches('[').trim_end_matches(']');
                allowed.eq_ignore_ascii_case(host(url))
            })
    }
}

/// A 2xx answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HttpReply {
    /// The status.
    pub(crate) status: u16,
    /// The body, as far as it was kept.
    pub(crate) body: String,
    /// Whether all of it was kept.
    pub(crate) completeness: Completeness,
}

/// Why an HTTP hook has no answer. No text repeats the URL or a header, which may hold credentials.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum HttpError {
    /// Not a URL that can be posted to.
    #[error("the hook's URL cannot be used: {reason}")]
    InvalidUrl {
        /// What is wrong with it.
        reason: String,
    },
    /// Plain text to another machine.
    #[error(
        "refused to send the event to {host} in plain text; use https, or add the host to `allow_insecure_hosts`"
    )]
    InsecureUrl {
        /// The other machine.
        host: String,
    },
    /// A header that cannot be sent.
    #[error("the hook's header `{name}` {reason}")]
    InvalidHeader {
        /// The header.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The server was not reached, or the connection broke.
    #[error("{host} did not answer: {reason}")]
    Connect {
        /// The server.
        host: String,
        /// What happened.
        reason: String,
    },
    /// Not a 2xx answer. Redirects are not followed and end here too.
    #[error("{host} answered {code}, expected 2xx{}", detail(.first_line))]
    Status {
        /// The server.
        host: String,
        /// The status.
        code: u16,
        /// The first line of the body, shortened.
        first_line: String,
    },
    /// No complete answer in time.
    #[error("{host} did not answer within {}", crate::duration::humane(*.after))]
    Timeout {
        /// The server.
        host: String,
        /// The limit.
        after: Duration,
    },
}

fn detail(first_line: &str) -> String {
    if first_line.is_empty() {
        String::new()
    } else {
        format!(": {first_line}")
    }
}

/// Posts `body` to the hook's URL. `variable` answers what the environment of the agent says.
pub(crate) async fn run(
    action: &HttpAction,
    body: &[u8],
    variable: &(dyn Fn(&str) -> Option<String> + Sync),
    policy: &HttpPolicy,
    timeout: Duration,
) -> Result<HttpReply, HttpError> {
    let url = checked_url(&action.url, policy)?;
    let headers = headers(action, variable)?;
    let host = host(&url).to_owned();
    tokio::time::timeout(timeout, post(url, headers, body))
        .await
        .unwrap_or(Err(HttpError::Timeout {
            host,
            after: timeout,
        }))
}

pub(crate) fn checked_url(text: &str, policy: &HttpPolicy) -> Result<Url, HttpError> {
    let invalid = |reason: String| HttpError::InvalidUrl { reason };
    let url = Url::parse(text.trim()).map_err(|error| invalid(error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(invalid(format!(
            "`{}` is not supported, expected `https` (or `http` to this machine)",
            url.scheme()
        )));
    }
    if !policy.permits(&url) {
        return Err(HttpError::InsecureUrl {
            host: host(&url).to_owned(),
        });
    }
    Ok(url)
}

fn headers(
    action: &HttpAction,
    variable: &(dyn Fn(&str) -> Option<String> + Sync),
) -> Result<HeaderMap, HttpError> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for (name, value) in &action.headers {
        let invalid = |reason| HttpError::InvalidHeader {
            name: name.escape_debug().to_string(),
            reason,
        };
        let key = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| invalid("is not a valid header name"))?;
        if OWN_HEADERS.contains(&key.as_str()) {
            return Err(invalid("is set by Bowline itself; remove it"));
        }
        let value = header_value(value, &action.allowed_env_vars, variable);
        let mut value = HeaderValue::from_bytes(value.as_bytes())
            .map_err(|_| invalid("has a value with control characters"))?;
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    Ok(headers)
}

/// Puts allowed variables into a header's value; the others are blank. Nothing can end the line early.
fn header_value(
    text: &str,
    allowed: &[String],
    variable: &(dyn Fn(&str) -> Option<String> + Sync),
) -> String {
    let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let mut value = substitute(text, Escapes::None, is_name, |name| {
        let permitted = allowed.iter().any(|allowed| allowed == name);
        let value = permitted.then(|| variable(name)).flatten();
        Some(Cow::Owned(value.unwrap_or_default()))
    });
    value.retain(|c| !matches!(c, '\r' | '\n' | '\0'));
    value
}

async fn post(url: Url, headers: HeaderMap, body: &[u8]) -> Result<HttpReply, HttpError> {
    let host = host(&url).to_owned();
    let secrets = secrets(&url, &headers);
    let secrets: Vec<&str> = secrets.iter().map(String::as_str).collect();
    let broken = |error| HttpError::Connect {
        host: host.clone(),
        reason: cause(error),
    };

    let response = client_for(&url)
        .map_err(broken)?
        .post(url)
        .headers(headers)
        .body(body.to_vec())
        .send()
        .await
        .map_err(broken)?;
    let status = response.status();
    if !status.is_success() {
        let refusal = read_body(response, REFUSAL_LIMIT).await;
        return Err(HttpError::Status {
            host,
            code: status.as_u16(),
            first_line: refusal.map_or_else(|_| String::new(), |b| excerpt(&b.text, &secrets)),
        });
    }
    let body = read_body(response, BODY_LIMIT).await.map_err(broken)?;
    Ok(HttpReply {
        status: status.as_u16(),
        body: body.text,
        completeness: if body.cut {
            Completeness::Cut
        } else {
            Completeness::Whole
        },
    })
}

/// Secrets that a server might repeat in its refusal: the URL's password and the
/// words of the hook's own headers. Short words are no secrets, and blotting them out would garble the text.
fn secrets(url: &Url, headers: &HeaderMap) -> Vec<String> {
    let words = headers
        .values()
        .filter(|value| value.is_sensitive())
        .filter_map(|value| value.to_str().ok())
        .flat_map(str::split_whitespace)
        .filter(|word| word.len() >= 8);
    url.password()
        .into_iter()
        .chain(words)
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests;
