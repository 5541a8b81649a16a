//! The stream of what happens: topics and ids, never texts. A view that they are about is asked for again.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bowline_daemon::Notice;
use futures_util::stream::unfold;
use serde::Serialize;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::{broadcast, watch};
use tokio::time::{Instant, sleep_until, timeout};

use crate::site::{Follower, Site};

/// At most one message in this time.
const PACE: Duration = Duration::from_millis(100);
/// A stream is not silent for longer, so that both ends notice when the other is gone.
const SILENCE: Duration = Duration::from_secs(15);
/// A message about more sessions or projects is about all.
const MOST_NAMED: usize = 20;

/// What happened since the last message.
#[derive(Debug, Default, PartialEq, Eq)]
struct Gathered {
    events: bool,
    inbox: bool,
    sessions: Named,
    projects: Named,
}

/// Some by their names, or all.
#[derive(Debug, Default, PartialEq, Eq)]
struct Named {
    names: BTreeSet<String>,
    all: bool,
}

impl Named {
    fn add(&mut self, name: &str) {
        if self.names.len() < MOST_NAMED {
            self.names.insert(name.to_owned());
        } else if !self.names.contains(name) {
            self.all = true;
        }
    }

    fn told(&self) -> Option<&BTreeSet<String>> {
        (!self.all).then_some(&self.names)
    }
}

#[derive(Debug, Serialize)]
struct Message<'a> {
    topics: Vec<&'static str>,
    /// Null: all.
    sessions: Option<&'a BTreeSet<String>>,
    /// Null: all.
    projects: Option<&'a BTreeSet<String>>,
    /// How many questions wait.
    waiting: usize,
}

impl Gathered {
    /// Everything may have changed.
    fn everything() -> Self {
        let mut all = Self {
            events: true,
            inbox: true,
            ..Self::default()
        };
        all.miss();
        all
    }

    fn add(&mut self, notice: &Notice) {
        self.events = true;
        self.sessions.add(&notice.session);
        if let Some(project) = &notice.project {
            self.projects.add(project);
        }
    }

    /// Notices were missed.
    fn miss(&mut self) {
        self.events = true;
        self.sessions.all = true;
        self.projects.all = true;
    }

    fn message(&self, waiting: usize) -> String {
        let topics = [(self.events, "events"), (self.inbox, "inbox")];
        let topics = topics.into_iter().filter(|(is_new, _)| *is_new);
        let message = Message {
            topics: topics.map(|(_, name)| name).collect(),
            sessions: self.sessions.told(),
            projects: self.projects.told(),
            waiting,
        };
        let text = serde_json::to_string(&message).unwrap_or_default();
        format!("data: {text}\n\n")
    }
}

struct Following {
    site: Arc<Site>,
    _follower: Follower,
    notices: broadcast::Receiver<Notice>,
    inbox: Option<watch::Receiver<u64>>,
    sent: Option<Instant>,
}

/// Follows what happens until the browser leaves.
pub(crate) fn stream(site: &Arc<Site>) -> Response {
    let Some(follower) = site.follow() else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    let following = Following {
        site: Arc::clone(site),
        _follower: follower,
        notices: site.sources.feed.follow(),
        inbox: site.sources.questions.changes(),
        sent: None,
    };
    let messages = unfold(following, async |mut following| {
        let message = following.next().await?;
        Some((Ok::<_, Infallible>(message), following))
    });
    let kind = [(header::CONTENT_TYPE, "text/event-stream")];
    (kind, Body::from_stream(messages)).into_response()
}

impl Following {
    async fn next(&mut self) -> Option<String> {
        let Some(sent) = self.sent else {
            self.sent = Some(Instant::now());
            // Whoever comes back has missed something.
            let message = Gathered::everything().message(self.site.sources.questions.list().len());
            return Some(format!("retry: 1000\n{message}"));
        };
        let mut gathered = Gathered::default();
        match timeout(SILENCE, self.wait(&mut gathered)).await {
            Err(_) => return Some(":\n\n".to_owned()),
            Ok(None) => return None,
            Ok(Some(())) => {}
        }
        sleep_until(sent + PACE).await;
        self.gather(&mut gathered);
        self.sent = Some(Instant::now());
        Some(gathered.message(self.site.sources.questions.list().len()))
    }

    /// Waits for the first thing that happens; `None` when nothing will any more.
    async fn wait(&mut self, gathered: &mut Gathered) -> Option<()> {
        let inbox = async {
            match &mut self.inbox {
                Some(inbox) => inbox.changed().await.is_ok(),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            notice = self.notices.recv() => match notice {
                Ok(notice) => gathered.add(&notice),
                Err(RecvError::Lagged(_)) => gathered.miss(),
                Err(RecvError::Closed) => return None,
            },
            is_open = inbox => {
                gathered.inbox = true;
                return is_open.then_some(());
            }
        }
        Some(())
    }

    /// Takes what else has happened already.
    fn gather(&mut self, gathered: &mut Gathered) {
        loop {
            match self.notices.try_recv() {
                Ok(notice) => gathered.add(&notice),
                Err(TryRecvError::Lagged(_)) => gathered.miss(),
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        if let Some(inbox) = &mut self.inbox
            && inbox.has_changed().unwrap_or(false)
        {
            inbox.mark_unchanged();
            gathered.inbox = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_what_it_is_about() {
        let mut gathered = Gathered {
            events: true,
            ..Gathered::default()
        };
        gathered.sessions.add("s\"1\n\ndata: x");
        let expected = "data: {\"topics\":[\"events\"],\"sessions\":[\"s\\\"1\\n\\ndata: x\"],\"projects\":[],\"waiting\":2}\n\n";
        assert_eq!(gathered.message(2), expected);
        for number in 0..30 {
            gathered.sessions.add(&number.to_string());
        }
        gathered.inbox = true;
        let expected = "data: {\"topics\":[\"events\",\"inbox\"],\"sessions\":null,\"projects\":[],\"waiting\":0}\n\n";
        assert_eq!(gathered.message(0), expected);
    }
}
