//! The page as a whole, on a real port: who gets something, and what it costs.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

#[path = "server/addresses.rs"]
mod addresses;
#[path = "server/client.rs"]
mod client;
#[path = "server/hostile.rs"]
mod hostile;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bowline_builtins::false_alarm::{FalseAlarm, NoRemedy, Remedy};
use bowline_builtins::inbox::{Extent, Preview, Question, Reply, Said, Unanswerable};
use bowline_daemon::approvals::{LONGEST_MESSAGE, Unsettled};
use bowline_daemon::{Feed, Page as _};
use bowline_page::{Judge, LivePage, Questions, Sources};
use bowline_store::{CallKey, Change, Options, Record, SqliteStore, Store as _, TraceStart};
use bowline_testkit::until;
use chrono::Utc;
use client::{Answered, Asking, connect, send};
use serde_json::json;
use tempfile::TempDir;
use tokio::sync::watch;

/// Questions that wait, and what was answered.
struct Desk {
    open: Mutex<Vec<Question>>,
    answered: Mutex<Vec<(String, Reply)>>,
    changes: watch::Sender<u64>,
    /// Why nothing can be kept for longer than one call.
    locked: Mutex<Option<Unanswerable>>,
}

impl Desk {
    fn new() -> Self {
        Self {
            open: Mutex::default(),
            answered: Mutex::default(),
            changes: watch::Sender::new(0),
            locked: Mutex::default(),
        }
    }

    fn ask(&self, question: Question) {
        self.open.lock().unwrap().push(question);
        self.changes.send_modify(|count| *count += 1);
    }

    fn replies(&self) -> Vec<Reply> {
        let answered = self.answered.lock().unwrap();
        answered.iter().map(|(_, reply)| reply.clone()).collect()
    }
}

impl Questions for Desk {
    fn list(&self) -> Vec<Question> {
        self.open.lock().unwrap().clone()
    }

    fn changes(&self) -> Option<watch::Receiver<u64>> {
        Some(self.changes.subscribe())
    }

    fn preview(&self, _: &str, extent: Extent) -> Result<Preview, Unanswerable> {
        if let Some(locked) = self.locked.lock().unwrap().clone() {
            return Err(locked);
        }
        let change = (extent == Extent::Always).then(|| {
            json!({
                "file": "/home/ada/shop/bowline.local.toml",
                "entry": {"key": "guard.allow.commands", "patterns": ["terraform apply"]},
                "lines": {"line": 3, "removed": ["allow = []"], "added": ["allow = [\"terraform <b>apply\"]"]},
            })
        });
        let preview = json!({"extent": extent, "rules": [], "change": change});
        Ok(serde_json::from_value(preview).unwrap())
    }

    fn answer(&self, id: &str, reply: Reply) -> Result<(), Unsettled> {
        let locked = self.locked.lock().unwrap().clone();
        if let (Some(locked), Said::Allow(Extent::Session | Extent::Always)) = (locked, &reply.said)
        {
            return Err(locked.into());
        }
        if let Said::Deny(Some(message)) = &reply.said {
            let length = message.chars().count();
            if length > LONGEST_MESSAGE {
                return Err(Unsettled::TooLong(length));
            }
        }
        let mut open = self.open.lock().unwrap();
        let at = open.iter().position(|it| it.id == id);
        let at = at.ok_or_else(|| Unanswerable::Unknown(id.to_owned()))?;
        open.remove(at);
        self.answered.lock().unwrap().push((id.to_owned(), reply));
        self.changes.send_modify(|count| *count += 1);
        Ok(())
    }
}

/// Judges calls by their commands.
struct Bench;

impl Judge for Bench {
    fn remedy(&self, alarm: &FalseAlarm) -> Result<Remedy, NoRemedy> {
        assert_eq!(alarm.project, std::path::Path::new("/home/ada/shop"));
        let remedy = match alarm
            .input
            .get("command")
            .and_then(serde_json::Value::as_str)
            .unwrap()
        {
            "terraform apply" => json!({"entry": {
                "file": "/home/ada/shop/bowline.local.toml",
                "entry": {"key": "guard.allow.commands", "patterns": ["terraform apply"]},
                "lines": {"line": 3, "removed": [], "added": ["allow = [\"terraform <b>apply\"]"]},
            }}),
            "make" => json!({"rule": {
                "file": "/home/ada/shop/bowline.toml", "line": 7, "text": "[[rule]]\nid = \"no-<b>make\"",
            }}),
            "make \u{202e}x" => {
                json!({"rule": {"file": "/f", "line": 7, "text": "when = \u{202e}"}})
            }
            _ => return Err(NoRemedy::Passes),
        };
        Ok(serde_json::from_value(remedy).unwrap())
    }

