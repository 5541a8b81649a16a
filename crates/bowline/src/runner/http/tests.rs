use std::collections::BTreeMap;

use super::*;
use crate::test_server::{Reply, Server, closed_port};

const PATIENCE: Duration = Duration::from_secs(20);

fn to(url: impl Into<String>) -> HttpAction {
    HttpAction {
        url: url.into(),
        ..HttpAction::default()
    }
}

fn with_headers<const N: usize>(url: String, headers: [(&str, &str); N]) -> HttpAction {
    HttpAction {
        headers: BTreeMap::from(headers.map(|(name, value)| (name.to_owned(), value.to_owned()))),
        allowed_env_vars: vec!["TOKEN".to_owned(), "UNSET".to_owned()],
        ..to(url)
    }
}

fn variable(name: &str) -> Option<String> {
    match name {
        "TOKEN" => Some("s3cr3t-token".to_owned()),
        "OTHER" => Some("not for headers".to_owned()),
        _ => None,
    }
}

async fn post(action: &HttpAction) -> Result<HttpReply, HttpError> {
    run(action, b"{}", &variable, &HttpPolicy::default(), PATIENCE).await
}

#[tokio::test]
async fn the_event_is_posted_as_it_is() {
    let server = Server::start([Reply::new(200, r#"{"decision":"block"}"#)]).await;
    let body = "{\"session_id\":\"ä\"}".as_bytes();
    let action = to(server.url("/hook?x=1"));
    let reply = run(&action, body, &variable, &HttpPolicy::default(), PATIENCE).await;

    assert_eq!(
        reply,
        Ok(HttpReply {
            status: 200,
            body: r#"{"decision":"block"}"#.to_owned(),
            completeness: Completeness::Whole,
        })
    );
    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].line(), "POST /hook?x=1");
    assert_eq!(requests[0].body, body);
    assert_eq!(requests[0].header("content-type"), ["application/json"]);
}

#[tokio::test]
async fn localhost_is_this_machine() {
    let server = Server::start([Reply::new(204, "")]).await;
    let reply = post(&to(format!("http://localhost:{}/", server.port)))
        .await
        .unwrap();
    assert_eq!((reply.status, reply.body.as_str()), (204, ""));
    assert_eq!(server.requests()[0].json(), serde_json::json!({}));
}

#[tokio::test]
async fn headers_hold_allowed_variables_only_and_override_ours() {
    let server = Server::start([Reply::new(200, "")]).await;
    let action = with_headers(
        server.url("/"),
        [
            ("Authorization", "Bearer ${TOKEN}"),
            ("X-Other", "[$OTHER][$UNSET][$TOKENS]"),
            ("X-Lower", "$token ${token} $5"),
            ("Content-Type", "application/cloudevents+json"),
        ],
    );
    post(&action).await.unwrap();
    let request = &server.requests()[0];
    assert_eq!(request.header("authorization"), ["Bearer s3cr3t-token"]);
    assert_eq!(request.header("x-other"), ["[][][]"]);
    assert_eq!(request.header("x-lower"), ["$token ${token} $5"]);
    assert_eq!(
        request.header("content-type"),
        ["application/cloudevents+json"]
    );
}

#[test]
fn no_value_can_start_a_new_header() {
    let hostile = |_: &str| Some("a\r\nX-Evil: 1\0".to_owned());
    let value = header_value("$TOKEN\r\n!", &["TOKEN".to_owned()], &hostile);
    assert_eq!(value, "aX-Evil: 1!");
}

#[tokio::test]
async fn headers_that_cannot_be_sent_are_named() {
    for (name, value) in [
        ("Not A Name", "x"),
        ("", "x"),
        ("Content-Length", "5"),
        ("transfer-encoding", "chunked"),
        ("X-Bell", "\u{7}"),
    ] {
        let action = with_headers("http://127.0.0.1:1/".to_owned(), [(name, value)]);
        let error = post(&action).await.unwrap_err();
        assert!(
            matches!(&error, HttpError::InvalidHeader { name: found, .. } if found == name),
            "{name}: {error}"
        );
    }
}

#[tokio::test]
async fn only_2xx_is_an_answer_and_redirects_are_not_followed() {
    let elsewhere = Server::start([Reply::new(200, "{}")]).await;
    let location = format!("Location: {}\r\n", elsewhere.url("/"));
    for (code, headers, body, first_line) in [
        (302, location.as_str(), "", ""),
        (307, "", "moved", "moved"),
        (404, "", "\nno such hook\nmore", "no such hook"),
        (500, "", "s3cr3t-token is no good", "*** is no good"),
    ] {
        let server = Server::start([Reply::with_headers(code, headers, body)]).await;
        let action = with_headers(server.url("/"), [("Authorization", "Bearer $TOKEN")]);
        let expected = HttpError::Status {
            host: "127.0.0.1".to_owned(),
            code,
            first_line: first_line.to_owned(),
        };
        assert_eq!(post(&action).await, Err(expected));
        assert_eq!(server.requests().len(), 1, "{code}");
    }
    assert!(elsewhere.requests().is_empty());
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_without_credentials() {
    let url = format!(
        "http://user:hunter2@127.0.0.1:{}/?key=abc",
        closed_port().await
    );
    let error = post(&to(url)).await.unwrap_err();
    assert!(matches!(error, HttpError::Connect { .. }), "{error}");
    let told = format!("{error} {error:?}");
    assert!(told.contains("refused"), "{told}");
    for secret in ["user", "hunter2", "abc"] {
        assert!(!told.contains(secret), "{told}");
    }
}

#[tokio::test]
async fn plain_text_stays_on_this_machine() {
    for (url, host) in [
        ("http://example.com/x", "example.com"),
        ("http://user:hunter2@10.0.0.1:8080/", "10.0.0.1"),
        ("http://[2001:db8::1]/", "2001:db8::1"),
        ("HTTP://localhost.example.com/", "localhost.example.com"),
    ] {
        let error = post(&to(url)).await.unwrap_err();
        let expected = HttpError::InsecureUrl {
            host: host.to_owned(),
        };
        assert_eq!(error, expected, "{url}");
        assert!(!error.to_string().contains("hunter2"));
    }
}

#[test]
fn what_may_be_sent_where() {
    let policy = HttpPolicy {
        allow_insecure_hosts: vec!["Hooks.Lan".to_owned(), "[2001:db8::1]".to_owned()],
    };
    for (url, permitted) in [
        ("https://example.com/", true),
        ("http://hooks.lan:8080/", true),
        ("http://HOOKS.LAN/", true),
        ("http://[2001:db8::1]/", true),
        ("http://127.0.0.1/", true),
        ("http://evil.hooks.lan/", false),
        ("http://example.com/", false),
    ] {
        assert_eq!(checked_url(url, &policy).is_ok(), permitted, "{url}");
    }
}

#[tokio::test]
async fn what_is_no_url_is_refused() {
    for url in [
        "",
        "hooks",
        "/path",
        "http://",
        "file:///etc/passwd",
        "ftp://user:hunter2@localhost/",
        "https://user:hunter2@exa mple.com/",
    ] {
        let error = post(&to(url)).await.unwrap_err();
        assert!(matches!(error, HttpError::InvalidUrl { .. }), "{url}");
        assert!(!error.to_string().contains("hunter2"));
    }
}

#[tokio::test]
async fn an_endless_body_is_cut() {
    let body = vec![b'x'; BODY_LIMIT + 1];
    let whole = vec![b'x'; BODY_LIMIT];
    let server = Server::start([Reply::new(200, body), Reply::new(200, whole)]).await;
    for completeness in [Completeness::Cut, Completeness::Whole] {
        let reply = post(&to(server.url("/"))).await.unwrap();
        assert_eq!(
            (reply.body.len(), reply.completeness),
            (BODY_LIMIT, completeness)
        );
    }
}

#[tokio::test]
async fn a_silent_server_is_given_up() {
    let server = Server::start([Reply::Silence]).await;
    let after = Duration::from_millis(50);
    let action = to(server.url("/"));
    let error = run(&action, b"{}", &variable, &HttpPolicy::default(), after).await;
    let expected = HttpError::Timeout {
        host: "127.0.0.1".to_owned(),
        after,
    };
    assert_eq!(error, Err(expected));
}

/// Answers everything on kept-open connections, and outlives every runtime.
fn keep_alive_server() -> u16 {
    use std::io::{Read, Write};

    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            std::thread::spawn(move || {
                let mut buffer = [0; 4096];
                // Each request is small enough to arrive in one piece.
                while stream.read(&mut buffer).is_ok_and(|read| read > 0) {
                    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
                    stream.write_all(answer).unwrap();
                }
            });
        }
    });
    port
}

#[test]
fn a_client_outlives_the_runtime_that_first_used_it() {
    let action = to(format!("http://127.0.0.1:{}/", keep_alive_server()));
    for _ in 0..3 {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        for _ in 0..2 {
            assert_eq!(runtime.block_on(post(&action)).unwrap().body, "{}");
        }
    }
}
