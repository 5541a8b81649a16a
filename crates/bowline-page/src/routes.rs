//! What can be asked for, and how each view gets its data.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use bowline_daemon::board;
use chrono::Utc;
use maud::Markup;

use crate::assets;
use crate::data;
use crate::data::costs::Period;
use crate::guard::{Form, Token, guard};
use crate::peer::Peer;
use crate::query::Query;
use crate::security::cookie;
use crate::site::{Site, Trouble};
use crate::stream::stream;
use crate::text::link;
use crate::views::{self, Frame, View};

type Shared = State<Arc<Site>>;

/// Everything is below the page's own path, but for the link that opens it.
pub(crate) fn router(site: &Arc<Site>) -> Router {
    let at = |name: &str| format!("/{}/{name}", site.path);
    Router::new()
        .route("/open", get(open))
        .route(&at(""), get(now))
        .route(&at("inbox"), get(inbox))
        .route(&at("allow"), get(allow))
        .route(&at("answer"), post(answer))
        .route(&at("search"), get(search))
        .route(&at("timeline"), get(timeline))
        .route(&at("waterfall"), get(waterfall))
        .route(&at("sessions"), get(sessions))
        .route(&at("session"), get(session))
        .route(&at("effort"), get(effort))
        .route(&at("call"), get(call))
        .route(&at("costs"), get(costs))
        .route(&at("guards"), get(guards))
        .route(&at("mark"), post(mark))
        .route(&at("hooks"), get(hooks))
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

/// The views that a link can lead to, beside the first one.
const LINKED: [&str; 10] = [
    "inbox",
    "timeline",
    "waterfall",
    "sessions",
    "session",
    "effort",
    "call",
    "costs",
    "guards",
    "hooks",
];

/// Where a link leads, below the page's own path: to a view that exists and what it is about, or to the first one.
fn destination(query: &Query) -> String {
    let view = query.get("to").filter(|to| LINKED.contains(to));
    let about = ["id", "session", "group"].map(|name| (name, query.get(name).unwrap_or_default()));
    let address = view.map(|view| link(view, &about)).unwrap_or_default();
    address.trim_start_matches("./").to_owned()
}

async fn open(State(site): Shared, Extension(peer): Extension<Peer>, query: Query) -> Response {
    if peer.is_another_user() {
        return StatusCode::FORBIDDEN.into_response();
    }
    if !site.take_key(query.get("key").unwrap_or_default()) {
        let text = "This link was used already, or is too old. Run `bowline open` again.\n";
        return (StatusCode::FORBIDDEN, text).into_response();
    }
    site.touch();
    let Ok(secret) = site.gate().give() else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    let cookie = HeaderValue::from_str(&cookie(site.port, &site.path, &secret));
    let mut response = to(&format!("/{}/{}", site.path, destination(&query)));
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
    let mut response = titled(&site, &query, (View::Now, Some("Not found")), Ok(body));
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

/// A view as a whole page, or the part of it that changes.
fn page(site: &Site, query: &Query, view: View, body: Result<Markup, Trouble>) -> Response {
    titled(site, query, (view, None), body)
}

fn titled(
    site: &Site,
    query: &Query,
    (view, title): (View, Option<&'static str>),
    body: Result<Markup, Trouble>,
) -> Response {
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
            title,
            waiting: site.sources.questions.list().len(),
            version: assets::version(),
        };
        views::layout(&frame, &body)
    };
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    (status, kind, html.into_string()).into_response()
}

async fn now(State(site): Shared, query: Query) -> Response {
    let board = site
        .read(|sources| board::now(&*sources.store, sources.questions.list()))
        .await;
    let body = board.map(|board| views::now::view(&board, Utc::now()));
    page(&site, &query, View::Now, body)
}

async fn inbox(
    State(site): Shared,
    Extension(Token(token)): Extension<Token>,
    query: Query,
) -> Response {
    let questions = site.sources.questions.list();
    let outcome = data::inbox::Outcome::of(&query);
    let body = views::inbox::view(&questions, outcome, &token, Utc::now());
    page(&site, &query, View::Inbox, Ok(body))
}

async fn answer(State(site): Shared, Extension(Form(form)): Extension<Form>) -> Response {
    let answered = site
        .read(move |sources| Ok(data::inbox::answer(&*sources.questions, &form)))
        .await;
    match answered {
        Ok(Ok(outcome)) => to(&format!("./inbox?outcome={}", outcome.word())),
        Ok(Err(refusal)) => {
            let body = views::inbox::refused(&refusal);
            let title = (View::Inbox, Some("Not answered"));
            let mut response = titled(&site, &Query::default(), title, Ok(body));
            *response.status_mut() = StatusCode::CONFLICT;
            response
        }
        Err(trouble) => page(&site, &Query::default(), View::Inbox, Err(trouble)),
    }
}

/// What allowing a question for good would write.
async fn allow(
    State(site): Shared,
    Extension(Token(token)): Extension<Token>,
    query: Query,
) -> Response {
    let id = query.owned("id").unwrap_or_default();
    let read = site
        .read(move |sources| Ok(data::inbox::plan(&*sources.questions, &id)))
        .await;
    let shown =
        read.map(|planned| planned.map(|planned| views::inbox::plan(&planned, &token, Utc::now())));
    found(&site, &query, (View::Inbox, "Allow for good"), shown)
}

async fn search(State(site): Shared, query: Query) -> Response {
    let wanted = data::search::Wanted::of(&query);
    let read = site
        .read(move |sources| {
            let answer = data::search::find(&*sources.store, &wanted, Utc::now())?;
            Ok((wanted, answer))
        })
        .await;
    let body = read.map(|(wanted, answer)| views::search::view(&wanted, &answer, Utc::now()));
    page(&site, &query, View::Search, body)
}

async fn timeline(State(site): Shared, query: Query) -> Response {
    let filter = data::timeline::Filter::of(&query);
    let read = site
        .read(move |sources| data::timeline::read(&*sources.store, filter))
        .await;
    let body = read.map(|timeline| views::timeline::view(&timeline));
    page(&site, &query, View::Timeline, body)
}

async fn waterfall(State(site): Shared, query: Query) -> Response {
    let (group, session) = (query.owned("group"), query.owned("session"));
    let read = site
        .read(move |sources| match (group, session) {
            (Some(group), _) => data::timeline::of_group(&*sources.store, &group),
            (None, Some(session)) => data::timeline::of_session(&*sources.store, &session),
            (None, None) => Ok(None),
        })
        .await;
    let shown = read.map(|calls| calls.map(|it| views::timeline::calls(&it, Utc::now())));
    found(&site, &query, (View::Timeline, "Calls over time"), shown)
}

async fn sessions(State(site): Shared, query: Query) -> Response {
    let project = query.owned("project");
    let read = site
        .read(move |sources| data::sessions::read(&*sources.store, project))
        .await;
    let body = read.map(|overview| views::sessions::view(&overview, Utc::now()));
    page(&site, &query, View::Sessions, body)
}

async fn session(State(site): Shared, query: Query) -> Response {
    let name = query.owned("session").unwrap_or_default();
    let read = site
        .read(move |sources| data::sessions::session(&*sources.store, &name))
        .await;
    let shown = read.map(|session| session.map(|it| views::sessions::session(&it, Utc::now())));
    found(&site, &query, (View::Sessions, "Session"), shown)
}

async fn effort(State(site): Shared, query: Query) -> Response {
    let number = query.get("id").and_then(|id| id.parse().ok());
    let number = number.unwrap_or_default();
    let read = site
        .read(move |sources| data::sessions::effort(&*sources.store, number))
        .await;
    let shown = read.map(|effort| effort.map(|it| views::sessions::effort(&it, Utc::now())));
    found(&site, &query, (View::Sessions, "Effort"), shown)
}

async fn call(State(site): Shared, query: Query) -> Response {
    let id = query.owned("id").unwrap_or_default();
    let read = site
        .read(move |sources| data::call::read(&*sources.store, &id))
        .await;
    let shown = read.map(|call| call.map(|it| views::call::view(&it, Utc::now())));
    found(&site, &query, (View::Timeline, "Call"), shown)
}

async fn costs(State(site): Shared, query: Query) -> Response {
    let period = Period::parse(query.get("period"));
    let read = site
        .read(move |sources| data::costs::read(&*sources.store, period, Utc::now()))
        .await;
    let body = read.map(|costs| views::costs::view(&costs));
    page(&site, &query, View::Costs, body)
}

async fn guards(
    State(site): Shared,
    Extension(Token(token)): Extension<Token>,
    query: Query,
) -> Response {
    let body = if let Some(rule) = query.owned("rule") {
        let read = site
            .read(move |sources| data::guards::of_rule(&*sources.store, &rule))
            .await;
        read.map(|stopped| views::guards::rule(&stopped, &token, Utc::now()))
    } else {
        let period = Period::parse(query.get("period"));
        let read = site
            .read(move |sources| data::guards::read(&*sources.store, period, Utc::now()))
            .await;
        read.map(|guards| views::guards::view(&guards, Utc::now()))
    };
    page(&site, &query, View::Guards, body)
}

async fn mark(State(site): Shared, Extension(Form(form)): Extension<Form>) -> Response {
    let rule = form.owned("rule").unwrap_or_default();
    let marked = site
        .read(move |sources| data::guards::mark(&*sources.store, &form))
        .await;
    match marked {
        Ok(()) => to(&link("guards", &[("rule", &rule)])),
        Err(trouble) => page(&site, &Query::default(), View::Guards, Err(trouble)),
    }
}

async fn hooks(State(site): Shared, query: Query) -> Response {
    let read = site
        .read(|sources| data::hooks::read(&*sources.store))
        .await;
    let body = read.map(|hooks| views::hooks::view(&hooks, Utc::now()));
    page(&site, &query, View::Hooks, body)
}

/// A view of something that may not be there.
fn found(
    site: &Site,
    query: &Query,
    (view, title): (View, &'static str),
    shown: Result<Option<Markup>, Trouble>,
) -> Response {
    let is_missing = matches!(shown, Ok(None));
    let body = shown.map(|shown| shown.unwrap_or_else(views::trouble::missing));
    let title = if is_missing { "Not found" } else { title };
    let mut response = titled(site, query, (view, Some(title)), body);
    if is_missing {
        *response.status_mut() = StatusCode::NOT_FOUND;
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_views_alone() {
        for (query, expected) in [
            ("key=1", ""),
            ("key=1&to=inbox", "inbox"),
            (
                "to=call&id=toolu_1%26x&outcome=allowed",
                "call?id=toolu_1%26x",
            ),
            ("to=session&session=a+b", "session?session=a+b"),
            ("to=answer", ""),
            ("to=open", ""),
            ("to=//evil.example/", ""),
            ("to=../inbox", ""),
            ("to=http://evil.example", ""),
            ("to=inbox%0d%0aSet-Cookie:x", ""),
        ] {
            assert_eq!(
                destination(&Query::parse(query.as_bytes())),
                expected,
                "{query}"
            );
        }
    }
}