    fn allow(&self, alarm: &FalseAlarm) -> Result<(), NoRemedy> {
        match alarm
            .input
            .get("command")
            .and_then(serde_json::Value::as_str)
        {
            Some("terraform apply") => Ok(()),
            _ => Err(NoRemedy::Hook),
        }
    }
}

/// A page with an empty store.
struct Stage {
    page: LivePage,
    desk: Arc<Desk>,
    store: Arc<SqliteStore>,
    folder: TempDir,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(Options::new(folder.path().join("data"))).unwrap());
        let desk = Arc::new(Desk::new());
        let page = Self::page(&store, &desk, &folder);
        Self {
            page,
            desk,
            store,
            folder,
        }
    }

    fn page(store: &Arc<SqliteStore>, desk: &Arc<Desk>, folder: &TempDir) -> LivePage {
        let sources = Sources {
            store: store.clone(),
            questions: desk.clone(),
            judge: Arc::new(Bench),
            feed: Arc::new(Feed::default()),
        };
        LivePage::new(sources, &folder.path().join("daemon.sock"))
    }

    /// A browser that followed the link.
    fn open(&self) -> Browser {
        Browser::follow(&self.page.open().unwrap())
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.page.close();
    }
}

fn question(id: &str) -> Question {
    Question {
        id: id.to_owned(),
        asked_at: Utc::now(),
        until: Utc::now() + Duration::from_mins(2),
        cut_short: None,
        agent: "claude-code".to_owned(),
        session: "s1".to_owned(),
        project: "/home/ada/shop".to_owned(),
        subagent: None,
        tool: "Bash".to_owned(),
        input: json!({"command": "terraform apply"}),
        tool_use_id: None,
        reason: Some("it changes what runs".to_owned()),
        rule: None,
    }
}

/// What a browser knows after it followed the link.
#[derive(Debug, Clone)]
struct Browser {
    port: u16,
    cookie: String,
    /// The folder of the page, with a slash at its end.
    home: String,
}

fn port_and_path(link: &str) -> (u16, &str) {
    let rest = link.strip_prefix("http://127.0.0.1:").unwrap();
    let (port, path) = rest.split_at(rest.find('/').unwrap());
    (port.parse().unwrap(), path)
}

impl Browser {
    fn follow(link: &str) -> Self {
        let (port, path) = port_and_path(link);
        let answered = Asking::get(port, path).ask();
        assert_eq!(answered.status, 303, "{answered:?}");
        let cookie = answered.field("set-cookie").unwrap();
        Self {
            port,
            cookie: cookie.split(';').next().unwrap().to_owned(),
            home: answered.field("location").unwrap().to_owned(),
        }
    }

    fn get(&self, view: &str) -> Asking {
        Asking::get(self.port, &format!("{}{view}", self.home)).with("Cookie", &self.cookie)
    }

    fn post(&self, view: &str, form: &str) -> Asking {
        Asking::post(self.port, &format!("{}{view}", self.home), form).with("Cookie", &self.cookie)
    }

    /// The token that forms carry.
    fn token(&self) -> String {
        self.token_in("inbox")
    }

    fn token_in(&self, view: &str) -> String {
        let body = self.get(view).ask().body;
        let from = body.split("name=\"token\" value=\"").nth(1).unwrap();
        from.split('"').next().unwrap().to_owned()
    }
}

const VIEWS: [&str; 8] = [
    "search", "", "inbox", "timeline", "sessions", "costs", "guards", "hooks",
];

#[test]
fn a_link_opens_the_page_once() {
    let stage = Stage::new();
    let link = stage.page.open().unwrap();
    let browser = Browser::follow(&link);
    for view in VIEWS {
        let answered = browser.get(view).ask();
        assert_eq!(answered.status, 200, "{view}: {answered:?}");
        assert!(answered.body.contains("</html>"), "{view}");
        let fragment = browser.get(&format!("{view}?fragment=1")).ask();
        assert!(
            fragment.body.starts_with("<h1"),
            "{view}: {}",
            fragment.body
        );
    }
    for view in ["call", "session", "effort", "waterfall", "nothing-here"] {
        for id in ["", "?id=1", "?session=x", "?group=x", "?id=%00"] {
            let answered = browser.get(&format!("{view}{id}")).ask();
            assert_eq!(answered.status, 404, "{view}{id}");
        }
    }
    let (port, path) = port_and_path(&link);
    let again = Asking::get(port, path).ask();
    assert_eq!(again.status, 403);
    assert_eq!(again.field("set-cookie"), None);
    // Another link opens the same page.
    assert_eq!(stage.open().home, browser.home);
    assert!(stage.page.is_wanted());
}

