//! Requests to a server over HTTP, no answer of which is read without a limit.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::common::client_side_sse::BoxedSseResponse;
use rmcp::transport::common::http_header::{
    EVENT_STREAM_MIME_TYPE, HEADER_SESSION_ID, JSON_MIME_TYPE,
};
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};

use crate::http::{Body, excerpt, read_body};

type Failure = StreamableHttpError<reqwest::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;

/// A client for one conversation. What a server sends of its own accord is not waited for: one call needs none of it.
#[derive(Debug, Clone)]
pub(super) struct Bounded {
    pub(super) client: Client,
    /// The longest answer.
    pub(super) limit: usize,
}

impl StreamableHttpClient for Bounded {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        _auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let headers = headers(custom_headers, session_id.as_deref());
        let request = self.client.post(&*uri).headers(headers);
        let response = request
            .json(&message)
            .send()
            .await
            .map_err(Failure::Client)?;
        let status = response.status();
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let session = header(&response, HEADER_SESSION_ID);
        let kind = header(&response, CONTENT_TYPE.as_str()).unwrap_or_default();
        let asked = match &message {
            JsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        };
        let answer = if status.is_success() && kind.starts_with(EVENT_STREAM_MIME_TYPE) {
            self.first_answer(response, asked.as_ref()).await?
        } else {
            let body = self.whole(response).await?;
            let answer = serde_json::from_str(&body).ok();
            // Some servers say in JSON what was wrong with a request, and some answer what needs no answer.
            match answer {
                Some(answer) if status.is_success() || is_error(&answer) => Some(answer),
                _ if status.is_success() && asked.is_none() => None,
                _ => return Err(refused(status, &body)),
            }
        };
        match (answer, asked) {
            (Some(answer), _) => Ok(StreamableHttpPostResponse::Json(answer, session)),
            (None, None) => Ok(StreamableHttpPostResponse::Accepted),
            (None, Some(_)) => Err(Failure::UnexpectedEndOfStream),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        _auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<(), Failure> {
        let headers = headers(custom_headers, Some(&session_id));
        self.client
            .delete(&*uri)
            .headers(headers)
            .send()
            .await
            .map_err(Failure::Client)?;
        Ok(())
    }

    async fn get_stream(
        &self,
        _uri: Arc<str>,
        _session_id: Option<Arc<str>>,
        _last_event_id: Option<String>,
        _auth_header: Option<String>,
        _custom_headers: Headers,
    ) -> Result<BoxedSseResponse, Failure> {
        Err(Failure::ServerDoesNotSupportSse)
    }
}

impl Bounded {
    async fn whole(&self, response: Response) -> Result<String, Failure> {
        match read_body(response, self.limit)
            .await
            .map_err(Failure::Client)?
        {
            Body { cut: true, .. } => Err(self.too_long()),
            Body { text, .. } => Ok(text),
        }
    }

    /// The answer in a stream of events, among which there may be notes on how far the work is.
    async fn first_answer(
        &self,
        mut response: Response,
        asked: Option<&RequestId>,
    ) -> Result<Option<ServerJsonRpcMessage>, Failure> {
        let mut events = Events::default();
        while let Some(chunk) = response.chunk().await.map_err(Failure::Client)? {
            for data in events.add(&chunk) {
                if data.len() > self.limit {
                    return Err(self.too_long());
                }
                let message = serde_json::from_str(&data).ok();
                if let Some(message) = message.filter(|it| answers(it, asked)) {
                    return Ok(Some(message));
                }
            }
            if events.pending() > self.limit {
                return Err(self.too_long());
            }
        }
        Ok(None)
    }

    fn too_long(&self) -> Failure {
        let limit = self.limit;
        unexpected(format!("the answer is longer than {limit} bytes"))
    }
}

fn answers(message: &ServerJsonRpcMessage, asked: Option<&RequestId>) -> bool {
    match message {
        JsonRpcMessage::Response(response) => Some(&response.id) == asked,
        JsonRpcMessage::Error(error) => error.id.is_none() || error.id.as_ref() == asked,
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => false,
    }
}

fn is_error(message: &ServerJsonRpcMessage) -> bool {
    matches!(message, JsonRpcMessage::Error(_))
}

/// A server's refusal, in words for the person who wrote its address down.
fn refused(status: StatusCode, body: &str) -> Failure {
    unexpected(match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => format!(
            "it wants a login (HTTP {status}). Bowline does not log in to MCP servers by OAuth; give a token in the server's `headers`"
        ),
        _ => format!("HTTP {status}: {}", excerpt(body, &[])),
    })
}

fn unexpected(text: String) -> Failure {
    Failure::UnexpectedServerResponse(Cow::Owned(text))
}

/// Ours count more than those of the settings.
fn headers(custom: Headers, session: Option<&str>) -> HeaderMap {
    let mut headers: HeaderMap = custom.into_iter().collect();
    let accepted = HeaderValue::from_static("application/json, text/event-stream");
    headers.insert(ACCEPT, accepted);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(JSON_MIME_TYPE));
    if let Some(Ok(session)) = session.map(HeaderValue::from_str) {
        headers.insert(HEADER_SESSION_ID, session);
    }
    headers
}

fn header(response: &Response, name: &str) -> Option<String> {
    let value = response.headers().get(name)?;
    value.to_str().ok().map(ToOwned::to_owned)
}

/// Server-sent events: the data of each, once it is whole.
#[derive(Debug, Default)]
struct Events {
    line: Vec<u8>,
    data: String,
}

impl Events {
    fn add(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut whole = Vec::new();
        for byte in bytes {
            match byte {
                b'\n' => whole.extend(self.end_line()),
                byte => self.line.push(*byte),
            }
        }
        whole
    }

    /// How much waits for its end.
    fn pending(&self) -> usize {
        self.line.len() + self.data.len()
    }

    /// A blank line ends an event; of the others only data counts.
    fn end_line(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches('\r');
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            return Some(data).filter(|data| !data.is_empty());
        }
        if let Some(data) = line.strip_prefix("data:") {
            if !self.data.is_empty() {
                self.data.push('\n');
            }
            self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_whole_however_they_arrive() {
        let text = "event: message\r\ndata: {\r\ndata:}\r\n\r\n: note\n\ndata: two\n\ndata: thr";
        for size in [1, 2, 7, text.len()] {
            let mut events = Events::default();
            let chunks = text.as_bytes().chunks(size);
            let whole: Vec<String> = chunks.flat_map(|chunk| events.add(chunk)).collect();
            assert_eq!(whole, ["{\n}", "two"], "{size}");
            assert_eq!(events.pending(), "data: thr".len());
        }
    }
}
