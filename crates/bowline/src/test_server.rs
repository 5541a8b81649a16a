//! A server on this machine for tests: it keeps what it was asked and answers from a list.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// One request, as it came in.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// The first line, without the version.
    pub(crate) fn line(&self) -> &str {
        self.head
            .lines()
            .next()
            .unwrap()
            .trim_end_matches(" HTTP/1.1")
    }

    /// Every value of a header.
    pub(crate) fn header(&self, name: &str) -> Vec<&str> {
        self.head
            .lines()
            .filter_map(|line| line.split_once(": "))
            .filter(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
            .collect()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// What the server does with one connection.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// It answers.
    Answer {
        status: u16,
        headers: String,
        body: Vec<u8>,
    },
    /// It reads the request and never answers.
    Silence,
}

impl Reply {
    pub(crate) fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::with_headers(status, "", body)
    }

    /// `headers` are whole lines, each ended by CR and LF.
    pub(crate) fn with_headers(
        status: u16,
        headers: impl Into<String>,
        body: impl Into<Vec<u8>>,
    ) -> Self {
        Self::Answer {
            status,
            headers: headers.into(),
            body: body.into(),
        }
    }
}

/// A running server. It answers one request per connection, and after the last reply none at all.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) port: u16,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    pub(crate) async fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let replies: Vec<Reply> = replies.into_iter().collect();
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        tokio::spawn(async move {
            let mut replies = replies.into_iter();
            let mut kept_open = Vec::new();
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = read_request(&mut stream).await;
                seen.lock().unwrap().push(request);
                match replies.next() {
                    Some(Reply::Answer {
                        status,
                        headers,
                        body,
                    }) => answer(&mut stream, status, &headers, &body).await,
                    Some(Reply::Silence) => kept_open.push(stream),
                    None => {}
                }
            }
        });
        Self { port, requests }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

/// A port on which nobody listens.
pub(crate) async fn closed_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    listener.local_addr().unwrap().port()
}

async fn read_request(stream: &mut TcpStream) -> Request {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at;
        }
        assert_ne!(stream.read_buf(&mut bytes).await.unwrap(), 0, "no request");
    };
    let body = bytes.split_off(head_end + 4);
    let mut request = Request {
        head: String::from_utf8(bytes).unwrap(),
        body,
    };
    let length: usize = request.header("content-length")[0].parse().unwrap();
    while request.body.len() < length {
        stream.read_buf(&mut request.body).await.unwrap();
    }
    request
}

async fn answer(stream: &mut TcpStream, status: u16, headers: &str, body: &[u8]) {
    let head = format!(
        "HTTP/1.1 {status} Status\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n",
        body.len()
    );
    // A client that has read enough may hang up before everything is written.
    let _ = stream.write_all(head.as_bytes()).await;
    let _ = stream.write_all(body).await;
}