#[test]
fn what_an_address_says_in_vain_is_told() {
    let stage = Stage::new();
    let mut record = Record::new(
        "one",
        Utc::now(),
        "claude-code",
        "PreToolUse",
        "b17e9a40-77c",
    );
    record.decided.project = Some("/home/ada/shop".to_owned());
    record.decided.tool = Some("Bash".to_owned());
    record.changes = vec![Change::SessionStarted {
        source: None,
        model: None,
        previous: None,
    }];
    stage.store.submit(record, Box::new(|_| {}));
    stage.store.flush().unwrap();
    let browser = stage.open();
    for (address, status, told) in [
        (
            "?view=timeline",
            200,
            &["<code>view</code>", "no filters"][..],
        ),
        ("timeline?agnet=x", 200, &["<code>agnet</code>", "Bash"]),
        ("timeline?projct=x", 200, &["mean <code>project</code>"]),
        ("timeline?decision=dney", 200, &["mean <code>deny</code>"]),
        (
            "timeline?agent=codx",
            200,
            &["mean <code>codex</code>", "Bash"],
        ),
        ("timeline?before=soon", 200, &["A number is expected"]),
        (
            "costs?period=3d",
            200,
            &[
                "<code>period</code> cannot be <code>3d</code>",
                "<code>90d</code>",
            ],
        ),
        ("guards?period=week", 200, &["cannot be <code>week"]),
        (
            "search?q=x&kind=commnd",
            200,
            &["mean <code>command</code>"],
        ),
        (
            "search?q=x&since=never",
            200,
            &["<code>since</code> cannot be"],
        ),
        (
            "inbox?outcome=perhaps",
            200,
            &["<code>outcome</code> cannot be"],
        ),
        (
            "timeline?project=/nowhere",
            200,
            &[
                "No project <code>/nowhere</code> is known",
                ">/home/ada/shop</a>",
            ],
        ),
        (
            "timeline?session=b17e9a41-77c",
            200,
            &["No session", "?session=b17e9a40-77c"],
        ),
        ("timeline?tool=Bsh", 200, &["No tool", "?tool=Bash"]),
        (
            "sessions?project=shp",
            200,
            &["No project", "?project=%2Fhome"],
        ),
        (
            "search?q=x&project=shp",
            200,
            &["No project", "?q=x&amp;project=%2Fhome"],
        ),
        (
            "guards?rule=git.push-forse",
            200,
            &["No rule", "?rule=git.push-force"],
        ),
        ("session?session=b17e9a41-77c", 404, &["No session"]),
        ("waterfall?session=none", 404, &["No session"]),
        ("waterfall?group=g7", 404, &["No prompt <code>g7</code>"]),
        (
            "allow?id=abcde",
            404,
            &["does not wait any more", "./inbox"],
        ),
        ("call?id=x7", 404, &["No call <code>x7</code>", "forgotten"]),
        ("call", 404, &["which call", "?id=…"]),
        (
            "effort?id=first",
            404,
            &["No effort", "<code>id</code> cannot be"],
        ),
        ("timelin", 404, &["no view at this address"]),
    ] {
        let answered = browser.get(address).ask();
        assert_eq!(answered.status, status, "{address}");
        for part in told {
            let body = &answered.body;
            assert!(body.contains(part), "{address}: {part}\n{body}");
        }
        let fragment = format!(
            "{address}{}fragment=1",
            if address.contains('?') { '&' } else { '?' }
        );
        let fragment = browser.get(&fragment).ask().body;
        assert!(answered.body.contains(&fragment), "{address}: {fragment}");
    }
    for address in [
        "timeline?project=shop&session=b17e&agent=claude-code&tool=bash&decision=no_opinion&before=99999999999999",
        "timeline?project=&session=&tool=&decision=",
        "session?session=b17e",
        "waterfall?session=b17e",
        "sessions?project=/home/ada/shop",
        "guards?rule=git.push-force",
        "costs?period=all",
        "search?q=x&kind=error&since=7d&tool=Bash&project=shop",
    ] {
        let answered = browser.get(address).ask();
        assert_eq!(answered.status, 200, "{address}");
        let body = &answered.body;
        assert!(!body.contains("class=\"notice\""), "{address}: {body}");
    }
    let shop = browser.get("timeline?project=shop&session=b17e").ask().body;
    assert!(shop.contains("PreToolUse"), "{shop}");
}

