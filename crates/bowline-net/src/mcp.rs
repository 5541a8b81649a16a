//! The conversation with an MCP server: hello, one call, and nothing more.

mod http;

use std::collections::HashMap;
use std::pin::Pin;

use reqwest::Url;
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
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

use crate::http::{cause, client_for};
use http::Bounded;

/// The longest message of a server, and the most that is kept of a tool's text.
pub const MESSAGE_LIMIT: usize = 8 * 1024 * 1024;
/// How much of a server's stderr an error repeats.
const STDERR_LIMIT: usize = 2 * 1024;
/// How many of a server's tools an error names.
const NAMED_TOOLS: usize = 20;

/// One call of a tool.
#[derive(Debug)]
pub struct McpCall {
    /// The tool.
    pub tool: String,
    /// What it is given.
    pub arguments: Map<String, Value>,
}

/// The streams of a server that is a program.
#[derive(Debug)]
pub struct Pipes {
    /// What it reads.
    pub stdin: ChildStdin,
    /// What it answers.
    pub stdout: ChildStdout,
    /// What it says beside.
    pub stderr: ChildStderr,
}

/// What a tool said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The text parts, a line each; of other parts only their type is given.
    pub text: String,
    /// There was more than the limit.
    pub cut: bool,
}

/// Why a tool has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallError {
    /// The server does not speak as it should.
    Connection {
        /// What happened.
        reason: String,
    },
    /// It has no such tool.
    UnknownTool {
        /// The tools that it has.
        known: Vec<String>,
    },
    /// The tool says that it failed.
    Tool {
        /// What it says.
        reason: String,
    },
}

/// A call under way. Its type is erased, so that no other crate compiles the conversation.
pub type Conversation<'a> = Pin<Box<dyn Future<Output = Result<Said, CallError>> + Send + 'a>>;

type Client = RunningService<RoleClient, ClientConfig>;

impl McpCall {
    /// Calls a program.
    pub fn through_pipes(self, pipes: Pipes) -> Conversation<'static> {
        Box::pin(self.converse(pipes))
    }

    /// Calls an address.
    pub fn over_http(
        self,
        url: &Url,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Conversation<'_> {
        Box::pin(self.exchange(url, headers))
    }

    async fn converse(self, pipes: Pipes) -> Result<Said, CallError> {
        let Pipes {
            stdin,
            stdout,
            stderr,
        } = pipes;
        let transport =
            AsyncRwTransport::new_client(stdout, stdin).with_max_line_length(MESSAGE_LIMIT);
        let mut said = Vec::new();
        let conversation = async {
            let client = ourselves()
                .serve(transport)
                .await
                .map_err(|error| broken(error.to_string()))?;
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
        match result {
            Err(CallError::Connection { reason }) if !said.is_empty() => {
                let said = String::from_utf8_lossy(&said);
                Err(broken(format!(
                    "{reason}; its stderr says: {}",
                    said.trim()
                )))
            }
            result => result,
        }
    }

    async fn exchange(
        self,
        url: &Url,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<Said, CallError> {
        let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
        config.custom_headers = headers;
        let client = client_for(url).map_err(|error| broken(cause(error)))?;
        let bounded = Bounded {
            client: client.clone(),
            limit: MESSAGE_LIMIT,
        };
        let transport = StreamableHttpClientTransport::with_client(bounded, config);
        let client = ourselves()
            .serve(transport)
            .await
            .map_err(|error| broken(error.to_string()))?;
        self.ask(&client).await
    }

    async fn ask(self, client: &Client) -> Result<Said, CallError> {
        let request = CallToolRequestParams::new(self.tool.clone()).with_arguments(self.arguments);
        let reason = match client.call_tool(request).await {
            Ok(result) if result.is_error != Some(true) => return Ok(printed(&result)),
            Ok(result) => text_of(&result),
            Err(error) => error.to_string(),
        };
        // Servers differ in how they say that there is no such tool.
        let known = client.list_tools(None).await.map(|list| list.tools);
        Err(match known {
            Ok(tools) if !tools.iter().any(|tool| tool.name == self.tool) => {
                let names = tools.iter().take(NAMED_TOOLS);
                CallError::UnknownTool {
                    known: names.map(|tool| tool.name.to_string()).collect(),
                }
            }
            Ok(_) => CallError::Tool {
                reason: reason.chars().take(STDERR_LIMIT).collect(),
            },
            Err(_) => broken(reason),
        })
    }
}

fn broken(reason: String) -> CallError {
    CallError::Connection { reason }
}

fn ourselves() -> ClientConfig {
    ClientConfig::new(
        ClientCapabilities::default(),
        Implementation::new("bowline", env!("CARGO_PKG_VERSION")),
    )
}

/// Reads to the end, so that the server can go on, and keeps the beginning.
async fn listen(mut stream: impl AsyncRead + Unpin, kept: &mut Vec<u8>) {
    let mut chunk = [0; 1024];
    while let Ok(count @ 1..) = stream.read(&mut chunk).await {
        let room = STDERR_LIMIT.saturating_sub(kept.len()).min(count);
        kept.extend_from_slice(chunk.get(..room).unwrap_or_default());
    }
}

fn printed(result: &CallToolResult) -> Said {
    let mut text = text_of(result);
    let end = text.floor_char_boundary(MESSAGE_LIMIT);
    let cut = end < text.len();
    text.truncate(end);
    Said { text, cut }
}

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
