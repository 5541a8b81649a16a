//! What can be asked for, and how each view gets its data.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use chrono::Utc;
use maud::{Markup, html};

use crate::assets;
use crate::data;
use crate::data::costs::Period;
use crate::data::known::{Asked, Missing};
use crate::guard::{Form, Token, guard};
use crate::parameters::ignored;
use crate::peer::Peer;
use crate::places::{self, Place};
use crate::query::Query;
use crate::security::cookie;
use crate::site::{Site, Trouble};
use crate::stream::stream;
use crate::text::link;
use crate::views::false_alarm::Done;
use crate::views::{self, Frame};

type Shared = State<Arc<Site>>;

/// Everything is below the page's own path, but for the link that opens it.
pub(crate) fn router(site: &Arc<Site>) -> Router {
    let at = |name: &str| format!("/{}/{name}", site.path);
    Router::new()
        .route("/open", get(open))
        .route(&at(""), get(now))
        .route(&at("now"), get(first))
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
        .route(&at("false-alarm"), get(false_alarm).post(allow_alarm))
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
const LINKED: [&str; 12] = [
    "inbox",
    "search",
    "timeline",
    "waterfall",
    "sessions",
    "session",
    "effort",
    "call",
    "costs",
    "guards",
    "false-alarm",
    "hooks",
];

/// Where a link leads, below the page's own path: to a view that exists and what it is about, or to the first one.
fn destination(query: &Query) -> String {
    let view = query.get("to").filter(|to| LINKED.contains(to));
    let about =
        ["id", "session", "group", "q"].map(|name| (name, query.get(name).unwrap_or_default()));
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

/// The first view has no name in its address. Who gives it one means that view.
async fn first(State(site): Shared, uri: Uri) -> Response {
    to(&address(&site, "", uri.query()))
}

/// An address below the page's own path, from wherever it is asked for.
fn address(site: &Site, view: &str, query: Option<&str>) -> String {
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    format!("/{}/{view}{query}", site.path)
}

async fn missing(State(site): Shared, uri: Uri, query: Query) -> Response {
    let home = address(&site, "", None);
    let asked = uri.path().strip_prefix(&home).unwrap_or_default();
    match asked.strip_suffix('/') {
        Some("now") => to(&address(&site, "", uri.query())),
        Some(view) if LINKED.contains(&view) => to(&address(&site, view, uri.query())),
        _ => absent_below(&site, &query, places::NOW, &Missing::View, &home),
    }
}

/// A view as a whole page, or the part of it that changes.
fn page(site: &Site, query: &Query, place: Place, body: Result<Markup, Trouble>) -> Response {
    page_below(site, query, place, body, views::BESIDE)
}

/// The same at an address from which another link leads to the page's own path.
fn page_below(
    site: &Site,
    query: &Query,
    place: Place,
    body: Result<Markup, Trouble>,
    home: &str,
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
    let ignored = views::unmet::ignored(&ignored(query, place.parameters));
    let body = html! { (ignored) (body) };
    let html = if query.is_fragment() {
        body
    } else {
        let frame = Frame {
            view: place.view,
            title: place.title,
            waiting: site.sources.questions.list().len(),
            version: assets::version(),
            home: home.to_owned(),
        };
        views::layout(&frame, &body)
    };
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    (status, kind, html.into_string()).into_response()
}

/// A view of something that may not be there.
fn found(
    site: &Site,
    query: &Query,
    place: Place,
    shown: Result<Result<Markup, Missing>, Trouble>,
) -> Response {
    match shown {
        Ok(Ok(body)) => page(site, query, place, Ok(body)),
        Ok(Err(missing)) => absent(site, query, place, &missing),
        Err(trouble) => page(site, query, place, Err(trouble)),
    }
}

fn absent(site: &Site, query: &Query, place: Place, missing: &Missing) -> Response {
    absent_below(site, query, place, missing, views::BESIDE)
}

fn absent_below(
    site: &Site,
    query: &Query,
    place: Place,
    missing: &Missing,
    home: &str,
) -> Response {
    let place = place.titled("Not found");
    let body = views::unmet::missing(missing, home);
    let mut response = page_below(site, query, place, Ok(body), home);
    // A view that is open shows what became of it.
    if !query.is_fragment() {
        *response.status_mut() = StatusCode::NOT_FOUND;
    }
    response
}

async fn now(State(site): Shared, query: Query) -> Response {
    let board = site.board().await;
    let body = board.map(|board| views::now::view(&board, Utc::now()));
    page(&site, &query, places::NOW, body)
}

async fn inbox(
    State(site): Shared,
    Extension(Token(token)): Extension<Token>,
    query: Query,
) -> Response {
    let questions = site.sources.questions.list();
    let outcome = data::inbox::Outcome::of(&query);
    let body = views::inbox::view(&questions, outcome, &token, Utc::now());
    page(&site, &query, places::INBOX, Ok(body))
}

async fn answer(State(site): Shared, Extension(Form(form)): Extension<Form>) -> Response {
    let answered = site
        .read(move |sources| Ok(data::inbox::answer(&*sources.questions, &form)))
        .await;
    match answered {
        Ok(Ok(outcome)) => to(&format!("./inbox?outcome={}", outcome.word())),
        Ok(Err(refusal)) => {
            let body = views::inbox::refused(&refusal);
            let place = places::INBOX.titled("Not answered");
            let mut response = page(&site, &Query::default(), place, Ok(body));
            *response.status_mut() = StatusCode::CONFLICT;
            response
        }
        Err(trouble) => page(&site, &Query::default(), places::INBOX, Err(trouble)),
    }
}

/// What allowing a question for good would write.
async fn allow(
    State(site): Shared,
    Extension(Token(token)): Extension<Token>,
    query: Query,
) -> Response {
    let asked = Asked::of(&query, "question", "id");
    let read = site
        .read(move |sources| {
            let planned = asked.find(|id| Ok(data::inbox::plan(&*sources.questions, id)))?;
            Ok(planned.map_err(|missing| match missing {
                Missing::Named(_) => Missing::Gone,
                other => other,
            }))
        })
        .await;
    let shown = read.map(|planned| planned.map(|it| views::inbox::plan(&it, &token, Utc::now())));
    found(&site, &query, places::ALLOW, shown)
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
    page(&site, &query, places::SEARCH, body)
}

async fn timeline(State(site): Shared, query: Query) -> Response {
    let filter = data::timeline::Filter::of(&query);
    let read = site
        .read(move |sources| data::timeline::read(&*sources.store, filter))
        .await;
    let body = read.map(|timeline| views::timeline::view(&timeline));
    page(&site, &query, places::TIMELINE, body)
}

async fn waterfall(State(site): Shared, query: Query) -> Response {
    let of_group = query.get("group").is_some();
    let asked = if of_group {
        Asked::of(&query, "prompt", "group")
    } else {
        Asked::of(&query, "session", "session")
    };
    let read = site
        .read(move |sources| {
            let store = &*sources.store;
            if of_group {
                asked.find(|group| data::timeline::of_group(store, group))
            } else {
                asked.find_session(store, |name| data::timeline::of_session(store, name))
            }
        })
        .await;
    let shown = read.map(|calls| calls.map(|it| views::timeline::calls(&it, Utc::now())));
    found(&site, &query, places::WATERFALL, shown)
}

async fn sessions(State(site): Shared, query: Query) -> Response {
    let project = query.owned("project");
    let read = site
        .read(move |sources| data::sessions::read(&*sources.store, project))
        .await;
    let body = read.map(|overview| views::sessions::view(&overview, Utc::now()));
    page(&site, &query, places::SESSIONS, body)
}

async fn session(State(site): Shared, query: Query) -> Response {
    let asked = Asked::of(&query, "session", "session");
    let read = site
        .read(move |sources| {
            let store = &*sources.store;
            asked.find_session(store, |name| data::sessions::session(store, name))
        })
        .await;
    let shown = read.map(|session| session.map(|it| views::sessions::session(&it, Utc::now())));
    found(&site, &query, places::ONE_SESSION, shown)
}

async fn effort(State(site): Shared, query: Query) -> Response {
    let asked = Asked::of(&query, "effort", "id");
    let read = site
        .read(move |sources| {
            asked.find(|number| match number.parse() {
                Ok(number) => data::sessions::effort(&*sources.store, number),
                Err(_) => Ok(None),
            })
        })
        .await;
    let shown = read.map(|effort| effort.map(|it| views::sessions::effort(&it, Utc::now())));
    found(&site, &query, places::EFFORT, shown)
}

async fn call(State(site): Shared, query: Query) -> Response {
    let asked = Asked::of(&query, "call", "id");
    let read = site
        .read(move |sources| asked.find(|id| data::call::read(&*sources.store, id)))
        .await;
    // What waits for a person may not be recorded yet.
    let question = query
        .get("id")
        .and_then(|id| data::inbox::about(&*site.sources.questions, id));
    let read = read.map(|call| {
        call.map_err(|missing| match (missing, question) {
            (Missing::Named(_), Some(question)) => Missing::Waits(question),
            (missing, _) => missing,
        })
    });
    let shown = read.map(|call| call.map(|it| views::call::view(&it, Utc::now())));
    found(&site, &query, places::CALL, shown)
}

async fn costs(State(site): Shared, query: Query) -> Response {
    let period = Period::parse(query.get("period"));
    let read = site
        .read(move |sources| data::costs::read(&*sources.store, period, Utc::now()))
        .await;
    let body = read.map(|costs| views::costs::view(&costs));
    page(&site, &query, places::COSTS, body)
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
    page(&site, &query, places::GUARDS, body)
}

async fn mark(State(site): Shared, Extension(Form(form)): Extension<Form>) -> Response {
    let said = |name| form.key(name).unwrap_or_default();
    let (rule, call, event) = (said("rule"), said("call"), said("event"));
    let next = match form.get("mark") {
        Some("false-alarm") if !call.is_empty() => {
            link("false-alarm", &[("id", &call), ("event", &event)])
        }
        _ => format!(
            "{}#{}",
            link("guards", &[("rule", &rule)]),
            views::guards::anchor(&event)
        ),
    };
    let marked = site
        .read(move |sources| data::guards::mark(&*sources.store, &form))
        .await;
    match marked {
        Ok(()) => to(&next),
        Err(trouble) => page(&site, &Query::default(), places::GUARDS, Err(trouble)),
    }
}

/// What can be done about a call that was stopped although it was fine.
async fn false_alarm(
    State(site): Shared,
    Extension(Token(token)): Extension<Token>,
    query: Query,
) -> Response {
    let asked = Asked::of(&query, "stopped call", "id");
    let event = query.owned("event");
    let read = site
        .read(move |sources| {
            let (store, judge) = (&*sources.store, &*sources.judge);
            asked.find(|id| data::false_alarm::read(store, judge, id, event.as_deref()))
        })
        .await;
    let done = match query.get("done") {
        Some(places::ALLOWED) => Done::Allowed,
        _ => Done::Nothing,
    };
    let shown =
        read.map(|alarm| alarm.map(|it| views::false_alarm::view(&it, done, &token, Utc::now())));
    found(&site, &query, places::FALSE_ALARM, shown)
}

async fn allow_alarm(State(site): Shared, Extension(Form(form)): Extension<Form>) -> Response {
    let asked = Asked::of_form(&form, "stopped call", "id");
    let (id, event) = (form.key("id").unwrap_or_default(), form.key("event"));
    let of = event.clone();
    let allowed = site
        .read(move |sources| {
            let (store, judge) = (&*sources.store, &*sources.judge);
            asked.find(|id| data::false_alarm::allow(store, judge, id, of.as_deref()))
        })
        .await;
    let refused = match allowed {
        Ok(Ok(Ok(()))) => {
            let event = event.unwrap_or_default();
            let parts = [("id", &*id), ("event", &event), ("done", places::ALLOWED)];
            return to(&link("false-alarm", &parts));
        }
        Ok(Ok(Err(why))) => Ok(Ok(views::false_alarm::refused(&why))),
        Ok(Err(missing)) => Ok(Err(missing)),
        Err(trouble) => Err(trouble),
    };
    let mut response = found(&site, &Query::default(), places::FALSE_ALARM, refused);
    if response.status() == StatusCode::OK {
        *response.status_mut() = StatusCode::CONFLICT;
    }
    response
}

async fn hooks(State(site): Shared, query: Query) -> Response {
    let read = site
        .read(|sources| data::hooks::read(&*sources.store))
        .await;
    let body = read.map(|hooks| views::hooks::view(&hooks, Utc::now()));
    page(&site, &query, places::HOOKS, body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_views_alone() {
        for (query, expected) in [
            ("key=1", ""),
            ("key=1&to=inbox", "inbox"),
            ("to=search&q=a+b", "search?q=a+b"),
            ("to=false-alarm&id=x", "false-alarm?id=x"),
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