#[test]
fn every_answer_tells_the_browser_to_trust_nothing() {
    let stage = Stage::new();
    let browser = stage.open();
    let asset = browser.get("").ask().body;
    let asset = asset.split("href=\"./assets/").nth(1).unwrap();
    let asset = format!("assets/{}", asset.split('"').next().unwrap());
    for answered in [
        browser.get("").ask(),
        browser.get("nothing-here").ask(),
        browser.get(&asset).ask(),
        Asking::get(browser.port, "/").ask(),
        Asking::get(browser.port, "/open?key=x").ask(),
    ] {
        let policy = answered.field("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cross-origin-embedder-policy", "require-corp"),
        ] {
            assert_eq!(answered.field(name), Some(value), "{answered:?}");
        }
        let is_asset = answered
            .field("content-type")
            .is_some_and(|it| it.starts_with("text/css"));
        let caching = answered.field("cache-control").unwrap();
        assert_eq!(caching == "no-store", !is_asset, "{answered:?}");
    }
}

fn refused(answered: &Answered, status: u16) {
    assert_eq!(answered.status, status, "{answered:?}");
    assert!(!answered.body.contains('<'), "{answered:?}");
    assert_eq!(answered.field("set-cookie"), None);
}

#[test]
fn nobody_else_gets_anything() {
    let stage = Stage::new();
    let browser = stage.open();
    let stranger = Stage::new().open();
    let port = browser.port;
    for view in ["", "inbox", "stream", "nothing-here"] {
        let own = browser.get(view);
        refused(&own.clone().without("Cookie").ask(), 403);
        refused(&own.clone().with("Cookie", &stranger.cookie).ask(), 403);
        let guessed = format!("bowline_{port}={}", "0".repeat(64));
        refused(&own.clone().with("Cookie", &guessed).ask(), 403);
        for host in [
            "evil.example",
            "evil.example:80",
            "127.0.0.1",
            "127.0.0.1:1",
            "",
        ] {
            refused(&own.clone().with("Host", host).ask(), 421);
        }
        refused(&own.clone().with("Sec-Fetch-Site", "cross-site").ask(), 403);
        let near = own
            .clone()
            .with("Sec-Fetch-Site", "same-site")
            .with("Sec-Fetch-Mode", "cors");
        refused(&near.ask(), 403);
        refused(&own.with("Origin", "http://127.0.0.1:3000").ask(), 403);
    }
    let twice = format!(
        "GET {} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        browser.home
    );
    assert!(matches!(send(port, twice.as_bytes()).status, 400 | 421));
    let proxied = Asking::get(port, "http://evil.example/").with("Cookie", &browser.cookie);
    refused(&proxied.ask(), 421);
    let hint = Asking::get(port, "/").ask();
    refused(&hint, 403);
    assert!(hint.body.contains("bowline open"));
}

#[test]
fn cookies_of_other_servers_keep_nobody_out() {
    let stage = Stage::new();
    let browser = stage.open();
    let ask = |cookies: &[&[u8]]| {
        let mut request = browser
            .get("")
            .without("Cookie")
            .with("Connection", "close")
            .bytes();
        request.truncate(request.len() - 2);
        for line in cookies {
            request.extend([b"Cookie: ", *line, b"\r\n"].concat());
        }
        request.extend(b"\r\n");
        send(browser.port, &request).status
    };
    let own = browser.cookie.as_bytes();
    assert_eq!(ask(&[&[b"x=\xe9; ", own].concat()]), 200);
    assert_eq!(ask(&[&[own, b"; x=\xff\xfe"].concat()]), 200);
    assert_eq!(ask(&[b"x=1", own]), 200);
    assert_eq!(ask(&[own, b"x=\xe9"]), 200);
    assert_eq!(ask(&[&[own, b"\xe9"].concat()]), 403);
    assert_eq!(ask(&[b"x=\xe9"]), 403);
}

#[test]
fn looking_where_a_link_leads_does_not_use_it_up() {
    let stage = Stage::new();
    let link = stage.page.open().unwrap();
    let (port, path) = port_and_path(&link);
    let mut looking = Asking::get(port, path);
    looking.method = "HEAD";
    let looked = looking.ask();
    refused(&looked, 405);
    Browser::follow(&link);
}

#[test]
fn whoever_has_no_cookie_keeps_no_connection() {
    let stage = Stage::new();
    let browser = stage.open();
    let many = |asking: &Asking| {
        let last = asking.clone().with("Connection", "close").bytes();
        let mut stream = connect(browser.port);
        // The server may close it before all is written.
        let _ = stream.write_all(&[asking.bytes(), asking.bytes(), last].concat());
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).matches("HTTP/1.1 ").count()
    };
    assert_eq!(many(&browser.get("hooks")), 3);
    // What is not read of a connection that ends may take the answer with it.
    assert!(many(&browser.get("hooks").without("Cookie")) <= 1);
    for stranger in [
        browser.get("").without("Cookie"),
        Asking::get(browser.port, "/x"),
        Asking::get(browser.port, "/open?key=0"),
    ] {
        let answered = send(browser.port, &stranger.bytes());
        assert_eq!(answered.field("connection"), Some("close"), "{answered:?}");
    }
}

