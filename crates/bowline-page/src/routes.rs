//! What can be asked for, and how each view gets its data.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use chrono::Utc;
use maud::Markup;

use crate::assets;
use crate::data;
use crate::guard::{Form, guard};
use crate::query::Query;
use crate::security::cookie;
use crate::site::{Site, Trouble};
use crate::stream::stream;
use crate::views::{self, Frame, View};

type Shared = State<Arc<Site>>;

/// Everything is below the page's own path, but for the link that opens it.
pub(crate) fn router(site: &Arc<Site>) -> Router {
    let at = |name: &str| format!("/{}/{name}", site.path);
    Router::new()
        .route("/open", get(open))
        .route(&at(""), get(now))
        .route(&at("inbox"), get(inbox))
        .route(&at("answer"), post(answer))
        .route(
            &at("stream"),
            get(async |State(site): Shared| stream(&site)),
        )
        .route(
            &at("assets/{version}/{name}"),
            get(async |Path((_, name)): Path<(String, String)>| assets::get(&name)),
        )
        .fallback(missing)
        .layer(from_fn_with_state(Arc::clone(site), guard))
        .with_state(Arc::clone(site))
}

async fn open(State(site): Shared, query: Query) -> Response {
    if !site.take_key(query.get("key").unwrap_or_default()) {
        let text = "This link was used already, or is too old. Run `bowline open` again.\n";
        return (StatusCode::FORBIDDEN, text).into_response();
    }
    site.touch();
    let cookie = HeaderValue::from_str(&cookie(site.port, &site.secret));
    let mut response = to(&format!("/{}/", site.path));
    if let Ok(cookie) = cookie {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

/// Sends the browser on.
fn to(place: &str) -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, place)]).into_response()
}

async fn missing(State(site): Shared, query: Query) -> Response {
    let body = views::trouble::missing();
    let mut response = page(&site, &query, View::Now, Ok(body));
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

/// A view as a whole page, or the part of it that changes.
fn page(site: &Site, query: &Query, view: View, body: Result<Markup, Trouble>) -> Response {
    let (status, body) = match body {
        Ok(body) => (StatusCode::OK, body),
        Err(trouble) => {
            if let Trouble::Store(error) = &trouble {
                tracing::warn!("the page cannot read the store: {error}");
            }
            (
                StatusCode::SERVICE_UNAVAILABLE,
                views::trouble::of(&trouble),
            )
        }
    };
    let html = if query.is_fragment() {
        body
    } else {
        let frame = Frame {
            view,
            waiting: site.sources.waiting(),
            version: assets::version(),
        };
        views::layout(&frame, &body)
    };
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    (status, kind, html.into_string()).into_response()
}

async fn now(State(site): Shared, query: Query) -> Response {
    let board = site
        .read(|sources| data::now::read(sources, Utc::now()))
        .await;
    let body = board.map(|board| views::now::view(&board, Utc::now()));
    page(&site, &query, View::Now, body)
}

async fn inbox(State(site): Shared, query: Query) -> Response {
    let questions = data::inbox::read(&site.sources);
    let outcome = data::inbox::Outcome::of(&query);
    let body = views::inbox::view(&questions, outcome, &site.token, Utc::now());
    page(&site, &query, View::Inbox, Ok(body))
}

async fn answer(State(site): Shared, Extension(Form(form)): Extension<Form>) -> Response {
    let outcome = data::inbox::answer(&site.sources, &form);
    to(&format!("./inbox?outcome={}", outcome.word()))
}
