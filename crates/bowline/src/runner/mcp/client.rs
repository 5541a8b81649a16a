//! The conversation with a server: hello, one call, and nothing more.

use std::collections::{BTreeMap, HashMap};

use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ContentBlock,
    Implementation,
};
use rmcp::service::RunningService;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{RoleClient, ServiceExt};
use serde_json::{Map, Value};
use tokio::io::{AsyncRead, AsyncReadExt};

use super::McpError;
use super::http::Bounded;
use crate::dialect::{Exit, RawOutput};
use crate::http_client::{cause, client_for};
use crate::runner::http::{HttpError, HttpPolicy, checked_url};
use crate::runner::process::Process;

/// The longest message of a server, and the most that is kept of a tool's text.
const MESSAGE_LIMIT: usize = 8 * 1024 * 1024;
/// How much of a server's stderr an error repeats.
const STDERR_LIMIT: usize = 2 * 1024;
/// How many of a server's tools an error names.
const NAMED_TOOLS: usize = 20;

/// One call of a tool.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) server: &'a str,
    pub(super) tool: &'a str,
    pub(super) arguments: Map<String, Value>,
}

type Client = RunningService<RoleClient, ClientConfig>;

impl Call<'_> {
    /// Calls a program. It ends with the call.
    pub(super) async fn through_pipes(self, mut process: Process) -> Result<RawOutput, McpError> {
        let (stdin, stdout, stderr) = process
            .streams()
            .map_err(|error| self.broken(error.to_string()))?;
        let transport =
            AsyncRwTransport::new_client(stdout, stdin).with_max_line_length(MESSAGE_LIMIT);
        let mut said = Vec::new();
        let conversation = async {
            let client = ourselves()
                .serve(transport)
                .await
                .map_err(|error| self.broken(error.to_string()))?;
            self.ask(&client).await
        };
        let result = {
            let mut conversation = std::pin::pin!(conversation);
            tokio::select! {
                biased;
                result = &mut conversation => result,
                () = listen(stderr, &mut said) => conversation.await,
            }
        };
        drop(process);
        match result {
            Err(McpError::Connection { server, reason }) if !said.is_empty() => {
                let said = String::from_utf8_lossy(&said);
                Err(McpError::Connection {
                    server,
                    reason: format!("{reason}; its stderr says: {}", said.trim()),
                })
            }
            result => result,
        }
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
        let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
        config.custom_headers = header_map(headers).map_err(address)?;
        let http = client_for(&url).map_err(|error| self.broken(cause(error)))?;
        let bounded = Bounded {
            client: http.clone(),
            limit: MESSAGE_LIMIT,
        };
        let transport = StreamableHttpClientTransport::with_client(bounded, config);
        let client = ourselves()
            .serve(transport)
            .await
            .map_err(|error| self.broken(error.to_string()))?;
        self.ask(&client).await
    }

    async fn ask(&self, client: &Client) -> Result<RawOutput, McpError> {
        let request =
            CallToolRequestParams::new(self.tool.to_owned()).with_arguments(self.arguments.clone());
        let reason = match client.call_tool(request).await {
            Ok(result) if result.is_error != Some(true) => return Ok(printed(&result)),
            Ok(result) => text_of(&result),
            Err(error) => error.to_string(),
        };
        // Servers differ in how they say that there is no such tool.
        let known = client.list_tools(None).await.map(|list| list.tools);
        let named = |name: &str| name == self.tool;
        Err(match known {
            Ok(tools) if !tools.iter().any(|tool| named(&tool.name)) => McpError::UnknownTool {
                server: self.server.to_owned(),
                tool: self.tool.to_owned(),
                known: tools
                    .iter()
                    .take(NAMED_TOOLS)
                    .map(|tool| tool.name.to_string())
                    .collect(),
            },
            Ok(_) => McpError::Tool {
                server: self.server.to_owned(),
                tool: self.tool.to_owned(),
                reason: reason.chars().take(STDERR_LIMIT).collect(),
            },
            Err(_) => self.broken(reason),
        })
    }

    fn broken(&self, reason: String) -> McpError {
        McpError::Connection {
            server: self.server.to_owned(),
            reason,
        }
    }
}

fn ourselves() -> ClientConfig {
    ClientConfig::new(
        ClientCapabilities::default(),
        Implementation::new("bowline", env!("CARGO_PKG_VERSION")),
    )
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

/// Reads to the end, so that the server can go on, and keeps the beginning.
async fn listen(mut stream: impl AsyncRead + Unpin, kept: &mut Vec<u8>) {
    let mut chunk = [0; 1024];
    while let Ok(count @ 1..) = stream.read(&mut chunk).await {
        let room = STDERR_LIMIT.saturating_sub(kept.len()).min(count);
        kept.extend_from_slice(chunk.get(..room).unwrap_or_default());
    }
}

/// The result as a program would have printed it.
fn printed(result: &CallToolResult) -> RawOutput {
    let mut stdout = text_of(result);
    let end = stdout.floor_char_boundary(MESSAGE_LIMIT);
    let stdout_cut = end < stdout.len();
    stdout.truncate(end);
    RawOutput {
        exit: Exit::Code(0),
        stdout,
        stdout_cut,
        stderr: String::new(),
        stderr_cut: false,
    }
}

/// The text parts, a line each; of other parts only their type is told.
fn text_of(result: &CallToolResult) -> String {
    let parts: Vec<&str> = result
        .content
        .iter()
        .map(|part| match part {
            ContentBlock::Text(text) => text.text.as_str(),
            ContentBlock::Image(_) => "[image]",
            ContentBlock::Audio(_) => "[audio]",
            ContentBlock::Resource(_) => "[resource]",
            ContentBlock::ResourceLink(_) => "[resource_link]",
            _ => "[unknown]",
        })
        .collect();
    parts.join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::test_server::{Reply, Server};

    fn json_reply(id: u64, result: Value) -> Reply {
        let body = json!({ "jsonrpc": "2.0", "id": id, "result": result });
        Reply::with_headers(200, "Content-Type: application/json\r\n", body.to_string())
    }

    fn call() -> Call<'static> {
        Call {
            server: "remote",
            tool: "judge",
            arguments: Map::new(),
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