#[test]
fn changes_need_a_token_and_our_own_page() {
    let stage = Stage::new();
    stage.desk.ask(question("abcde"));
    let browser = stage.open();
    let token = browser.token();
    let form = format!("token={token}&id=abcde&say=once");
    let own = browser.post("answer", &form);
    refused(
        &own.clone().with("Origin", "https://evil.example").ask(),
        403,
    );
    refused(
        &own.clone()
            .with("Origin", "http://127.0.0.1:3000")
            .with("Sec-Fetch-Site", "same-site")
            .ask(),
        403,
    );
    refused(
        &own.clone()
            .without("Origin")
            .without("Sec-Fetch-Site")
            .ask(),
        403,
    );
    refused(&own.clone().with("Sec-Fetch-Site", "cross-site").ask(), 403);
    refused(&own.clone().without("Cookie").ask(), 403);
    refused(&own.clone().with("Host", "evil.example").ask(), 421);
    refused(&own.clone().with("Content-Type", "text/plain").ask(), 415);
    let without = browser.post("answer", "id=abcde&say=once");
    refused(&without.ask(), 403);
    let wrong = browser.post(
        "answer",
        &format!("token={}&id=abcde&say=once", "0".repeat(64)),
    );
    refused(&wrong.ask(), 403);
    let mut got = own.clone();
    got.method = "GET";
    assert_eq!(got.ask().status, 405);
    got.method = "DELETE";
    assert_eq!(got.ask().status, 405);
    assert!(stage.desk.replies().is_empty(), "nothing was answered");

    let answered = own.ask();
    assert_eq!(answered.status, 303);
    assert_eq!(answered.field("location"), Some("./inbox?outcome=allowed"));
    let [reply] = <[Reply; 1]>::try_from(stage.desk.replies()).unwrap();
    assert_eq!(reply.said, Said::Allow(Extent::Once));
    assert_eq!(reply.by.place, "the page");
    // It cannot be answered twice.
    let again = browser.post("answer", &form).ask();
    assert_eq!(again.field("location"), Some("./inbox?outcome=gone"));
}

#[test]
fn a_question_is_denied_with_a_message() {
    let stage = Stage::new();
    stage.desk.ask(question("abcde"));
    let browser = stage.open();
    let form = format!(
        "token={}&id=abcde&say=deny&message=Use+a+branch+%3Cb%3E",
        browser.token()
    );
    // As a browser sends it that is told to send no referrer.
    let answered = browser.post("answer", &form).with("Origin", "null").ask();
    assert_eq!(answered.field("location"), Some("./inbox?outcome=denied"));
    let [reply] = <[Reply; 1]>::try_from(stage.desk.replies()).unwrap();
    assert_eq!(reply.said, Said::Deny(Some("Use a branch <b>".to_owned())));
    let shown = browser.get("inbox?outcome=denied").ask().body;
    assert!(shown.contains("Denied"), "{shown}");
}

#[test]
fn a_permission_for_good_shows_first_what_it_writes() {
    let stage = Stage::new();
    let browser = stage.open();
    for (id, say, extent) in [
        ("abcde", "session", Extent::Session),
        ("fghij", "always", Extent::Always),
    ] {
        stage.desk.ask(question(id));
        let plan = browser.get(&format!("allow?id={id}")).ask();
        assert_eq!(plan.status, 200);
        for part in [
            "bowline.local.toml",
            "line 3",
            "- allow = []",
            "+ allow = [&quot;terraform &lt;b&gt;apply&quot;]",
            "value=\"always\"",
        ] {
            assert!(plan.body.contains(part), "{part}: {}", plan.body);
        }
        let waiting = stage.desk.list().len();
        assert_eq!(waiting, 1, "a look answers nothing");
        let form = format!("token={}&id={id}&say={say}", browser.token());
        let answered = browser.post("answer", &form).ask();
        let location = answered.field("location").unwrap().to_owned();
        assert!(location.starts_with("./inbox?outcome=allowed-"), "{say}");
        let last = stage.desk.replies().pop().unwrap();
        assert_eq!(last.said, Said::Allow(extent));
        let told = browser.get(location.trim_start_matches("./")).ask().body;
        assert!(told.contains("the guard says nothing"), "{told}");
    }
    for id in ["abcde", "", "%00", "a"] {
        let gone = browser.get(&format!("allow?id={id}")).ask();
        assert_eq!(gone.status, 404, "{id}");
    }
}

