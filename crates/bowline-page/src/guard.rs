//! Stands before every request: bounds it, refuses those that may not, and checks what changes something.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody as _, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::time::timeout;

use crate::query::Query;
use crate::security::{Claims, HEADERS, Refusal, Wanted, check, is_same};
use crate::site::Site;

/// A request is answered within this time. The stream begins to be, too.
const WITHIN: Duration = Duration::from_secs(10);
/// What a form may hold: the longest message to a model, of which a character may take twelve bytes, and more.
const LONGEST_BODY: usize = 128 * 1024;

const HINT: &str = "This page is for one person. Run `bowline open` to open it.\n";

/// The fields of a form that may change something.
#[derive(Debug, Clone)]
pub(crate) struct Form(pub(crate) Query);

/// What the forms of an answer carry.
#[derive(Debug, Clone)]
pub(crate) struct Token(pub(crate) String);

pub(crate) async fn guard(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let answering = async {
        match admitted(&site, request).await {
            Ok(Admitted::Known(request)) => next.run(request).await,
            Ok(Admitted::Opening(request)) => closing(next.run(request).await),
            Err(refused) => closing(refused),
        }
    };
    let answered = timeout(WITHIN, answering).await;
    let late = |_| closing(StatusCode::REQUEST_TIMEOUT.into_response());
    let mut response = answered.unwrap_or_else(late);
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}

/// A request that may go on.
enum Admitted {
    /// A browser with a cookie has sent it.
    Known(Request),
    /// It has followed a link, and has none yet.
    Opening(Request),
}

/// An answer after which the connection ends: whoever has no cookie keeps no place.
fn closing(mut response: Response) -> Response {
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(header::CONNECTION, close);
    response
}

async fn admitted(site: &Site, mut request: Request) -> Result<Admitted, Response> {
    // A request in the form for proxies names a host twice.
    if request.uri().authority().is_some() {
        return Err(refusal(Refusal::Misdirected));
    }
    let wanted = match (request.method(), request.uri().path()) {
        (&Method::GET, "/open") => Wanted::Opening,
        // A link works once. Whoever looks where it leads must not use it up.
        (&Method::HEAD, "/open") => return Err(StatusCode::METHOD_NOT_ALLOWED.into_response()),
        (&Method::GET | &Method::HEAD, path) if path.ends_with("/stream") => Wanted::Stream,
        (&Method::GET | &Method::HEAD, _) => Wanted::View,
        (&Method::POST, _) => Wanted::Change,
        _ => return Err(StatusCode::METHOD_NOT_ALLOWED.into_response()),
    };
    let cookies = cookies(request.headers());
    let claims = claims(request.headers(), &cookies);
    let checked = check(&claims, wanted, site.port, &site.gate());
    let Some(secret) = checked.map_err(refusal)? else {
        return Ok(Admitted::Opening(request));
    };
    site.touch();
    let token = secret.token();
    if wanted == Wanted::Change {
        return change(&token, request).await.map(Admitted::Known);
    }
    request.extensions_mut().insert(Token(token));
    Ok(Admitted::Known(request))
}

/// All cookies. Another server of this host may have set one that is no text, and a browser may send several lines of them: neither keeps
/// ours from being found.
fn cookies(headers: &HeaderMap) -> String {
    let lines = headers.get_all(header::COOKIE).iter();
    let lines = lines.map(|line| String::from_utf8_lossy(line.as_bytes()));
    lines.collect::<Vec<_>>().join(";")
}

fn claims<'a>(headers: &'a HeaderMap, cookies: &'a str) -> Claims<'a> {
    let text = |name| {
        headers
            .get(name)
            .and_then(|value| HeaderValue::to_str(value).ok())
    };
    let mut hosts = headers.get_all(header::HOST).iter();
    let host = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().ok(),
        _ => None,
    };
    Claims {
        host,
        // What cannot be read is not our own.
        origin: headers
            .get(header::ORIGIN)
            .map(|value| value.to_str().unwrap_or("?")),
        site: text("sec-fetch-site"),
        mode: text("sec-fetch-mode"),
        dest: text("sec-fetch-dest"),
        cookies: Some(cookies),
    }
}

/// Reads the form and looks for the token in it.
async fn change(token: &str, request: Request) -> Result<Request, Response> {
    let (mut parts, body) = request.into_parts();
    let kind = parts.headers.get(header::CONTENT_TYPE);
    if kind.is_none_or(|kind| {
        !kind
            .as_bytes()
            .starts_with(b"application/x-www-form-urlencoded")
    }) {
        return Err(StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response());
    }
    let too_large = || StatusCode::PAYLOAD_TOO_LARGE.into_response();
    if body.size_hint().lower() > LONGEST_BODY as u64 {
        return Err(too_large());
    }
    let body = to_bytes(body, LONGEST_BODY)
        .await
        .map_err(|_| too_large())?;
    let form = Query::parse(&body);
    if !is_same(form.get("token").unwrap_or_default(), token) {
        return Err(refusal(Refusal::Foreign));
    }
    parts.extensions.insert(Form(form));
    Ok(Request::from_parts(parts, Body::empty()))
}

fn refusal(refusal: Refusal) -> Response {
    match refusal {
        Refusal::Misdirected => StatusCode::MISDIRECTED_REQUEST.into_response(),
        Refusal::Foreign => StatusCode::FORBIDDEN.into_response(),
        Refusal::Unknown => (StatusCode::FORBIDDEN, HINT).into_response(),
    }
}
