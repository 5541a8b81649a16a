//! Hooks that call a tool of an MCP server: one connection for one call, and the text of the result read as a command's stdout is.

mod client;
mod input;
mod server;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::command::{self, CommandRequest, EnvBase, RunError};
use super::environment::PROJECT_DIR;
use super::http::{HttpError, HttpPolicy};
use crate::context::HookContext;
use crate::dialect::RawOutput;
use crate::settings::{CommandAction, McpServers, McpToolAction, NoServer};
use server::Server;

const PLUGIN_ROOT: &str = "CLAUDE_PLUGIN_ROOT";

/// What a call needs from its surroundings.
#[derive(Debug)]
pub(crate) struct Surroundings<'a> {
    pub(crate) servers: &'a McpServers,
    pub(crate) base: EnvBase,
    pub(crate) project: Option<&'a Path>,
    pub(crate) http: &'a HttpPolicy,
    pub(crate) ctx: &'a HookContext,
}

/// Why a tool has no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum McpError {
    /// The server is not known, or not trusted.
    #[error(transparent)]
    NoServer(#[from] NoServer),
    /// What is written about it makes no sense.
    #[error("the MCP server `{server}` in {file} cannot be used: {reason}")]
    Definition {
        /// The server.
        server: String,
        /// Where it is written.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// Its program cannot be started.
    #[error("the MCP server `{server}`: {source}")]
    Start {
        /// The server.
        server: String,
        /// Why not.
        source: RunError,
    },
    /// Its address may not be used.
    #[error("the MCP server `{server}`: {source}")]
    Address {
        /// The server.
        server: String,
        /// Why not.
        source: HttpError,
    },
    /// It does not speak as it should.
    #[error("the MCP server `{server}` does not answer: {reason}")]
    Connection {
        /// The server.
        server: String,
        /// What happened.
        reason: String,
    },
    /// It has no such tool.
    #[error("the MCP server `{server}` has no tool called `{tool}`; it has {}", if .known.is_empty() { "none".to_owned() } else { .known.join(", ") })]
    UnknownTool {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// The tools that it has.
        known: Vec<String>,
    },
    /// The tool says that it failed.
    #[error("the tool `{tool}` of the MCP server `{server}` failed: {reason}")]
    Tool {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// What it says.
        reason: String,
    },
}

/// Calls the tool, and gives its text as a program's output. Dropping the future ends the server that was started for it.
pub(crate) async fn run(
    action: &McpToolAction,
    payload: &Value,
    place: Surroundings<'_>,
) -> Result<RawOutput, McpError> {
    let found = {
        let (servers, name) = (place.servers.clone(), action.server.clone());
        tokio::task::spawn_blocking(move || servers.find(&name))
            .await
            .map_err(|error| McpError::Connection {
                server: action.server.clone(),
                reason: error.to_string(),
            })??
    };
    let own = own_variables(place.project, found.plugin_root.as_deref());
    let variable = |name: &str| {
        own.get(name)
            .or_else(|| place.ctx.env.get(name))
            .cloned()
            .or_else(|| match place.base {
                EnvBase::Inherited => std::env::var(name).ok(),
                EnvBase::Context => None,
            })
    };
    let server =
        Server::read(&found.definition, &variable).map_err(|reason| McpError::Definition {
            server: action.server.clone(),
            file: found.file.display().to_string(),
            reason,
        })?;
    let call = client::Named {
        server: &action.server,
        call: bowline_net::mcp::McpCall {
            tool: action.tool.clone(),
            arguments: input::filled(&action.input, payload),
        },
    };
    match server {
        Server::Program { command, args, env } => {
            let start = CommandAction {
                command,
                args: Some(args),
            };
            let mut extra_env = own;
            extra_env.extend(env);
            let mut ctx = place.ctx.clone();
            if let Some(project) = place.project {
                ctx = ctx.with_cwd(project);
            }
            let process = command::converse(&CommandRequest {
                action: &start,
                stdin: &[],
                variables: Vec::new(),
                extra_env: &extra_env,
                base: place.base,
                ctx: &ctx,
            })
            .await
            .map_err(|source| McpError::Start {
                server: action.server.clone(),
                source,
            })?;
            call.through_pipes(process).await
        }
        Server::Http { url, headers } => call.over_http(&url, &headers, place.http).await,
    }
}

/// What a definition may name beside the variables of the environment.
fn own_variables(project: Option<&Path>, plugin: Option<&Path>) -> BTreeMap<String, String> {
    [(PROJECT_DIR, project), (PLUGIN_ROOT, plugin)]
        .into_iter()
        .filter_map(|(name, path)| Some((name.to_owned(), path?.to_string_lossy().into_owned())))
        .collect()
}