/// Records a call that a rule stopped.
fn stop(store: &SqliteStore, call: &str, command: &str, rule: Option<&str>) {
    let mut record = Record::new(call, Utc::now(), "claude-code", "PreToolUse", "s1");
    record.decided.project = Some("/home/ada/shop".to_owned());
    record.decided.tool = Some("Bash".to_owned());
    record.decided.tool_use_id = Some(call.to_owned());
    record.decided.decision = bowline::hooks::Decision::Deny;
    record.decided.rule = rule.map(ToOwned::to_owned);
    let mut start = TraceStart::new(CallKey::Id(call.to_owned()), "Bash");
    start.input = Some(json!({"command": command}));
    record.changes = vec![Change::TraceStarted(start)];
    store.submit(record, Box::new(|_| {}));
    store.flush().unwrap();
}

#[test]
fn a_false_alarm_leads_to_what_lets_it_pass() {
    let stage = Stage::new();
    for (call, command, rule) in [
        ("guarded", "terraform apply", Some("infrastructure.apply")),
        ("own", "make", Some("no-make")),
        ("unseen", "make \u{202e}x", Some("no-make")),
        ("passes", "ls", Some("infrastructure.apply")),
        (
            "hidden",
            "X=[REDACTED:token] ls",
            Some("infrastructure.apply"),
        ),
    ] {
        stop(&stage.store, call, command, rule);
    }
    let browser = stage.open();
    let token = browser.token_in("false-alarm?id=own");
    let own_call = browser.get("call?id=own").ask().body;
    assert!(
        own_call.contains("./false-alarm?id=own&amp;event=own"),
        "{own_call}"
    );
    for (call, shown, hidden) in [
        (
            "guarded",
            &[
                "line 3",
                "+ allow = [&quot;terraform &lt;b&gt;apply&quot;]",
                "Allow for good",
                "&quot;verdict&quot;:&quot;allow&quot;",
            ][..],
            "[[rule]]",
        ),
        (
            "own",
            &[
                "/home/ada/shop/bowline.toml",
                "line 7",
                "id = &quot;no-&lt;b&gt;make&quot;",
                "bowline check",
                "bowline test PreToolUse --dir /home/ada/shop",
            ],
            "Allow for good",
        ),
        ("unseen", &["characters that nobody sees"], "U+202E&gt;}"),
        (
            "passes",
            &["lets this call pass now", "bowline rules test"],
            "Allow for good",
        ),
        (
            "hidden",
            &[
                "not kept word for word",
                "bowline allow infrastructure.apply",
            ],
            "bowline test PreToolUse",
        ),
    ] {
        let place = format!("false-alarm?id={call}&event={call}");
        let unmarked = browser.get(&place).ask().body;
        assert!(unmarked.contains("This was a false alarm"), "{unmarked}");
        assert!(
            !unmarked.contains("Let it pass"),
            "nothing is judged yet: {unmarked}"
        );
        let form =
            format!("token={token}&project=/home/ada/shop&event={call}&call={call}&rule=r&mark=");
        let marked = browser.post("mark", &format!("{form}false-alarm")).ask();
        assert_eq!(
            marked.field("location"),
            Some(format!("./{place}").as_str())
        );
        let body = browser.get(&place).ask().body;
        for part in shown {
            assert!(body.contains(part), "{call}: {part}\n{body}");
        }
        assert!(!body.contains(hidden), "{call}: {hidden}\n{body}");
        let unmarked = browser.post("mark", &format!("{form}none")).ask();
        let back = format!("./guards?rule=r#stopped-{call}");
        assert_eq!(unmarked.field("location"), Some(back.as_str()));
        assert!(!browser.get(&place).ask().body.contains("Let it pass"));
    }
    let allow = |call: &str| {
        browser
            .post(
                "false-alarm",
                &format!("token={token}&id={call}&event={call}"),
            )
            .ask()
    };
    let allowed = allow("guarded");
    assert_eq!(
        allowed.field("location"),
        Some("./false-alarm?id=guarded&event=guarded&done=allowed")
    );
    assert!(
        browser
            .get("false-alarm?id=guarded&event=guarded&done=allowed")
            .ask()
            .body
            .contains("Written")
    );
    let own = allow("own");
    assert_eq!(own.status, 409);
    assert!(own.body.contains("a hook"), "{}", own.body);
    let hidden = allow("hidden");
    assert_eq!(hidden.status, 409, "{hidden:?}");
    assert_eq!(allow("nobody").status, 404);
    let without = browser.post("false-alarm", "id=guarded&event=guarded");
    refused(&without.ask(), 403);
    for place in [
        "false-alarm",
        "false-alarm?id=x",
        "false-alarm?id=own&event=x",
    ] {
        assert_eq!(browser.get(place).ask().status, 404, "{place}");
    }
}

