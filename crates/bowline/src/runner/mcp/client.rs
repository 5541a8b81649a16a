//! The tool is called, and its text read as a program's output.

use std::collections::{BTreeMap, HashMap};

use bowline_net::mcp::{CallError, McpCall, Pipes, Said};
use reqwest::header::{HeaderName, HeaderValue};

use super::McpError;
use crate::dialect::{Exit, RawOutput};
use crate::runner::http::{HttpError, HttpPolicy, checked_url};
use crate::runner::process::Process;

/// A call of a server that has a name.
#[derive(Debug)]
pub(super) struct Named<'a> {
    pub(super) server: &'a str,
    pub(super) call: McpCall,
}

impl Named<'_> {
    /// Calls a program. It ends with the call.
    pub(super) async fn through_pipes(self, mut process: Process) -> Result<RawOutput, McpError> {
        let tool = self.call.tool.clone();
        let result = match process.streams() {
            Ok((stdin, stdout, stderr)) => {
                let pipes = Pipes {
                    stdin,
                    stdout,
                    stderr,
                };
                self.call.through_pipes(pipes).await
            }
            Err(error) => Err(CallError::Connection {
                reason: error.to_string(),
            }),
        };
        drop(process);
        read(result, self.server, tool)
    }

    /// Calls an address.
    pub(super) async fn over_http(
        self,
        url: &str,
        headers: &BTreeMap<String, String>,
        policy: &HttpPolicy,
    ) -> Result<RawOutput, McpError> {
        let address = |source: HttpError| McpError::Address {
            server: self.server.to_owned(),
            source,
        };
        let url = checked_url(url, policy).map_err(address)?;
        let headers = header_map(headers).map_err(address)?;
        let tool = self.call.tool.clone();
        let result = self.call.over_http(&url, headers).await;
        read(result, self.server, tool)
    }
}

/// The result as a program would have printed it.
fn read(
    result: Result<Said, CallError>,
    server: &str,
    tool: String,
) -> Result<RawOutput, McpError> {
    let server = server.to_owned();
    let error = match result {
        Ok(said) => {
            return Ok(RawOutput {
                exit: Exit::Code(0),
                stdout: said.text,
                stdout_cut: said.cut,
                stderr: String::new(),
                stderr_cut: false,
            });
        }
        Err(error) => error,
    };
    Err(match error {
        CallError::Connection { reason } => McpError::Connection { server, reason },
        CallError::UnknownTool { known } => McpError::UnknownTool {
            server,
            tool,
            known,
        },
        CallError::Tool { reason } => McpError::Tool {
            server,
            tool,
            reason,
        },
    })
}

fn header_map(
    headers: &BTreeMap<String, String>,
) -> Result<HashMap<HeaderName, HeaderValue>, HttpError> {
    headers
        .iter()
        .map(|(name, value)| {
            let invalid = |reason| HttpError::InvalidHeader {
                name: name.escape_debug().to_string(),
                reason,
            };
            let key = HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| invalid("is not a valid header name"))?;
            let mut value = HeaderValue::from_str(value)
                .map_err(|_| invalid("has a value with control characters"))?;
            value.set_sensitive(true);
            Ok((key, value))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use bowline_net::mcp::MESSAGE_LIMIT;
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::test_server::{Reply, Server};

    fn json_reply(id: u64, result: Value) -> Reply {
        let body = json!({ "jsonrpc": "2.0", "id": id, "result": result });
        Reply::with_headers(200, "Content-Type: application/json\r\n", body.to_string())
    }

    fn call() -> Named<'static> {
        Named {
            server: "remote",
            call: McpCall {
                tool: "judge".to_owned(),
                arguments: Map::new(),
            },
        }
    }

    #[tokio::test]
    async fn a_server_is_called_over_http() {
        let server = Server::start([
            json_reply(0, json!({ "protocolVersion": "2025-06-18", "capabilities": { "tools": {} }, "serverInfo": { "name": "s", "version": "1" } })),
            Reply::new(202, ""),
            json_reply(1, json!({ "content": [{ "type": "text", "text": "from afar" }] })),
        ])
        .await;
        let headers = [("X-Key".to_owned(), "k".to_owned())].into();
        let output = call()
            .over_http(&server.url("/mcp"), &headers, &HttpPolicy::default())
            .await
            .unwrap();
        assert_eq!(output.stdout, "from afar");
        let requests = server.requests();
        let methods: Vec<Value> = requests
            .iter()
            .map(|request| request.json()["method"].clone())
            .collect();
        assert_eq!(
            methods,
            ["initialize", "notifications/initialized", "tools/call"]
        );
        assert!(requests.iter().all(|it| it.header("x-key") == ["k"]));
    }

    const HELLO: &str = r#"{ "protocolVersion": "2025-06-18", "capabilities": { "tools": {} }, "serverInfo": { "name": "s", "version": "1" } }"#;

    fn hello() -> [Reply; 2] {
        let hello = serde_json::from_str(HELLO).unwrap();
        [json_reply(0, hello), Reply::new(202, "")]
    }

    async fn called(replies: impl IntoIterator<Item = Reply>) -> Result<String, String> {
        let server = Server::start(replies).await;
        let output = call()
            .over_http(
                &server.url("/mcp"),
                &BTreeMap::new(),
                &HttpPolicy::default(),
            )
            .await;
        output
            .map(|it| it.stdout)
            .map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn an_answer_may_be_a_stream_of_events() {
        let note = json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": { "progressToken": 1, "progress": 1 } });
        let result = json!({ "jsonrpc": "2.0", "id": 1, "result": { "content": [{ "type": "text", "text": "at last" }] } });
        let body = format!("event: message\ndata: {note}\n\ndata: {result}\n\n");
        let kind = "Content-Type: text/event-stream\r\n";
        let [first, second] = hello();
        let said = called([first, second, Reply::with_headers(200, kind, body)]).await;
        assert_eq!(said.as_deref(), Ok("at last"));
    }

    #[tokio::test]
    async fn no_answer_is_read_without_a_limit() {
        for (kind, before, after) in [
            (
                "application/json",
                "{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": \"",
                "\"}",
            ),
            ("text/event-stream", "data: ", "\n\n"),
        ] {
            let body = format!("{before}{}{after}", "x".repeat(MESSAGE_LIMIT + 1));
            let kind = format!("Content-Type: {kind}\r\n");
            let [first, second] = hello();
            let said = called([first, second, Reply::with_headers(200, kind, body)]).await;
            let error = said.unwrap_err();
            assert!(error.contains("longer than"), "{error}");
        }
    }

    #[tokio::test]
    async fn a_server_that_wants_a_login_is_told() {
        for headers in ["", "WWW-Authenticate: Bearer\r\n"] {
            let error = called([Reply::with_headers(401, headers, "no")])
                .await
                .unwrap_err();
            assert!(error.contains("OAuth"), "{error}");
        }
    }

    #[tokio::test]
    async fn an_address_in_plain_text_elsewhere_is_refused() {
        let error = call()
            .over_http(
                "http://example.com/mcp",
                &BTreeMap::new(),
                &HttpPolicy::default(),
            )
            .await
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("`remote`") && error.contains("plain text"),
            "{error}"
        );
    }
}
