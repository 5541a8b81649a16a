//! The MCP servers in a project's `.mcp.json`, which hooks that call their tools would start.

use std::collections::BTreeMap;

use bowline::settings::{Action, Settings, TrustState};
use bowline_agents::shell_word;
use serde::Serialize;
use serde_json::Value;

use crate::hook_view::masked;
use crate::ui::{Text, Tree, reveal, style};

/// What there is to trust of a project's servers.
#[derive(Debug, Serialize)]
pub(super) struct Servers {
    /// Whether they are trusted; nothing is needed where no hook calls them.
    pub(super) trust: TrustState,
    /// Their hash, if they are to be trusted.
    #[serde(skip)]
    pub(super) sha256: Option<String>,
    would_start: Vec<WouldStart>,
}

#[derive(Debug, Serialize)]
struct WouldStart {
    server: String,
    runs: String,
    env: BTreeMap<String, String>,
    headers: BTreeMap<String, String>,
}

impl Servers {
    pub(super) fn of(settings: &Settings) -> Self {
        let servers = &settings.mcp_servers.of_project;
        let is_called = |name: &str| {
            settings.hooks.iter().any(|hook| {
                matches!(&hook.definition.action, Action::McpTool(call) if call.server == name)
            })
        };
        let needed = servers.servers().any(|(name, _)| is_called(name));
        let trust = if needed {
            servers.trust
        } else {
            TrustState::NotNeeded
        };
        let pending = trust.is_pending();
        Self {
            trust,
            sha256: servers.sha256.clone().filter(|_| pending),
            // All of them: trust is about the whole file.
            would_start: servers
                .servers()
                .filter(|_| pending)
                .map(|(name, definition)| WouldStart::of(name, definition))
                .collect(),
        }
    }

    /// What would be started, if something is to be trusted.
    pub(super) fn tree(&self) -> Option<Tree> {
        if self.would_start.is_empty() {
            return None;
        }
        let mut tree = Tree::new(Text::styled(
            "could start these servers of .mcp.json, as you, for hooks that call their tools",
            style::HEADING,
        ));
        for server in &self.would_start {
            tree.push(server.tree());
        }
        Some(tree)
    }
}

impl WouldStart {
    fn of(name: &str, definition: &Value) -> Self {
        let text = |key: &str| definition.get(key).and_then(Value::as_str);
        let args = definition.get("args").and_then(Value::as_array);
        let args = args.into_iter().flatten().filter_map(Value::as_str);
        let runs = match (text("command"), text("url")) {
            (Some(command), _) => args.fold(shell_word(command), |line, arg| {
                line + " " + &shell_word(arg)
            }),
            (None, Some(url)) => reveal::url(url),
            (None, None) => "nothing that is understood".to_owned(),
        };
        Self {
            server: name.to_owned(),
            runs,
            env: texts(definition.get("env")),
            headers: texts(definition.get("headers")),
        }
    }

    fn tree(&self) -> Tree {
        let mut tree = Tree::new(
            Text::styled(reveal::name(&self.server), style::NAME)
                .plain(format!(" {}", reveal::code(&self.runs))),
        );
        for (name, value) in &self.env {
            tree.leaf(format!("env {}", reveal::code(&format!("{name}={value}"))));
        }
        for (name, value) in &self.headers {
            tree.leaf(format!(
                "header {}",
                reveal::code(&format!("{name}: {value}"))
            ));
        }
        tree
    }
}

/// Names and values, without the secrets among them.
fn texts(node: Option<&Value>) -> BTreeMap<String, String> {
    let fields = node.and_then(Value::as_object).into_iter().flatten();
    let texts = fields.map(|(name, value)| {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), ToOwned::to_owned);
        (name.clone(), text)
    });
    masked(&texts.collect())
}