/// The fields of the form that leads to this address, as a browser sends them.
fn form_to(body: &str, address: &str) -> String {
    let from = body.split(&format!("action=\"{address}\"")).nth(1).unwrap();
    let form = from.split("</form>").next().unwrap();
    let mut sent = form_urlencoded::Serializer::new(String::new());
    for field in form.split("name=\"").skip(1) {
        let (name, rest) = field.split_once('"').unwrap();
        let value = rest
            .split("value=\"")
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap();
        // So a parser of HTML reads it.
        let value = value.replace('\0', "\u{fffd}").replace('\r', "\n");
        sent.append_pair(name, &value);
    }
    sent.finish()
}

#[test]
fn a_call_whose_name_a_browser_would_change_is_marked_as_well() {
    let stage = Stage::new();
    let call = "odd\0\r\u{202e}call";
    stop(
        &stage.store,
        call,
        "terraform apply",
        Some("infra\r\u{202e}x"),
    );
    let browser = stage.open();
    let mut address = form_urlencoded::Serializer::new("false-alarm?".to_owned());
    let address = address.append_pair("id", call).finish();
    let body = browser.get(&address).ask().body;
    let marked = browser.post("mark", &form_to(&body, "./mark")).ask();
    assert_eq!(marked.status, 303, "{marked:?}");
    let next = marked.field("location").unwrap();
    let body = browser.get(next.trim_start_matches("./")).ask().body;
    assert!(body.contains("Let it pass from now on"), "{body}");
    let allowed = browser
        .post("false-alarm", &form_to(&body, "./false-alarm"))
        .ask();
    assert_eq!(allowed.status, 303, "{allowed:?}");
}

#[test]
fn a_permission_that_cannot_be_kept_is_told_in_words() {
    let stage = Stage::new();
    stage.desk.ask(question("abcde"));
    let browser = stage.open();
    let token = browser.token();
    for (refusal, words) in [
        (Unanswerable::Secret, "the call holds a secret"),
        (
            Unanswerable::Locked("ask <ada>".to_owned()),
            "on this machine: ask &lt;ada&gt;",
        ),
        (
            Unanswerable::NotKept("the disk is full".to_owned()),
            "the disk is full",
        ),
    ] {
        *stage.desk.locked.lock().unwrap() = Some(refusal);
        let plan = browser.get("allow?id=abcde").ask();
        assert!(plan.body.contains(words), "{}", plan.body);
        assert!(!plan.body.contains("value=\"always\""), "{}", plan.body);
        for say in ["session", "always"] {
            let form = format!("token={token}&id=abcde&say={say}");
            let answered = browser.post("answer", &form).ask();
            assert_eq!(answered.status, 409, "{say}");
            assert!(answered.body.contains(words), "{}", answered.body);
            assert!(answered.body.contains("still waits"));
        }
    }
    assert!(stage.desk.replies().is_empty());
    let form = format!("token={token}&id=abcde&say=once");
    assert_eq!(browser.post("answer", &form).ask().status, 303);
}

#[test]
fn requests_are_bounded() {
    let stage = Stage::new();
    let browser = stage.open();
    let long = "x".repeat(9_000);
    let head = browser.get("").with("X-Long", &long).ask();
    assert_eq!(head.status, 431, "{head:?}");
    let address = browser.get(&format!("?q={long}")).ask();
    assert!(matches!(address.status, 414 | 431), "{address:?}");
    let fields = (0..100).fold(browser.get(""), |asking, n| {
        asking.with(&format!("X-{n}"), "1")
    });
    assert_eq!(fields.ask().status, 431);
    let form = format!("token={}&message={}", "0".repeat(64), "x".repeat(200_000));
    assert_eq!(browser.post("answer", &form).ask().status, 413);
    let endless = browser
        .post("answer", "")
        .with("Content-Length", "99999999999");
    assert_eq!(endless.ask().status, 413);
    for nonsense in [
        "\r\n\r\n",
        "GET\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let answered = send(browser.port, nonsense.as_bytes());
        assert!(matches!(answered.status, 0 | 400 | 505), "{answered:?}");
    }
    assert_eq!(browser.get("").ask().status, 200);
}

