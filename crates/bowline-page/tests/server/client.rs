//! A small HTTP client, so that a test can say everything that a browser would not.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

/// What came back.
#[derive(Debug, Clone)]
pub(crate) struct Answered {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answered {
    /// The value of a field of the head.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (given, value) = line.split_once(':')?;
            given.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|it| it.parse().ok());
        Self {
            status: status.unwrap_or(0),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }
}

/// Connects to a server on this machine.
pub(crate) fn connect(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    stream
}

/// Sends these bytes, and reads until the server closes the connection.
pub(crate) fn send(port: u16, request: &[u8]) -> Answered {
    let mut stream = connect(port);
    // The server may refuse before it has read everything.
    let _ = stream.write_all(request);
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    Answered::read(&bytes)
}

/// A request, as a browser makes it.
#[derive(Debug, Clone)]
pub(crate) struct Asking {
    pub(crate) port: u16,
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Asking {
    pub(crate) fn get(port: u16, path: &str) -> Self {
        Self {
            port,
            method: "GET",
            path: path.to_owned(),
            fields: vec![("Host".to_owned(), format!("127.0.0.1:{port}"))],
            body: String::new(),
        }
    }

    pub(crate) fn post(port: u16, path: &str, body: &str) -> Self {
        Self {
            method: "POST",
            body: body.to_owned(),
            ..Self::get(port, path)
        }
        .with("Content-Type", "application/x-www-form-urlencoded")
        .with("Content-Length", &body.len().to_string())
        .with("Origin", &format!("http://127.0.0.1:{port}"))
        .with("Sec-Fetch-Site", "same-origin")
    }

    /// Sets a field of the head.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self = self.without(name);
        self.fields.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.fields.retain(|(given, _)| given != name);
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut text = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        for (name, value) in &self.fields {
            text.extend([name.as_str(), ": ", value.as_str(), "\r\n"]);
        }
        text.push_str("\r\n");
        text.push_str(&self.body);
        text.into_bytes()
    }

    pub(crate) fn ask(&self) -> Answered {
        send(self.port, &self.clone().with("Connection", "close").bytes())
    }
}