#[test]
fn many_connections_are_turned_away_and_slow_ones_delay_nobody() {
    let stage = Stage::new();
    let browser = stage.open();
    let asking = browser.get("").with("Connection", "close").bytes();
    let (half, rest) = asking.split_at(asking.len() / 2);
    // Slow ones that never finish.
    let mut slow: Vec<_> = (0..20).map(|_| connect(browser.port)).collect();
    for stream in &mut slow {
        stream.write_all(half).unwrap();
    }
    assert_eq!(browser.get("").ask().status, 200);
    let more: Vec<_> = (0..100).map(|_| connect(browser.port)).collect();
    let mut turned_away = 0;
    for mut stream in more.into_iter().rev().take(50) {
        let mut text = String::new();
        // Those that were admitted say nothing.
        stream
            .set_read_timeout(Some(Duration::from_secs(5)))
            .unwrap();
        let _ = stream.read_to_string(&mut text);
        turned_away += usize::from(text.starts_with("HTTP/1.1 503"));
    }
    assert!(turned_away > 30, "{turned_away} of 50 were turned away");
    // The slow ones still get their answer.
    for stream in &mut slow {
        stream.write_all(rest).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    }
    until("there is room again", || {
        browser.get("").ask().status == 200
    });
}

#[test]
fn the_stream_tells_of_questions_and_there_are_not_too_many() {
    let stage = Stage::new();
    let browser = stage.open();
    let follow = || {
        let mut stream = connect(browser.port);
        stream.write_all(&browser.get("stream").bytes()).unwrap();
        BufReader::new(stream)
    };
    let mut stream = follow();
    let mut next = || {
        let mut line = String::new();
        while !line.starts_with("data:") {
            line.clear();
            assert!(stream.read_line(&mut line).unwrap() > 0, "it ended");
        }
        line
    };
    assert!(next().contains("\"waiting\":0"));
    stage.desk.ask(question("abcde"));
    let told = next();
    assert!(
        told.contains("[\"inbox\"]") && told.contains("\"waiting\":1"),
        "{told}"
    );
    assert!(!told.contains("terraform"), "{told}");
    let by = bowline_builtins::inbox::Person {
        name: "ada".to_owned(),
        place: "elsewhere".to_owned(),
    };
    let said = Said::Deny(None);
    stage.desk.answer("abcde", Reply { said, by }).unwrap();
    assert!(next().contains("\"waiting\":0"));

    let followers: Vec<_> = (0..20)
        .map(|_| {
            let mut stream = follow();
            let mut status = String::new();
            stream.read_line(&mut status).unwrap();
            (status, stream)
        })
        .collect();
    let followed = followers
        .iter()
        .filter(|(status, _)| status.contains(" 200 "))
        .count();
    assert_eq!(followed, 15, "sixteen in all");
}

#[test]
fn the_next_daemon_serves_the_same_page() {
    let stage = Stage::new();
    let browser = stage.open();
    stage.page.close();
    until("it is closed", || {
        std::net::TcpStream::connect(("127.0.0.1", browser.port)).is_err()
    });
    let next = Stage::page(&stage.store, &stage.desk, &stage.folder);
    next.resume();
    assert_eq!(browser.get("inbox").ask().status, 200);
    // Forms of the open page still count, and so do those of a browser that comes later.
    let later = Browser::follow(&next.open().unwrap());
    assert_eq!(later.home, browser.home);
    for (id, browser) in [("abcde", &browser), ("fghij", &later)] {
        stage.desk.ask(question(id));
        let token = browser.token();
        let form = format!("token={token}&id={id}&say=once");
        assert_eq!(browser.post("answer", &form).ask().status, 303);
        let kept = std::fs::read_to_string(stage.folder.path().join("daemon.page")).unwrap();
        let cookie = browser.cookie.split('=').nth(1).unwrap();
        assert!(!kept.contains(cookie) && !kept.contains(&token));
    }
    next.close();
    // Where nobody had opened one, there is none.
    let other = Stage::new();
    other.page.resume();
    assert!(!other.page.is_wanted());
}

#[test]
fn a_page_whose_port_is_taken_is_opened_anew() {
    let stage = Stage::new();
    let browser = stage.open();
    stage.page.close();
    let mut taken = None;
    until("the port is free", || {
        taken = std::net::TcpListener::bind(("127.0.0.1", browser.port)).ok();
        taken.is_some()
    });
    let next = Stage::page(&stage.store, &stage.desk, &stage.folder);
    next.resume();
    assert!(!next.is_wanted());
    let anew = Browser::follow(&next.open().unwrap());
    assert_ne!(anew.port, browser.port);
    assert_eq!(anew.get("").ask().status, 200);
    refused(&anew.get("").with("Cookie", &browser.cookie).ask(), 403);
    next.close();
}
